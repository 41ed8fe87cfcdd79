"""Turn the paths of one run into patterns: inputs become placeholders, varying parts `*`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.dryrun.planning.typed import render_value
from skillstudio.files.paths import is_absolute, normalise
from skillstudio.interface.wording import display_value
from skillstudio.text.splicing import common_ends

SHORTEST = 3  # Shorter values occur in too many paths by chance.
MOST = 8  # More patterns than this below one folder become one pattern for the folder.
_DATE = re.compile(
    r"(?<![0-9])((?:19|20)[0-9]{2})([-_./]?)(0[1-9]|1[0-2])\2(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:[-_T. ]?(?:[01][0-9]|2[0-3])([-_:.]?)[0-5][0-9](?:\4[0-5][0-9])?(?:[.,][0-9]{3,9})?)?"
    r"(?![0-9])"
)
_ONCE = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    r"|1[6-9][0-9]{8}(?:[0-9]{3})?)(?![0-9A-Za-z])"
)
"""Values that differ in each run: a UUID (RFC 9562), seconds or milliseconds since 1970."""
_DIGIT = re.compile(r"[0-9]")
_NO_LITERAL = re.compile(r"[*?\[\x00-\x1f\x7f\udc80-\udcff]|\{(?=\{)|\}(?=\})")
_WORD = re.compile(r"\w")
_PLACEHOLDER = re.compile(r"(\{\{[^{}]*\}\})")


class Value(NamedTuple):
    """The value of an input in the run."""

    name: str
    value: Any
    always: bool  # Whether every run has a value: the input is required or has a default.


class PathPattern(NamedTuple):
    """A pattern for some files of a run."""

    text: str
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


def generalise(files: Sequence[str], inputs: Sequence[Value]) -> list[PathPattern]:
    """Patterns for paths relative to one folder; each path matches one of them."""
    patterns_by_text: dict[str, PathPattern] = {}
    for path in files:
        new = _with_placeholders(path, inputs)
        old = patterns_by_text.get(new.text)
        patterns_by_text[new.text] = (
            new if old is None else old._replace(files=(*old.files, *new.files))
        )
    lists = {
        input_.name: frozenset(map(render_value, input_.value))
        for input_ in inputs
        if isinstance(input_.value, list)
    }
    return _folders(_merge_patterns(list(patterns_by_text.values()), lists))


def stands_in(text: str, path: str) -> bool:
    """Whether a value occurs in a path as separate words, long enough not to be by chance."""
    return len(text) >= SHORTEST and bool(_places(text, path))


def literal(path: str) -> str:
    """A pattern that matches exactly this path; `?` replaces special characters."""
    text = _plain(path)
    return f"?{text[1:]}" if is_absolute(text) else text


def _plain(text: str) -> str:
    text = _NO_LITERAL.sub("?", text.replace("\\", "/"))
    # `?` matches one byte, an unprintable character may be several.
    return "".join(sign if sign.isprintable() else "*" for sign in text)


def _with_placeholders(path: str, inputs: Sequence[Value]) -> PathPattern:
    parts: list[str] = [path]
    notes: list[str] = []
    for text, names, always in _candidates(inputs):
        is_present = any(_places(text, part) for part in parts[::2])
        if not is_present:
            continue
        if len(names) > 1:
            notes.append(f"kept {display_value(text)}: it is the value of {' and '.join(names)}")
            continue
        name = names[0]
        if not always and "/" in text:
            notes.append(f"kept {display_value(text)}: {name} may have no value")
            continue
        sign = f"{{{{{name}}}}}" if always else "*"
        notes.append(
            f"{display_value(text)} is the input {name}"
            + ("" if always else ", replaced by * because it may have no value")
        )
        # Every second part is a placeholder; the texts between them are searched again.
        parts = [
            piece
            for at, part in enumerate(parts)
            for piece in (_split(part, text, sign) if at % 2 == 0 else [part])
        ]
    notes += _explain_unreplaced(inputs, parts[::2])
    if any(_DATE.search(part) for part in parts[::2]):
        notes.append("? replaces a date that is not an input")
    if any(_ONCE.search(part) for part in parts[::2]):
        notes.append("? replaces a UUID or timestamp")
    for name, months in _months(inputs):
        undated_parts = [_DATE.sub("", part) for part in parts[::2]]
        if any(months.search(part) for part in undated_parts):
            notes.append(f"? replaces the year of the input {name}")
    text = "".join(
        _replace_dates(_plain(part), inputs) if at % 2 == 0 else part
        for at, part in enumerate(parts)
    )
    if is_absolute(text):
        text = f"?{text[1:]}"
    if any(_NO_LITERAL.search(part) or not part.isprintable() for part in parts[::2]):
        notes.append("? and * replace characters that a pattern cannot contain")
    return PathPattern(text, (path,), tuple(notes))


def _explain_unreplaced(inputs: Sequence[Value], texts: Sequence[str]) -> Iterator[str]:
    """Inputs that may occur in the remaining text, and why they were not replaced."""
    for name, text in _scalars(inputs):
        if len(text) < SHORTEST:
            if any(_places(text, part) for part in texts):
                yield f"kept {display_value(text)}: it may equal the input {name} by chance"
        elif any(
            _places(text.casefold(), part.casefold()) and not _places(text, part) for part in texts
        ):
            yield (
                f"kept the input {name} where it is spelled in another case than "
                f"{display_value(text)}"
            )


def _scalars(inputs: Sequence[Value]) -> Iterator[tuple[str, str]]:
    for input_ in inputs:
        if (
            not isinstance(input_.value, bool | list | dict)
            and input_.value is not None
            and input_.name
        ):
            text = render_value(input_.value)
            if text:
                yield input_.name, text


def _months(inputs: Sequence[Value]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """A pattern for the year of each date input, alone or with its month."""
    for name, text in _scalars(inputs):
        date = _DATE.fullmatch(text)
        if date is not None:
            month = f"(?:[-_./]?{date[3]}(?![0-9]))?"
            yield name, re.compile(f"(?<![0-9]){date[1]}{month}(?![0-9])")


def _candidates(inputs: Sequence[Value]) -> list[tuple[str, list[str], bool]]:
    """Values to look for, longest first, each with the inputs that have it."""
    inputs_by_text: dict[str, list[Value]] = {}
    inputs_by_name = {input_.name: input_ for input_ in inputs}
    for name, text in _scalars(inputs):
        plain = normalise(text) if "/" in text else text
        for form in dict.fromkeys((text, plain or text)):
            if len(form) >= SHORTEST:
                inputs_by_text.setdefault(form, []).append(inputs_by_name[name])
    return [
        (
            text,
            [input_.name for input_ in inputs_by_text[text]],
            all(input_.always for input_ in inputs_by_text[text]),
        )
        for text in sorted(inputs_by_text, key=len, reverse=True)
    ]


def _places(text: str, path: str) -> list[int]:
    """The offsets at which a text occurs in a path, not adjacent to a letter or digit."""
    places = []
    at = path.find(text)
    while at >= 0:
        end = at + len(text)
        before = path[at - 1 : at] if _WORD.match(text) else ""
        after = path[end : end + 1] if _WORD.match(text[-1]) else ""
        if not (before.isalnum() or after.isalnum()):
            places.append(at)
        at = path.find(text, end if places and places[-1] == at else at + 1)
    return places


def _split(part: str, text: str, sign: str) -> list[str]:
    """Split a part at each occurrence of a text: texts and signs alternate."""
    pieces: list[str] = []
    start = 0
    for at in _places(text, part):
        pieces += [part[start:at], sign]
        start = at + len(text)
    return [*pieces, part[start:]]


def _replace_dates(text: str, inputs: Sequence[Value]) -> str:
    """Replace with `?` the digits of dates, of an input's year and month, and of unique values."""
    text = _ONCE.sub(lambda match: re.sub("[^-]", "?", match.group()), text)
    for date in (_DATE, *(months for _, months in _months(inputs))):
        text = date.sub(lambda match: _DIGIT.sub("?", match.group()), text)
    return text


def _merge_patterns(
    patterns: list[PathPattern], lists: Mapping[str, frozenset[str]]
) -> list[PathPattern]:
    """Merge patterns that differ in one part of one name into one, with `*` there."""
    while True:
        best = max(_mergers(patterns, lists), key=lambda merger: merger[0], default=None)
        if best is None:
            return patterns
        (_, _), merged_pattern, members = best
        first = patterns.index(members[0])
        patterns = [pattern for pattern in patterns if pattern not in members]
        patterns.insert(first, merged_pattern)


def _mergers(
    patterns: list[PathPattern], lists: Mapping[str, frozenset[str]]
) -> Iterator[tuple[tuple[int, int], PathPattern, list[PathPattern]]]:
    """Possible merges: size and depth, resulting pattern, merged patterns."""
    groups: dict[tuple[Any, ...], list[PathPattern]] = {}
    for pattern in patterns:
        names = pattern.text.split("/")
        for at, name in enumerate(names):
            ending = os.path.splitext(name)[1] if at == len(names) - 1 else ""
            key = (at, tuple(names[:at]), tuple(names[at + 1 :]), ending)
            groups.setdefault(key, []).append(pattern)
    for (at, before, after, ending), members in groups.items():
        names = [member.text.split("/")[at] for member in members]
        star = _find_affixes(names, ending)
        if len(members) < 2 or not star:
            continue
        head, tail = star
        middles = [name[len(head) : len(name) - len(tail)] for name in names]
        of = next((name for name, items in lists.items() if items.issuperset(middles)), "")
        if not of and at == 0 and not head:
            continue
        text = "/".join((*before, f"{head}*{tail}", *after))
        files = tuple(file for member in members for file in member.files)
        why = f": the items of {of}" if of else ""
        notes = [note for member in members for note in member.notes]
        notes.append(f"* replaces what differs between {len(files)} files{why}")
        yield (len(members), at), PathPattern(text, files, tuple(dict.fromkeys(notes))), members


def _find_affixes(names: list[str], ending: str) -> tuple[str, str] | None:
    """The common start and end of all names; None when they cannot be merged."""
    if any(_PLACEHOLDER.search(name) or "*" in name for name in names):
        heads = {tuple(_PLACEHOLDER.findall(name)) for name in names}
        if len(heads) > 1 or any("*" in name for name in names):
            return None
    head = _common(names)
    stems = [name[len(head) : len(name) - len(ending)][::-1] for name in names]
    tail = _common(stems)[::-1] + ending
    # Do not cut through a number or placeholder.
    head = head.rstrip("0123456789")
    tail = tail.lstrip("0123456789")
    if head.count("{{") != head.count("}}"):
        head = head[: head.rindex("{{")]
    if tail.count("{{") != tail.count("}}"):
        tail = tail[tail.index("}}") + 2 :]
    middles = [name[len(head) : len(name) - len(tail)] for name in names]
    return None if any("{" in middle or "}" in middle for middle in middles) else (head, tail)


def _common(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    return first[: common_ends(first, last)[0]]


def _folders(patterns: list[PathPattern]) -> list[PathPattern]:
    """Replace too many patterns below one folder with one for the folder."""
    tops: dict[str, list[PathPattern]] = {}
    for pattern in patterns:
        top, slash, _ = pattern.text.partition("/")
        if slash:
            tops.setdefault(top, []).append(pattern)
    for top, members in tops.items():
        if len(members) > MOST:
            files = tuple(file for member in members for file in member.files)
            notes = (f"** replaces the {len(files)} files below {display_value(top)}",)
            patterns = [pattern for pattern in patterns if pattern not in members]
            patterns.append(PathPattern(f"{top}/**", files, notes))
    return patterns
