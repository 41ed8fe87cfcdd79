"""Detect schemas that take an engine too long, because of their patterns or references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.schema.keywords import Path, walk_schema
from skillstudio.schema.references import REFERENCES, Targets, parts_and_targets

MAX_TRANSLATED = 250_000
"""Class escapes of a pattern times its length: jsonschema-rs expands each escape."""
MAX_WEIGHT = 1_000_000  # Maximum number of parts after each reference is replaced by its target.
_CLASS_ESCAPE = re.compile(r"\\[dDwWsS]")
_FEW = 20  # With so few references only a huge schema can have too many parts.


class Costly(NamedTuple):
    """The expensive part of a schema, and the reason."""

    path: Path
    message: str


def costly_part(schema: Any) -> Costly | None:
    """The part that makes a schema too expensive; None if it is not."""
    references = 0
    for path, part in walk_schema(schema):
        references += len(part.keys() & set(REFERENCES))
        for place, pattern in patterns_of(path, part):
            if len(pattern) * len(_CLASS_ESCAPE.findall(pattern)) > MAX_TRANSLATED:
                return Costly(place, "the pattern is too long to compile")
    if references > _FEW and _weight(schema) > MAX_WEIGHT:
        return Costly((), "the schema has too many parts after its references are resolved")
    return None


def patterns_of(path: Path, part: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """The patterns of one schema with their paths."""
    pattern, named = part.get("pattern"), part.get("patternProperties")
    if isinstance(pattern, str):
        yield (*path, "pattern"), pattern
    if isinstance(named, dict):
        yield from (((*path, "patternProperties", name), name) for name in named)


def _weight(schema: dict[str, Any]) -> int:
    """The number of parts, counted once for each reference to them. A loop counts once."""
    targets = Targets(schema)
    weights = {id(schema): 1}
    stack = [(schema, parts_and_targets(schema, targets))]
    totals = [1]
    while stack:
        part, inner = stack[-1]
        _, child = next(inner, (None, None))
        if child is None:
            stack.pop()
            weights[id(part)] = totals.pop()
            if totals:
                totals[-1] += weights[id(part)]
        elif id(child) in weights:
            totals[-1] += weights[id(child)]
        else:
            weights[id(child)] = 1
            stack.append((child, parts_and_targets(child, targets)))
            totals.append(1)
    return weights[id(schema)]
