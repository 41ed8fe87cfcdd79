"""Parse the types of output fields, which may be a type or a description."""

from __future__ import annotations

import re
from typing import Any

TYPES = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "array": "array",
    "object": "object",
    "null": "null",
}
_ANY = frozenset(("json", "any"))
_LIST = re.compile(r"array of ([a-z]+?)s?")
_QUOTED = re.compile(r'"([^"|]*)"|\'([^\'|]*)\'')
_WORD = re.compile(r"[A-Za-z0-9_.-]+")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


def field_schema(text: str) -> dict[str, Any] | None:
    """The JSON Schema of a type word, `array of` one, or alternatives `a | b`; None for prose.

    Alternatives are either all types or all values: `string | null`, `ok | error`.
    """
    parts = [part.strip() for part in text.split("|")]
    if len(parts) == 1:
        return _one(parts[0])
    types = [_one(part) for part in parts]
    if all(type(each) is dict and set(each) == {"type"} for each in types):
        return {"type": list(dict.fromkeys(each["type"] for each in types if each))}
    values = [_value(part) for part in parts]
    if any(part in TYPES and part not in _WORDS for part in parts) or () in values:
        return None
    return {"enum": [value[0] for value in values]}


def _one(text: str) -> dict[str, Any] | None:
    if text in _ANY:
        return {}
    if text in TYPES:
        return {"type": TYPES[text]}
    inner = _LIST.fullmatch(text)
    items = _one(inner[1]) if inner else None
    return None if items is None else {"type": "array", "items": items}


def _value(text: str) -> tuple[Any, ...]:
    """The one value that an alternative names, or () for prose."""
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return (quoted[1] or quoted[2] or "",)
    if text in _WORDS:
        return (_WORDS[text],)
    return (text,) if _WORD.fullmatch(text) else ()
