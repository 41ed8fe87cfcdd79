"""Values as a sentence shows them, and sensitive ones not at all."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from skillstudio.interface.model import ABSENT
from skillstudio.text.safe import safe_text

SENSITIVE = "‹sensitive›"
_MASKED = re.compile("‹sensitive(?: [0-9a-f]{4})?›")
_LONGEST = 72
_VALUED = frozenset(("enum", "const", "default", "examples"))
"""Keywords of a schema that hold values themselves."""


def shown(value: Any) -> str:
    """A value on one line, cut short, safe for a terminal."""
    if value is ABSENT:
        return "nothing"
    if isinstance(value, str) and value.startswith(SENSITIVE[:-1]):
        return SENSITIVE
    try:
        return cut(json.dumps(value, ensure_ascii=False, default=str))
    except (TypeError, ValueError, RecursionError):
        return "a value too deep to be shown"


def cut(text: str, longest: int = _LONGEST) -> str:
    """A text on one line of so many characters at most, safe for a terminal."""
    text = safe_text(text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def masked(value: Any) -> Any:
    """What stands for a sensitive value: enough to see that it changed, nothing to guess it by.

    Four hexadecimal digits of its digest, which thousands of values share. What is masked already
    stays as it is.
    """
    if value is ABSENT or (isinstance(value, str) and _MASKED.fullmatch(value)):
        return value
    text = json.dumps(value, sort_keys=True, default=str)
    return f"{SENSITIVE[:-1]} {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:4]}›"


def masked_schema(schema: Any) -> Any:
    """A schema with the values that it names masked."""
    if isinstance(schema, dict):
        return {
            key: masked(value) if key in _VALUED else masked_schema(value)
            for key, value in schema.items()
        }
    if isinstance(schema, list):
        return [masked_schema(item) for item in schema]
    return schema
