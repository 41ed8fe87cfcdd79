"""Detect schemas that refer to themselves for the same value within a negation.

Such a schema accepts a value if and only if it rejects it, so engines disagree. JSON Schema
2020-12, 9.4.1: infinite recursion of references is undefined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.schema.references import REFERENCES, Targets, parts_and_targets

_SAME_VALUE = frozenset(
    ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", *REFERENCES)
)
"""Keywords whose subschemas apply to the same value."""
_DENYING = frozenset(("not", "if", "oneOf"))
"""Keywords that reject a value because a subschema accepts it."""
_CONSEQUENCES = frozenset(("then", "else"))
"""Without one of them, `if` rejects nothing."""
_DEFINITIONS = frozenset(("$defs", "definitions"))


class _SchemaPart:
    """A subschema, and its state in the search for cycles."""

    __slots__ = ("circle", "denied", "lowest", "number", "same")

    def __init__(self) -> None:
        self.same: list[int] = []
        self.denied: list[int] = []
        """The negated parts for the same value, which are also in `same`."""
        self.number = self.lowest = self.circle = 0


def denies_itself(schema: Any) -> bool:
    """Whether a reachable part of a schema negates itself for the same value."""
    parts = _parts(schema)
    if not any(part.denied for part in parts.values()):
        return False
    _find_circles(parts)
    return any(
        parts[inner].circle == part.circle for part in parts.values() for inner in part.denied
    )


def _parts(schema: Any) -> dict[int, _SchemaPart]:
    """The reachable subschemas, by identity."""
    targets = Targets(schema)
    found: dict[int, _SchemaPart] = {}
    waiting = [schema] if isinstance(schema, dict) else []
    while waiting:
        here = waiting.pop()
        if id(here) in found:
            continue
        part = found[id(here)] = _SchemaPart()
        for keyword, inner in parts_and_targets(here, targets):
            if keyword in _DEFINITIONS:
                continue
            waiting.append(inner)
            if keyword in _SAME_VALUE:
                part.same.append(id(inner))
            if keyword in _DENYING and (keyword != "if" or _CONSEQUENCES & here.keys()):
                part.denied.append(id(inner))
    return found


def _find_circles(parts: dict[int, _SchemaPart]) -> None:
    """Number the strongly connected components (Tarjan's algorithm)."""
    count = 0
    open_: list[_SchemaPart] = []
    for start in parts.values():
        if start.number:
            continue
        way: list[tuple[_SchemaPart, Iterator[int]]] = []
        following: _SchemaPart | None = start
        while following is not None or way:
            if following is not None:
                count += 1
                following.number = following.lowest = count
                open_.append(following)
                way.append((following, iter(following.same)))
                following = None
            part, inner = way[-1]
            for each in inner:
                other = parts[each]
                if not other.number:
                    following = other
                    break
                if not other.circle:
                    part.lowest = min(part.lowest, other.number)
            if following is None:
                way.pop()
                if way:
                    above = way[-1][0]
                    above.lowest = min(above.lowest, part.lowest)
                if part.lowest == part.number:
                    while not part.circle:
                        open_.pop().circle = part.number
