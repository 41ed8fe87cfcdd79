"""Results of a validator."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from typing import Any, NamedTuple, Protocol


class SchemaError(NamedTuple):
    """One keyword that a value does not satisfy.

    `params`: for `required` the missing key; for `additionalProperties` the list of unknown keys;
    for `enum` the allowed values; for `const` the value; for `type` the list of allowed types; for
    limits the limit; for `pattern` and `format` their text.
    """

    keyword: str
    instance: tuple[str | int, ...]
    """The path to the invalid value; for missing and unknown keys, to their parent."""
    schema: tuple[str | int, ...]
    params: Any
    message: str  # A message without the value, the same from both engines.


class SchemaRefused(ValueError):
    """An unusable schema: invalid, with a remote `$ref` or an invalid pattern at `pointer`."""

    def __init__(self, message: str, pointer: str = "") -> None:
        super().__init__(message)
        self.pointer = pointer


class Validator(Protocol):
    def errors(self, value: Any, most: int | None = None) -> list[SchemaError]:
        """The errors of a value, in no particular order; at most `most`."""

    def is_valid(self, value: Any) -> bool: ...


class Escape(NamedTuple):
    """A value that the narrow schema accepts and the wide one rejects."""

    value: Any
    pointer: str
    """To the keyword of the wide schema that rejects the value; "" for the schema `false`."""


class UndecidedVerdict(NamedTuple):
    """An unanswered question."""

    keyword: str  # The unsupported keyword; "" for the schema as a whole.
    pointer: str  # To the keyword, in the wide schema if it has it, else in the narrow one.
    reason: str


InclusionVerdict = Escape | UndecidedVerdict  # An obstacle to inclusion.
