"""Check paths in manifests before anything is opened.

The text is checked first: an absolute path is an error even if it points into the skill. Then every
link is followed and must stay in the tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.text.lazy_pattern import lazy_pattern

_ABSOLUTE = lazy_pattern(r"[/\\~]|[A-Za-z]:")
_LINKS = 40


class PathVerdict(NamedTuple):
    """The rule that a path violates, if any, and the normalized path, or ""."""

    problem: str | None
    path: str


def normalise(text: str, windows: bool = False) -> str | None:
    """The path without `.`, `..` and double slashes; None if it is absolute or leaves the tree."""
    return None if is_absolute(text) else _collapse(text, windows)


def is_absolute(text: str) -> bool:
    """Whether a path starts at a root, drive, share or home folder, or contains a NUL."""
    return bool(_ABSOLUTE.match(text)) or "\0" in text


def judge_path(tree: FileTree, text: str, windows: bool = False) -> PathVerdict:
    """Check a path relative to the root of `tree`; `windows` makes a backslash a separator.

    The problem is `path-absolute`, `path-outside`, `path-link-outside` or `path-missing`.
    """
    if is_absolute(text):
        return PathVerdict("path-absolute", "")
    path = _collapse(text, windows)
    # A backslash is a separator on some systems.
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
    """Resolve a path like the system: follow each link before the next `..`."""
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
        resolved_path = step if kind != "link" else tree.resolve(step)
        if resolved_path is not None:
            at = resolved_path
            continue
        try:
            target = tree.target(step)
        except OSError:
            return "path-missing", ""
        if is_absolute(target):
            return "path-link-outside", ""
        problem, at = _walk(tree, at, target, links - 1) if links else ("path-missing", "")
        if problem:
            return problem, ""
    return None, at


def glob(tree: FileTree, pattern: str, limit: int = 10_000) -> list[str]:
    """The files that match a glob, sorted, of at most `limit` inspected entries.

    It may contain `*`, `?` and `[…]` within a name, and `**` for folders that are not links.
    """
    path = normalise(pattern)
    return sorted(set(_glob(tree, "", path.split("/"), iter(range(limit))))) if path else []


def _glob(tree: FileTree, at: str, parts: list[str], budget: Iterator[int]) -> Iterator[str]:
    part, rest = parts[0], parts[1:]
    inside = f"{at}/" if at else ""
    if not any(mark in part for mark in "*?["):
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
        resolved_path = tree.resolve(path)
        kind = None if resolved_path is None else tree.kind(resolved_path)
    if rest and kind == "folder":
        yield from _glob(tree, path, rest, budget)
    elif not rest and kind == "file":
        yield path


def path_matches(path: str, pattern: str) -> bool:
    """Whether a glob matches a path or a folder above it; `.` is everything."""
    pattern_parts = [part for part in pattern.split("/") if part not in ("", ".")]
    positions = _past({0}, pattern_parts)
    for name in [part for part in path.split("/") if part not in ("", ".")]:
        if len(pattern_parts) in positions:
            return True
        within = {at for at in positions if pattern_parts[at] == "**"}
        after = {at + 1 for at in positions - within if name_matches(name, pattern_parts[at])}
        positions = _past(within | after, pattern_parts)
    return len(pattern_parts) in positions


def _past(positions: set[int], pattern_parts: list[str]) -> set[int]:
    """The positions in a pattern, and those after a `**`, which can match no folder."""
    all_positions = set(positions)
    for at in sorted(positions):
        while at < len(pattern_parts) and pattern_parts[at] == "**":
            at += 1
            all_positions.add(at)
    return all_positions


def name_matches(name: str, pattern: str) -> bool:
    """Whether a name matches `*`, `?` and `[…]`; retries only the last `*` to stay fast."""
    at, index, star, mark = 0, 0, -1, 0
    while at < len(name):
        step = _match_character(name[at], pattern, index) if index < len(pattern) else 0
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


def _match_character(character: str, pattern: str, index: int) -> int:
    """The length of the pattern part that matches one character; 0 for no match."""
    if pattern[index] == "?":
        return 1
    end = pattern.find("]", index + 2) if pattern[index] == "[" else -1
    if end < 0:
        return 1 if pattern[index] == character else 0
    inside = pattern[index + 1 : end]
    is_negated = inside[0] in "!^"
    inside = inside[is_negated:]
    is_member = any(
        low <= character <= high for low, high in re.findall(r"(.)-(.)", inside)
    ) or character in re.sub(r".-.", "", inside)
    return end + 1 - index if is_member != is_negated else 0


def below(path: str, folder: str) -> str | None:
    """A normalized path relative to a folder, "" for the folder itself, None for one outside."""
    if path == folder:
        return ""
    start = folder.rstrip(os.sep) + os.sep
    return path[len(start) :] if path.startswith(start) else None


def make_relative(path: str, start: str = os.curdir) -> str:
    """A path relative to a folder; absolute where it cannot be, as on another drive of Windows."""
    try:
        return os.path.relpath(path, start)
    except ValueError:
        return os.path.abspath(path)
