"""Mask sensitive values in streams and in what is recorded."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

from skillstudio.dryrun.redaction.encodings import (
    SHORTEST,
    WAYS,
    UnescapedView,
    Way,
    forms_of,
    is_sought,
    plain_forms_of,
)
from skillstudio.interface.wording import SENSITIVE

_MASK = SENSITIVE.encode()
_CUT = "…".encode()


CHAINS: tuple[tuple[str, ...], ...] = (
    *((name,) for name in WAYS),
    ("backslash", "backslash"),
    ("backslash", "percent"),
    ("backslash", "entity"),
    ("backslash", "lines"),
    ("entity", "backslash"),
    ("entity", "percent"),
    ("entity", "entity"),
    ("percent", "percent"),
    ("percent", "backslash"),
    ("wide", "backslash"),
    ("wide", "lines"),
)
"""Sequences of escapes to undo, such as JSON in JSON, and base64 of several lines in JSON."""
_LONGEST_ESCAPE = 12
_MARGIN = 1024


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
        given = set(secrets)
        self._all = _Sought(form for value in given for form in forms_of(value))
        self._plain = _Sought(form for value in given for form in plain_forms_of(value))
        self._hex = _Sought(form.hex().encode() for form in self._plain.forms)
        self._forms = self._all.forms
        self._numbers = {b"%d" % form[0] for form in self._plain.forms}
        self._most_held = (
            max(self._all.longest, _LONGEST_ESCAPE * self._plain.longest) + _MARGIN
            if self._forms
            else 0
        )
        """Bytes held back at most, however much a value is broken up."""
        self.too_short = sum(1 for value in given if value and not is_sought(value))
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
        return bool(self._looked(data, True)[0])

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
        made: list[bytes] = []
        while True:
            spans, settled = self._looked(data, is_final)
            at = 0
            for start, end in spans:
                if start >= settled:
                    break
                made += (data[at:start], _MASK)
                at = end
            if not at or at < settled:
                made.append(data[at:settled])
                return b"".join(made), data[settled:]
            # A value that was found reaches into the tail, so what follows it is searched again.
            data = data[at:]

    def _looked(self, data: bytes, is_final: bool) -> tuple[list[tuple[int, int]], int]:
        """The merged spans of values, and where the start of an unfinished value may be."""
        small = data.lower()
        places = [*self._all.places(data), *self._hex.places(small)]
        opened = len(data)
        if not is_final:
            opened = min(self._all.open_from(data), self._hex.open_from(small))
        views: dict[tuple[str, ...], list[UnescapedView] | None] = {(): []}
        for chain in CHAINS if self._forms else ():
            views[chain] = found = _seen(data, views[chain[:-1]], WAYS[chain[-1]], is_final)
            if not found:
                continue
            if chain == ("numbers",) and not self._may_begin(data[found[-1].rest :]):
                found[-1].may_start = False
            last = found[-1].data
            sought = self._all
            if chain[-1] == "dump":
                sought, last = self._hex, last.lower()
            elif chain[-1] == "numbers":
                sought = self._plain
            # A view that only lacks an unfinished end contains nothing new.
            if found[-1].is_other:
                places += [_in_source(found, each) for each in sought.places(last)]
            if not is_final:
                opened = min(opened, _open_from(found, sought.open_from(last), len(data)))
        return _joined(places), max(opened, len(data) - self._most_held)

    def _may_begin(self, number: bytes) -> bool:
        """Whether a number at the end may be the first byte of a value, so that it is held back."""
        digits = number.rstrip(b", \t\r\n")
        is_over = digits != number
        return any(each == digits or (each.startswith(digits) and not is_over)
                   for each in self._numbers)  # fmt: skip

    def _without_beginning(self, data: bytes) -> bytes:
        """Mask the start of a value at the end of the bytes."""
        start = self._all.open_from(data, SHORTEST)
        return data[:start] + _MASK if start < len(data) else data


def _seen(
    data: bytes, before: list[UnescapedView] | None, way: Way, is_final: bool
) -> list[UnescapedView] | None:
    """The views of a chain; None when its last way changes nothing."""
    if before is None:
        return None
    source = before[-1].data if before else data
    if way.marks not in source:
        return None
    view = UnescapedView(source, way, is_final)
    return [*before, view] if view.is_other or view.rest < len(source) else None


def _in_source(views: list[UnescapedView], place: tuple[int, int]) -> tuple[int, int]:
    """A span of the last view as a span of the source."""
    start, end = place
    for view in reversed(views):
        start, end = view.start(start), view.end(end)
    return start, end


def _open_from(views: list[UnescapedView], at: int, size: int) -> int:
    """Where in the source a value at `at` in the last view, or an unfinished escape, starts."""
    is_open = at < len(views[-1].data)
    for view in reversed(views):
        if is_open:
            at = view.start(at)
        elif view.may_start:
            at, is_open = view.rest, True
    return at if is_open else size


def _joined(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if made and start < made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((start, end))
    return made


class RedactedStream:
    """Chunks in, masked chunks out; a possible start of a value is held back."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """The masked bytes that can be passed on."""
        clean, self._held = self._redactor.split(self._held + data, False)
        return clean

    def flush(self) -> bytes:
        """The rest, at the end of the stream."""
        held, self._held = self._held, b""
        return self._redactor.data(held)


NOTHING = Redactor(())
