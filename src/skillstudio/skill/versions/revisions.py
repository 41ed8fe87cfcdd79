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
from skillstudio.files.paths import make_relative
from skillstudio.files.repository import PathAbsent, Repository, open_repository
from skillstudio.files.tree import FileTree
from skillstudio.files.workspace import workspace_of
from skillstudio.manifest.locate import locate
from skillstudio.skill.discover import find_skills, is_skill
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
    join_path,
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
        version_commit = last_tag(repository, path, names, operand.commit)
        if version_commit is None:
            version_commit = VersionCommit(repository.commit("HEAD"), "HEAD")
            no_release = "no release found"
            note = advice_if_shallow(repository.root)
    except GitError as error:
        raise OperandError(
            f"{operand.label} has no older version to compare with: {error}",
            "give both versions: skillstudio diff OLD NEW",
        ) from None
    if version_commit.path is not None:
        moved_operand = _in_commit(
            repository, version_commit.path, version_commit, version_commit.path
        )
        return moved_operand._replace(
            note=f"at {version_commit.ref} it is in {version_commit.path or '.'}"
        )
    old_operand = _in_commit(repository, path, version_commit, operand.path)._replace(note=note)
    if old_operand.tree is None and operand.tree is not None:
        old_operand = _follow_move(repository, old_operand, version_commit, names, operand.commit)
    return old_operand._replace(no_release=no_release)


def _elsewhere(text: str, here: str) -> Operand:
    if not text:
        raise OperandError("an empty string is not a skill")
    troubles: list[str] = []
    for left_part, right in _splits(text, "@"):
        trouble = ""
        try:
            skill = _left_of_at(left_part, here)
            if skill is None:
                continue
            trouble = f"; read as {left_part} at {right}"
            return _at(skill, right)
        except OperandError as error:
            trouble = str(error)
        except (GitError, VersionMissing) as error:
            trouble = f"{error}{trouble}"
        # The error for an existing path before the `@` is the most relevant one.
        likely = os.path.lexists(os.path.join(here, left_part))
        troubles.insert(0 if likely else len(troubles), trouble)
    for left_part, right in _splits(text, ":", ending=True):
        archive = os.path.join(here, left_part)
        if is_archive(left_part) and os.path.isfile(archive):
            return in_archive(archive, left_part, right.strip("/"))
        try:
            return _in_revision(left_part, right, here)
        except GitError as error:
            troubles.append(str(error))
    if "@" not in text and ":" not in text:
        if operand := skill_by_name(text, here):
            return operand
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
    display_path: str
    name: str = ""  # The requested name, if it was given by name.


def _left_of_at(left_part: str, here: str) -> _NamedSkill | None:
    path = os.path.join(here, left_part)
    if os.path.lexists(path) and not _left_over(path):
        if is_archive(path) and os.path.isfile(path):
            raise OperandError(f"{left_part} is an archive, which contains only one version")
        operand = on_disk(left_part, path)
        repository, inside = _repository(operand.folder)
        return _NamedSkill(repository, inside, _names(operand.tree, operand.folder), operand.path)
    root = workspace_of(here)
    paths = skills_named(DiskTree(root), left_part) if _may_name(left_part) else []
    if len(paths) > 1:
        raise OperandError(_ambiguous(left_part, paths))
    if paths:
        folder = os.path.join(root, *paths[0].split("/")) if paths[0] else root
        repository, inside = _repository(folder)
        names = (left_part, *_names(DiskTree(folder), folder))
        return _NamedSkill(repository, inside, names, paths[0], left_part)
    repository = open_repository(here)
    inside = repository.prefix(path)
    if inside and repository.history(inside, limit=1):
        return _NamedSkill(repository, inside, (inside.rpartition("/")[2],), left_part)
    # A skill that no longer exists is looked up by its name at the revision.
    return (
        _NamedSkill(repository, "", (left_part,), "", left_part) if _may_name(left_part) else None
    )


def _left_over(path: str) -> bool:
    """Whether a folder contains no skill, for example after a skill was removed."""
    return os.path.isdir(path) and next(find_skills(DiskTree(path)), None) is None


def _at(skill: _NamedSkill, right: str) -> Operand:
    """The skill at a revision or version. Raises GitError, VersionMissing, OperandError."""
    version_commit = _revision(skill, right)
    if skill.display_path or not skill.name:
        operand = _in_commit(skill.repository, skill.path, version_commit, skill.display_path)
        if operand.tree is not None:
            return operand
        if not skill.name:
            return _follow_move(skill.repository, operand, version_commit, skill.names)
    paths = skills_named(skill.repository.tree(version_commit.commit), skill.name)
    if len(paths) > 1:
        raise OperandError(
            _ambiguous(skill.name, [f"{version_commit.ref}:{path}" for path in paths])
        )
    if not paths and skill.display_path:
        return operand
    if not paths:
        where = f"neither in the working tree nor at {version_commit.ref}"
        raise OperandError(f"no skill is named {skill.name}, {where}")
    moved_operand = _in_commit(skill.repository, paths[0], version_commit, paths[0])
    return moved_operand._replace(
        note=f"at {version_commit.ref} it is in {paths[0]}" if skill.display_path else ""
    )


def _follow_move(
    repository: Repository,
    absent: Operand,
    version_commit: VersionCommit,
    names: tuple[str, ...],
    beside: str = "",
) -> Operand:
    path = moved_from(repository, version_commit.commit, names, beside)
    if path is None:
        note = f"at {version_commit.ref} no skill is in {absent.path} or named {names[0]}"
        return absent._replace(note=note)
    note = f"at {version_commit.ref} it is in {path or '.'}"
    return _in_commit(repository, path, version_commit, path)._replace(note=note)


def _revision(skill: _NamedSkill, right: str) -> VersionCommit:
    if not is_semver(right):
        return VersionCommit(skill.repository.commit(right), right)
    try:
        return find_version(skill.repository, skill.path, skill.names, right)
    except VersionMissing:
        if skill.repository.has(right):
            return VersionCommit(skill.repository.commit(right), right)
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
    is_known = operand.tree is not None or is_skill(DiskTree(operand.folder))
    if not is_known and not repository.history(inside, limit=1):
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
            return _in_commit(repository, join_path(inside, below), VersionCommit(commit, ref), "")
    return operand


def skill_by_name(name: str, here: str) -> Operand | None:
    """The only skill of the workspace around a folder with a name; None if no skill has it.

    Raises OperandError for several.
    """
    root = workspace_of(here)
    paths = skills_named(DiskTree(root), name) if _may_name(name) else []
    if len(paths) > 1:
        raise OperandError(_ambiguous(name, paths))
    if not paths:
        return None
    folder = os.path.join(root, *paths[0].split("/")) if paths[0] else root
    display_path = make_relative(folder).replace(os.sep, "/")
    return Operand(DiskTree(folder), display_path, "", display_path, "", folder)


def _in_commit(
    repository: Repository, path: str, version_commit: VersionCommit, display_path: str
) -> Operand:
    tree = skill_at(repository, version_commit.commit, path)
    folder = os.path.join(repository.root, *path.split("/")) if path else repository.root
    # A tag of the skill alone repeats its name; one of all skills does not.
    is_own = (
        version_commit.ref.endswith(version_commit.version or "\0") and not version_commit.is_shared
    )
    label = at_ref(display_path or path, version_commit.version if is_own else version_commit.ref)
    files = partial(repository.tree, version_commit.commit)
    place = (tree, path or ".", version_commit.ref, label, version_commit.commit, folder)
    tags: tuple[str, ...] = ()
    if not version_commit.version:
        tags = tuple(tag.name for tag in repository.tags() if tag.commit == version_commit.commit)
    return Operand(*place, version_commit.version, files=files, tags=tags)


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
    path_text = " and ".join(path or "." for path in paths[:5])
    return f"{len(paths)} skills are named {name}: {path_text}; use a path instead"


def _no_skill(name: str, here: str) -> str:
    advice = "use a folder, PATH@REF, PATH@1.2.0, REF:path, an archive or a skill's name"
    with suppress(GitError):
        open_repository(here).commit(name)
        advice = f"{name} is a revision; add a path: PATH@{name}"
    return f"no skill in {workspace_of(here)} is named {name}; {advice}"
