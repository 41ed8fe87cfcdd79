"""The skills that changed between two commits, or are staged, as pairs to compare."""

from __future__ import annotations

import os

from skillstudio.cli.output import UsageError
from skillstudio.files.git import GitError
from skillstudio.files.git_index import staged_files, staged_tree
from skillstudio.files.repository import Repository, open_repository
from skillstudio.files.tree import MemoryTree
from skillstudio.skill.versions.between import Pair, RangeEnd, ends_of, pairs
from skillstudio.skill.versions.operands import INDEX


def between(range_: tuple[str, str, bool], path: str) -> list[Pair]:
    """The pairs of `BASE..HEAD`. Raises GitError, OperandError, UsageError."""
    repository, within = _place(path)
    try:
        old, new = ends_of(repository, *range_)
    except GitError as error:
        base, head, three = range_
        skill, mark, revision = base.partition("@")
        if not (skill and mark) or repository.has(base):
            raise
        dots = "..." if three else ".."
        raise UsageError(
            f"{error}; a range stands before its path: skillstudio diff {revision}{dots}{head} "
            f"{skill}"
        ) from None
    return pairs(repository, old, new, repository.files_changed(old.commit, new.commit), within)


def staged(path: str) -> list[Pair]:
    """The pairs of HEAD and the next commit. Raises GitError, OperandError, UsageError."""
    repository, within = _place(path)
    name = os.path.basename(repository.root)
    index = os.environ.get("GIT_INDEX_FILE", "")
    if index:
        index = os.path.abspath(index)
    if repository.has("HEAD"):
        old = RangeEnd(repository.commit("HEAD"), "HEAD", repository.tree("HEAD"))
    else:
        old = RangeEnd("", "nothing", MemoryTree({}, name))
    new = RangeEnd("", INDEX, staged_tree(repository.root, name, index))
    return pairs(repository, old, new, staged_files(repository.root, old.commit, index), within)


def _place(path: str) -> tuple[Repository, str]:
    """The repository, and the folder in it that is asked for."""
    if not path:
        repository = open_repository(os.curdir)
        return repository, ""
    folder = path if os.path.isdir(path) else os.path.dirname(path) if os.path.isfile(path) else ""
    repository = open_repository(folder or os.curdir)
    within = repository.prefix(folder or path)
    if ".." in within.split("/"):
        raise UsageError(f"{path} lies outside of the repository")
    return repository, within
