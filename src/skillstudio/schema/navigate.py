"""Find the subschemas for a place in a document, for hover and completion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.schema.references import follow
from skillstudio.schema.shape import kind_of
from skillstudio.text.node import Document, Node, split_pointer

_ABSENT = object()
_END = ("-",)  # The pointer token of an item that does not exist yet.


def subschemas(schema: Any, pointer: str, value: Any = _ABSENT) -> list[dict[str, Any]]:
    """The schemas that apply at a JSON Pointer through `$ref` and all alternatives, nearest first.

    With the document's plain `value`, alternatives with other types or constants are left out.
    """
    current = _expand(schema, [schema], value)
    for token in split_pointer(pointer):
        value = _child(value, token)
        current = _step(schema, current, token, value)
    return current


def nodes_with_schemas(
    schema: Any, document: Document
) -> Iterator[tuple[str, Node, list[dict[str, Any]]]]:
    """Every node of a document with its pointer and its `subschemas`, which are found once."""
    value = document.value
    states_by_pointer = {"": (value, _expand(schema, [schema], value))}
    for pointer, node in document.walk():
        if pointer not in states_by_pointer:
            above, _, last = pointer.rpartition("/")
            value, current = states_by_pointer[above]
            (token,) = split_pointer(f"/{last}")
            value = _child(value, token)
            states_by_pointer[pointer] = value, _step(schema, current, token, value)
        yield pointer, node, states_by_pointer[pointer][1]


def _step(root: Any, current: list[dict[str, Any]], token: str, value: Any) -> list[dict[str, Any]]:
    return _expand(
        root, [subschema for schema in current for subschema in _below(schema, token)], value
    )


def _expand(root: Any, schemas: list[Any], value: Any) -> list[dict[str, Any]]:
    """The schemas and those they refer to, each once, so that loops end."""
    expanded_schemas: dict[int, dict[str, Any]] = {}
    stack = list(reversed(schemas))
    while stack:
        schema = stack.pop()
        if not isinstance(schema, dict) or id(schema) in expanded_schemas:
            continue
        expanded_schemas[id(schema)] = schema
        further: list[Any] = []
        if isinstance(schema.get("$ref"), str):
            further.append(follow(root, schema["$ref"]))
        for keyword in ("allOf", "anyOf", "oneOf"):
            options = schema.get(keyword)
            if isinstance(options, list):
                further += [
                    option for option in options if keyword == "allOf" or _fits(option, value)
                ]
        further += [schema.get("then"), schema.get("else")]
        stack += reversed(further)
    return list(expanded_schemas.values())


def _below(schema: dict[str, Any], token: str) -> list[Any]:
    """The schemas for the value of a key or index."""
    schemas: list[Any] = []
    properties = schema.get("properties")
    if isinstance(properties, dict) and token in properties:
        schemas.append(properties[token])
    patterns = schema.get("patternProperties")
    if isinstance(patterns, dict):
        from skillstudio.schema.regex import is_match

        schemas += [patterns[pattern] for pattern in patterns if is_match(pattern, token)]
    if not schemas:
        schemas.append(schema.get("additionalProperties"))
    first = schema.get("prefixItems")
    index = int(token) if token.isascii() and token.isdecimal() else -1
    if isinstance(first, list) and 0 <= index < len(first):
        schemas.append(first[index])
    elif index >= 0 or token in _END:
        schemas.append(schema.get("items"))
    return schemas


def _child(value: Any, token: str) -> Any:
    if isinstance(value, dict):
        return value.get(token, _ABSENT)
    if isinstance(value, list) and token.isascii() and token.isdecimal():
        return value[int(token)] if int(token) < len(value) else _ABSENT
    return _ABSENT


def _fits(schema: Any, value: Any) -> bool:
    """Whether an alternative may match, judging by its types and constants."""
    if value is _ABSENT or not isinstance(schema, dict):
        return True
    if "const" in schema and schema["const"] != value:
        return False
    declared_type, kind = schema.get("type"), kind_of(value)
    kinds = declared_type if isinstance(declared_type, list) else [declared_type or kind]
    if kind not in kinds and not (kind == "number" and "integer" in kinds):
        return False
    properties = schema.get("properties")
    if isinstance(value, dict) and isinstance(properties, dict):
        return all(
            part["const"] == value[name]
            for name, part in properties.items()
            if isinstance(part, dict) and "const" in part and name in value
        )
    return True
