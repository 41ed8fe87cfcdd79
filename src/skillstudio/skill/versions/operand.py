"""One version of a skill, located on disk or in an archive."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.files.tree import FileTree, Subtree
from skillstudio.manifest.registry import no_skill
from skillstudio.skill.discover import find_skills, is_skill
from skillstudio.text.versions import tag_version

_MAX_NAMED = 5


class OperandError(Exception):
    """A version that cannot be found; the message says what to write instead."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(f"{reason}; {advice}" if advice else reason)
        self.reason = reason
        """The message without the suggested command."""


class SeveralSkills(OperandError):
    """A folder, archive or revision that contains several skills."""


class Operand(NamedTuple):
    """One located version of a skill."""

    tree: FileTree | None  # Its files; None if the skill does not exist at that revision.
    path: str  # The skill's folder: as given, or relative to the repository for a revision.
    ref: str = ""  # The tag or revision as given; empty on disk and in an archive.
    label: str = ""
    commit: str = ""
    folder: str = ""  # The skill's folder on disk, whether it exists or not; empty for an archive.
    version: str = ""
    note: str = ""
    files: Callable[[], FileTree] | None = None  # All files of its commit.
    tags: tuple[str, ...] = ()  # The tags at its commit, if `version` is unknown.
    submodule: str = ""  # The path of the submodule with its files, where `path` begins.
    no_release: str = ""  # Why it is HEAD and no release, if a release was wanted.


def on_disk(text: str, path: str) -> Operand:
    """The skill at an existing path, shown as given. Raises OperandError."""
    display_path = text.replace(os.sep, "/").rstrip("/") or "/"
    if os.path.isdir(path):
        inside = only_skill(DiskTree(path), display_path, partial(join_path, display_path))[1]
        folder = os.path.join(path, *inside.split("/")) if inside else path
        display_path = join_path(display_path, inside)
        return Operand(DiskTree(folder), display_path, "", display_path, "", folder)
    from skillstudio.files.archive import SUFFIXES, is_archive

    if is_archive(path):
        return in_archive(path, display_path, "")
    for _ in range(40):
        path, below = os.path.dirname(path), path
        if path == below:
            break
        folder = path or os.curdir
        if is_skill(DiskTree(folder)):
            display_path = folder if os.path.isabs(text) else make_relative(folder)
            display_path = display_path.replace(os.sep, "/")
            return Operand(DiskTree(folder), display_path, "", display_path, "", folder)
    raise OperandError(
        f"{text} is not a skill, a file of a skill or an archive ({', '.join(SUFFIXES)})"
    )


def in_archive(path: str, display_path: str, inside: str) -> Operand:
    """The skill in an archive, below a folder of it. Raises OperandError."""
    from skillstudio.files.archive import open_archive
    from skillstudio.files.archive_entries import ArchiveRefused

    try:
        tree: FileTree = open_archive(path)
    except ArchiveRefused as error:
        raise OperandError(str(error)) from None
    if inside:
        if tree.kind(inside) != "folder":
            raise OperandError(f"{display_path} does not contain a folder {inside}")
        tree = Subtree(tree, inside)
    start = f"{display_path}:{inside}/" if inside else f"{display_path}:"
    skill_tree, below = only_skill(tree, f"{display_path}:{inside}".rstrip(":"), start.__add__)
    label = f"{start}{below}".rstrip("/:")
    return Operand(skill_tree, label, "", label)


def only_skill(
    tree: FileTree, display_path: str, name_path: Callable[[str], str]
) -> tuple[FileTree, str]:
    """The only skill of a tree, and its path. Raises OperandError, SeveralSkills."""
    if is_skill(tree):
        return tree, ""
    paths: list[str] = []
    unreadable: list[str] = []

    def note_unreadable(path: str, error: OSError) -> None:
        where = name_path(path) if path else display_path
        unreadable.append(f"{where} cannot be read: {error.strerror or error}")

    for path in find_skills(tree, unreadable=note_unreadable):
        paths.append(path)
        if len(paths) > _MAX_NAMED:
            break
    if not paths and unreadable:
        raise OperandError(unreadable[0])
    if not paths:
        raise OperandError(no_skill(display_path))
    if len(paths) > 1:
        suffix = ", …" if len(paths) > _MAX_NAMED else ""
        names = ", ".join(name_path(path) for path in paths[:_MAX_NAMED])
        raise SeveralSkills(f"{display_path} contains several skills; choose one: {names}{suffix}")
    return Subtree(tree, paths[0]), paths[0]


def join_path(path: str, inside: str) -> str:
    """A path with an optional path below it."""
    return f"{path}/{inside}".replace("//", "/") if inside else path


def at_ref(path: str, ref: str) -> str:
    """`PATH@REF`; the skill's name in a tag such as `NAME@1.2.0` is not repeated."""
    version, is_own = tag_version(ref, (path, path.rpartition("/")[2]))
    return f"{path or '.'}@{version if is_own else ref}"
