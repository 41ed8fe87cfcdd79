"""The syntax tree of a pattern.

Named tuples of different classes can be equal, so test the class first.
"""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.schema.regex.charsets import CharSet


class Chars(NamedTuple):
    """One character of a set."""

    chars: CharSet


class Concat(NamedTuple):
    """A sequence of parts; without parts, the empty string."""

    parts: tuple[Node, ...]


class Alternate(NamedTuple):
    """One of several."""

    options: tuple[Node, ...]


class Repeat(NamedTuple):
    """`low` to `high` times; `high` None is unlimited."""

    body: Node
    low: int
    high: int | None


class Assertion(NamedTuple):
    """A position: `^` start, `$` end, `b` word boundary, `B` no word boundary."""

    kind: str


class Foreign(NamedTuple):
    """A construct that automata do not support, by name; `body` is that of a look-around."""

    construct: str
    body: Node = Concat(())


Node = Chars | Concat | Alternate | Repeat | Assertion | Foreign
EMPTY = Concat(())
