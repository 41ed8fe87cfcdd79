"""What a validator says of a value, and of a schema that it cannot use."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class SchemaError(NamedTuple):
    """One keyword that a value breaks.

    `params`: for `required` the missing key; for `additionalProperties` the list of unknown
    keys; for `enum` the allowed values; for `const` the value; for `type` the list of allowed
    types; for limits the limit; for `pattern` and `format` their text.
    """

    keyword: str
    instance: tuple[str | int, ...]
    """The path to the value at fault; for missing and unknown keys, to their parent."""
    schema: tuple[str | int, ...]
    """The path to the keyword in the schema."""
    params: Any
    message: str
    """A plain sentence without the value, the same from both engines."""


class SchemaRefused(ValueError):
    """A schema that cannot be used: invalid, remote `$ref`, a pattern that is none. `pointer`
    leads to the place in the schema."""

    def __init__(self, message: str, pointer: str = "") -> None:
        super().__init__(message)
        self.pointer = pointer


class Validator(Protocol):
    def errors(self, value: Any, most: int | None = None) -> list[SchemaError]:
        """Everything wrong with a value, in no particular order; at most so many."""

    def is_valid(self, value: Any) -> bool: ...
