"""The forms in which a sensitive value may come back: as it is, by line, escaped, encoded."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from posixpath import normpath
from urllib.parse import quote, quote_plus

SHORTEST = 4
"""A shorter value is not looked for: it would be found in every other word."""
_SHORTEST_ENCODED = 6
_WORDS = frozenset({"true", "false", "null", "none"})


def is_sought(value: str) -> bool:
    """Whether a value can be told from ordinary text."""
    return len(value) >= SHORTEST and value.strip() != "" and value.lower() not in _WORDS


def forms_of(value: str) -> set[bytes]:
    """Every form that is looked for, as bytes; none for a value that is not sought."""
    if not is_sought(value):
        return set()
    lines = [line.strip() for line in value.splitlines()]
    parts = {value, value.strip(), *(line for line in lines if is_sought(line))}
    found: set[bytes] = set()
    for part in parts:
        raw = part.encode("utf-8", "surrogateescape")
        found.add(raw)
        found |= set(_escaped(part))
        found |= set(_encoded(raw))
    return found


def _escaped(part: str) -> Iterator[bytes]:
    """As it stands in a path, in an address, in JSON, and in Python's or a shell's own quotes."""
    for text in (
        normpath(part),
        quote(part, safe="", errors="replace"),
        quote(part, errors="replace"),
        quote_plus(part, errors="replace"),
        json.dumps(part)[1:-1],
        json.dumps(part, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(part)[1:-1])[1:-1],
        repr(part)[1:-1],
        part.replace("'", "'\\''"),
        part.replace("'", "'\"'\"'"),
    ):
        yield text.encode("utf-8", "replace")


def _encoded(raw: bytes) -> Iterator[bytes]:
    """In base64 and in hexadecimal, wherever in a longer text it began: `user:value` has other
    letters than `value`, so what does not depend on the neighbours is looked for."""
    for before in range(3):
        whole = base64.b64encode(bytes(before) + raw)
        start = (0, 2, 3)[before]
        end = (before + len(raw)) * 8 // 6
        inner = whole[start:end]
        if len(inner) >= _SHORTEST_ENCODED:
            yield inner
            yield inner.translate(bytes.maketrans(b"+/", b"-_"))
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
