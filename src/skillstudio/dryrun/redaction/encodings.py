"""The forms in which a sensitive value may reappear, and views with one way of escaping undone.
Views know the source position of each byte and are made of pieces of a stream: a possibly
unfinished escape at the end is left out and reported."""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from posixpath import normpath
from typing import NamedTuple
from urllib.parse import quote, quote_plus

SHORTEST = 4  # Shorter values are not searched for: they would match in every other word.
_SHORTEST_ENCODED = 6
_SHORTEST_LOOSE = 8
"""Characters a value needs to be searched for in other cases and in rarer encodings."""
_MOST_LINES = 8  # Values of more lines are searched for in rarer encodings only as a whole.
_WORDS = frozenset({"true", "false", "null", "none"})


def is_sought(value: str) -> bool:
    """Whether a value can be distinguished from ordinary text."""
    return len(value) >= SHORTEST and value.strip() != "" and value.lower() not in _WORDS


def forms_of(value: str) -> set[bytes]:
    """Every form to search for, as bytes; none for a value that is not sought."""
    found: set[bytes] = set()
    for part in parts_of(value):
        raw = _raw(part)
        found |= set(_escaped(part))
        found |= {*_base64(raw), raw.hex().encode(), raw.hex().upper().encode()}
        if part.strip() == value.strip() or value.count("\n") < _MOST_LINES:
            found |= set(_rarely(part, raw))
    return found | plain_forms_of(value)


def plain_forms_of(value: str) -> set[bytes]:
    """A value unchanged, by line, and with Latin-1 characters as single bytes."""
    found: set[bytes] = set()
    for part in parts_of(value):
        found.add(_raw(part))
        # Python and JavaScript write `\xfc` for a single byte of Latin-1.
        pieces = (
            each.encode("latin-1" if ord(each) < 256 else "utf-8", "surrogateescape")
            for each in part
        )
        found.add(b"".join(pieces))
    return found


def parts_of(value: str) -> set[str]:
    """A value and each of its lines; none for a value that is not sought."""
    if not is_sought(value):
        return set()
    lines = [line.strip() for line in value.splitlines()]
    return {value, value.strip(), *(line for line in lines if is_sought(line))}


def _raw(part: str) -> bytes:
    return part.encode("utf-8", "surrogateescape")


def _escaped(part: str) -> Iterator[bytes]:
    """As escaped in a path, an address, JSON, and quotes of Python or a shell."""
    for text in (
        normpath(part),
        quote(part, safe="", errors="replace"),
        quote(part, errors="replace"),
        quote_plus(part, errors="replace"),
        part.replace(" ", "+"),
        json.dumps(part)[1:-1],
        json.dumps(part, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(part)[1:-1])[1:-1],
        repr(part)[1:-1],
        part.replace("'", "'\\''"),
        part.replace("'", "'\"'\"'"),
    ):
        yield text.encode("utf-8", "replace")


def _base64(raw: bytes) -> Iterator[bytes]:
    """At each offset modulo 3, only the characters that do not depend on neighbours."""
    for before in range(3):
        whole = base64.b64encode(bytes(before) + raw)
        start = (0, 2, 3)[before]
        end = (before + len(raw)) * 8 // 6
        inner = whole[start:end]
        if len(inner) >= _SHORTEST_ENCODED:
            yield inner
            yield inner.translate(bytes.maketrans(b"+/", b"-_"))


def _rarely(part: str, raw: bytes) -> Iterator[bytes]:
    """In wide characters, base32 and base85 at each offset, and in upper and lower case."""
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        wide = part.encode(encoding, "replace")
        yield wide
        if encoding.startswith("utf-16"):
            yield from _base64(wide)
    if len(part) < _SHORTEST_LOOSE:
        return
    yield part.lower().encode("utf-8", "surrogateescape")
    yield part.upper().encode("utf-8", "surrogateescape")
    for before in range(5):
        whole = base64.b32encode(bytes(before) + raw)
        inner = whole[-(-before * 8 // 5) : (before + len(raw)) * 8 // 5]
        yield inner
        yield inner.lower()
    for skipped in range(4):
        groups = raw[skipped : skipped + (len(raw) - skipped) // 4 * 4]
        if len(groups) >= _SHORTEST_LOOSE:
            yield base64.b85encode(groups)
            yield base64.a85encode(groups)


_MOST_BEFORE = 32
_SHORT = {
    **{bytes([each]): bytes([each]) for each in range(0x20, 0x7F)},
    b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v",
}  # fmt: skip
"""Single characters after a backslash, in JSON, JavaScript, Python, C and shells."""


class Way(NamedTuple):
    """A way of escaping."""

    marks: bytes  # Without one of these bytes nothing is escaped this way; empty for any.
    token: re.Pattern[bytes]
    plain: Callable[[bytes], bytes | None]
    """The meaning of a token; None when it is no escape after all."""
    unfinished: re.Pattern[bytes]  # What may become a token, at the end of the data.
    is_start: bool = True  # Whether an unfinished token may be the first byte of a value.
    keeps: bool = False  # Whether a token means its own start, and only the rest of it is dropped.
    before: bytes = b""  # Bytes that are dropped too when they precede a token.


class UnescapedView:
    """Bytes with one kind of escape undone, and the source position of each."""

    def __init__(self, data: bytes, way: Way, is_final: bool) -> None:
        self._starts: list[int] = []
        self._sources: list[tuple[int, int]] = []
        """For each stretch: its start in the source, and the end of a token or 0 for plain text."""
        starts, sources, meaning_of = self._starts, self._sources, way.plain
        before = frozenset(way.before)
        pieces: list[bytes] = []
        at = length = 0
        for found in way.token.finditer(data):
            meaning = meaning_of(found[0])
            if meaning is None:
                continue
            start, end = found.span()
            if before:
                start = _back(data, start, at, before)
            if start > at:
                starts.append(length)
                sources.append((at, 0))
                pieces.append(data[at:start])
                length += start - at
            if meaning:
                starts.append(length)
                sources.append((start, 0 if way.keeps else end))
                pieces.append(meaning)
                length += len(meaning)
            at = end
        tail = None if is_final else way.unfinished.search(data, max(0, len(data) - 80))
        rest = tail.start() if tail else len(data)
        if at <= rest or not tail:
            starts.append(length)
            sources.append((at, 0))
            pieces.append(data[at:rest])
        elif sources and sources[-1] == (rest, at):
            # The last token may still grow, like `&#6`.
            pieces.pop()
            starts.pop()
            sources.pop()
        else:
            rest = len(data)
        self.is_other = at > 0
        self.data = b"".join(pieces)
        self.rest = rest
        """The source position of something unfinished, else the length of the source."""
        self.may_start = rest < len(data) and way.is_start

    def start(self, at: int) -> int:
        """The source position where a byte starts."""
        if at >= len(self.data):
            return self.rest
        number = bisect_right(self._starts, at) - 1
        start, end = self._sources[number]
        return start if end else start + at - self._starts[number]

    def end(self, at: int) -> int:
        """The source position where the byte before a position ends."""
        number = bisect_right(self._starts, at - 1) - 1
        start, end = self._sources[number]
        return end or start + at - self._starts[number]


def _back(data: bytes, start: int, least: int, before: frozenset[int]) -> int:
    least = max(least, start - _MOST_BEFORE)
    while start > least and data[start - 1] in before:
        start -= 1
    return start


def _code(digits: bytes, base: int) -> bytes | None:
    number = int(digits, base)
    return chr(number).encode("utf-8", "surrogatepass") if number <= 0x10FFFF else None


@lru_cache(maxsize=4096)
def _backslash(token: bytes) -> bytes | None:
    kind, more = token[1:2], token[2:]
    if kind == b"u" and len(token) == 12:  # Two halves of one character.
        pair = (int(token[2:6], 16) - 0xD800 << 10) + int(token[8:], 16) - 0xDC00
        return chr(0x10000 + pair).encode()
    if more and kind in (b"u", b"U"):
        return _code(more.strip(b"{}"), 16)
    if more and kind == b"x":
        return bytes([int(more, 16)])
    if kind.isdigit() and kind < b"8":
        return bytes([int(token[1:], 8) & 0xFF])
    return _SHORT.get(kind)


@lru_cache(maxsize=4096)
def _percent(token: bytes) -> bytes | None:
    return _code(token[2:], 16) if token[1:2] == b"u" else bytes([int(token[1:], 16)])


@lru_cache(maxsize=4096)
def _entity(token: bytes) -> bytes | None:
    name = token[1:].rstrip(b";")
    if name[:1] == b"#":
        is_hex = name[1:2] in (b"x", b"X")
        return _code(name[2:], 16) if is_hex else _code(name[1:], 10)
    from html.entities import html5

    found = html5.get(name.decode("ascii") + ";")
    return found.encode() if found is not None else None


@lru_cache(maxsize=4096)
def _quoted_printable(token: bytes) -> bytes | None:
    return b"" if token.endswith(b"\n") else bytes([int(token[1:], 16)])


@lru_cache(maxsize=4096)
def _number(token: bytes) -> bytes | None:
    value = int(token.rstrip(b", \t\r\n"))
    return bytes([value]) if value < 256 else None


_BETWEEN = rb"(?:[:.\-]|,?[ \t]?(?:0x|\\x)|,[ \t]?|[ \t]|\r?\n)"
"""Separators between the bytes of a hexadecimal dump."""


def _line_breaks(joiners: bytes, next_line: bytes) -> Way:
    """Line breaks with what surrounds them: `joiners` at the end, `next_line` at the start."""
    joined = re.escape(joiners)
    token = re.compile(rb"\n[" + re.escape(next_line) + rb"]{0,99}")
    unfinished = re.compile(rb"[" + joined + rb"]{1,32}\Z")
    return Way(b"", token, lambda _: b"", unfinished, False, before=joiners)


WAYS: Mapping[str, Way] = {
    "backslash": Way(
        b"\\",
        re.compile(
            rb"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}"
            rb"|\\u\{[\da-fA-F]{1,6}\}|\\u[\da-fA-F]{4}|\\U[\da-fA-F]{8}"
            rb"|\\x[\da-fA-F]{2}|\\[0-7]{1,3}"
            rb"|\\[\x20-\x7e]"
        ),
        _backslash,
        re.compile(
            rb"(?:\\u[dD][89abAB][\da-fA-F]{2}(?:\\(?:u[\da-fA-F]{0,3})?)?"
            rb"|\\(?:u\{?[\da-fA-F]{0,6}|U[\da-fA-F]{0,7}|x[\da-fA-F]?|[0-7]{1,2})?)\Z"
        ),
    ),
    "percent": Way(
        b"%",
        re.compile(rb"%(?:u[\da-fA-F]{4}|[\da-fA-F]{2})"),
        _percent,
        re.compile(rb"%(?:u[\da-fA-F]{0,3}|[\da-fA-F]?)\Z"),
    ),
    "entity": Way(
        b"&",
        re.compile(rb"&#[xX][\da-fA-F]{1,10};?|&#[0-9]{1,10};?|&[A-Za-z][A-Za-z0-9]{1,31};"),
        _entity,
        re.compile(rb"&(?:#(?:[xX][\da-fA-F]{0,10}|[0-9]{0,10})|[A-Za-z][A-Za-z0-9]{0,31})?\Z"),
    ),
    "quoted-printable": Way(
        b"=",
        re.compile(rb"=(?:[\da-fA-F]{2}|\r?\n)"),
        _quoted_printable,
        re.compile(rb"=(?:[\da-fA-F]|\r)?\Z"),
    ),
    "lines": _line_breaks(b" \t\r", b" \t\r\n"),
    "quoted lines": _line_breaks(b" \t\r\"'\\,+", b" \t\r\n>#*|\"'+."),
    "wide": Way(b"\0", re.compile(rb"\0+"), lambda _: b"", re.compile(rb"\0+\Z"), False),
    "dump": Way(
        b"",
        re.compile(rb"[\da-fA-F][\da-fA-F]" + _BETWEEN + rb"(?=[\da-fA-F][\da-fA-F])"),
        lambda token: token[:2],
        re.compile(rb"(?<=[\da-fA-F])" + _BETWEEN + rb"[\da-fA-F]?\Z"),
        False,
        keeps=True,
    ),
    "numbers": Way(
        b"",
        re.compile(rb"[0-9][0-9]?[0-9]?(?:[, \t\r\n]{1,4}(?=[0-9])|(?![0-9]))"),
        _number,
        re.compile(rb"(?<![\w.])[0-9]{1,3}[, \t\r\n]{0,4}\Z"),
    ),
}
