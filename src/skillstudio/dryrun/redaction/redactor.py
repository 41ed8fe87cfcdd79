"""Mask sensitive values in streams and in what is recorded."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from skillstudio.dryrun.redaction.encodings import (
    SHORTEST,
    forms_of,
    is_sought,
    number_forms_of,
    plain_forms_of,
)
from skillstudio.interface.wording import SENSITIVE
from skillstudio.text.lazy_pattern import lazy_pattern

_MASK = SENSITIVE.encode()
_CUT = "…".encode()
_MARGIN = 1024


class _Way(NamedTuple):
    """A way of breaking up a value."""

    breaks: re.Pattern[bytes]  # What comes between the parts of a value.
    partial_break: re.Pattern[bytes]  # What may become a break, at the end of the data.


_WAYS = (
    _Way(
        lazy_pattern(rb"[ \t\r]{0,32}(?:\\r)?(?:\n|\\n)[ \t\r\n]{0,99}"),
        lazy_pattern(rb"[ \t\r]{0,32}(?:\\r)?\\?\Z"),
    ),
    # In strings and comments of code.
    _Way(
        lazy_pattern(rb"[ \t\r\"'\\,+]{0,32}\n[ \t\r\n>#*|\"'+.]{0,99}"),
        lazy_pattern(rb"[ \t\r\"'\\,+]{0,32}\Z"),
    ),
    # UTF-16.
    _Way(lazy_pattern(rb"\0+"), lazy_pattern(rb"\Z")),
)
_HEX = _Way(
    lazy_pattern(
        rb"(?<=[\da-f]{2})"
        rb"(?:(?:,[ \t]?|[ \t])(?:0x|\\x)?|\\x|\\u00|%(?:u00)?|;?&#x0*|[:.\-]|\r?\n)"
        rb"(?=[\da-f]{2})"
    ),
    lazy_pattern(
        rb"(?<=[\da-f]{2})"
        rb"(?:(?:,[ \t]?|[ \t])(?:0x?|\\x?)?|\\(?:x|u0{0,2})?|%(?:u0{0,2})?"
        rb"|;?&(?:#(?:x0*)?)?|[:;.\-\r]|\r?\n)[\da-f]?\Z"
    ),
)
"""Dumps, and bytes that are all escaped; in small letters."""


class _JoinedView:
    """Bytes without the breaks of one way."""

    def __init__(self, data: bytes, way: _Way, is_final: bool) -> None:
        tail = None if is_final else way.partial_break.search(data, max(0, len(data) - 80))
        stop = tail.start() if tail else len(data)
        self.starts, self._sources = [0], [0]
        parts: list[bytes] = []
        at = length = 0
        for match in way.breaks.finditer(data, 0, stop):
            parts.append(data[at : match.start()])
            length += match.start() - at
            at = match.end()
            self.starts.append(length)
            self._sources.append(at)
        self.data = b"".join([*parts, data[at:stop]])

    def source(self, at: int) -> int:
        """The position of a byte in the unchanged data."""
        number = bisect_right(self.starts, at) - 1
        return self._sources[number] + at - self.starts[number]


class _Sought:
    """A set of forms to search for."""

    def __init__(self, forms: Iterable[bytes]) -> None:
        self.forms = sorted(set(forms))
        self.longest = max(map(len, self.forms), default=0)
        self._starts = frozenset(form[:size] for form in self.forms for size in (1, 2, 3))

    def places(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The spans of all forms, unordered."""
        for form in self.forms:
            at = data.find(form)
            while at >= 0:
                yield at, at + len(form)
                at = data.find(form, at + 1)

    def open_from(self, data: bytes, least: int = 1) -> int:
        """The start of the longest incomplete form of `least` bytes at the end, else the length."""
        starts = self._starts
        for start in range(max(0, len(data) - self.longest + 1), len(data) - least + 1):
            if data[start : start + 3] in starts and self._goes_on(data[start:]):
                return start
        return len(data)

    def _goes_on(self, tail: bytes) -> bool:
        at = bisect_left(self.forms, tail)
        at += self.forms[at : at + 1] == [tail]
        return at < len(self.forms) and self.forms[at].startswith(tail)


class Redactor:
    """Masks every form of the given values; without values nothing changes."""

    def __init__(self, secrets: Iterable[str]) -> None:
        values = set(secrets)
        self._all = _Sought(form for value in values for form in forms_of(value))
        plain = {form for value in values for form in plain_forms_of(value)}
        self._hex = _Sought(form.hex().encode() for form in plain)
        self._numbers = _Sought(form for text in plain for form in number_forms_of(text))
        self._forms = self._all.forms
        self._most_held = 3 * self._all.longest + _MARGIN
        """Bytes held back at most, however much a value is broken up."""
        self.too_short = sum(1 for value in values if value and not is_sought(value))
        """How many values are too short or too common to search for."""

    @property
    def is_looking(self) -> bool:
        """Whether there are values to search for."""
        return bool(self._forms)

    def stream(self) -> RedactedStream:
        """A new stream; each pipe needs its own."""
        return RedactedStream(self)

    def data(self, data: bytes) -> bytes:
        """Mask the values in some bytes."""
        return self.split(data, True)[0]

    def finds(self, data: bytes) -> bool:
        """Whether some bytes contain a value."""
        return bool(self._find_spans(data, True)[0])

    def text(self, text: str) -> str:
        """Mask the values in a text, and the start of one before a `…`, where it was cut off."""
        if not self._forms:
            return text
        how = "surrogateescape"
        try:
            data = text.encode("utf-8", how)
        except UnicodeEncodeError:
            # A lone surrogate that JSON wrote as an escape, which is no byte of anything.
            how = "surrogatepass"
            data = text.encode("utf-8", how)
        clean = self.data(data)
        if _CUT in clean:
            *cut, rest = clean.split(_CUT)
            clean = _CUT.join([*map(self._without_beginning, cut), rest])
        return clean.decode("utf-8", how)

    def value(self, value: Any) -> Any:
        """Mask the values in a JSON value, including keys and numbers."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner) for inner in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            clean = self.text(str(value))
            return value if clean == str(value) else clean
        return value

    def split(self, data: bytes, is_final: bool) -> tuple[bytes, bytes]:
        """The masked bytes, and those at the end that must wait for more."""
        if not self._forms:
            return data, b""
        pieces: list[bytes] = []
        while True:
            spans, settled_end = self._find_spans(data, is_final)
            at = 0
            for start, end in spans:
                if start >= settled_end:
                    break
                pieces += (data[at:start], _MASK)
                at = end
            if not at or at < settled_end:
                pieces.append(data[at:settled_end])
                return b"".join(pieces), data[settled_end:]
            # A value that was found reaches into the tail, so what follows it is searched again.
            data = data[at:]

    def _find_spans(self, data: bytes, is_final: bool) -> tuple[list[tuple[int, int]], int]:
        """The merged spans of values, and where the start of an unfinished value may be."""
        small = data.lower()
        searches = [(self._all, data), (self._hex, small), (self._numbers, data)]
        places = [place for sought, text in searches for place in sought.places(text)]
        open_start = len(data)
        if not is_final:
            open_start = min(sought.open_from(text) for sought, text in searches)
        ways = [(self._all, data, way) for way in _WAYS] + [(self._hex, small, _HEX)]
        for sought, text, way in ways if self._forms else ():
            view = _JoinedView(text, way, is_final)
            if len(view.starts) > 1:
                places += [
                    (view.source(start), view.source(end - 1) + 1)
                    for start, end in sought.places(view.data)
                ]
            start = len(view.data) if is_final else sought.open_from(view.data)
            if start < len(view.data):
                open_start = min(open_start, view.source(start))
        return _merge_spans(places), max(open_start, len(data) - self._most_held)

    def _without_beginning(self, data: bytes) -> bytes:
        """Mask the start of a value at the end of the bytes."""
        start = self._all.open_from(data, SHORTEST)
        return data[:start] + _MASK if start < len(data) else data


def _merge_spans(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if spans and start < spans[-1][1]:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    return spans


class RedactedStream:
    """Chunks in, masked chunks out; a possible start of a value is held back."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._tail = b""

    def feed(self, data: bytes) -> bytes:
        """The masked bytes that can be passed on."""
        clean, self._tail = self._redactor.split(self._tail + data, False)
        return clean

    def flush(self) -> bytes:
        """The rest, at the end of the stream."""
        tail, self._tail = self._tail, b""
        return self._redactor.data(tail)


NOTHING = Redactor(())
