"""Format values for messages and mask sensitive ones."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from skillstudio.interface.model import ABSENT
from skillstudio.schema.keywords import NAMED_SUBSCHEMAS, STANDARD
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.safe import safe_text

SENSITIVE = "‹sensitive›"
_MASK = lazy_pattern("‹sensitive(?: [0-9a-f]{4})?›")
_LONGEST = 72
_DETAIL = 200  # Maximum length of a detail, in characters.
_UNNAMED_TEXT = "of the skill itself"
_VALUE_KEYWORDS = frozenset(("enum", "const", "default", "examples"))
"""Keywords of a schema that contain values."""


def display_value(value: Any) -> str:
    """A value on one line, truncated, safe for a terminal; `["*"]` is the word everything."""
    if value is ABSENT:
        return "nothing"
    if value == ["*"]:
        return "everything"
    if isinstance(value, str) and value.startswith(SENSITIVE[:-1]):
        return SENSITIVE
    if isinstance(value, str) and value.isprintable():
        return _quote_text(value)
    try:
        return cut(json.dumps(value, ensure_ascii=False, default=str))
    except (TypeError, ValueError, RecursionError):
        return "a deeply nested value"


def became(old: Any, new: Any) -> str:
    """Format a change of a value; with one side absent, as added or removed."""
    return _became(display_value(old), display_value(new), _is_none(old), _is_none(new))


def _became(before: str, after: str, is_new: bool, is_gone: bool) -> str:
    if is_new:
        return f"added {after}"
    return f"removed {before}" if is_gone else f"{before} → {after}"


def sentence(message: str, name: str, old: Any, new: Any, detail: str = "") -> str:
    """Fill in the placeholders of a message; `{old} → {new}` is formatted by `became`."""
    is_new, is_gone = _is_none(old), _is_none(new)
    if is_new or is_gone:
        message = message.replace("{old} → {new}", "{became}")
    before, after = display_value(old), display_value(new)
    return message.format(
        name=display_value(name) if name else _UNNAMED_TEXT,
        old=before,
        new=after,
        became=_became(before, after, is_new, is_gone),
        detail=cut(detail, _DETAIL) if detail else "",
    )


def _is_none(value: Any) -> bool:
    return value is ABSENT or (isinstance(value, str | list | tuple) and not value)


def _quote_text(text: str) -> str:
    mark = "'" if '"' in text and "'" not in text else '"'
    return f"{mark}{cut(text, _LONGEST - 2)}{mark}"


def cut(text: str, longest: int = _LONGEST) -> str:
    """A text on one line, truncated to a number of characters, safe for a terminal."""
    text = safe_text(text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def mask_value(value: Any) -> Any:
    """Replace a sensitive value by four digits of its digest; a masked one stays the same."""
    if value is ABSENT or (isinstance(value, str) and _MASK.fullmatch(value)):
        return value
    text = json.dumps(value, sort_keys=True, default=str)
    return f"{SENSITIVE[:-1]} {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:4]}›"


def masked_schema(schema: Any) -> Any:
    """A schema with the values of standard keywords and all unknown keywords masked."""
    if isinstance(schema, dict):
        return {key: _masked_keyword(key, value) for key, value in schema.items()}
    if isinstance(schema, list):
        return [masked_schema(item) for item in schema]
    return schema


def _masked_keyword(keyword: str, value: Any) -> Any:
    if keyword in _VALUE_KEYWORDS or keyword not in STANDARD:
        return mask_value(value)
    if keyword in NAMED_SUBSCHEMAS and isinstance(value, dict):
        return {name: masked_schema(part) for name, part in value.items()}
    return masked_schema(value)
