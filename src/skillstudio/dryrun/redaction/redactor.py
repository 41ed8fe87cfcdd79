"""Sensitive values, replaced in what comes by and in what is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillstudio.dryrun.redaction.forms import SHORTEST, forms_of, is_sought
from skillstudio.interface.wording import SENSITIVE

_MASK = SENSITIVE.encode()
_CUT = "…".encode()


class Redactor:
    """Replaces every form of the given values; without values nothing is changed."""

    def __init__(self, secrets: Iterable[str]) -> None:
        given = set(secrets)
        forms = sorted({form for value in given for form in forms_of(value)}, key=_longest_first)
        self._forms = forms
        self._firsts = frozenset(form[0] for form in forms)
        self._longest = len(forms[0]) if forms else 0
        self.too_short = sum(1 for value in given if value and not is_sought(value))
        """How many values are too short, or too ordinary a word, to be looked for."""

    def stream(self) -> RedactedStream:
        """A stream of its own: each pipe has one."""
        return RedactedStream(self)

    def data(self, data: bytes) -> bytes:
        """Some bytes without the values."""
        clean, rest = self._masked(data, len(data))
        return clean + rest

    def finds(self, data: bytes) -> bool:
        """Whether some bytes hold a value."""
        return next(self._values(data), None) is not None

    def text(self, text: str) -> str:
        """A text without the values, nor the beginning of one before a `…`, where it was cut."""
        if not self._forms:
            return text
        how = "surrogateescape"
        try:
            data = text.encode("utf-8", how)
        except UnicodeEncodeError:
            # Half a character that JSON wrote as an escape, and no byte of anything.
            how = "surrogatepass"
            data = text.encode("utf-8", how)
        clean = self.data(data)
        if _CUT in clean:
            *cut, rest = clean.split(_CUT)
            clean = _CUT.join([*map(self._without_beginning, cut), rest])
        return clean.decode("utf-8", how)

    def value(self, value: Any) -> Any:
        """A JSON value without the values, in keys and in numbers too."""
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

    def settled(self, data: bytes) -> int:
        """How much from the beginning cannot be part of a form that goes on behind the end."""
        for start in range(max(0, len(data) - self._longest + 1), len(data)):
            if data[start] in self._firsts and self._may_go_on(data[start:]):
                return start
        return len(data)

    def split(self, data: bytes) -> tuple[bytes, bytes]:
        """What is clean and can go on, and what must wait for more."""
        return self._masked(data, self.settled(data))

    def _masked(self, data: bytes, settled: int) -> tuple[bytes, bytes]:
        """The bytes up to `settled` with their values masked, and those behind."""
        made: list[bytes] = []
        at = 0
        for start, end in self._values(data):
            if start >= settled:
                break
            made += (data[at:start], _MASK)
            at = end
        if at >= settled:
            # A value that was found reaches into the tail: what is behind it is judged anew.
            settled = at + self.settled(data[at:])
        made.append(data[at:settled])
        return b"".join(made), data[settled:]

    def _values(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where values begin and end, none over another: the first, of those the longest."""
        places = sorted((start, -len(form)) for form in self._forms for start in _all(data, form))
        at = 0
        for start, length in places:
            if start >= at:
                at = start - length
                yield start, at

    def _without_beginning(self, data: bytes) -> bytes:
        """The bytes without the part of a value that they end with."""
        for start in range(max(0, len(data) - self._longest + 1), len(data) - SHORTEST + 1):
            if data[start] in self._firsts and self._may_go_on(data[start:]):
                return data[:start] + _MASK
        return data

    def _may_go_on(self, tail: bytes) -> bool:
        return any(form.startswith(tail) for form in self._forms if len(form) > len(tail))


def _all(data: bytes, form: bytes) -> Iterator[int]:
    at = data.find(form)
    while at >= 0:
        yield at
        at = data.find(form, at + 1)


class RedactedStream:
    """Chunks in, clean chunks out; what may be the beginning of a value is held back."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What of everything so far can go on."""
        clean, self._held = self._redactor.split(self._held + data)
        return clean

    def flush(self) -> bytes:
        """The rest, when no more comes."""
        held, self._held = self._held, b""
        return self._redactor.data(held)


def _longest_first(form: bytes) -> tuple[int, bytes]:
    return -len(form), form


NOTHING = Redactor(())
"""Looks for no value."""
