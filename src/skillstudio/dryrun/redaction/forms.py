"""The forms in which a sensitive value may reappear: plain, by line, escaped, encoded."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from posixpath import normpath
from urllib.parse import quote, quote_plus

SHORTEST = 4
"""Shorter values are not searched for: they would match in every other word."""
_SHORTEST_ENCODED = 6
_SHORTEST_LOOSE = 8
"""Characters a value needs to be searched for in other cases and in rarer encodings."""
_MOST_LINES = 8
"""Values of more lines are searched for in rarer encodings only as a whole."""
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
        found.add(b"".join(_mixed(each) for each in part))
    return found


def hex_forms_of(value: str) -> set[bytes]:
    """A value in lower-case hexadecimal."""
    return {form.hex().encode() for form in plain_forms_of(value)}


def parts_of(value: str) -> set[str]:
    """A value and each of its lines; none for a value that is not sought."""
    if not is_sought(value):
        return set()
    lines = [line.strip() for line in value.splitlines()]
    return {value, value.strip(), *(line for line in lines if is_sought(line))}


def _raw(part: str) -> bytes:
    return part.encode("utf-8", "surrogateescape")


def _mixed(character: str) -> bytes:
    # Python and JavaScript write `\xfc` for a single byte of Latin-1.
    return character.encode("latin-1" if ord(character) < 256 else "utf-8", "surrogateescape")


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
