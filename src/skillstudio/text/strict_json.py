"""JSON as its standard has it (RFC 8259), and nothing that Python reads beside it."""

from __future__ import annotations

import json
import math
from typing import Any, Literal

Fault = Literal["syntax", "constant", "number", "twice", "depth"]


class NotJson(ValueError):
    """A text that is no JSON value; the message says what is wrong with it."""

    def __init__(
        self, message: str, fault: Fault = "syntax", what: str = "", position: int = 0
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.what = what
        """The decoder's complaint, the constant, the number or the key."""
        self.position = position
        """Where it is, in characters from 0; 0 where that is not known."""


def read_json(text: str) -> Any:
    """The value of a JSON text, numbers as they are. Raises NotJson.

    NaN and infinities, numbers that are too large to be read, and keys that stand twice in one
    object are refused: programs are of two minds about them.
    """
    try:
        return json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_each_key_once,
        )
    except RecursionError:
        raise NotJson("it nests too deep", "depth") from None
    except json.JSONDecodeError as error:
        said = f"{error.msg.lower()} at line {error.lineno}, column {error.colno}"
        raise NotJson(said, "syntax", error.msg, error.pos) from None


def is_json(text: str) -> bool:
    """Whether a text is one JSON value."""
    try:
        read_json(text)
    except NotJson:
        return False
    return True


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = json.dumps(next(name for name in found if names.count(name) > 1))
        raise NotJson(f"the key {twice} stands twice in one object", "twice", twice)
    return found


def _no_constant(word: str) -> Any:
    raise NotJson(f"{word} is no JSON number", "constant", word)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise NotJson(f"{text[:20]} is too large a number", "number", text[:20])
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        # Python reads no number of more than some thousand digits.
        raise NotJson("a whole number has too many digits", "number", text[:20]) from None
