"""What a pattern is made of."""

from __future__ import annotations

from dataclasses import dataclass

from skillstudio.schema.regex.charsets import CharSet


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set."""

    chars: CharSet


@dataclass(frozen=True, slots=True)
class Concat:
    """Parts one after the other; no part is the empty string."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternate:
    """One of several."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """From `low` to `high` times; `high` None is without end."""

    body: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Assertion:
    """A place: `^` start, `$` end, `b` word boundary, `B` no word boundary."""

    kind: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """What no automaton can follow: a construct by its name."""

    construct: str


Node = Chars | Concat | Alternate | Repeat | Assertion | Foreign
EMPTY = Concat(())
