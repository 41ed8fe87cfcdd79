"""Find the skills that changed between two commits of a repository."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillstudio.files.git import GitError, advice_if_shallow, ask_git
from skillstudio.files.listed import MemoryTree
from skillstudio.files.paths import below
from skillstudio.files.repository import MovedSubmodule, Repository, open_repository
from skillstudio.files.tree import FileTree, Subtree
from skillstudio.skill.discover import find_skills
from skillstudio.skill.lookup import stated_names
from skillstudio.skill.versions.operand import at_ref
from skillstudio.skill.versions.operands import Operand, OperandError
from skillstudio.text.safe import safe_text


class Pair(NamedTuple):
    """One skill at two commits; it may be missing at either."""

    old: Operand
    new: Operand


class RangeEnd(NamedTuple):
    """One end of a range: the commit, the given text, the files, and the commit's tags."""

    commit: str
    ref: str
    tree: FileTree
    tags: tuple[str, ...] = ()


def read_range(text: str) -> tuple[str, str, bool] | None:
    """Parse `BASE..HEAD` or `BASE...HEAD`: both ends, and whether it has three dots; None
    otherwise.

    No revision starts or ends with a slash, so `../folder` is not a range, and `..@HEAD` is the
    parent folder at HEAD. A missing end is HEAD.
    """
    base, dots, head = text.partition("..")
    three = head.startswith(".")
    head = head[1:] if three else head
    if not dots or ".." in head or (not base and not head):
        return None
    if base.endswith(("/", "\\")) or head.startswith(("/", "\\", ".")):
        return None
    if not base and not three and head[:1] == "@" and head[1:2] not in ("", "{", "~", "^"):
        return None
    return base or "HEAD", head or "HEAD", three


def ends_of(repository: Repository, base: str, head: str, three: bool) -> tuple[RangeEnd, RangeEnd]:
    """The two ends of a range; with three dots, from their merge base. Raises GitError."""
    old, new = repository.commit(base), repository.commit(head)
    if three:
        try:
            old = ask_git(repository.root, "merge-base", old, new).strip()
        except GitError:
            reason = f"{base} and {head} have no common ancestor"
            advice = advice_if_shallow(repository.root)
            raise GitError(f"{reason}; {advice}" if advice else reason) from None
        base = old[:12]
    tags = repository.tags()

    def end(commit: str, ref: str) -> RangeEnd:
        tag_names = tuple(tag.name for tag in tags if tag.commit == commit)
        return RangeEnd(commit, ref, repository.tree(commit), tag_names)

    return end(old, base), end(new, head)


def pairs_in_submodules(
    repository: Repository,
    old: RangeEnd,
    new: RangeEnd,
    submodules: Iterable[MovedSubmodule],
    within: str,
    notes: list[str],
) -> list[Pair]:
    """The skills that changed in submodules of which the two ends have other commits.

    Those whose commits are not on this machine get one of the `notes`, each.
    """
    inside = []
    for submodule in submodules:
        path = submodule.path
        if within and path != within and not path.startswith(f"{within}/"):
            continue
        name = safe_text(path)
        try:
            inner = open_repository(os.path.join(repository.root, *path.split("/")))
            # Without a repository of its own, git reads the one around it.
            if inner.root == repository.root or below(inner.root, repository.root) is None:
                raise GitError("not checked out")
            before, after = (
                RangeEnd(commit, end.ref, inner.tree(commit) if commit else MemoryTree({}, path))
                for commit, end in ((submodule.old, old), (submodule.new, new))
            )
            if submodule.old and submodule.new:
                files = inner.files_changed(submodule.old, submodule.new)
            else:
                files = [
                    f"{skill}/SKILL.md"
                    for skill in find_skills((after if submodule.new else before).tree)
                ]
            inside += [
                Pair(*(_in_submodule(path, operand) for operand in pair))
                for pair in pairs(inner, before, after, files)
            ]
        except (GitError, OSError):
            dots = f"{submodule.old[:12] or 'none'} to {submodule.new[:12] or 'none'}"
            notes.append(
                f"the submodule {name} changed ({dots}), and its skills were not compared: run "
                f"git submodule update --init {shlex.quote(name)}, and git fetch in it"
            )
    return inside


def _in_submodule(path: str, operand: Operand) -> Operand:
    inside = "" if operand.path == "." else f"/{operand.path}"
    label = at_ref(path + inside, operand.ref)
    return operand._replace(path=path + inside, label=label, submodule=path)


def pairs(
    repository: Repository, old: RangeEnd, new: RangeEnd, changed_files: list[str], within: str = ""
) -> list[Pair]:
    """The skills with at least one of the changed files, by their paths.

    `within` restricts them to those that are, or were, in a folder of the repository. A removed and
    an added skill are one moved skill if only these two have the name. Raises OperandError if
    neither end has the folder `within`.
    """
    if within and old.tree.kind(within) != "folder" and new.tree.kind(within) != "folder":
        refs = old.ref if old.ref == new.ref else f"{old.ref} or {new.ref}"
        raise OperandError(f"the folder {within} does not exist at {refs}")
    # A skill that moved may come from elsewhere, so the folder is considered only at the end.
    before, after = set(find_skills(old.tree)), set(find_skills(new.tree))
    skills = {path for file in changed_files for path in _find_holders(file, before | after)}
    old_paths = _match_moves(old, new, skills & (before - after), skills & (after - before))
    skill_pairs = []
    for path in sorted(skills - set(old_paths.values())):
        was = old_paths.get(path, path)
        if within and not any(f"{place}/".startswith(f"{within}/") for place in (was, path)):
            continue
        note = f"at {old.ref} it is in {was or '.'}" if was != path else ""
        at_old = _operand(repository, old, was, was in before, note)
        skill_pairs.append(Pair(at_old, _operand(repository, new, path, path in after)))
    return skill_pairs


def _find_holders(file: str, skills: set[str]) -> Iterator[str]:
    folder = file
    while folder:
        folder = folder.rpartition("/")[0]
        if folder in skills:
            yield folder


def _match_moves(
    old: RangeEnd, new: RangeEnd, removed_paths: set[str], come: set[str]
) -> dict[str, str]:
    if not removed_paths or not come:
        return {}
    before, after = _by_name(old, removed_paths), _by_name(new, come)
    return {
        after[name][0]: before[name][0]
        for name in before.keys() & after.keys()
        if len(before[name]) == 1 and len(after[name]) == 1
    }


def _by_name(side: RangeEnd, paths: set[str]) -> dict[str, list[str]]:
    from skillstudio.manifest.locate import locate

    paths_by_name: dict[str, list[str]] = {}
    for path in sorted(paths):
        names = stated_names(locate(Subtree(side.tree, path)).skill)
        if names:
            paths_by_name.setdefault(names[0], []).append(path)
    return paths_by_name


def _operand(
    repository: Repository, side: RangeEnd, path: str, there: bool, note: str = ""
) -> Operand:
    folder = os.path.join(repository.root, *path.split("/")) if path else repository.root
    tree = Subtree(side.tree, path) if there else None
    label = at_ref(path, side.ref)
    place = (tree, path or ".", side.ref, label, side.commit, folder)
    return Operand(*place, note=note, files=lambda: side.tree, tags=side.tags)
