"""Split a schema into the statements of its keywords, each with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.interface.model import ABSENT, token
from skillstudio.schema.keywords import GROUPS, SILENT, STANDARD
from skillstudio.schema.shape import same

Step = tuple[str, ...]  # One step into a schema: `items`, or `properties` and a name.
Path = tuple[Step, ...]
Key = tuple[Path, str, str]
"""The path, the keywords that make the statement, and the name it is about."""

_SHARED_PLACES = ("/$defs", "/definitions")  # Schemas that only matter where they are referenced.
_MOST_ANNOTATIONS = 50
DEEPEST = 40  # Maximum depth; a deeper schema is one statement.
_TOGETHER = {
    "exclusiveMinimum": "minimum",
    "exclusiveMaximum": "maximum",
    "const": "enum",
    **{keyword: group[0] for group in GROUPS for keyword in group},
}
"""Keywords that depend on another, or mean the same as another."""
_FACETS = {
    "type": "type",
    "pattern": "pattern",
    "minimum": "minimum",
    "maximum": "maximum",
    "enum": "enum",
    "minLength": "length",
    "maxLength": "length",
    "minItems": "item-count",
    "maxItems": "item-count",
    "required": "property-required",
    "additionalProperties": "additional-properties",
}
_WHOLE = frozenset(
    (
        *("$ref", "$dynamicRef", "$dynamicAnchor", "$anchor", "$id"),
        *("unevaluatedItems", "unevaluatedProperties"),
    )
)
"""Keywords that prevent splitting a schema."""
_UNSAID = SILENT - _WHOLE  # Standard keywords that make no statement.
_ENCODER = json.JSONEncoder(sort_keys=True, default=repr)


class Statement(NamedTuple):
    """The statement of one keyword or of several dependent keywords about a value."""

    path: Path
    facet: str
    keyword: str
    local: Any  # A schema with only this statement, at its place.
    display_value: Any


class Statements:
    """A schema as statements."""

    __slots__ = ("by_key", "nodes", "properties")

    def __init__(self) -> None:
        self.by_key: dict[Key, Statement] = {}
        self.nodes: dict[Path, dict[str, Any]] = {}
        """Every subschema."""
        self.properties: dict[Path, dict[str, Any]] = {}
        """The properties that each subschema describes."""


class _Entanglement(Exception):
    """The schema cannot be split."""


def statements(schema: Any) -> Statements | None:
    """Split a schema; None if it can only be compared as a whole."""
    result = Statements()
    try:
        _collect(schema, (), result, 0)
    except _Entanglement:
        return None
    return result


def wrap(path: Path, local: Any) -> Any:
    """A schema with the statement at the given path."""
    for step in reversed(path):
        for key in reversed(step):
            local = {key: local}
    return local


def canonical(value: Any) -> str:
    """A text that is equal for values that are written the same."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def is_object(node: dict[str, Any]) -> bool:
    """Whether a schema allows objects, judging by its type."""
    kind = node.get("type", "object")
    return kind == "object" or (isinstance(kind, list) and "object" in kind)


def said_beside(schema: Any) -> dict[str, Any]:
    """The annotations of a schema, by JSON Pointer."""
    annotations: dict[str, Any] = {}
    stack: list[tuple[str, Any, int]] = [("", schema, 0)]
    while stack:
        at, node, depth = stack.pop()
        if not isinstance(node, dict) or depth > DEEPEST:
            continue
        for keyword, value in node.items():
            where = f"{at}/{token(str(keyword))}"
            if keyword in _UNSAID or keyword not in STANDARD:
                annotations[where] = value
            elif keyword == "properties" and isinstance(value, dict):
                for name, part in value.items():
                    stack.append((f"{where}/{token(str(name))}", part, depth + 1))
            elif keyword == "items":
                stack.append((where, value, depth + 1))
    return annotations


def changed_annotations(old: Any, new: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """The annotations that differ, at most 50: JSON Pointer, keyword, old and new value."""
    before, after = said_beside(old), said_beside(new)
    places = [
        place
        for place in {**before, **after}
        if not place.startswith(_SHARED_PLACES)
        and not same(before.get(place, ABSENT), after.get(place, ABSENT))
    ]
    for place in places[:_MOST_ANNOTATIONS]:
        keyword = place.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        yield place, keyword, before.get(place, ABSENT), after.get(place, ABSENT)


def _collect(schema: Any, path: Path, result: Statements, depth: int) -> None:
    if schema is True:
        schema = {}
    if not isinstance(schema, dict):
        result.by_key[path, "schema", ""] = Statement(path, "schema", "", schema, schema)
        return
    if not _WHOLE.isdisjoint(schema):
        raise _Entanglement
    result.nodes[path] = schema
    subschemas = schema.get("properties")
    result.properties[path] = subschemas if isinstance(subschemas, dict) else {}
    slots: dict[str, dict[str, Any]] = {}
    for keyword, value in schema.items():
        if keyword not in _UNSAID and keyword in STANDARD:
            slots.setdefault(_TOGETHER.get(keyword) or keyword, {})[keyword] = value
    for slot, keywords in slots.items():
        _slot(slot, keywords, path, result, depth)


def _slot(slot: str, keywords: dict[str, Any], path: Path, result: Statements, depth: int) -> None:
    value = keywords.get(slot)
    if depth < DEEPEST and slot == "items" and isinstance(value, dict) and len(keywords) == 1:
        _collect(value, (*path, ("items",)), result, depth + 1)
        return
    if depth < DEEPEST and slot == "properties" and isinstance(value, dict):
        for name, part in value.items():
            _collect(part, (*path, ("properties", name)), result, depth + 1)
        return
    if slot == "required" and isinstance(value, list):
        for name in value:
            if isinstance(name, str):
                statement = Statement(path, "property-required", slot, {slot: [name]}, name)
                result.by_key[path, slot, name] = statement
        return
    local: dict[str, Any] = dict(keywords)
    keyword = slot if slot in keywords else next(iter(keywords))
    display_value: Any = keywords if len(keywords) > 1 or slot not in keywords else value
    if keywords.keys() == {"const"}:
        display_value = [keywords["const"]]
    if slot == "additionalProperties":
        if value is True:
            return
        node = result.nodes[path]
        local["properties"] = dict.fromkeys(result.properties[path], True)
        if isinstance(node.get("patternProperties"), dict):
            local["patternProperties"] = dict.fromkeys(node["patternProperties"], True)
    result.by_key[path, slot, ""] = Statement(
        path, _FACETS.get(slot, "schema"), keyword, local, display_value
    )
