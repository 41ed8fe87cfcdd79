"""Take apart an untrusted JSON value, checking the type of each part."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from skillstudio.text.node import join_pointer

MAX_DEPTH = 120
"""Levels: a printed value in a trace may have a hundred."""
_LONGEST = 1 << 20
T = TypeVar("T")


class JsonRefused(Exception):
    """A part with a wrong type or value: a sentence with its JSON pointer."""


class JsonPart:
    """A value inside another, with its pointer."""

    def __init__(self, value: Any, at: tuple[str, ...] = ()) -> None:
        self.value = value
        self.at = at

    def __getitem__(self, name: str) -> JsonPart:
        """The value of a key. Raises JsonRefused when it is missing."""
        if name not in self.object():
            raise self.wrong(f"the key {name} is missing")
        return JsonPart(self.value[name], (*self.at, name))

    def get(self, name: str, default: Any) -> JsonPart:
        """The value of a key, or `default`."""
        return JsonPart(self.object().get(name, default), (*self.at, name))

    def object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.wrong("must be an object")
        return self.value

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("must be a string")
        if len(self.value) > _LONGEST:
            raise self.wrong(f"has more than {_LONGEST:,} characters")
        return self.value

    def text_or(self, default: str) -> str:
        """A string; null is the default."""
        return default if self.value is None else self.text()

    def one_of(self, words: Sequence[Any]) -> Any:
        if not isinstance(self.value, str) or self.value not in words:
            raise self.wrong(f"must be one of {', '.join(words)}")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("must be true or false")
        return self.value

    def whole(self) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.wrong("must be an integer")
        if abs(self.value) >= 1 << 63:
            raise self.wrong("is too large")
        return self.value

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.wrong("must be a number")
        if not abs(self.value) < 1e18:
            raise self.wrong("is too large")
        return float(self.value)

    def list(self, of: Callable[[JsonPart], T]) -> tuple[T, ...]:
        if not isinstance(self.value, list):
            raise self.wrong("must be a list")
        return tuple(
            of(JsonPart(each, (*self.at, str(number)))) for number, each in enumerate(self.value)
        )

    def texts(self) -> tuple[str, ...]:
        return self.list(JsonPart.text)

    def each(self, of: Callable[[JsonPart], T]) -> dict[str, T]:
        """The values of an object, by name."""
        return {name: of(self[name]) for name in self.object()}

    def wrong(self, what: str) -> JsonRefused:
        place = join_pointer(list(self.at)) if self.at else "it"
        return JsonRefused(f"{place} {what}")


def parse(data: bytes, most: int) -> JsonPart:
    """Parse one JSON value of at most `most` bytes. Raises JsonRefused."""
    if len(data) > most:
        raise JsonRefused(f"it has more than {most:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonRefused(f"it is not UTF-8 at byte {error.start}") from None
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise JsonRefused("its values are nested too deeply") from None
    except json.JSONDecodeError as error:
        raise JsonRefused(f"it is not JSON: {error.msg.lower()}, {_place(error)}") from None
    except ValueError:
        raise JsonRefused("it is not JSON: it contains a number that is too large") from None
    if _depth(value) > MAX_DEPTH:
        raise JsonRefused("its values are nested too deeply")
    return JsonPart(value)


def _place(error: json.JSONDecodeError) -> str:
    return f"line {error.lineno}, column {error.colno}"


def _depth(value: Any) -> int:
    depth = 0
    level = [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return depth


def _no_constant(word: str) -> Any:
    raise JsonRefused(f"it is not JSON: it contains {word}")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise JsonRefused("it is not JSON: it contains a number that is too large")
    return value
