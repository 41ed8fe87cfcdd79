"""Group keywords that depend on each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from skillstudio.schema.shape import Schema, is_number, nested, same

_CONTAINS = ("contains", "minContains", "maxContains")
_CONDITION = ("if", "then", "else")
_TOGETHER = {
    **dict.fromkeys(_CONTAINS, _CONTAINS),
    **dict.fromkeys(_CONDITION, _CONDITION),
    "prefixItems": ("prefixItems", "items"),
}
_WHOLE = ("unevaluatedProperties", "unevaluatedItems")
"""Keywords that depend on every other keyword."""
KIND_OF_KEYWORD = {
    "multipleOf": "number",
    "format": "string",
    **dict.fromkeys((*_CONTAINS, "prefixItems", "unevaluatedItems"), "array"),
    **dict.fromkeys(("minProperties", "maxProperties", "patternProperties"), "object"),
    **dict.fromkeys(("propertyNames", "dependentRequired", "dependentSchemas"), "object"),
    "unevaluatedProperties": "object",
}
"""The only type of value that a keyword can reject."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_DEFINITIONS = ("$defs", "definitions")


def unit_of(schema: Schema, keyword: str) -> dict[str, Any]:
    """A keyword of a schema with the keywords that it depends on."""
    if isinstance(schema, bool):
        return {}
    if keyword in _WHOLE and keyword in schema:
        return schema
    unit = {each: schema[each] for each in _TOGETHER.get(keyword, (keyword,)) if each in schema}
    if keyword == "patternProperties" and schema.get("additionalProperties", True) is not True:
        unit["additionalProperties"] = schema["additionalProperties"]
        unit["properties"] = dict.fromkeys(schema.get("properties", {}), True)
    return unit


def is_looser(narrow: dict[str, Any], wide: dict[str, Any]) -> bool:
    """Whether one bound of the number of properties is no tighter than another."""
    if narrow.keys() != wide.keys() or len(wide) != 1:
        return False
    ((keyword, bound),) = wide.items()
    stated = narrow[keyword]
    if keyword not in ("minProperties", "maxProperties") or not (
        is_number(stated) and is_number(bound)
    ):
        return False
    return bool(bound <= stated if keyword == "minProperties" else bound >= stated)


class Definitions:
    """The targets of the references of two schemas."""

    def __init__(self, narrow: Schema, wide: Schema) -> None:
        self._narrow = narrow
        self._wide = wide

    @cached_property
    def _are_whole_same(self) -> bool:
        return same(self._narrow, self._wide)

    @cached_property
    def _are_same(self) -> bool:
        old, new = definitions_of(self._narrow), definitions_of(self._wide)
        return same(old, new) and all(map(_is_local, _references(new)))

    def same_meaning(self, narrow: Any, wide: Any) -> bool:
        """Whether two parts are written the same, and their references lead to equal parts."""
        if not same(narrow, wide):
            return False
        references = list(_references(wide))
        if not references or self._are_whole_same:
            return True
        return all(map(_is_local, references)) and self._are_same


def definitions_of(schema: Schema) -> dict[str, Any]:
    """The keywords of a schema that contain its definitions."""
    if isinstance(schema, bool):
        return {}
    return {key: schema[key] for key in _DEFINITIONS if key in schema}


def _is_local(reference: Any) -> bool:
    """Whether a reference leads to a definition of the whole schema."""
    return isinstance(reference, str) and reference.startswith(("#/$defs/", "#/definitions/"))


def _references(part: Any) -> Iterator[Any]:
    for found in nested(part):
        if isinstance(found, dict):
            yield from (found[key] for key in _REFERENCES if key in found)
