"""The preferred engine: jsonschema-rs, without network, file access or unlimited matching."""

from __future__ import annotations

from itertools import islice
from typing import Any

from skillstudio.schema.keywords import TYPES
from skillstudio.schema.messages import message
from skillstudio.schema.navigate import subschemas
from skillstudio.schema.outcome import SchemaError, SchemaRefused
from skillstudio.schema.plain import plain, restore
from skillstudio.schema.references import bad_references
from skillstudio.text.node import join_pointer

_BACKTRACKS = 10_000
_UNEXPECTED_KEYWORDS = ("additionalProperties", "unevaluatedProperties", "unevaluatedItems")
_FIELDS = {
    **dict.fromkeys(("required", "dependentRequired", "dependencies"), "property"),
    **dict.fromkeys(_UNEXPECTED_KEYWORDS, "unexpected"),
    "enum": "options",
    "const": "expected_value",
    "pattern": "pattern",
    "format": "format",
    "multipleOf": "multiple_of",
}
_BY_ITEM = frozenset((
    "$defs", "$id", "$ref", "$schema", "additionalProperties", "default", "description", "items",
    "minItems", "properties", "required", "title", "type", "x-unknown",
))  # fmt: skip
"""Keywords whose errors in some items of a list do not depend on further items."""


class RsValidator:
    """A schema compiled by jsonschema-rs."""

    def __init__(self, schema: Any) -> None:
        import jsonschema_rs

        self._schema = schema
        self._kinds = jsonschema_rs.ValidationErrorKind
        options: Any = {
            "retriever": _refuse,
            "validate_formats": True,
            "pattern_options": jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS),
        }
        try:
            try:
                self._validator = jsonschema_rs.Draft202012Validator(schema, **options)
            except jsonschema_rs.ValidationError:
                raise
            except (ValueError, TypeError):
                self._validator = jsonschema_rs.Draft202012Validator(plain(schema), **options)
        except jsonschema_rs.ValidationError as error:
            raise self._refusal(schema, error) from None
        except (ValueError, TypeError) as error:
            raise SchemaRefused(f"the schema cannot be used: {error}") from None

    def errors(self, value: Any, most: int | None = None) -> list[SchemaError]:
        if most is not None and (path := _long_list(value, most)):
            # jsonschema-rs makes all errors before it gives the first, 6 µs each.
            first = self.errors(_cut(value, path, most))[:most]
            inside = all(error.instance[:-1][: len(path)] == path for error in first)
            if inside and len(first) == most and self._is_by_item(path):
                return first
        try:
            errors = islice(self._validator.iter_errors(value), most)
            return [self._error(error) for error in errors]
        except (ValueError, TypeError):
            errors = islice(self._validator.iter_errors(plain(value)), most)
            return [self._error(error) for error in errors]

    def is_valid(self, value: Any) -> bool:
        try:
            return self._validator.is_valid(value)
        except (ValueError, TypeError):
            return self._validator.is_valid(plain(value))

    def _is_by_item(self, path: tuple[str, ...]) -> bool:
        """Whether the first errors in a list stay the first ones when the list grows."""
        above = [join_pointer(path[:length]) for length in range(len(path) + 1)]
        schemas = [
            subschema for pointer in above for subschema in subschemas(self._schema, pointer)
        ]
        return all(subschema.keys() <= _BY_ITEM for subschema in schemas)

    def _error(self, error: Any) -> SchemaError:
        path = tuple(restore(error.schema_path))
        keyword, params = self._read(error, path)
        instance = tuple(restore(error.instance_path))
        return SchemaError(keyword, instance, path, params, message(keyword, params))

    def _read(self, error: Any, path: tuple[str | int, ...]) -> tuple[str, Any]:
        kind, kinds = error.kind, self._kinds
        if isinstance(kind, kinds.FalseSchema):
            return "false", None
        if isinstance(kind, kinds.BacktrackLimitExceeded | kinds.RegexEngineFailure):
            return "pattern", {"expensive": True}
        if isinstance(kind, kinds.PropertyNames):
            return "propertyNames", restore(kind.error.instance)
        if isinstance(kind, kinds.Format):
            return "format", kind.format
        keyword = str(path[-1]) if path else kind.name
        if isinstance(kind, kinds.Type):
            return "type", [name for name in TYPES if name in kind.types]
        if isinstance(kind, kinds.OneOfMultipleValid):
            return "oneOf", True
        field = _FIELDS.get(keyword, "limit")
        return keyword, restore(getattr(kind, field, None))

    def _refusal(self, schema: Any, error: Any) -> SchemaRefused:
        if isinstance(error.kind, self._kinds.Referencing):
            for bad in bad_references(schema):
                return SchemaRefused(bad.message, join_pointer(bad.path))
            return SchemaRefused("a $ref cannot be resolved")
        keyword, params = self._read(error, tuple(error.schema_path))
        complaint = message(keyword, params)
        if keyword == "format" and params == "regex":
            complaint = "the pattern is not a valid regular expression"
        return SchemaRefused(complaint, join_pointer(restore(error.instance_path)))


def _long_list(value: Any, most: int) -> tuple[str, ...]:
    """The keys that lead to the only list with more items, or () without such a list."""
    list_paths: list[tuple[str, ...]] = []
    stack: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while stack:
        keys, part = stack.pop()
        if isinstance(part, dict):
            stack += [((*keys, k), v) for k, v in part.items() if isinstance(v, dict | list)]
        elif isinstance(part, list) and len(part) > most:
            list_paths.append(keys)
    return list_paths[0] if len(list_paths) == 1 else ()


def _cut(value: Any, path: tuple[str, ...], most: int) -> Any:
    """A copy in which the list at some keys has only its first items."""
    if not path:
        return value[:most]
    return {**value, path[0]: _cut(value[path[0]], path[1:], most)}


def _refuse(uri: str) -> Any:
    """Replace the retriever, which would fetch URLs and open files."""
    raise ValueError(f"remote schemas are never fetched: {uri}")
