"""What a sample expects, compared with a result: texts with elisions, JSON with placeholders."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.files.paths import path_matches
from skillstudio.text.hunks import unified_diff
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import escape

ANY_LINES = "..."
"""A line of an expected text that stands for any number of lines."""
ANY_PART = "[..]"
"""Any part of a line."""
ANY = "<any>"
REMOVED_FILE = "<removed>"
EXECUTABLE = "755"
"""Permissions of any executable, whatever the umask is."""
DATE = lazy_pattern(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")
_WORD = lazy_pattern(r"\w+")
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_WORDS = lazy_pattern(rf"\[\.\.\]|{_UUID}|(?:\d{{1,3}}\.){{3}}\d{{1,3}}|\d+(?:[.:,]\d+)+|\w+|\W")
_NAME_WORDS = lazy_pattern(rf"{_UUID}|[^\W_]+|[\W_]")
_REPEATED_PARTS = lazy_pattern(r"(?:\[\.\.\]){2,}")
_STARS = lazy_pattern(r"\*{2,}")
_PATH = lazy_pattern(r"[^\0\r\n]+")
_MOST_MOVED = 500  # Lines or words of which moved ones are searched.
_MOST_LISTED = 20  # Differences of one JSON value.
_LONGEST = 200  # Characters of a value in a message.


class SampleDifference(NamedTuple):
    """A difference between a result and what is expected."""

    message: str
    diff: str = ""  # A unified diff of texts, from the expected to the actual one.

    def __str__(self) -> str:
        return self.message


def text_matches(expected_text: str, actual: str) -> bool:
    """Whether a text is as expected; the end of the last line does not matter."""
    lines = actual.splitlines()
    parts: list[list[str]] = [[]]
    for line in expected_text.splitlines():
        if line == ANY_LINES:
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return _lines_match(parts[0], lines)
    first, last = parts[0], parts[-1]
    end = len(lines) - len(last)
    if end < len(first) or not _lines_match(first, lines[: len(first)]):
        return False
    if not _lines_match(last, lines[end:]):
        return False
    at = len(first)
    for part in parts[1:-1]:
        starts = range(at, end - len(part) + 1)
        start = next((n for n in starts if _lines_match(part, lines[n : n + len(part)])), None)
        if start is None:
            return False
        at = start + len(part)
    return True


def _lines_match(patterns: Sequence[str], lines: Sequence[str]) -> bool:
    return len(patterns) == len(lines) and all(map(line_matches, patterns, lines))


def line_matches(pattern: str, line: str) -> bool:
    """Whether a line is as expected, where `[..]` is any part of it."""
    if ANY_PART not in pattern:
        return pattern == line
    first, *middle, last = pattern.split(ANY_PART)
    end = len(line) - len(last)
    if end < len(first) or not (line.startswith(first) and line.endswith(last)):
        return False
    at = len(first)
    for part in middle:
        position = line.find(part, at, end)
        if position < 0:
            return False
        at = position + len(part)
    return True


def text_difference(what: str, expected_text: str, actual: str) -> Iterator[SampleDifference]:
    """The difference of a text, with a diff in which matching lines are equal."""
    if not text_matches(expected_text, actual):
        resolved_text = "\n".join(_resolve_lines(expected_text.splitlines(), actual.splitlines()))
        end = "\n" if resolved_text else ""
        actual_text = "".join(f"{line}\n" for line in actual.splitlines())
        yield SampleDifference(
            f"{what} differs", unified_diff(resolved_text + end, actual_text, "expected", "actual")
        )


def _resolve_lines(expected_lines: Sequence[str], actual: Sequence[str]) -> Iterator[str]:
    """The expected lines, those with elisions replaced by a line that they match, if any."""
    for line in expected_lines:
        if ANY_PART in line:
            yield next((candidate for candidate in actual if line_matches(line, candidate)), line)
        else:
            yield line


_KINDS: dict[str, Callable[[Any], bool]] = {
    "<int>": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "<number>": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "<string>": lambda value: isinstance(value, str),
    "<path>": lambda value: isinstance(value, str) and bool(_PATH.fullmatch(value)),
    "<date>": lambda value: isinstance(value, str) and bool(DATE.fullmatch(value)),
    ANY: lambda _value: True,
}
"""Placeholder to whether a JSON value is of that kind."""


def json_differences(expected_value: Any, actual: Any) -> Iterator[SampleDifference]:
    """The differences of a JSON value, each with the JSON Pointer of its place."""
    differences = list(_json_differences(expected_value, actual, ""))
    for pointer, message in differences[:_MOST_LISTED]:
        yield SampleDifference(f"JSON at {pointer or 'the root'}: {message}")
    if len(differences) > _MOST_LISTED:
        yield SampleDifference(
            f"{len(differences) - _MOST_LISTED:,} more differences of the JSON value"
        )


def _json_differences(expected_value: Any, actual: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(expected_value, dict) and isinstance(actual, dict):
        for key, value in expected_value.items():
            inside = f"{pointer}/{escape(str(key))}"
            if key in actual:
                yield from _json_differences(value, actual[key], inside)
            else:
                yield inside, "missing"
        for key, value in actual.items():
            if key not in expected_value:
                yield f"{pointer}/{escape(str(key))}", f"unexpected {_render_value(value)}"
    elif isinstance(expected_value, list) and isinstance(actual, list):
        for index, (expected_item, other) in enumerate(zip(expected_value, actual, strict=False)):
            yield from _json_differences(expected_item, other, f"{pointer}/{index}")
        if len(expected_value) != len(actual):
            yield pointer, f"expected {len(expected_value):,} items, got {len(actual):,}"
    elif not _value_matches(expected_value, actual):
        yield pointer, f"expected {_render_value(expected_value)}, got {_render_value(actual)}"


def _value_matches(expected_value: Any, actual: Any) -> bool:
    if isinstance(expected_value, str):
        kind = _KINDS.get(expected_value)
        if kind is not None:
            return kind(actual)
        return isinstance(actual, str) and text_matches(expected_value, actual)
    if isinstance(expected_value, bool) or isinstance(actual, bool):
        return expected_value is actual
    return bool(expected_value == actual)


def _render_value(value: Any) -> str:
    text = (
        value
        if isinstance(value, str) and value in _KINDS
        else json.dumps(value, ensure_ascii=False)
    )
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def text_of_both(first: str, other: str) -> str:
    """An expected text that matches both; lines that differ have elisions."""
    if first == other:
        return first
    text = "\n".join(_lines_of_both(first.splitlines(), other.splitlines()))
    return f"{text}\n" if first.endswith("\n") else text


def _lines_of_both(before: Sequence[str], after: Sequence[str]) -> list[str]:
    if ranges := _find_moves(before, after):
        old, new = _with_similar(before, after, ranges[0])
        head = _lines_of_both(before[: old.start], after[: new.start])
        tail = _lines_of_both(before[old.stop :], after[new.stop :])
        any_lines = [] if ANY_LINES in (*head[-1:], *tail[:1]) else [ANY_LINES]
        return [*head, *any_lines, *tail]
    from difflib import SequenceMatcher

    lines: list[str] = []
    for tag, start, end, low, high in SequenceMatcher(None, before, after, False).get_opcodes():
        if tag == "equal":
            lines += before[start:end]
        elif end - start == high - low:
            lines += map(line_of_both, before[start:end], after[low:high])
        else:
            lines.append(ANY_LINES)
    return lines


def _find_moves(first: Sequence[str], other: Sequence[str]) -> tuple[range, range] | None:
    """Where items with a word moved, as in an output in the order of a hash table: what is there in
    both is there by chance."""
    if max(len(first), len(other)) > _MOST_MOVED:
        return None  # Comparing takes time that grows with the square.
    from difflib import SequenceMatcher

    old_positions: list[int] = []
    new_positions: list[int] = []
    for tag, start, end, low, high in SequenceMatcher(None, first, other, False).get_opcodes():
        if tag != "equal":
            old_positions += range(start, end)
            new_positions += range(low, high)
    items = {first[at] for at in old_positions} & {other[at] for at in new_positions}
    items = {item for item in items if any(map(str.isalnum, item))}
    if not items:
        return None
    old_positions = [at for at in old_positions if first[at] in items]
    new_positions = [at for at in new_positions if other[at] in items]
    start = min(old_positions[0], new_positions[0])
    rest = min(len(first) - old_positions[-1], len(other) - new_positions[-1]) - 1
    return range(start, len(first) - rest), range(start, len(other) - rest)


def _with_similar(before: Sequence[str], after: Sequence[str], old: range) -> tuple[range, range]:
    """The moved lines, and the lines beside them that only differ in their words: they may have
    stayed by chance."""
    shapes = {_WORD.sub("w", before[at]) for at in old}
    start, rest = old.start, len(before) - old.stop
    while start and _WORD.sub("w", before[start - 1]) in shapes:
        start -= 1
    while rest and _WORD.sub("w", before[-rest]) in shapes:
        rest -= 1
    return range(start, len(before) - rest), range(start, len(after) - rest)


def line_of_both(first: str, other: str) -> str:
    """A line that matches both, with elisions for the words that differ.

    Whole words are left out, because two numbers may share their first digits by chance.
    """
    before, after = _WORDS.findall(first), _WORDS.findall(other)
    line = _REPEATED_PARTS.sub(ANY_PART, "".join(_words_of_both(before, after)))
    if line_matches(line, first) and line_matches(line, other):
        return line
    return _REPEATED_PARTS.sub(ANY_PART, "".join(_ends_of_both(before, after)))


def _words_of_both(before: Sequence[str], after: Sequence[str]) -> list[str]:
    if ranges := _find_moves(before, after):
        wider = _in_brackets(before, ranges[0]), _in_brackets(after, ranges[1])
        old, new = (wider[0] or ranges[0], wider[1] or ranges[1]) if all(wider) else ranges
        head = _words_of_both(before[: old.start], after[: new.start])
        return [*head, ANY_PART, *_words_of_both(before[old.stop :], after[new.stop :])]
    if len(before) != len(after):
        return _ends_of_both(before, after)
    pairs = zip(before, after, strict=True)
    return [word if word == new_word else ANY_PART for word, new_word in pairs]


def _ends_of_both(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The words that both start and end with, and one elision."""
    most = min(len(before), len(after))
    start = next((n for n in range(most) if before[n] != after[n]), most)
    most -= start
    end = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    return [*before[:start], ANY_PART, *before[len(before) - end :]]


def _in_brackets(words: Sequence[str], part: range) -> range | None:
    """The words between the brackets around a part; None without brackets."""
    opening_offset = _find_bracket(words[: part.start][::-1], "([{", ")]}")
    closing_offset = _find_bracket(words[part.stop :], ")]}", "([{")
    if opening_offset is None or closing_offset is None:
        return None
    return range(part.start - opening_offset, part.stop + closing_offset)


def _find_bracket(words: Sequence[str], brackets: str, counterparts: str) -> int | None:
    """The position of the first bracket that is not matched before it."""
    depth = 0
    for number, word in enumerate(words):
        if word in counterparts:
            depth += 1
        elif word in brackets and not depth:
            return number
        elif word in brackets:
            depth -= 1
    return None


def name_of_both(first: str, other: str) -> str:
    """A glob that matches both paths; the first one if there is none."""
    before, after = _NAME_WORDS.findall(first), _NAME_WORDS.findall(other)
    if len(before) != len(after):
        return first
    pairs = list(zip(before, after, strict=True))
    if any("/" in pair for pair in pairs if pair[0] != pair[1]):
        return first
    return _STARS.sub("*", "".join(word if word == new else "*" for word, new in pairs))


def _as_it_is(value: Any) -> Any:
    return value


def json_of_both(first: Any, other: Any, elide: Callable[[Any], Any] = _as_it_is) -> Any:
    """An expected JSON value that matches both; values that differ are placeholders, and so are
    those that `elide` replaces."""
    if isinstance(first, dict) and isinstance(other, dict) and first.keys() == other.keys():
        if any(elide(key) != key for key in first):
            return ANY
        return {key: json_of_both(value, other[key], elide) for key, value in first.items()}
    if isinstance(first, list) and isinstance(other, list) and len(first) == len(other):
        texts = [[json.dumps(item, sort_keys=True) for item in items] for items in (first, other)]
        if _find_moves(*texts):
            return [_kind_of((*first, *other))] * len(first)
        return [json_of_both(*pair, elide) for pair in zip(first, other, strict=True)]
    if isinstance(first, dict | list) or isinstance(other, dict | list):
        return first if not list(_json_differences(first, other, "")) else ANY
    old, new = elide(first), elide(other)
    if old == new and type(old) is type(new) and old != first:
        return old
    if not list(_json_differences(first, other, "")):
        return first
    return _kind_of_both(first, other, old, new)


def _kind_of_both(first: Any, other: Any, old: Any, new: Any) -> Any:
    """A placeholder for two values, or a text with elisions if some of its words are the same."""
    kind = _kind_of((first, other))
    if kind == "<string>":
        text = text_of_both(old, new).removesuffix("\n")
        words = text.replace(ANY_PART, "").replace(ANY_LINES, "")
        is_right = all(not list(_json_differences(text, value, "")) for value in (first, other))
        if is_right and text not in _KINDS and any(map(str.isalnum, words)):
            return text
    return kind


def _kind_of(values: Sequence[Any]) -> str:
    """A placeholder for all of some values."""
    kinds = ("<int>", "<number>", "<date>", "<string>")
    return next((name for name in kinds if all(map(_KINDS[name], values))), ANY)


class FileReader(NamedTuple):
    """How to read the files of a result and of the sample."""

    content: Callable[[str], bytes | None]
    """The content of a changed file; None if it is no file, or too large to compare."""
    digest: Callable[[str], str]  # Its SHA-256 in hex, "" if it is no file.
    beside: Callable[[str], bytes]
    """The content of a file named relative to the sample. Raises SampleRefused."""


def files_differences(
    expected_files: Mapping[str, Any], changes: Mapping[str, str], read: FileReader
) -> Iterator[SampleDifference]:
    """The differences of changed files; `changes` maps a path to added, modified or removed. A
    glob does not apply to files that are named by their path."""
    matched_paths: set[str] = set()
    other_paths = [path for path in changes if path not in expected_files]
    for pattern, content in expected_files.items():
        paths = [pattern] if pattern in changes else matching_paths(pattern, other_paths)
        matched_paths.update(paths)
        if not paths:
            yield SampleDifference(f"file {pattern}: expected, but the run did not change it")
        for path in paths:
            yield from _file_difference(path, changes[path], content, read)
    for path, change in changes.items():
        if path not in matched_paths:
            yield SampleDifference(f"file {path}: {change}, which is not expected")


def modes_differences(
    expected_modes: Mapping[str, str], modes: Mapping[str, str]
) -> Iterator[SampleDifference]:
    """The differences of permissions; files that no path or glob names have usual ones, ""."""
    patterns = [pattern for pattern in expected_modes if pattern not in modes]
    for path, mode in modes.items():
        expected_mode = expected_modes.get(path, "")
        for pattern in patterns:
            if path not in expected_modes and matching_paths(pattern, [path]):
                expected_mode = expected_modes[pattern]
        if mode != expected_mode:
            what = f"permissions {expected_mode}" if expected_mode else "usual permissions"
            got = mode or "usual ones"
            yield SampleDifference(f"file {path}: expected {what}, got {got}")


def matching_paths(pattern: str, paths: Iterable[str]) -> list[str]:
    """The paths that a glob matches, in the same folder of the run."""
    root, inside = split_root(pattern)
    split_paths = ((path, split_root(path)) for path in paths)
    return [path for path, (of, rest) in split_paths if of == root and path_matches(rest, inside)]


def split_root(path: str) -> tuple[str, str]:
    """The folder of a run and the path in it: `skill:`, `home:` and `tmp:` name other folders."""
    root, colon, rest = path.partition(":")
    is_named = bool(colon) and root in ("skill", "home", "tmp")
    return (root, rest) if is_named else ("workspace", path)


def _file_difference(
    path: str, change: str, content: Any, read: FileReader
) -> Iterator[SampleDifference]:
    if (change == "removed") != (content == REMOVED_FILE):
        expectation = "removed" if content == REMOVED_FILE else "a file with content"
        yield SampleDifference(f"file {path}: expected {expectation}, but it was {change}")
    elif content in (ANY, REMOVED_FILE):
        return
    elif isinstance(content, str):
        data = read.content(path)
        try:
            if data is not None:
                text = data.decode("utf-8")
                yield from text_difference(f"file {path}", content, text)
                if content.endswith("\n") and text_matches(content, text) and text[-1:] not in "\n":
                    yield SampleDifference(f"file {path}: its last line has no line end")
                return
        except UnicodeDecodeError:
            pass  # Reported below, as for a folder or a large file.
        yield SampleDifference(
            f"file {path}: not a text that can be compared; expect sha256 or <any>"
        )
    elif "sha256" in content:
        digest = read.digest(path)
        if digest != content["sha256"]:
            yield SampleDifference(
                f"file {path}: expected SHA-256 {content['sha256']}, got {digest}"
            )
    elif read.content(path) != (expected_data := read.beside(content["from"])):
        yield from _bytes_difference(path, expected_data, read.content(path))


def _bytes_difference(
    path: str, expected_data: bytes, actual: bytes | None
) -> Iterator[SampleDifference]:
    try:
        texts = expected_data.decode("utf-8"), (actual or b"").decode("utf-8")
    except UnicodeDecodeError:
        texts = ("", "")
    yield SampleDifference(f"file {path} differs", unified_diff(*texts, "expected", "actual"))
