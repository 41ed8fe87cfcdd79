"""Paths that authors write in manifests, judged before anything is opened.

The words of the path come first, whatever the disk says: an absolute path is wrong even where
it leads into the skill. Then every link on the way is followed, and must stay in the tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.files.tree import FileTree

_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:")
_LINKS = 40


class PathVerdict(NamedTuple):
    """The rule that a path breaks, or None, and the path in plain form ("" where it has none)."""

    problem: str | None
    path: str


def normalise(text: str, windows: bool = False) -> str | None:
    """The path without `.`, `..` and doubled slashes; None where it is absolute or leaves."""
    return None if is_absolute(text) else _collapse(text, windows)


def is_absolute(text: str) -> bool:
    """Whether a path stands on its own: from a root, a drive, a share, a home folder.

    A path with a NUL is counted here: no system opens it, and some cut it there.
    """
    return bool(_ABSOLUTE.match(text)) or "\0" in text


def judge_path(tree: FileTree, text: str, windows: bool = False) -> PathVerdict:
    """Judge a path relative to the root of `tree`.

    The problem is `path-absolute`, `path-outside`, `path-link-outside` or `path-missing`.
    `windows` reads a backslash as the separator that it is there.
    """
    if is_absolute(text):
        return PathVerdict("path-absolute", "")
    path = _collapse(text, windows)
    # A backslash separates on some machines whatever the author thought of.
    if path is None or _collapse(text, windows=True) is None:
        return PathVerdict("path-outside", path or "")
    problem, _ = _walk(tree, "", text.replace("\\", "/") if windows else text, _LINKS)
    return PathVerdict(problem, path)


def _collapse(text: str, windows: bool) -> str | None:
    parts: list[str] = []
    for part in (text.replace("\\", "/") if windows else text).split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _walk(tree: FileTree, at: str, text: str, links: int) -> tuple[str | None, str]:
    """Go where the system would go, each link followed before the `..` behind it."""
    for part in text.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if not at:
                return "path-link-outside", ""
            at = at.rpartition("/")[0]
            continue
        step = f"{at}/{part}" if at else part
        kind = tree.kind(step)
        if kind is None:
            return "path-missing", ""
        if kind != "link":
            at = step
            continue
        problem, at = _follow(tree, at, step, links)
        if problem:
            return problem, ""
    return None, at


def _follow(tree: FileTree, at: str, link: str, links: int) -> tuple[str | None, str]:
    found = tree.resolve(link)
    if found is not None:
        return None, found
    try:
        target = tree.target(link)
    except OSError:
        return "path-missing", ""
    if is_absolute(target):
        return "path-link-outside", ""
    return _walk(tree, at, target, links - 1) if links else ("path-missing", "")


def glob(tree: FileTree, pattern: str, limit: int = 10_000) -> list[str]:
    """The files that a pattern names, by name: `*`, `?`, `[…]` within a name, `**` for folders.

    Stops after `limit` entries were looked at. `**` does not go through links, so it ends.
    """
    path = normalise(pattern)
    if not path:
        return []
    budget = iter(range(limit))
    return sorted(set(_glob(tree, "", path.split("/"), budget)))


def _glob(tree: FileTree, at: str, parts: list[str], budget: Iterator[int]) -> Iterator[str]:
    part, rest = parts[0], parts[1:]
    inside = f"{at}/" if at else ""
    if not _is_wild(part):
        yield from _step(tree, inside + part, rest, budget)
        return
    if part == "**":
        yield from _glob(tree, at, rest or ["*"], budget)
    try:
        entries = tree.list(at)
    except OSError:
        return
    for entry in entries:
        if next(budget, None) is None:
            return
        if part != "**":
            if name_matches(entry.name, part):
                yield from _step(tree, inside + entry.name, rest, budget)
        elif entry.kind == "folder":
            yield from _glob(tree, inside + entry.name, parts, budget)


def _step(tree: FileTree, path: str, rest: list[str], budget: Iterator[int]) -> Iterator[str]:
    kind = tree.kind(path)
    if kind == "link":
        found = tree.resolve(path)
        kind = None if found is None else tree.kind(found)
    if rest and kind == "folder":
        yield from _glob(tree, path, rest, budget)
    elif not rest and kind == "file":
        yield path


def _is_wild(part: str) -> bool:
    return any(mark in part for mark in "*?[")


def path_matches(path: str, pattern: str) -> bool:
    """Whether a glob names a path or a folder above it; `.` is the root and all below it."""
    wanted = [part for part in pattern.split("/") if part not in ("", ".")]
    reached = {0}
    for name in [part for part in path.split("/") if part not in ("", ".")]:
        reached = _past(reached, wanted)
        if len(wanted) in reached:
            return True
        reached = {
            at if wanted[at] == "**" else at + 1
            for at in reached
            if wanted[at] == "**" or name_matches(name, wanted[at])
        }
    return len(wanted) in _past(reached, wanted)


def _past(reached: set[int], wanted: list[str]) -> set[int]:
    """The places in a pattern with those behind a `**`, which may be no folder at all."""
    found = set(reached)
    for at in sorted(reached):
        while at < len(wanted) and wanted[at] == "**":
            at += 1
            found.add(at)
    return found


def name_matches(name: str, pattern: str) -> bool:
    """Whether a name matches `*`, `?` and `[…]`, in time that no pattern can stretch far.

    Only the last `*` is ever tried again, which is enough and keeps it from exponential time.
    """
    at, index, star, mark = 0, 0, -1, 0
    while at < len(name):
        step = _one(name[at], pattern, index) if index < len(pattern) else 0
        if index < len(pattern) and pattern[index] == "*":
            star, mark = index, at
            index += 1
        elif step:
            at, index = at + 1, index + step
        elif star >= 0:
            mark += 1
            at, index = mark, star + 1
        else:
            return False
    return all(character == "*" for character in pattern[index:])


def _one(character: str, pattern: str, index: int) -> int:
    """How much of the pattern one character uses up; 0 where it does not match."""
    if pattern[index] == "?":
        return 1
    end = pattern.find("]", index + 2) if pattern[index] == "[" else -1
    if end < 0:
        return 1 if pattern[index] == character else 0
    inside = pattern[index + 1 : end]
    negated = inside[0] in "!^"
    inside = inside[negated:]
    found = any(
        low <= character <= high for low, high in re.findall(r"(.)-(.)", inside)
    ) or character in re.sub(r".-.", "", inside)
    return end + 1 - index if found != negated else 0


def below(path: str, folder: str) -> str | None:
    """A path of this system relative to a folder, "" of the folder itself; None of one elsewhere.

    Both are absolute and in plain form.
    """
    if path == folder:
        return ""
    start = folder.rstrip(os.sep) + os.sep
    return path[len(start) :] if path.startswith(start) else None
