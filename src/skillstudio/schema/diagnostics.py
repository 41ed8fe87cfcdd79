"""Turn schema errors into diagnostics, with a rule, a span and fixes.

Engines report missing and unknown keys at their parent. The diagnostic is at the unknown key, or at
the key of the mapping that lacks one.

Three custom keywords control this: `x-rule` maps a keyword to the id of a rule, `x-message` maps a
keyword to a message, and `x-unknown` is the severity of unknown keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillstudio.schema.keywords import BOUNDS, SIZES
from skillstudio.schema.messages import format_values
from skillstudio.schema.outcome import SchemaError
from skillstudio.text.diagnostic import Diagnostic, Fix, Rename, Set
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.nearest import nearest
from skillstudio.text.node import (
    MOST_LISTED,
    Document,
    Mapping,
    Missing,
    Node,
    Scalar,
    Sequence,
    escape,
    resolve,
)
from skillstudio.text.source import Span

_KEY_MISSING = ("required", "dependentRequired", "dependencies")
RULES = {
    **dict.fromkeys(_KEY_MISSING, "key-missing"),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties", "false"), "key-unknown"),
    "type": "value-type",
    **dict.fromkeys(("enum", "const"), "value-enum"),
    **dict.fromkeys(SIZES, "value-length"),
    **dict.fromkeys((*BOUNDS, "multipleOf"), "value-range"),
    "uniqueItems": "value-duplicate",
}
"""Keyword to rule, unless the schema has `x-rule`; `value-format` for all others."""

_NEEDS_ALL = frozenset(("required", "dependentRequired", "minProperties", "minItems", "contains"))
"""Keywords that a partially read container may seem to violate."""
_DECIMAL = lazy_pattern(r"-?[0-9]{1,15}")
_HEADER_KEY = lazy_pattern(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[\w-]+')
"""The last key of `[[header]]`."""
_MAX_SUGGESTIONS = (
    1000  # Maximum number of unknown keys with a suggestion, because each takes long.
)
_SUBJECTLESS = ("unknown", "the ", "missing ", "no ")


class _Place:
    """The place of an error: the node and its key."""

    __slots__ = ("key", "node", "pointer")

    def __init__(
        self, doc: Document, path: tuple[str | int, ...], readable: dict[int, list[int]]
    ) -> None:
        self.node: Node | None = doc.root
        self.key: Scalar | None = None
        self.pointer = ""
        for token in path:
            parent = resolve(self.node)
            self.node = self.key = None
            if isinstance(parent, Mapping):
                entry = parent.entry(str(token))
                if entry:
                    self.key, self.node = entry.key, entry.value
            elif isinstance(parent, Sequence) and isinstance(token, int):
                token, self.node = _item(parent, token, readable)
            self.pointer += "/" + escape(str(token))


def _item(
    sequence: Sequence, index: int, readable: dict[int, list[int]]
) -> tuple[int, Node | None]:
    """The item with an index in the plain value, which omits unreadable ones (`readable`)."""
    places = readable.get(id(sequence))
    if places is None:
        places = [at for at, item in enumerate(sequence.items) if not isinstance(item, Missing)]
        readable[id(sequence)] = places
    if index < len(places):
        return places[index], sequence.items[places[index]]
    return index - len(places), None


def schema_diagnostics(
    doc: Document, schema: Any, errors: Iterable[SchemaError]
) -> list[Diagnostic]:
    """Diagnostics for the errors of a document, in the order of the text."""
    errors = list(errors)
    mistyped_paths = {error.instance for error in errors if error.keyword == "type"}
    diagnostics: dict[tuple[str, Span | None, str], Diagnostic] = {}
    readable: dict[int, list[int]] = {}
    for error in errors:
        if error.instance in mistyped_paths and error.keyword in ("enum", "const"):
            continue
        place = _Place(doc, error.instance, readable)
        if _is_withheld(place, error):
            continue
        for diagnostic in _report(doc, _schema_of(schema, error), error, place):
            diagnostics.setdefault(
                (diagnostic.rule, diagnostic.span, diagnostic.message), diagnostic
            )
    return sorted(
        diagnostics.values(),
        key=lambda diagnostic: (diagnostic.span or Span(0, 0), diagnostic.rule),
    )


def _schema_of(schema: Any, error: SchemaError) -> dict[str, Any]:
    """The schema that contains the keyword."""
    path = error.schema if error.keyword == "false" else error.schema[:-1]
    for token in path:
        if isinstance(schema, dict):
            schema = schema.get(token, {})
        elif isinstance(schema, list) and isinstance(token, int) and token < len(schema):
            schema = schema[token]
    return schema if isinstance(schema, dict) else {}


def _is_withheld(place: _Place, error: SchemaError) -> bool:
    """Whether the error may result only from an unreadable part of the text."""
    node = resolve(place.node)
    if node is None or isinstance(node, Missing):
        return True
    if not isinstance(node, Mapping | Sequence):
        return False
    if node.incomplete and error.keyword in _NEEDS_ALL:
        return True
    if error.keyword not in _KEY_MISSING or not isinstance(node, Mapping):
        return False
    return node.entry(str(error.params)) is not None


def _report(
    doc: Document, schema: dict[str, Any], error: SchemaError, place: _Place
) -> Iterator[Diagnostic]:
    rule = _rule(schema, error)
    node = resolve(place.node)
    if error.keyword in ("additionalProperties", "unevaluatedProperties"):
        if isinstance(node, Mapping):
            unused_keys = set(schema.get("properties", ())) - {entry.name for entry in node.entries}
            names = [str(name) for name in error.params or []]
            for number, name in enumerate(names[:MOST_LISTED]):
                candidate_keys = unused_keys if number < _MAX_SUGGESTIONS else set()
                yield _unknown_key(schema, rule, node, place, name, candidate_keys)
            if further := names[MOST_LISTED:]:
                entry = node.entry(further[0])
                text = f"{len(further):,} more unknown keys"
                span = entry.key.span if entry else None
                yield Diagnostic(rule, text, span, place.pointer)
        return
    fixes = _fixes(doc, place, error)
    text = schema.get("x-message", {}).get(error.keyword) or _sentence(place, error)
    if error.keyword in _KEY_MISSING:
        span = _mapping_span(doc, place)
        fixes = _add(schema, place, str(error.params))
    elif error.keyword == "propertyNames" and isinstance(node, Mapping):
        entry = node.entry(str(error.params))
        span = entry.key.span if entry else value_span(doc, place)
    elif error.keyword == "false" and place.key:
        span = place.key.span
    else:
        span = value_span(doc, place)
        if error.keyword == "enum":
            close = _close(place, error)
            text += f'; did you mean "{close}"?' if close else ""
    yield Diagnostic(rule, text, span, place.pointer, fixes)


def _rule(schema: dict[str, Any], error: SchemaError) -> str:
    rules = schema.get("x-rule", {})
    return str(rules.get(error.keyword) or RULES.get(error.keyword, "value-format"))


def _unknown_key(
    schema: dict[str, Any],
    rule: str,
    node: Mapping,
    place: _Place,
    name: str,
    candidate_keys: set[str],
) -> Diagnostic:
    entry = node.entry(name)
    span = entry.key.span if entry else None
    pointer = f"{place.pointer}/{escape(name)}"
    if name.startswith("x-"):
        text = f"{format_values([name])} is a custom extension"
        return Diagnostic("key-extension", text, span, pointer)
    close = nearest(name, candidate_keys) if candidate_keys else None
    text = f"unknown key {format_values([name])}"
    fixes: tuple[Fix, ...] = ()
    if close:
        text += f'; did you mean "{close}"?'
        fixes = (Fix(f'Rename to "{close}"', (Rename(pointer, close),)),)
    return Diagnostic(rule, text, span, pointer, fixes, schema.get("x-unknown"))


def _sentence(place: _Place, error: SchemaError) -> str:
    """The engine's message, with the key or item as its subject."""
    if not place.pointer or error.message.startswith(_SUBJECTLESS):
        return error.message
    if place.key is not None:
        return f"{format_values([error.instance[-1]])} {error.message}"
    return f"item {int(place.pointer.rpartition('/')[2]) + 1} {error.message}"


def value_span(doc: Document, place: _Place) -> Span:
    """The whole value; for an empty one or a TOML table its key, for the root its opening."""
    node = place.node
    if node is doc.root and isinstance(resolve(node), Mapping):
        return root_span(doc)
    is_table = doc.syntax == "toml" and isinstance(node, Mapping | Sequence) and not node.flow
    if node is None or node.start == node.end or (is_table and place.key):
        return place.key.span if place.key else root_span(doc)
    return node.span


def root_span(doc: Document) -> Span:
    """The span of a problem with the whole document."""
    if doc.syntax == "toml":
        return Span(0, 0)
    outside = doc.opening_line.start < doc.span.start
    if doc.syntax == "json" and not outside and isinstance(doc.root, Mapping):
        return Span(doc.root.start, doc.root.start + 1)
    return doc.opening_line


def _mapping_span(doc: Document, place: _Place) -> Span:
    """The span that represents a mapping with a missing key."""
    if place.node is doc.root:
        return root_span(doc)
    if place.key is not None:
        return place.key.span
    node = resolve(place.node)
    if isinstance(node, Mapping) and not node.flow:
        header = _HEADER_KEY.match(doc.source.text, node.start) if doc.syntax == "toml" else None
        if header:
            return Span(*header.span())
        if node.entries:
            return node.entries[0].key.span
    start = place.node.start if place.node else 0
    return Span(start, start + 1)


def _add(schema: dict[str, Any], place: _Place, name: str) -> tuple[Fix, ...]:
    """Add the missing key with the value that its schema suggests, else an empty one."""
    property_schema = schema.get("properties", {}).get(name)
    property_schema = property_schema if isinstance(property_schema, dict) else {}
    empty = {"string": "", "array": [], "object": {}, "boolean": False}
    examples = property_schema.get("examples") or property_schema.get("enum")
    value = examples[0] if examples else empty.get(str(property_schema.get("type")))
    value = property_schema.get("const", property_schema.get("default", value))
    if value is None:
        return ()
    return (Fix(f"Add {format_values([name])}", (Set(f"{place.pointer}/{escape(name)}", value),)),)


def _close(place: _Place, error: SchemaError) -> str | None:
    node = resolve(place.node)
    value = node.value if isinstance(node, Scalar) else None
    names = [choice for choice in error.params or () if isinstance(choice, str)]
    return nearest(value, names) if isinstance(value, str) and names else None


def _fixes(doc: Document, place: _Place, error: SchemaError) -> tuple[Fix, ...]:
    node = resolve(place.node)
    if error.keyword == "const":
        return (
            Fix(f"Set to {format_values([error.params])}", (Set(place.pointer, error.params),)),
        )
    if error.keyword == "enum":
        close = _close(place, error)
        return (Fix(f'Change to "{close}"', (Set(place.pointer, close),)),) if close else ()
    if error.keyword == "type" and isinstance(node, Scalar) and place.node is node:
        return _retype(doc, place.pointer, node, error.params)
    return ()


def _retype(doc: Document, pointer: str, node: Scalar, types: list[str]) -> tuple[Fix, ...]:
    text = doc.source.text[node.start : node.end]
    if "string" in types and isinstance(node.value, bool | int | float):
        return (Fix("Quote this value", (Set(pointer, text),), safe=True),)
    if not isinstance(node.value, str):
        return ()
    value: Any = None
    if "boolean" in types and node.value.lower() in ("true", "false"):
        value = node.value.lower() == "true"
    elif {"integer", "number"} & set(types) and _DECIMAL.fullmatch(node.value):
        value = int(node.value)
    return (
        () if value is None else (Fix(f"Write {format_values([value])}", (Set(pointer, value),)),)
    )
