"""One version of a skill, located on disk or in an archive."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree, Subtree
from skillstudio.manifest.registry import no_skill
from skillstudio.skill.discover import find_skills, is_skill
from skillstudio.text.versions import tag_version

_NAMED = 5


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
    shown = text.replace(os.sep, "/").rstrip("/") or "/"
    if os.path.isdir(path):
        inside = only_skill(DiskTree(path), shown, partial(joined, shown))[1]
        folder = os.path.join(path, *inside.split("/")) if inside else path
        shown = joined(shown, inside)
        return Operand(DiskTree(folder), shown, "", shown, "", folder)
    from skillstudio.files.archive import SUFFIXES, is_archive

    if is_archive(path):
        return in_archive(path, shown, "")
    for _ in range(40):
        path, below = os.path.dirname(path), path
        if path == below:
            break
        folder = path or os.curdir
        if is_skill(DiskTree(folder)):
            shown = folder if os.path.isabs(text) else os.path.relpath(folder)
            shown = shown.replace(os.sep, "/")
            return Operand(DiskTree(folder), shown, "", shown, "", folder)
    raise OperandError(
        f"{text} is not a skill, a file of a skill or an archive ({', '.join(SUFFIXES)})"
    )


def in_archive(path: str, shown: str, inside: str) -> Operand:
    """The skill in an archive, below a folder of it. Raises OperandError."""
    from skillstudio.files.archive import open_archive
    from skillstudio.files.archive_entries import ArchiveRefused

    try:
        tree: FileTree = open_archive(path)
    except ArchiveRefused as error:
        raise OperandError(str(error)) from None
    if inside:
        if tree.kind(inside) != "folder":
            raise OperandError(f"{shown} does not contain a folder {inside}")
        tree = Subtree(tree, inside)
    start = f"{shown}:{inside}/" if inside else f"{shown}:"
    found, below = only_skill(tree, f"{shown}:{inside}".rstrip(":"), start.__add__)
    label = f"{start}{below}".rstrip("/:")
    return Operand(found, label, "", label)


def only_skill(tree: FileTree, shown: str, named: Callable[[str], str]) -> tuple[FileTree, str]:
    """The only skill of a tree, and its path. Raises OperandError, SeveralSkills."""
    if is_skill(tree):
        return tree, ""
    found: list[str] = []
    unreadable: list[str] = []

    def closed(path: str, error: OSError) -> None:
        where = named(path) if path else shown
        unreadable.append(f"{where} cannot be read: {error.strerror or error}")

    for path in find_skills(tree, unreadable=closed):
        found.append(path)
        if len(found) > _NAMED:
            break
    if not found and unreadable:
        raise OperandError(unreadable[0])
    if not found:
        raise OperandError(no_skill(shown))
    if len(found) > 1:
        more = ", …" if len(found) > _NAMED else ""
        names = ", ".join(named(path) for path in found[:_NAMED])
        raise SeveralSkills(f"{shown} contains several skills; choose one: {names}{more}")
    return Subtree(tree, found[0]), found[0]


def joined(path: str, inside: str) -> str:
    """A path with an optional path below it."""
    return f"{path}/{inside}".replace("//", "/") if inside else path


def at_ref(path: str, ref: str) -> str:
    """`PATH@REF`; the skill's name in a tag such as `NAME@1.2.0` is not repeated."""
    version, is_own = tag_version(ref, (path, path.rpartition("/")[2]))
    return f"{path or '.'}@{version if is_own else ref}"
