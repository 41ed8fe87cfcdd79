"""What a sample expects, compared with a result: texts with elisions, JSON with placeholders."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.files.paths import path_matches
from skillstudio.text.hunks import unified
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import escape

ANY_LINES = "..."
"""A line of an expected text that stands for any number of lines."""
ANY_PART = "[..]"
"""Any part of a line."""
ANY = "<any>"
REMOVED = "<removed>"
EXECUTABLE = "755"
"""Permissions of any executable, whatever the umask is."""
DATE = lazy_pattern(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")
_WORD = lazy_pattern(r"\w+")
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_WORDS = lazy_pattern(rf"\[\.\.\]|{_UUID}|(?:\d{{1,3}}\.){{3}}\d{{1,3}}|\d+(?:[.:,]\d+)+|\w+|\W")
_NAME_WORDS = lazy_pattern(rf"{_UUID}|[^\W_]+|[\W_]")
_REPEATED = lazy_pattern(r"(?:\[\.\.\]){2,}")
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
    text = "\n".join(_lines_of_both(one.splitlines(), other.splitlines()))
    return f"{text}\n" if one.endswith("\n") else text


def _lines_of_both(before: Sequence[str], after: Sequence[str]) -> list[str]:
    if moved := _moved(before, after):
        old, new = _with_similar(before, after, moved[0])
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


def _moved(one: Sequence[str], other: Sequence[str]) -> tuple[range, range] | None:
    """Where items with a word moved, as in an output in the order of a hash table: what is there in
    both is there by chance."""
    if max(len(one), len(other)) > _MOST_MOVED:
        return None  # Comparing takes time that grows with the square.
    from difflib import SequenceMatcher

    removed: list[int] = []
    added: list[int] = []
    for tag, start, end, low, high in SequenceMatcher(None, one, other, False).get_opcodes():
        if tag != "equal":
            removed += range(start, end)
            added += range(low, high)
    items = {one[at] for at in removed} & {other[at] for at in added}
    items = {item for item in items if any(map(str.isalnum, item))}
    if not items:
        return None
    removed = [at for at in removed if one[at] in items]
    added = [at for at in added if other[at] in items]
    start = min(removed[0], added[0])
    rest = min(len(one) - removed[-1], len(other) - added[-1]) - 1
    return range(start, len(one) - rest), range(start, len(other) - rest)


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


def line_of_both(one: str, other: str) -> str:
    """A line that matches both, with elisions for the words that differ.

    Whole words are left out, because two numbers may share their first digits by chance.
    """
    before, after = _WORDS.findall(one), _WORDS.findall(other)
    line = _REPEATED.sub(ANY_PART, "".join(_words_of_both(before, after)))
    if line_matches(line, one) and line_matches(line, other):
        return line
    return _REPEATED.sub(ANY_PART, "".join(_ends_of_both(before, after)))


def _words_of_both(before: Sequence[str], after: Sequence[str]) -> list[str]:
    if moved := _moved(before, after):
        wider = _in_brackets(before, moved[0]), _in_brackets(after, moved[1])
        old, new = (wider[0] or moved[0], wider[1] or moved[1]) if all(wider) else moved
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
    opening = _unmatched(words[: part.start][::-1], "([{", ")]}")
    closing = _unmatched(words[part.stop :], ")]}", "([{")
    if opening is None or closing is None:
        return None
    return range(part.start - opening, part.stop + closing)


def _unmatched(words: Sequence[str], wanted: str, others: str) -> int | None:
    """The position of the first bracket that is not matched before it."""
    depth = 0
    for number, word in enumerate(words):
        if word in others:
            depth += 1
        elif word in wanted and not depth:
            return number
        elif word in wanted:
            depth -= 1
    return None


def name_of_both(one: str, other: str) -> str:
    """A glob that matches both paths; the first one if there is none."""
    before, after = _NAME_WORDS.findall(one), _NAME_WORDS.findall(other)
    if len(before) != len(after):
        return one
    pairs = list(zip(before, after, strict=True))
    if any("/" in pair for pair in pairs if pair[0] != pair[1]):
        return one
    return _STARS.sub("*", "".join(word if word == new else "*" for word, new in pairs))


def _as_it_is(value: Any) -> Any:
    return value


def json_of_both(one: Any, other: Any, elide: Callable[[Any], Any] = _as_it_is) -> Any:
    """An expected JSON value that matches both; values that differ are placeholders, and so are
    those that `elide` replaces."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        if any(elide(key) != key for key in one):
            return ANY
        return {key: json_of_both(value, other[key], elide) for key, value in one.items()}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        texts = [[json.dumps(item, sort_keys=True) for item in items] for items in (one, other)]
        if _moved(*texts):
            return [_kind_of((*one, *other))] * len(one)
        return [json_of_both(*pair, elide) for pair in zip(one, other, strict=True)]
    if isinstance(one, dict | list) or isinstance(other, dict | list):
        return one if not list(_json_differences(one, other, "")) else ANY
    elided, new = elide(one), elide(other)
    if elided == new and type(elided) is type(new) and elided != one:
        return elided
    if not list(_json_differences(one, other, "")):
        return one
    return _kind_of_both(one, other, elided, new)


def _kind_of_both(one: Any, other: Any, elided: Any, new: Any) -> Any:
    """A placeholder for two values, or a text with elisions if some of its words are the same."""
    kind = _kind_of((one, other))
    if kind == "<string>":
        text = text_of_both(elided, new).removesuffix("\n")
        words = text.replace(ANY_PART, "").replace(ANY_LINES, "")
        is_right = all(not list(_json_differences(text, value, "")) for value in (one, other))
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


def modes_differences(
    expected: Mapping[str, str], modes: Mapping[str, str]
) -> Iterator[SampleDifference]:
    """The differences of permissions; files that no path or glob names have usual ones, ""."""
    patterns = [pattern for pattern in expected if pattern not in modes]
    for path, mode in modes.items():
        wanted = expected.get(path, "")
        for pattern in patterns:
            if path not in expected and matching_paths(pattern, [path]):
                wanted = expected[pattern]
        if mode != wanted:
            what = f"permissions {wanted}" if wanted else "usual permissions"
            got = mode or "usual ones"
            yield SampleDifference(f"file {path}: expected {what}, got {got}")


def matching_paths(pattern: str, paths: Iterable[str]) -> list[str]:
    """The paths that a glob matches, in the same folder of the run."""
    root, inside = split_root(pattern)
    named = ((path, split_root(path)) for path in paths)
    return [path for path, (of, rest) in named if of == root and path_matches(rest, inside)]


def split_root(path: str) -> tuple[str, str]:
    """The folder of a run and the path in it: `skill:`, `home:` and `tmp:` name other folders."""
    root, colon, rest = path.partition(":")
    is_named = bool(colon) and root in ("skill", "home", "tmp")
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
