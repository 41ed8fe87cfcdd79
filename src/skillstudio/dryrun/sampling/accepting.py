"""The parts in which an expectation differs from what a run did, each to be accepted alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from skillstudio.dryrun.sampling.expecting import (
    ANY_LINES,
    ANY_PART,
    json_differences,
    line_matches,
    matching_paths,
    text_matches,
)
from skillstudio.interface.model import ABSENT
from skillstudio.text.hunks import hunks
from skillstudio.text.node import escape

_STREAMS = {"stdout": "standard output", "stderr": "standard error"}
Place = tuple[str | int, ...]


class ExpectationHunk(NamedTuple):
    """One difference between an expectation and what should be expected instead."""

    place: Place  # The keys in `expect` that lead to the value.
    title: str
    removed: tuple[str, ...]  # The expected lines.
    added: tuple[str, ...]  # The lines that replace them.
    value: Any = ABSENT  # The new value; ABSENT removes the key.
    lines: tuple[int, int] | None = None
    """The first replaced line of the text at the place, from 0, and the one after the last."""


def expectation_hunks(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    still_matches: Callable[[str, Any], bool] = lambda _path, _content: False,
) -> tuple[ExpectationHunk, ...]:
    """The hunks from an expectation to a new one; what still matches is none. `still_matches` tells
    whether a changed file is as expected."""
    return tuple(_hunks(old, new, still_matches))


def _hunks(
    old: Mapping[str, Any], new: Mapping[str, Any], still_matches: Callable[[str, Any], bool]
) -> Iterator[ExpectationHunk]:
    codes = old.get("exit", 0), new.get("exit", 0)
    if codes[0] != codes[1]:
        yield _whole(("exit",), "exit status", *codes)
    for key, title in _STREAMS.items():
        if key in old or key in new:
            yield from _text((key,), title, old.get(key, ABSENT), new.get(key, ABSENT))
    if "json" in old and "json" in new:
        yield from _json(("json",), "", old["json"], new["json"])
    elif "json" in old or "json" in new:
        yield _whole(("json",), "JSON", old.get("json", ABSENT), new.get("json", ABSENT))
    if "files" in old and "files" in new:
        yield from _files(old["files"], new["files"], still_matches)
    elif "files" in old or "files" in new:
        yield _whole(("files",), "files", old.get("files", ABSENT), new.get("files", ABSENT))
    if "modes" in old and "modes" in new:
        for path in dict.fromkeys((*old["modes"], *new["modes"])):
            modes = old["modes"].get(path, ABSENT), new["modes"].get(path, ABSENT)
            if modes[0] != modes[1]:
                yield _whole(("modes", path), f"permissions of {path}", *modes)
    elif "modes" in old or "modes" in new:
        yield _whole(("modes",), "permissions", old.get("modes", ABSENT), new.get("modes", ABSENT))
    effects = old.get("effects", ABSENT), new.get("effects", ABSENT)
    if _sort_names(effects[0]) != _sort_names(effects[1]):
        yield _whole(("effects",), "effects", *effects)


def _sort_names(names: Any) -> Any:
    return sorted(names) if isinstance(names, list) else names


def _whole(place: Place, title: str, old: Any, new: Any) -> ExpectationHunk:
    return ExpectationHunk(place, title, _split_lines(old), _split_lines(new), new)


def _split_lines(value: Any) -> tuple[str, ...]:
    if value is ABSENT:
        return ()
    if isinstance(value, str):
        return tuple(value.splitlines()) or ("",)
    return (json.dumps(value, ensure_ascii=False),)


def _text(place: Place, title: str, old: Any, new: Any) -> Iterator[ExpectationHunk]:
    if not (isinstance(old, str) and isinstance(new, str)):
        if old != new:
            yield _whole(place, title, old, new)
        return
    if old == new or text_matches(old, new):
        return
    before, after = old.splitlines(), new.splitlines()
    resolved_lines = [_resolve_line(line, after) for line in before]
    for hunk in hunks("".join(f"{x}\n" for x in resolved_lines), "".join(f"{x}\n" for x in after)):
        start, end = hunk.old_start, hunk.old_start + len(hunk.old_lines)
        added_lines = tuple(line.removesuffix("\n") for line in hunk.new_lines)
        for first, removed_lines, lines in _beside_elisions(
            start, tuple(before[start:end]), added_lines
        ):
            end = first + len(removed_lines)
            yield ExpectationHunk(place, title, removed_lines, lines, lines=(first, end))


def _beside_elisions(
    start: int, removed_lines: tuple[str, ...], added_lines: tuple[str, ...]
) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """The parts of a hunk before and after a line that stands for any lines, which stays; the whole
    hunk where that is not possible."""
    if ANY_LINES not in removed_lines:
        yield start, removed_lines, added_lines
        return
    before = removed_lines.index(ANY_LINES)
    after = removed_lines[::-1].index(ANY_LINES)
    inner = removed_lines[before : len(removed_lines) - after]
    if len(added_lines) < before + after or any(line != ANY_LINES for line in inner):
        yield start, removed_lines, added_lines
        return
    if before:
        yield start, removed_lines[:before], added_lines[:before]
    if after:
        yield start + len(removed_lines) - after, removed_lines[-after:], added_lines[-after:]


def _resolve_line(line: str, candidates: Sequence[str]) -> str:
    """The line that an expected one with an elision matches, else itself."""
    if ANY_PART in line:
        return next((candidate for candidate in candidates if line_matches(line, candidate)), line)
    return line


def _json(place: Place, pointer: str, old: Any, new: Any) -> Iterator[ExpectationHunk]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            inside = f"{pointer}/{escape(str(key))}"
            old_value, other = old.get(key, ABSENT), new.get(key, ABSENT)
            if old_value is ABSENT or other is ABSENT:
                yield _whole((*place, key), f"JSON at {inside}", old_value, other)
            else:
                yield from _json((*place, key), inside, old_value, other)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (old_value, other) in enumerate(zip(old, new, strict=True)):
            yield from _json((*place, index), f"{pointer}/{index}", old_value, other)
    elif old != new and list(json_differences(old, new)):
        title = f"JSON at {pointer or 'the root'}"
        yield ExpectationHunk(place, title, _as_json(old), _as_json(new), new)


def _as_json(value: Any) -> tuple[str, ...]:
    return (json.dumps(value, ensure_ascii=False),)


def _files(
    old: Mapping[str, Any], new: Mapping[str, Any], still_matches: Callable[[str, Any], bool]
) -> Iterator[ExpectationHunk]:
    new_paths = [path for path in new if path not in old]
    matched_paths: set[str] = set()
    for path, content in old.items():
        paths = [path] if path in new else matching_paths(path, new_paths)
        matched_paths.update(paths)
        if not paths:
            yield _whole(("files", path), f"file {path}", content, ABSENT)
        for new_path in paths:
            if still_matches(new_path, content):
                continue
            lines = [*_text(("files", new_path), f"file {new_path}", content, new[new_path])]
            if new_path == path and lines:
                yield from lines
            elif content != new[new_path]:
                yield _whole(("files", new_path), f"file {new_path}", content, new[new_path])
    for path, content in new.items():
        if path not in matched_paths:
            yield _whole(("files", path), f"file {path}", ABSENT, content)


def accept(expect: Mapping[str, Any], chosen_hunks: Iterable[ExpectationHunk]) -> dict[str, Any]:
    """The expectation with the chosen hunks applied."""
    expectation: dict[str, Any] = deepcopy(dict(expect))
    # From the end, so that the line numbers of the others stay right.
    for hunk in sorted(chosen_hunks, key=lambda hunk: hunk.lines or (0, 0), reverse=True):
        at: Any = expectation
        *above, key = hunk.place
        for name in above:
            at = at.setdefault(name, {}) if isinstance(at, dict) else at[name]
        if hunk.lines is not None:
            lines = at[key].splitlines()
            lines[slice(*hunk.lines)] = hunk.added
            at[key] = "".join(f"{line}\n" for line in lines)
        elif hunk.value is ABSENT:
            del at[key]
        else:
            at[key] = hunk.value
    return expectation
