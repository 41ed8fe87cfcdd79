"""Values as a sentence shows them, and sensitive ones not at all."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from skillstudio.interface.model import ABSENT
from skillstudio.schema.keywords import NAMED, STANDARD
from skillstudio.text.safe import safe_text

SENSITIVE = "‹sensitive›"
_MASKED = re.compile("‹sensitive(?: [0-9a-f]{4})?›")
_LONGEST = 72
_DETAIL = 200
"""How many characters of a detail a message holds."""
_UNNAMED = "of the skill itself"
"""What an operation without a name is called."""
_VALUED = frozenset(("enum", "const", "default", "examples"))
"""Keywords of a schema that hold values themselves."""


def shown(value: Any) -> str:
    """A value on one line, cut short, safe for a terminal.

    It is written as JSON, but texts that can be printed stand between quotes as they are, and the
    list of all that there is, `["*"]`, is called everything.
    """
    if value is ABSENT:
        return "nothing"
    if value == ["*"]:
        return "everything"
    if isinstance(value, str) and value.startswith(SENSITIVE[:-1]):
        return SENSITIVE
    if isinstance(value, str) and value.isprintable():
        return _quoted(value)
    try:
        return cut(json.dumps(value, ensure_ascii=False, default=str))
    except (TypeError, ValueError, RecursionError):
        return "a value too deep to be shown"


def became(old: Any, new: Any) -> str:
    """What a value was and is; where one side has none, that it is new or gone."""
    return _became(shown(old), shown(new), _is_none(old), _is_none(new))


def _became(before: str, after: str, is_new: bool, is_gone: bool) -> str:
    if is_new:
        return f"{after} is new"
    return f"{before} is gone" if is_gone else f"{before} became {after}"


def sentence(message: str, name: str, old: Any, new: Any, detail: str = "") -> str:
    """A message about a change with all that it speaks of filled in.

    Names and values are quoted. `{old} became {new}` reads as `became` has it.
    """
    is_new, is_gone = _is_none(old), _is_none(new)
    if is_new or is_gone:
        message = message.replace("{old} became {new}", "{became}")
    before, after = shown(old), shown(new)
    return message.format(
        name=shown(name) if name else _UNNAMED,
        old=before,
        new=after,
        became=_became(before, after, is_new, is_gone),
        detail=cut(detail, _DETAIL) if detail else "",
    )


def _is_none(value: Any) -> bool:
    return value is ABSENT or (isinstance(value, str | list | tuple) and not value)


def _quoted(text: str) -> str:
    mark = "'" if '"' in text and "'" not in text else '"'
    return f"{mark}{cut(text, _LONGEST - 2)}{mark}"


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
    """A schema with the values that it names masked, and all that keywords of its own hold."""
    if isinstance(schema, dict):
        return {key: _masked_keyword(key, value) for key, value in schema.items()}
    if isinstance(schema, list):
        return [masked_schema(item) for item in schema]
    return schema


def _masked_keyword(keyword: str, value: Any) -> Any:
    if keyword in _VALUED or keyword not in STANDARD:
        return masked(value)
    if keyword in NAMED and isinstance(value, dict):
        return {name: masked_schema(each) for name, each in value.items()}
    return masked_schema(value)
