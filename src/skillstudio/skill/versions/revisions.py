"""Resolve versions of a skill in a repository, and skills given by name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from skillstudio.files.archive import is_archive
from skillstudio.files.disk import DiskTree
from skillstudio.files.git import GitError, advice_if_shallow
from skillstudio.files.repository import PathAbsent, Repository, open_repository
from skillstudio.files.tree import FileTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.discover import find_skills, is_skill
from skillstudio.skill.lookup import workspace_of
from skillstudio.skill.versions.history import (
    VersionCommit,
    VersionMissing,
    find_version,
    last_tag,
    moved_from,
    skill_at,
)
from skillstudio.skill.versions.names import names_of, skills_named
from skillstudio.skill.versions.operand import (
    Operand,
    OperandError,
    at_ref,
    in_archive,
    joined,
    on_disk,
    only_skill,
)
from skillstudio.text.versions import is_semver


def elsewhere(text: str, here: str) -> Operand:
    """Resolve a text that is not a path. Raises OperandError."""
    try:
        return _elsewhere(text, here)
    except (GitError, VersionMissing) as error:
        raise OperandError(f"{text}: {error}") from None


def version_before(operand: Operand) -> Operand:
    """The version of the last tag of a skill on disk, else that of HEAD. Raises OperandError."""
    no_release = note = ""
    try:
        repository, path = _repository(operand.folder)
        names = _names(operand.tree, operand.folder)
        found = last_tag(repository, path, names, operand.commit)
        if found is None:
            found = VersionCommit(repository.commit("HEAD"), "HEAD")
            no_release = "no release found"
            note = advice_if_shallow(repository.root)
    except GitError as error:
        raise OperandError(
            f"{operand.label} has no older version to compare with: {error}",
            "give both versions: skillstudio diff OLD NEW",
        ) from None
    if found.path is not None:
        moved = _in_commit(repository, found.path, found, found.path)
        return moved._replace(note=f"at {found.ref} it is in {found.path or '.'}")
    made = _in_commit(repository, path, found, operand.path)._replace(note=note)
    if made.tree is None and operand.tree is not None:
        made = _moved(repository, made, found, names, operand.commit)
    return made._replace(no_release=no_release)


def _elsewhere(text: str, here: str) -> Operand:
    if not text:
        raise OperandError("an empty string is not a skill")
    troubles: list[str] = []
    for left, right in _splits(text, "@"):
        trouble = ""
        try:
            found = _left_of_at(left, here)
            if found is None:
                continue
            trouble = f"; read as {left} at {right}"
            return _at(found, right)
        except OperandError as error:
            trouble = str(error)
        except (GitError, VersionMissing) as error:
            trouble = f"{error}{trouble}"
        # The error for an existing path before the `@` is the most relevant one.
        likely = os.path.lexists(os.path.join(here, left))
        troubles.insert(0 if likely else len(troubles), trouble)
    for left, right in _splits(text, ":", ending=True):
        archive = os.path.join(here, left)
        if is_archive(left) and os.path.isfile(archive):
            return in_archive(archive, left, right.strip("/"))
        try:
            return _in_revision(left, right, here)
        except GitError as error:
            troubles.append(str(error))
    if "@" not in text and ":" not in text:
        if named := skill_by_name(text, here):
            return named
        raise OperandError(f"{text} is not a file or folder, and {_no_skill(text, here)}")
    if troubles:
        raise OperandError(f"{text}: {troubles[0]}")
    if text.endswith("@"):
        raise OperandError(f"{text} is incomplete after the @; write PATH@REF or PATH@1.2.0")
    name = text.partition("@")[0] or text
    raise OperandError(f"{text}: {name} is not a folder, and {_no_skill(name, here)}")


def _splits(text: str, mark: str, ending: bool = False) -> Iterator[tuple[str, str]]:
    """Split a text at each mark into non-empty parts; with `ending`, the second may be empty."""
    at = text.find(mark)
    while at >= 0:
        if at > 0 and (ending or at + 1 < len(text)):
            yield text[:at], text[at + 1 :]
        at = text.find(mark, at + 1)


class _NamedSkill(NamedTuple):
    repository: Repository
    path: str
    names: tuple[str, ...]
    shown: str
    name: str = ""  # The requested name, if it was given by name.


def _left_of_at(left: str, here: str) -> _NamedSkill | None:
    path = os.path.join(here, left)
    if os.path.lexists(path) and not _left_over(path):
        if is_archive(path) and os.path.isfile(path):
            raise OperandError(f"{left} is an archive, which contains only one version")
        operand = on_disk(left, path)
        repository, inside = _repository(operand.folder)
        return _NamedSkill(repository, inside, _names(operand.tree, operand.folder), operand.path)
    root = workspace_of(here)
    found = skills_named(DiskTree(root), left) if _may_name(left) else []
    if len(found) > 1:
        raise OperandError(_ambiguous(left, found))
    if found:
        folder = os.path.join(root, *found[0].split("/")) if found[0] else root
        repository, inside = _repository(folder)
        names = (left, *_names(DiskTree(folder), folder))
        return _NamedSkill(repository, inside, names, found[0], left)
    repository = open_repository(here)
    inside = repository.prefix(path)
    if inside and repository.history(inside, limit=1):
        return _NamedSkill(repository, inside, (inside.rpartition("/")[2],), left)
    # A skill that no longer exists is looked up by its name at the revision.
    return _NamedSkill(repository, "", (left,), "", left) if _may_name(left) else None


def _left_over(path: str) -> bool:
    """Whether a folder contains no skill, for example after a skill was removed."""
    return os.path.isdir(path) and next(find_skills(DiskTree(path)), None) is None


def _at(left: _NamedSkill, right: str) -> Operand:
    """The skill at a revision or version. Raises GitError, VersionMissing, OperandError."""
    found = _revision(left, right)
    if left.shown or not left.name:
        operand = _in_commit(left.repository, left.path, found, left.shown)
        if operand.tree is not None:
            return operand
        if not left.name:
            return _moved(left.repository, operand, found, left.names)
    paths = skills_named(left.repository.tree(found.commit), left.name)
    if len(paths) > 1:
        raise OperandError(_ambiguous(left.name, [f"{found.ref}:{path}" for path in paths]))
    if not paths and left.shown:
        return operand
    if not paths:
        where = f"neither in the working tree nor at {found.ref}"
        raise OperandError(f"no skill is named {left.name}, {where}")
    moved = _in_commit(left.repository, paths[0], found, paths[0])
    return moved._replace(note=f"at {found.ref} it is in {paths[0]}" if left.shown else "")


def _moved(
    repository: Repository,
    absent: Operand,
    found: VersionCommit,
    names: tuple[str, ...],
    beside: str = "",
) -> Operand:
    path = moved_from(repository, found.commit, names, beside)
    if path is None:
        note = f"at {found.ref} no skill is in {absent.path} or named {names[0]}"
        return absent._replace(note=note)
    note = f"at {found.ref} it is in {path or '.'}"
    return _in_commit(repository, path, found, path)._replace(note=note)


def _revision(left: _NamedSkill, right: str) -> VersionCommit:
    if not is_semver(right):
        return VersionCommit(left.repository.commit(right), right)
    try:
        return find_version(left.repository, left.path, left.names, right)
    except VersionMissing:
        if left.repository.has(right):
            return VersionCommit(left.repository.commit(right), right)
        raise


def _in_revision(ref: str, path: str, here: str) -> Operand:
    """`REF:path`, with the path relative to the repository, or with `./` to the current folder."""
    repository = open_repository(here)
    commit = repository.commit(ref)
    if path.startswith(("./", "../")) or path == ".":
        inside = repository.prefix(os.path.join(here, path))
    else:
        inside = path.strip("/")
    if ".." in inside.split("/"):
        raise OperandError(f"{ref}:{path} leaves the repository")
    operand = _in_commit(repository, inside, VersionCommit(commit, ref), inside)
    known = operand.tree is not None or is_skill(DiskTree(operand.folder))
    if not known and not repository.history(inside, limit=1):
        raise OperandError(f"{path} does not exist at {ref} or in its history")
    if operand.tree is None:
        try:
            tree = repository.tree(commit, inside)
        except PathAbsent:
            return operand
        if next(iter(find_skills(tree)), None) is not None:
            start = path.rstrip("/")
            start = f"{ref}:{start}/" if start else f"{ref}:"
            _, below = only_skill(tree, f"{ref}:{path}", start.__add__)
            return _in_commit(repository, joined(inside, below), VersionCommit(commit, ref), "")
    return operand


def skill_by_name(name: str, here: str) -> Operand | None:
    """The only skill of the workspace around a folder with a name; None if no skill has it.

    Raises OperandError for several.
    """
    root = workspace_of(here)
    found = skills_named(DiskTree(root), name) if _may_name(name) else []
    if len(found) > 1:
        raise OperandError(_ambiguous(name, found))
    if not found:
        return None
    folder = os.path.join(root, *found[0].split("/")) if found[0] else root
    shown = os.path.relpath(folder).replace(os.sep, "/")
    return Operand(DiskTree(folder), shown, "", shown, "", folder)


def _in_commit(repository: Repository, path: str, found: VersionCommit, shown: str) -> Operand:
    tree = skill_at(repository, found.commit, path)
    folder = os.path.join(repository.root, *path.split("/")) if path else repository.root
    # A tag of the skill alone repeats its name; one of all skills does not.
    is_own = found.ref.endswith(found.version or "\0") and not found.is_shared
    label = at_ref(shown or path, found.version if is_own else found.ref)
    files = partial(repository.tree, found.commit)
    place = (tree, path or ".", found.ref, label, found.commit, folder)
    tags: tuple[str, ...] = ()
    if not found.version:
        tags = tuple(tag.name for tag in repository.tags() if tag.commit == found.commit)
    return Operand(*place, found.version, files=files, tags=tags)


def _repository(folder: str) -> tuple[Repository, str]:
    """The repository that contains (or contained) a folder, and the folder's path in it."""
    repository = open_repository(folder)
    return repository, repository.prefix(folder)


def _names(tree: FileTree | None, folder: str) -> tuple[str, ...]:
    if tree is None:
        return (os.path.basename(os.path.abspath(folder)),)
    return names_of(locate(tree).skill)


def _may_name(text: str) -> bool:
    """Whether a text may be a skill's name: it has no characters of a path or revision."""
    return not any(mark in text for mark in "/\\:~^") and ".." not in text


def _ambiguous(name: str, paths: list[str]) -> str:
    listed = " and ".join(path or "." for path in paths[:5])
    return f"{len(paths)} skills are named {name}: {listed}; use a path instead"


def _no_skill(name: str, here: str) -> str:
    advice = "use a folder, PATH@REF, PATH@1.2.0, REF:path, an archive or a skill's name"
    with suppress(GitError):
        open_repository(here).commit(name)
        advice = f"{name} is a revision; add a path: PATH@{name}"
    return f"no skill in {workspace_of(here)} is named {name}; {advice}"
