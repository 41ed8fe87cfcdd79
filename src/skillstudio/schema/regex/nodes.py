"""The syntax tree of a pattern.

Immutable classes with slots instead of dataclasses: every comparison loads them, and importing
`dataclasses` takes as long as this whole package.
"""

from __future__ import annotations

from typing import Final

from skillstudio.schema.regex.charsets import CharSet


class _RegexPart:
    """Equal to a part of the same class with the same fields."""

    __slots__: tuple[str, ...] = ()

    def _held(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._held() == other._held()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._held()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._held()}"


class Chars(_RegexPart):
    """One character of a set."""

    __slots__ = ("chars",)

    def __init__(self, chars: CharSet) -> None:
        self.chars: Final = chars


class Concat(_RegexPart):
    """A sequence of parts; without parts, the empty string."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Node, ...]) -> None:
        self.parts: Final = parts


class Alternate(_RegexPart):
    """One of several."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[Node, ...]) -> None:
        self.options: Final = options


class Repeat(_RegexPart):
    """`low` to `high` times; `high` None is unlimited."""

    __slots__ = ("body", "high", "low")

    def __init__(self, body: Node, low: int, high: int | None) -> None:
        self.body: Final = body
        self.low: Final = low
        self.high: Final = high


class Assertion(_RegexPart):
    """A position: `^` start, `$` end, `b` word boundary, `B` no word boundary."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind: Final = kind


class Foreign(_RegexPart):
    """A construct that automata do not support, by name."""

    __slots__ = ("construct",)

    def __init__(self, construct: str) -> None:
        self.construct: Final = construct


Node = Chars | Concat | Alternate | Repeat | Assertion | Foreign
EMPTY = Concat(())
