"""Paths of one run as patterns for every run: inputs put back, and `*` for what else varies."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.dryrun.planning.typed import rendered
from skillstudio.files.paths import is_absolute, normalise
from skillstudio.interface.wording import shown

SHORTEST = 3
"""Values of fewer characters stand in too many paths by chance."""
MOST = 8
"""Of more patterns below one folder, the folder with all that is in it is one pattern."""
_DATE = re.compile(
    r"(?<![0-9])((?:19|20)[0-9]{2})([-_./]?)(0[1-9]|1[0-2])\2(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:[-_T. ]?(?:[01][0-9]|2[0-3])([-_:.]?)[0-5][0-9](?:\4[0-5][0-9])?(?:[.,][0-9]{3,9})?)?"
    r"(?![0-9])"
)
"""A date, perhaps with a time."""
_ONCE = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    r"|1[6-9][0-9]{8}(?:[0-9]{3})?)(?![0-9A-Za-z])"
)
"""What is another one each time: a UUID (RFC 9562), the seconds or milliseconds since 1970."""
_DIGIT = re.compile(r"[0-9]")
_NO_LITERAL = re.compile(r"[*?\[\x00-\x1f\x7f\udc80-\udcff]|\{(?=\{)|\}(?=\})")
_WORD = re.compile(r"\w")
_PLACEHOLDER = re.compile(r"(\{\{[^{}]*\}\})")


class Value(NamedTuple):
    """What an input was in the run."""

    name: str
    value: Any
    always: bool
    """Whether it has a value in every run: it is required, or has a default."""


class PathPattern(NamedTuple):
    """A pattern for some files of a run."""

    text: str
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What was done to the paths, a clause each."""


def generalise(files: Sequence[str], inputs: Sequence[Value]) -> list[PathPattern]:
    """Patterns for paths that are relative to one folder; each path matches one of them."""
    made: dict[str, PathPattern] = {}
    for path in files:
        new = _put_back(path, inputs)
        old = made.get(new.text)
        made[new.text] = new if old is None else old._replace(files=(*old.files, *new.files))
    lists = {
        each.name: frozenset(map(rendered, each.value))
        for each in inputs
        if isinstance(each.value, list)
    }
    return _gathered(_merged(list(made.values()), lists))


def stands_in(text: str, path: str) -> bool:
    """Whether a value stands in a path as words of its own, long enough not to be by chance."""
    return len(text) >= SHORTEST and bool(_places(text, path))


def literal(path: str) -> str:
    """A path as a pattern that matches it; what no pattern can hold is `?`."""
    text = _plain(path)
    return f"?{text[1:]}" if is_absolute(text) else text


def _plain(text: str) -> str:
    text = _NO_LITERAL.sub("?", text.replace("\\", "/"))
    # A `?` is one byte; what cannot be seen is several.
    return "".join(sign if sign.isprintable() else "*" for sign in text)


def _put_back(path: str, inputs: Sequence[Value]) -> PathPattern:
    parts: list[str] = [path]
    notes: list[str] = []
    for text, names, always in _candidates(inputs):
        found = any(_places(text, part) for part in parts[::2])
        if not found:
            continue
        if len(names) > 1:
            notes.append(f"{shown(text)} is the value of {' and '.join(names)}, so it stays")
            continue
        name = names[0]
        if not always and "/" in text:
            notes.append(f"{name} may have no value, so {shown(text)} stays")
            continue
        sign = f"{{{{{name}}}}}" if always else "*"
        notes.append(
            f"{shown(text)} is the input {name}"
            + ("" if always else ", which may have no value, so * stands for it")
        )
        # Every second part is a sign; the texts between them are looked at again.
        parts = [
            each
            for at, part in enumerate(parts)
            for each in (_split(part, text, sign) if at % 2 == 0 else [part])
        ]
    notes += _staying(inputs, parts[::2])
    if any(_DATE.search(part) for part in parts[::2]):
        notes.append("a date that is no input's value may be another one next time")
    if any(_ONCE.search(part) for part in parts[::2]):
        notes.append("a UUID or a time is another one each time")
    for name, months in _months(inputs):
        dated = [_DATE.sub("", part) for part in parts[::2]]
        if any(months.search(part) for part in dated):
            notes.append(f"the year of the input {name} may be another one next time")
    text = "".join(
        _dated(_plain(part), inputs) if at % 2 == 0 else part for at, part in enumerate(parts)
    )
    if is_absolute(text):
        text = f"?{text[1:]}"
    if any(_NO_LITERAL.search(part) or not part.isprintable() for part in parts[::2]):
        notes.append("? and * stand for characters that a pattern cannot hold")
    return PathPattern(text, (path,), tuple(notes))


def _staying(inputs: Sequence[Value], texts: Sequence[str]) -> Iterator[str]:
    """Inputs that may well stand in what is left, and why they are not put back."""
    for name, text in _scalars(inputs):
        if len(text) < SHORTEST:
            if any(_places(text, each) for each in texts):
                yield f"{shown(text)} is the input {name}, and may stand there by chance"
        elif any(
            _places(text.casefold(), each.casefold()) and not _places(text, each) for each in texts
        ):
            yield f"{shown(text)} is the input {name} in other letters, which no pattern can say"


def _scalars(inputs: Sequence[Value]) -> Iterator[tuple[str, str]]:
    for each in inputs:
        if not isinstance(each.value, bool | list | dict) and each.value is not None and each.name:
            text = rendered(each.value)
            if text:
                yield each.name, text


def _months(inputs: Sequence[Value]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The year of each input that is a date, alone or with its month."""
    for name, text in _scalars(inputs):
        date = _DATE.fullmatch(text)
        if date is not None:
            month = f"(?:[-_./]?{date[3]}(?![0-9]))?"
            yield name, re.compile(f"(?<![0-9]){date[1]}{month}(?![0-9])")


def _candidates(inputs: Sequence[Value]) -> list[tuple[str, list[str], bool]]:
    """Texts to look for, the longest first, each with the inputs that have it."""
    found: dict[str, list[Value]] = {}
    known = {each.name: each for each in inputs}
    for name, text in _scalars(inputs):
        plain = normalise(text) if "/" in text else text
        for form in dict.fromkeys((text, plain or text)):
            if len(form) >= SHORTEST:
                found.setdefault(form, []).append(known[name])
    return [
        (text, [each.name for each in found[text]], all(each.always for each in found[text]))
        for text in sorted(found, key=len, reverse=True)
    ]


def _places(text: str, path: str) -> list[int]:
    """Where a text stands in a path and no letter or digit goes on with it."""
    places = []
    at = path.find(text)
    while at >= 0:
        end = at + len(text)
        before = path[at - 1 : at] if _WORD.match(text) else ""
        behind = path[end : end + 1] if _WORD.match(text[-1]) else ""
        if not (before.isalnum() or behind.isalnum()):
            places.append(at)
        at = path.find(text, end if places and places[-1] == at else at + 1)
    return places


def _split(part: str, text: str, sign: str) -> list[str]:
    """A part with a sign at each place of a text: texts and signs by turns."""
    found: list[str] = []
    start = 0
    for at in _places(text, part):
        found += [part[start:at], sign]
        start = at + len(text)
    return [*found, part[start:]]


def _dated(text: str, inputs: Sequence[Value]) -> str:
    """With `?` for each digit of a date and of the year and month of an input, and for what is
    another one each time."""
    text = _ONCE.sub(lambda found: re.sub("[^-]", "?", found.group()), text)
    for date in (_DATE, *(months for _, months in _months(inputs))):
        text = date.sub(lambda found: _DIGIT.sub("?", found.group()), text)
    return text


def _merged(patterns: list[PathPattern], lists: Mapping[str, frozenset[str]]) -> list[PathPattern]:
    """Patterns that differ in one part of one name are one, with `*` there."""
    while True:
        best = max(_mergers(patterns, lists), key=lambda each: each[0], default=None)
        if best is None:
            return patterns
        (_, _), merged, members = best
        first = patterns.index(members[0])
        patterns = [each for each in patterns if each not in members]
        patterns.insert(first, merged)


def _mergers(
    patterns: list[PathPattern], lists: Mapping[str, frozenset[str]]
) -> Iterator[tuple[tuple[int, int], PathPattern, list[PathPattern]]]:
    """What could be merged: how many and how far down, what it makes, and of which patterns."""
    groups: dict[tuple[Any, ...], list[PathPattern]] = {}
    for each in patterns:
        names = each.text.split("/")
        for at, name in enumerate(names):
            ending = os.path.splitext(name)[1] if at == len(names) - 1 else ""
            key = (at, tuple(names[:at]), tuple(names[at + 1 :]), ending)
            groups.setdefault(key, []).append(each)
    for (at, before, behind, ending), members in groups.items():
        names = [each.text.split("/")[at] for each in members]
        star = _starred(names, ending)
        if len(members) < 2 or not star:
            continue
        head, tail = star
        middles = [name[len(head) : len(name) - len(tail)] for name in names]
        of = next((name for name, items in lists.items() if items.issuperset(middles)), "")
        if not of and at == 0 and not head:
            continue
        text = "/".join((*before, f"{head}*{tail}", *behind))
        files = tuple(file for each in members for file in each.files)
        why = f"with the items of {of}" if of else "in the names alone"
        notes = [note for each in members for note in each.notes]
        notes.append(f"* stands for what differs between {len(files)} files, {why}")
        yield (len(members), at), PathPattern(text, files, tuple(dict.fromkeys(notes))), members


def _starred(names: list[str], ending: str) -> tuple[str, str] | None:
    """What all names begin and end with; None where they cannot be one."""
    if any(_PLACEHOLDER.search(name) or "*" in name for name in names):
        heads = {tuple(_PLACEHOLDER.findall(name)) for name in names}
        if len(heads) > 1 or any("*" in name for name in names):
            return None
    head = _common(names)
    stems = [name[len(head) : len(name) - len(ending)][::-1] for name in names]
    tail = _common(stems)[::-1] + ending
    # No number and no placeholder is cut in two.
    head = head.rstrip("0123456789")
    tail = tail.lstrip("0123456789")
    if head.count("{{") != head.count("}}"):
        head = head[: head.rindex("{{")]
    if tail.count("{{") != tail.count("}}"):
        tail = tail[tail.index("}}") + 2 :]
    middles = [name[len(head) : len(name) - len(tail)] for name in names]
    return None if any("{" in each or "}" in each for each in middles) else (head, tail)


def _common(texts: list[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)
    same = (at for at, sign in enumerate(first) if sign != last[at : at + 1])
    return first[: next(same, len(first))]


def _gathered(patterns: list[PathPattern]) -> list[PathPattern]:
    """Very many patterns below one folder are one."""
    tops: dict[str, list[PathPattern]] = {}
    for each in patterns:
        top, slash, _ = each.text.partition("/")
        if slash:
            tops.setdefault(top, []).append(each)
    for top, members in tops.items():
        if len(members) > MOST:
            files = tuple(file for each in members for file in each.files)
            notes = (f"** stands for the {len(files)} files below {shown(top)}",)
            patterns = [each for each in patterns if each not in members]
            patterns.append(PathPattern(f"{top}/**", files, notes))
    return patterns
