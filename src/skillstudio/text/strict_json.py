"""Parse JSON strictly (RFC 8259), without Python's extensions."""

from __future__ import annotations

import json
import math
from typing import Any, Literal

MAX_DEPTH = 100  # Maximum nesting; other JSON readers have about the same limit.
_MAX_DIGITS = 20  # Maximum number of digits shown in a message.
Fault = Literal["syntax", "constant", "number", "twice", "depth"]


class NotJson(ValueError):
    """A text that is not valid JSON; the message describes the problem."""

    def __init__(
        self, message: str, fault: Fault = "syntax", what: str = "", position: int = 0
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.what = what
        """The decoder's message, the constant, the number or the key."""
        self.position = position
        """The 0-based offset; 0 if unknown."""


def read_json(text: str) -> Any:
    """Parse a JSON text, keeping numbers exactly. Raises NotJson.

    NaN, infinities, huge numbers and duplicate keys are rejected: programs disagree about them.
    """
    try:
        value = json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_each_key_once,
        )
    except RecursionError:
        raise NotJson("nested too deeply", "depth") from None
    except json.JSONDecodeError as error:
        message = f"{error.msg.lower()} at line {error.lineno}, column {error.colno}"
        raise NotJson(message, "syntax", error.msg, error.pos) from None
    if _is_deep(value):
        raise NotJson("nested too deeply", "depth")
    return value


def is_json(text: str) -> bool:
    """Whether a text is one JSON value."""
    try:
        read_json(text)
    except NotJson:
        return False
    return True


def _is_deep(value: Any) -> bool:
    """Whether a value is too deep for recursive functions."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for part in level
            if isinstance(part, dict | list)
            for inner in (part.values() if isinstance(part, dict) else part)
        ]
    return bool(level)


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_DIGITS else f"{text[:_MAX_DIGITS]}…"


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = json.dumps(next(name for name in members if names.count(name) > 1))
        raise NotJson(f"duplicate key {twice}", "twice", twice)
    return members


def _no_constant(word: str) -> Any:
    raise NotJson(f"{word} is not a JSON number", "constant", word)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise NotJson(f"{_shorten(text)} is too large", "number", _shorten(text))
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        # Python reads no number of more than some thousand digits.
        raise NotJson("an integer has too many digits", "number", _shorten(text)) from None
