"""Detect schemas that take an engine too long, because of their patterns or references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skillstudio.schema.keywords import Path, walk_schema
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.references import REFERENCES, finished_nodes, reachable_parts
from skillstudio.text.node import join_pointer

MAX_TRANSLATED = 250_000
"""Class escapes of a pattern times its length: jsonschema-rs expands each escape."""
MAX_WEIGHT = 1_000_000  # Maximum number of parts after each reference is replaced by its target.
_CLASS_ESCAPE = re.compile(r"\\[dDwWsS]")
_FEW = 20  # With so few references only a huge schema can have too many parts.


def refuse_costly(schema: Any) -> None:
    """Raise SchemaRefused if a part makes the schema too expensive."""
    references = 0
    for path, part in walk_schema(schema):
        references += len(part.keys() & set(REFERENCES))
        for place, pattern in patterns_of(path, part):
            if len(pattern) * len(_CLASS_ESCAPE.findall(pattern)) > MAX_TRANSLATED:
                raise SchemaRefused("the pattern is too long to compile", join_pointer(place))
    if references > _FEW and _weight(schema) > MAX_WEIGHT:
        raise SchemaRefused("the schema has too many parts after its references are resolved")


def patterns_of(path: Path, part: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """The patterns of one schema with their paths."""
    pattern, named = part.get("pattern"), part.get("patternProperties")
    if isinstance(pattern, str):
        yield (*path, "pattern"), pattern
    if isinstance(named, dict):
        yield from (((*path, "patternProperties", name), name) for name in named)


def _weight(schema: dict[str, Any]) -> int:
    """The number of parts, counted once for each reference to them. A loop counts once."""
    graph = {id(part): [id(each) for _, each in inner] for part, inner in reachable_parts(schema)}
    weights: dict[int, int] = {}
    for part in finished_nodes(graph, [id(schema)], set()):
        weights[part] = 1 + sum(weights.get(each, 1) for each in graph[part])
    return weights[id(schema)]
