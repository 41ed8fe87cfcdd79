"""Rewrite keywords of earlier drafts of JSON Schema as those of 2020-12."""

from __future__ import annotations

import re
from typing import Any

from skillstudio.schema.keywords import MANY, NAMED_SUBSCHEMAS, SINGLE_KEYWORDS
from skillstudio.schema.shape import is_number, walk_value
from skillstudio.text.node import join_pointer, split_pointer

_REFERENCE_ALONE = re.compile(r"^https?://json-schema\.org/draft-0[3-7]/schema#?$")
_EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_OLD_KEYWORDS = {
    "prefixItems": "items",
    "dependentRequired": "dependencies",
    "dependentSchemas": "dependencies",
}


def modern(schema: Any) -> Any:
    """The same schema for 2020-12; the very same one if it has no earlier keyword.

    A list of `items`, `additionalItems`, `dependencies` and boolean exclusive bounds have had only
    one meaning. Keywords beside a `$ref` are ignored only if `$schema` names such a draft.
    """
    is_alone = isinstance(schema, dict) and bool(
        _REFERENCE_ALONE.match(str(schema.get("$schema", "")))
    )
    for part in walk_value(schema):
        if isinstance(part, dict) and (_is_earlier(part) or (is_alone and "$ref" in part)):
            return _modern(schema, is_alone)
    return schema


def _is_earlier(part: dict[str, Any]) -> bool:
    return (
        isinstance(part.get("items"), list)
        or "dependencies" in part
        or "additionalItems" in part
        or any(isinstance(part.get(keyword), bool) for keyword in _EXCLUSIVE)
    )


def _modern(schema: Any, is_alone: bool) -> Any:
    if not isinstance(schema, dict):
        return schema
    if is_alone and isinstance(schema.get("$ref"), str):
        schema = {key: schema[key] for key in schema if key in ("$ref", "$defs", "definitions")}
    modern_schema: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "items" and isinstance(value, list):
            modern_schema["prefixItems"] = [_modern(part, is_alone) for part in value]
        elif keyword == "additionalItems":
            if isinstance(schema.get("items"), list):
                modern_schema["items"] = _modern(value, is_alone)
        elif keyword == "dependencies" and isinstance(value, dict):
            for name, dependency in value.items():
                word = "dependentRequired" if isinstance(dependency, list) else "dependentSchemas"
                modern_schema.setdefault(word, {})[name] = _modern(dependency, is_alone)
        elif keyword in _EXCLUSIVE and isinstance(value, bool):
            bound = schema.get(_EXCLUSIVE[keyword])
            if value and is_number(bound):
                modern_schema[keyword] = bound
        elif keyword in SINGLE_KEYWORDS:
            modern_schema[keyword] = _modern(value, is_alone)
        elif keyword in MANY and isinstance(value, list):
            modern_schema[keyword] = [_modern(part, is_alone) for part in value]
        elif keyword in NAMED_SUBSCHEMAS and isinstance(value, dict):
            modern_schema[keyword] = {name: _modern(part, is_alone) for name, part in value.items()}
        else:
            modern_schema[keyword] = value
    return modern_schema


def place_as_written(schema: Any, pointer: str) -> str:
    """The place in a schema of a place in its modern form."""
    keys: list[str] = []
    for key in split_pointer(pointer):
        key = _key_as_written(schema, key)
        keys.append(key)
        if isinstance(schema, dict):
            schema = schema.get(key)
        elif isinstance(schema, list) and key.isdecimal() and int(key) < len(schema):
            schema = schema[int(key)]
    return join_pointer(keys)


def _key_as_written(schema: Any, key: str) -> str:
    if not isinstance(schema, dict):
        return key
    if key == "items" and isinstance(schema.get(key), list):
        return "additionalItems"
    return key if key in schema else _OLD_KEYWORDS.get(key, key)
