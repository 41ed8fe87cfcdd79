"""Limit the size of generated values."""

from __future__ import annotations

from typing import Any, TypeVar

MAX_ITEMS = 10_000
MAX_SIZE = 200_000
"""Maximum number of characters and parts of one value, which the validator has to read."""
_Value = TypeVar("_Value")


class Unknown(Exception):
    """No value was found, although there may be some."""

    def __init__(self, keyword: str, reason: str) -> None:
        super().__init__(reason)
        self.keyword = keyword
        self.reason = reason


def repeated(item: Any, length: int) -> list[Any]:
    """A list of the same item, repeated. Raises Unknown."""
    check_length("minItems", length)
    if size_of(item) * length > MAX_SIZE:
        raise Unknown("minItems", f"values of more than {MAX_SIZE} parts are not generated")
    return [item] * length


def checked(value: _Value) -> _Value:
    """The same value. Raises Unknown if it is too large."""
    if size_of(value) > MAX_SIZE:
        raise Unknown("required", f"values of more than {MAX_SIZE} parts are not generated")
    return value


def size_of(value: Any) -> int:
    """The number of characters and other parts; slightly more than MAX_SIZE for a larger value."""
    size, waiting = 0, [value]
    while waiting and size <= MAX_SIZE:
        found = waiting.pop()
        size += 1
        if isinstance(found, str):
            size += len(found)
        elif isinstance(found, dict):
            size += sum(map(len, found))
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
    return size


def check_length(keyword: str, length: int) -> None:
    """Raise Unknown if a list would have too many items."""
    if length > MAX_ITEMS:
        raise Unknown(keyword, f"lists of more than {MAX_ITEMS} items are not generated")
