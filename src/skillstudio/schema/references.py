"""Find references that are remote, cannot be resolved, or lead to themselves within a negation.

The last kind accepts a value if and only if it rejects it, so engines disagree. JSON Schema
2020-12, 9.4.1: infinite recursion of references is undefined.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from skillstudio.schema.keywords import Path, parts_within, walk_schema
from skillstudio.text.node import split_pointer

META_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_BUILT_IN = "https://json-schema.org/draft/2020-12/"
_NOT_FOUND = object()
REFERENCES = ("$ref", "$dynamicRef")


class BadReference(NamedTuple):
    """A reference, the path to its keyword, and the problem."""

    path: Path
    reference: str
    message: str


def bad_references(schema: Any) -> list[BadReference]:
    """Every `$ref` and `$dynamicRef` that does not resolve within the schema."""
    known = _Known(schema)
    found = []
    for path, part in walk_schema(schema):
        for keyword in REFERENCES:
            reference = part.get(keyword)
            if isinstance(reference, str):
                message = known.complaint(path, reference)
                if message:
                    found.append(BadReference((*path, keyword), reference, message))
    return found


class _Known:
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
            found = lookup(self.schema, fragment) is not _NOT_FOUND
        else:
            found = fragment in self.anchors
        return "" if found else "the $ref does not resolve within this schema"


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
    def _named(self) -> dict[str, Any]:
        return {
            part[keyword]: part
            for _, part in walk_schema(self._schema)
            for keyword in ("$id", "$anchor", "$dynamicAnchor")
            if isinstance(part.get(keyword), str)
        }

    def of(self, reference: str) -> dict[str, Any] | None:
        """Resolve a reference; None if it is not in this schema."""
        address, _, fragment = reference.partition("#")
        found = self._named.get(address, self._schema) if address else self._schema
        if fragment.startswith("/"):
            found = lookup(found, fragment)
        elif fragment:
            found = self._named.get(fragment)
        return found if isinstance(found, dict) else None


_SAME_VALUE = frozenset(
    ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", *REFERENCES)
)
"""Keywords whose subschemas apply to the same value."""
_DENYING = frozenset(("not", "if", "oneOf"))
"""Keywords that reject a value because a subschema accepts it."""
_CONSEQUENCES = frozenset(("then", "else"))  # Without one of them, `if` rejects nothing.
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
