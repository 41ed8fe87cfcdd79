"""Parse typed answers into values of Copier's question types."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from skillstudio.scaffold.new.copier_file import read_value
from skillstudio.text.safe import safe_text

MAX_ANSWER = 10_000  # Characters in an answer.
_TRUE = frozenset({"y", "yes", "t", "true", "on", "1"})
_FALSE = frozenset({"n", "no", "f", "false", "off", "0", "", "~", "null", "none"})


class NotThatType(ValueError):
    """A value does not have the type of its question; the message says why."""


def cast(kind: str, value: Any) -> Any:
    """Convert a value to a question's type; strings are parsed. Raises NotThatType."""
    if isinstance(value, str) and len(value) > MAX_ANSWER:
        raise NotThatType(f"is longer than {MAX_ANSWER} characters")
    try:
        return _CASTS[kind](value)
    except NotThatType:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise NotThatType(f"must be {_NAMES[kind]}") from None


def truth(value: Any) -> bool:
    """Whether a rendered condition is true: boolean words, else non-empty text, as in Copier."""
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        try:
            return bool(float(word))
        except ValueError:
            return True
    return bool(value)


def text_faults(value: Any, multiline: bool = False) -> list[str]:
    """Problems of the strings in a value for any question: too long, or invisible characters."""
    if isinstance(value, list):
        return list(dict.fromkeys(fault for each in value for fault in text_faults(each)))
    if isinstance(value, dict):
        return text_faults([*value, *value.values()], multiline)
    if not isinstance(value, str):
        return []
    if len(value) > MAX_ANSWER:
        return [f"is longer than {MAX_ANSWER} characters"]
    if not multiline and ("\n" in value or "\r" in value):
        return ["contains a line break"]
    seen = value.replace("\n", "").replace("\t", "") if multiline else value
    unsafe = next((each for each in seen if safe_text(each) != each), "")
    return [f"contains the invisible character U+{ord(unsafe):04X}"] if unsafe else []


def _bool(value: Any) -> bool:
    if isinstance(value, (bool, int, float)):
        return bool(value)
    word = value.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise NotThatType("must be yes or no")


def _int(value: Any) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise NotThatType("must be an integer")
    return int(value)


def _float(value: Any) -> float:
    found = float(value)
    if not math.isfinite(found):
        raise NotThatType("must be a finite number")
    return found


def _str(value: Any) -> str:
    if not isinstance(value, (str, bool, int, float)):
        raise NotThatType("must be text")
    return str(value)


_CASTS: dict[str, Callable[[Any], Any]] = {
    "bool": _bool,
    "float": _float,
    "int": _int,
    "json": lambda value: json.loads(value) if isinstance(value, str) else value,
    "path": _str,
    "str": _str,
    "yaml": lambda value: read_value(value) if isinstance(value, str) else value,
}
_NAMES = {"bool": "true or false", "float": "a number", "int": "an integer"}
_NAMES |= {"json": "JSON", "path": "text", "str": "text", "yaml": "YAML"}
