"""Find references that are remote, cannot be resolved, or lead to themselves within a negation.

The last kind accepts a value if and only if it rejects it, so engines disagree. JSON Schema
2020-12, 9.4.1: infinite recursion of references is undefined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from skillstudio.schema.keywords import Path, parts_within, walk_schema
from skillstudio.text.node import split_pointer

META_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_BUILT_IN = "https://json-schema.org/draft/2020-12/"
_NOT_FOUND = object()
REFERENCES = ("$ref", "$dynamicRef")
_DEFINITIONS = ("$defs", "definitions")


class BadReference(NamedTuple):
    """A reference, the path to its keyword, and the problem."""

    path: Path
    reference: str
    message: str


def bad_references(schema: Any) -> list[BadReference]:
    """Every `$ref` and `$dynamicRef` that does not resolve within the schema."""
    reference_index = _ReferenceIndex(schema)
    references = []
    for path, part in walk_schema(schema):
        for keyword in REFERENCES:
            reference = part.get(keyword)
            if isinstance(reference, str):
                message = reference_index.complaint(path, reference)
                if message:
                    references.append(BadReference((*path, keyword), reference, message))
    return references


class _ReferenceIndex:
    """The places of a schema that references may name."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.anchors: set[str] = set()
        self.bases: dict[Path, str] = {}
        for path, part in walk_schema(schema):
            names = (part.get("$anchor"), part.get("$dynamicAnchor"))
            self.anchors |= {name for name in names if isinstance(name, str)}
            if isinstance(part.get("$id"), str):
                self.bases[path] = _join(self.base(path[:-1]) if path else "", part["$id"])

    def base(self, path: Path) -> str:
        """The base URI for references at a path."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.bases:
                return self.bases[path[:length]]
        return ""

    def complaint(self, path: Path, reference: str) -> str:
        address, _, fragment = reference.partition("#")
        if address:
            target = _join(self.base(path), address)
            if target in self.bases.values() or target.startswith(_BUILT_IN):
                return ""
            return "a $ref must stay in its schema; remote schemas are never fetched"
        is_embedded = any(path[:length] in self.bases for length in range(1, len(path) + 1))
        if is_embedded or not fragment:
            return ""  # An embedded resource has places of its own; the engine looks them up.
        if fragment.startswith("/"):
            is_resolved = lookup(self.schema, fragment) is not _NOT_FOUND
        else:
            is_resolved = fragment in self.anchors
        return "" if is_resolved else "the $ref does not resolve within this schema"


def _join(base: str, reference: str) -> str:
    from urllib.parse import urljoin

    try:
        return urljoin(base, reference).rstrip("#")
    except ValueError:
        return reference


def parts_and_targets(
    part: dict[str, Any], targets: Targets
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The direct subschemas and those that references lead to, each with its keyword."""
    for path, inner in parts_within(part):
        if isinstance(inner, dict):
            yield str(path[0]), inner
    for keyword in REFERENCES:
        reference = part.get(keyword)
        target = targets.of(reference) if isinstance(reference, str) else None
        if target is not None:
            yield keyword, target


def definitions_of(schema: dict[str, Any] | bool) -> dict[str, Any]:
    """The keywords of a schema that contain its definitions."""
    if isinstance(schema, bool):
        return {}
    return {key: schema[key] for key in _DEFINITIONS if key in schema}


def lookup(schema: Any, fragment: str) -> Any:
    """Resolve a JSON Pointer in a fragment; `_NOT_FOUND` if it does not resolve."""
    if "%" in fragment:
        from urllib.parse import unquote

        fragment = unquote(fragment)
    for token in split_pointer(fragment):
        if isinstance(schema, dict) and token in schema:
            schema = schema[token]
        elif isinstance(schema, list) and token.isdecimal() and int(token) < len(schema):
            schema = schema[int(token)]
        else:
            return _NOT_FOUND
    return schema


def follow(schema: Any, reference: str) -> dict[str, Any] | None:
    """Resolve a reference within `schema`, by pointer or anchor."""
    return Targets(schema).of(reference) if reference.startswith("#") else None


class Targets:
    """The targets of a schema's references by pointer, anchor or URI."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema

    @cached_property
    def _parts_by_name(self) -> dict[str, Any]:
        return {
            part[keyword]: part
            for _, part in walk_schema(self._schema)
            for keyword in ("$id", "$anchor", "$dynamicAnchor")
            if isinstance(part.get(keyword), str)
        }

    def of(self, reference: str) -> dict[str, Any] | None:
        """Resolve a reference to an object; None if it is not in this schema."""
        target = self.any_of(reference)
        return target if isinstance(target, dict) else None

    def any_of(self, reference: Any) -> dict[str, Any] | bool | None:
        """Resolve a reference; None if it is not in this schema."""
        if not isinstance(reference, str):
            return None
        address, _, fragment = reference.partition("#")
        target = self._parts_by_name.get(address, self._schema) if address else self._schema
        if fragment.startswith("/"):
            target = lookup(target, fragment)
        elif fragment:
            target = self._parts_by_name.get(fragment)
        return target if isinstance(target, dict | bool) else None


_SAME_VALUE = frozenset(
    ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", *REFERENCES)
)
"""Keywords whose subschemas apply to the same value."""
_DENYING_KEYWORDS = frozenset(("not", "if", "oneOf"))
"""Keywords that reject a value because a subschema accepts it."""
_CONSEQUENCES = frozenset(("then", "else"))  # Without one of them, `if` rejects nothing.


def denies_itself(schema: Any) -> bool:
    """Whether a reachable part of a schema negates itself for the same value."""
    same: dict[int, list[int]] = {}
    denied_pairs: list[tuple[int, int]] = []
    """The negated parts for the same value, which are also in `same`."""
    for part, inner in reachable_parts(schema, _DEFINITIONS):
        same[id(part)] = [id(child) for keyword, child in inner if keyword in _SAME_VALUE]
        denied_pairs += [
            (id(part), id(child))
            for keyword, child in inner
            if keyword in _DENYING_KEYWORDS and (keyword != "if" or _CONSEQUENCES & part.keys())
        ]
    circles = _circles(same) if denied_pairs else {}
    return any(circles[part] == circles[child] for part, child in denied_pairs)


def reachable_parts(
    schema: Any, without: Collection[str] = ()
) -> Iterator[tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]]:
    """Every part that a schema leads to, with its parts and targets, except some keywords'."""
    targets = Targets(schema)
    seen_ids: set[int] = set()
    stack = [schema] if isinstance(schema, dict) else []
    while stack:
        part = stack.pop()
        if id(part) not in seen_ids:
            seen_ids.add(id(part))
            inner = [pair for pair in parts_and_targets(part, targets) if pair[0] not in without]
            stack += [child for _, child in inner]
            yield part, inner


def _circles(graph: dict[int, list[int]]) -> dict[int, int]:
    """The strongly connected component of each node (Kosaraju's algorithm)."""
    back: dict[int, list[int]] = {node: [] for node in graph}
    for node, neighbors in graph.items():
        for other in neighbors:
            back[other].append(node)
    starts = list(finished_nodes(graph, graph, set()))
    seen_nodes: set[int] = set()
    return {
        node: start
        for start in reversed(starts)
        for node in finished_nodes(back, [start], seen_nodes)
    }


def finished_nodes(
    graph: dict[int, list[int]], starts: Iterable[int], seen_nodes: set[int]
) -> Iterator[int]:
    """The unseen nodes that some lead to, each after those that it leads to, loops aside."""
    for start in starts:
        way = [] if start in seen_nodes else [(start, iter(graph[start]))]
        seen_nodes.add(start)
        while way:
            node, inner = way[-1]
            next_node = next((neighbor for neighbor in inner if neighbor not in seen_nodes), None)
            if next_node is None:
                way.pop()
                yield node
            else:
                seen_nodes.add(next_node)
                way.append((next_node, iter(graph[next_node])))
