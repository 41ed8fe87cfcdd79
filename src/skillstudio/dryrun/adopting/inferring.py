"""The type of a printed value, in the words that fields of an output have for types."""

from __future__ import annotations

import re
from typing import Any

from skillstudio.dryrun.judging.contract import FAILED, STATUS
from skillstudio.dryrun.traces.key import holds_mask
from skillstudio.manifest.secrets import looks_like_secret

_ANY = "json"
_MOST = 8
"""Of an object with more keys none is named."""
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,40}")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}


def infer(value: Any, name: str = "") -> str:
    """The type word of a value. One that is null, or was masked, could have been anything."""
    if name == STATUS and value in ("ok", FAILED):
        return f"ok | {FAILED}"
    if value is None:
        return _ANY
    if isinstance(value, list):
        return _list(value)
    if not isinstance(value, dict) and holds_mask(value):
        return _ANY
    return _TYPES.get(type(value), _ANY)


def widened(text: str, value: Any, name: str = "") -> str:
    """A declared type that takes this value, too, where that is a matter of one more word.

    Numbers take whole ones, `null` joins any type, and a word joins a list of words; otherwise
    the value's own type stands in the place of the declared one.
    """
    new = infer(value, name)
    if {text, new} == {"integer", "number"}:
        return "number"
    if value is None:
        return f"{text} | null"
    words = [each.strip() for each in text.split("|")]
    if len(words) > 1 and "null" in words and text.count("|") == 1:
        return f"{new} | null"
    is_words = len(words) > 1 and all(_WORD.fullmatch(each) for each in words)
    if is_words and not set(words) & {*_TYPES.values(), "array", "null"}:
        is_word = isinstance(value, str) and _WORD.fullmatch(value)
        return f"{text} | {value}" if is_word and not looks_like_secret(value) else new
    return new


def _list(value: list[Any]) -> str:
    kinds = {infer(each) for each in value if not isinstance(each, dict)}
    if value and all(isinstance(each, dict) for each in value):
        keys = list(dict.fromkeys(key for each in value for key in each))
        if keys and len(keys) <= _MOST and all(map(_KEY.fullmatch, keys)):
            return f"array of {{{', '.join(keys)}}}"
        return "array of object"
    if kinds == {"integer", "number"}:
        kinds = {"number"}
    if len(kinds) == 1 and len(value) > 0 and not any(isinstance(each, dict) for each in value):
        kind = kinds.pop()
        return f"array of {kind}" if kind in _TYPES.values() else "array"
    return "array"
