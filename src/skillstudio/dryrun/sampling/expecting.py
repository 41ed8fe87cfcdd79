"""What a sample expects, compared with a result: texts with elisions, JSON with placeholders."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from skillstudio.files.paths import path_matches
from skillstudio.text.hunks import unified
from skillstudio.text.node import escape

ANY_LINES = "..."
"""A line of an expected text that stands for any number of lines."""
ANY_PART = "[..]"
"""Any part of a line."""
ANY = "<any>"
REMOVED = "<removed>"
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")
_WORDS = re.compile(r"\w+|\W")
_PATH = re.compile(r"[^\0\r\n]+")
_MOST_LISTED = 20  # Differences of one JSON value.
_LONGEST = 200  # Characters of a value in a message.


class SampleDifference(NamedTuple):
    """A difference between a result and what is expected."""

    message: str
    diff: str = ""  # A unified diff of texts, from the expected to the actual one.

    def __str__(self) -> str:
        return self.message


def text_matches(expected: str, actual: str) -> bool:
    """Whether a text is as expected; the end of the last line does not matter."""
    found = actual.splitlines()
    parts: list[list[str]] = [[]]
    for line in expected.splitlines():
        if line == ANY_LINES:
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return _lines_match(parts[0], found)
    first, last = parts[0], parts[-1]
    end = len(found) - len(last)
    if end < len(first) or not _lines_match(first, found[: len(first)]):
        return False
    if not _lines_match(last, found[end:]):
        return False
    at = len(first)
    for part in parts[1:-1]:
        starts = range(at, end - len(part) + 1)
        start = next((n for n in starts if _lines_match(part, found[n : n + len(part)])), None)
        if start is None:
            return False
        at = start + len(part)
    return True


def _lines_match(expected: Sequence[str], found: Sequence[str]) -> bool:
    return len(expected) == len(found) and all(map(line_matches, expected, found))


def line_matches(expected: str, line: str) -> bool:
    """Whether a line is as expected, where `[..]` is any part of it."""
    if ANY_PART not in expected:
        return expected == line
    first, *middle, last = expected.split(ANY_PART)
    end = len(line) - len(last)
    if end < len(first) or not (line.startswith(first) and line.endswith(last)):
        return False
    at = len(first)
    for part in middle:
        found = line.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def text_difference(what: str, expected: str, actual: str) -> Iterator[SampleDifference]:
    """The difference of a text, with a diff in which matching lines are equal."""
    if not text_matches(expected, actual):
        shown = "\n".join(_resolved(expected.splitlines(), actual.splitlines()))
        end = "\n" if shown else ""
        found = "".join(f"{line}\n" for line in actual.splitlines())
        yield SampleDifference(f"{what} differs", unified(shown + end, found, "expected", "actual"))


def _resolved(expected: Sequence[str], actual: Sequence[str]) -> Iterator[str]:
    """The expected lines, those with elisions replaced by a line that they match, if any."""
    for line in expected:
        if ANY_PART in line:
            yield next((each for each in actual if line_matches(line, each)), line)
        else:
            yield line


_KINDS: dict[str, Callable[[Any], bool]] = {
    "<int>": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "<number>": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "<string>": lambda value: isinstance(value, str),
    "<path>": lambda value: isinstance(value, str) and bool(_PATH.fullmatch(value)),
    "<date>": lambda value: isinstance(value, str) and bool(_DATE.fullmatch(value)),
    ANY: lambda _value: True,
}
"""Placeholder to whether a JSON value is of that kind."""


def json_differences(expected: Any, actual: Any) -> Iterator[SampleDifference]:
    """The differences of a JSON value, each with the JSON Pointer of its place."""
    found = list(_json_differences(expected, actual, ""))
    for pointer, message in found[:_MOST_LISTED]:
        yield SampleDifference(f"JSON at {pointer or 'the root'}: {message}")
    if len(found) > _MOST_LISTED:
        yield SampleDifference(f"{len(found) - _MOST_LISTED:,} more differences of the JSON value")


def _json_differences(expected: Any, actual: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key, value in expected.items():
            inside = f"{pointer}/{escape(str(key))}"
            if key in actual:
                yield from _json_differences(value, actual[key], inside)
            else:
                yield inside, "missing"
        for key, value in actual.items():
            if key not in expected:
                yield f"{pointer}/{escape(str(key))}", f"unexpected {_shown(value)}"
    elif isinstance(expected, list) and isinstance(actual, list):
        for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
            yield from _json_differences(one, other, f"{pointer}/{index}")
        if len(expected) != len(actual):
            yield pointer, f"expected {len(expected):,} items, got {len(actual):,}"
    elif not _value_matches(expected, actual):
        yield pointer, f"expected {_shown(expected)}, got {_shown(actual)}"


def _value_matches(expected: Any, actual: Any) -> bool:
    if isinstance(expected, str):
        kind = _KINDS.get(expected)
        if kind is not None:
            return kind(actual)
        return isinstance(actual, str) and text_matches(expected, actual)
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    return bool(expected == actual)


def _shown(value: Any) -> str:
    text = (
        value
        if isinstance(value, str) and value in _KINDS
        else json.dumps(value, ensure_ascii=False)
    )
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def text_of_both(one: str, other: str) -> str:
    """An expected text that matches both; lines that differ have elisions."""
    if one == other:
        return one
    before, after = one.splitlines(), other.splitlines()
    made: list[str] = []
    for tag, start, end, low, high in SequenceMatcher(None, before, after, False).get_opcodes():
        if tag == "equal":
            made += before[start:end]
        elif end - start == high - low:
            made += map(_line_of_both, before[start:end], after[low:high])
        else:
            made.append(ANY_LINES)
    return "".join(f"{line}\n" for line in made)


def _line_of_both(one: str, other: str) -> str:
    """A line that matches both, with an elision between the words that they start and end with.

    Whole words are left out, because two numbers may share their first digits by chance.
    """
    before, after = _WORDS.findall(one), _WORDS.findall(other)
    most = min(len(before), len(after))
    start = next((n for n in range(most) if before[n] != after[n]), most)
    most -= start
    end = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    return f"{''.join(before[:start])}{ANY_PART}{''.join(before[len(before) - end :])}"


def json_of_both(one: Any, other: Any) -> Any:
    """An expected JSON value that matches both; values that differ are placeholders."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return {key: json_of_both(value, other[key]) for key, value in one.items()}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return list(map(json_of_both, one, other))
    if not list(_json_differences(one, other, "")):
        return one
    kinds = ("<int>", "<number>", "<date>", "<string>")
    return next((each for each in kinds if _KINDS[each](one) and _KINDS[each](other)), ANY)


class FileReader(NamedTuple):
    """How to read the files of a result and of the sample."""

    content: Callable[[str], bytes | None]
    """The content of a changed file; None if it is no file, or too large to compare."""
    digest: Callable[[str], str]  # Its SHA-256 in hex, "" if it is no file.
    beside: Callable[[str], bytes]
    """The content of a file named relative to the sample. Raises SampleRefused."""


def files_differences(
    expected: Mapping[str, Any], changes: Mapping[str, str], read: FileReader
) -> Iterator[SampleDifference]:
    """The differences of changed files; `changes` maps a path to added, modified or removed. A
    glob does not apply to files that are named by their path."""
    matched: set[str] = set()
    others = [path for path in changes if path not in expected]
    for pattern, content in expected.items():
        paths = [pattern] if pattern in changes else matching_paths(pattern, others)
        matched.update(paths)
        if not paths:
            yield SampleDifference(f"file {pattern}: expected, but the run did not change it")
        for path in paths:
            yield from _file_difference(path, changes[path], content, read)
    for path, change in changes.items():
        if path not in matched:
            yield SampleDifference(f"file {path}: {change}, which is not expected")


def matching_paths(pattern: str, paths: Iterable[str]) -> list[str]:
    """The paths that a glob matches, in the same folder of the run."""
    root, inside = split_root(pattern)
    named = ((path, split_root(path)) for path in paths)
    return [path for path, (of, rest) in named if of == root and path_matches(rest, inside)]


def split_root(path: str) -> tuple[str, str]:
    """The folder of a run and the path in it: `skill:` and `home:` name other folders."""
    root, colon, rest = path.partition(":")
    is_named = bool(colon) and root in ("skill", "home")
    return (root, rest) if is_named else ("workspace", path)


def _file_difference(
    path: str, change: str, content: Any, read: FileReader
) -> Iterator[SampleDifference]:
    if (change == "removed") != (content == REMOVED):
        wanted = "removed" if content == REMOVED else "a file with content"
        yield SampleDifference(f"file {path}: expected {wanted}, but it was {change}")
    elif content in (ANY, REMOVED):
        return
    elif isinstance(content, str):
        data = read.content(path)
        try:
            if data is not None:
                yield from text_difference(f"file {path}", content, data.decode("utf-8"))
                return
        except UnicodeDecodeError:
            pass  # Reported below, as for a folder or a large file.
        yield SampleDifference(
            f"file {path}: not a text that can be compared; expect sha256 or <any>"
        )
    elif "sha256" in content:
        found = read.digest(path)
        if found != content["sha256"]:
            yield SampleDifference(
                f"file {path}: expected SHA-256 {content['sha256']}, got {found}"
            )
    elif read.content(path) != (expected := read.beside(content["from"])):
        yield from _bytes_difference(path, expected, read.content(path))


def _bytes_difference(
    path: str, expected: bytes, actual: bytes | None
) -> Iterator[SampleDifference]:
    try:
        texts = expected.decode("utf-8"), (actual or b"").decode("utf-8")
    except UnicodeDecodeError:
        texts = ("", "")
    yield SampleDifference(f"file {path} differs", unified(*texts, "expected", "actual"))
