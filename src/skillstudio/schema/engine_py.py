"""The fallback engine: jsonschema, adapted to report the same errors as jsonschema-rs.

Patterns are matched with our own automata, because Python's `re` can take hours and differs from
ECMA-262. References never leave the schema, and reference loops end.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.schema.keywords import BOUNDS, SIZES, TYPES, Path, patterns_of, walk_schema
from skillstudio.schema.messages import message
from skillstudio.schema.outcome import SchemaError, SchemaRefused
from skillstudio.schema.plain import plain, restore
from skillstudio.schema.references import bad_references
from skillstudio.schema.regex import PatternError, parse_pattern
from skillstudio.text.node import join_pointer

_WITH_PARAMS = frozenset(
    ("required", "dependentRequired", "additionalProperties", "enum", "const", "pattern", "format")
).union(BOUNDS, SIZES, ("multipleOf",))
"""Keywords whose value, or a replacement of it, becomes the params of an error."""


class _ErrorParams(NamedTuple):
    """Params of an error, and its path below the schema."""

    params: Any
    below: Path


class PyValidator:
    """A schema validated with jsonschema. `is_meta`: the schema is known to be valid."""

    def __init__(self, schema: Any, is_meta: bool = False) -> None:
        from importlib import import_module

        registry = import_module("jsonschema_specifications").REGISTRY
        schema = plain(schema)
        if not is_meta:
            _judge(schema)
        make, checker = _validator_class()
        self._validator = make(schema, registry=registry, format_checker=checker)
        self._paths: dict[int, Path] = {id(part): path for path, part in walk_schema(schema)}

    def errors(self, value: Any, most: int | None = None) -> list[SchemaError]:
        from referencing.exceptions import Unresolvable

        try:
            errors = islice(self._validator.iter_errors(plain(value)), most)
            return [self._error(error) for error in errors]
        except Unresolvable as error:
            raise SchemaRefused("a $ref cannot be resolved") from error

    def is_valid(self, value: Any) -> bool:
        return not self.errors(value)

    def _error(self, error: Any) -> SchemaError:
        keyword = error.validator or "false"
        below: Path = (keyword,)
        params: Any = None
        if isinstance(error.validator_value, _ErrorParams):
            params, below = error.validator_value
        elif keyword == "type":
            type_names = error.validator_value
            type_names = type_names if isinstance(type_names, list) else [type_names]
            params = [name for name in TYPES if name in type_names]
        elif keyword == "oneOf":
            params = True if not error.context else None
        elif keyword in _WITH_PARAMS:
            params = error.validator_value
        path = tuple(error.absolute_schema_path)
        if id(error.schema) in self._paths:
            path = self._paths[id(error.schema)] + below
        return SchemaError(
            keyword,
            tuple(restore(list(error.absolute_path))),
            tuple(restore(list(path))),
            restore(params),
            message(keyword, restore(params)),
        )


def _judge(schema: Any) -> None:
    """Reject a valid schema that this engine does not support."""
    for bad in bad_references(schema):
        raise SchemaRefused(bad.message, join_pointer(bad.path))
    has_patterns = has_unevaluated = False
    for path, part in walk_schema(schema):
        for place, pattern in patterns_of(path, part):
            _judge_pattern(pattern, place)
        has_patterns = has_patterns or "patternProperties" in part
        has_unevaluated = has_unevaluated or "unevaluatedProperties" in part
    if has_patterns and has_unevaluated:
        # jsonschema would match these patterns with `re`.
        raise SchemaRefused(
            "unevaluatedProperties together with patternProperties is not supported"
        )


def _judge_pattern(pattern: str, path: Path) -> None:
    try:
        reason = parse_pattern(pattern).reason
    except PatternError:
        complaint = "the pattern is not a valid regular expression"
        raise SchemaRefused(complaint, join_pointer(path)) from None
    if reason:
        raise SchemaRefused(f"the pattern is not supported: {reason}", join_pointer(path))


@lru_cache(maxsize=1)
def _validator_class() -> tuple[Callable[..., Any], Any]:
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.validators import extend

    checker = FormatChecker(formats=())
    for name, check in _FORMATS.items():
        checker.checks(name, raises=ValueError)(
            lambda value, check=check: not isinstance(value, str) or check(value)
        )
    validators = {
        "$ref": _guard_recursion(Draft202012Validator.VALIDATORS["$ref"]),
        "$dynamicRef": _guard_recursion(Draft202012Validator.VALIDATORS["$dynamicRef"]),
        "required": _required,
        "dependentRequired": _dependent_required,
        "additionalProperties": _additional_properties,
        "patternProperties": _pattern_properties,
        "pattern": _pattern,
        "properties": _properties,
        "propertyNames": _property_names,
        "prefixItems": _prefix_items,
        "items": _items,
    }
    make: Callable[..., Any] = extend  # The package's own hints leave it without any.
    return make(Draft202012Validator, validators), checker


def _guard_recursion(follow: Callable[..., Any]) -> Callable[..., Any]:
    """Do not follow a reference again while it is followed for the same value."""
    active: set[tuple[int, int, int]] = set()

    def keyword(validator: Any, reference: Any, instance: Any, schema: Any) -> Iterator[Any]:
        key = (threading.get_ident(), id(schema), id(instance))
        if key in active:
            return
        active.add(key)
        try:
            yield from follow(validator, reference, instance, schema)
        finally:
            active.discard(key)

    return keyword


def _failure(params: Any, **fields: Any) -> Any:
    from jsonschema import ValidationError

    return ValidationError("", validator_value=params, **fields)


def _descend(
    validator: Any, value: Any, schema: Any, token: str | int, parent: Any, below: Path
) -> Iterator[Any]:
    """Validate a part of a value; jsonschema itself does not record the place of `false`."""
    if schema is False:
        yield _failure(_ErrorParams(None, below), path=[token], validator="false", schema=parent)
    else:
        yield from validator.descend(value, schema, path=token)


def _required(_: Any, names: Any, instance: Any, __: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        yield from (_failure(name) for name in names if name not in instance)


def _dependent_required(_: Any, names: Any, instance: Any, __: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for name, required_names in names.items():
            if name in instance:
                yield from (_failure(other) for other in required_names if other not in instance)


def _additional_properties(
    validator: Any, additional: Any, instance: Any, schema: Any
) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    patterns = [parse_pattern(pattern) for pattern in schema.get("patternProperties", ())]
    extra = [
        name
        for name in instance
        if name not in schema.get("properties", ())
        and not any(pattern.search(name) for pattern in patterns)
    ]
    if additional is False and extra:
        yield _failure(extra)
    elif additional is not False:
        for name in extra:
            yield from validator.descend(instance[name], additional, path=name)


def _properties(validator: Any, properties: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for name, part in properties.items():
            if name in instance:
                below = ("properties", name)
                yield from _descend(validator, instance[name], part, name, schema, below)


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, part in patterns.items():
            regex = parse_pattern(pattern)
            below = ("patternProperties", pattern)
            for name in instance:
                if regex.search(name):
                    yield from _descend(validator, instance[name], part, name, schema, below)


def _pattern(_: Any, pattern: Any, instance: Any, __: Any) -> Iterator[Any]:
    if isinstance(instance, str) and not parse_pattern(pattern).search(instance):
        yield _failure(pattern)


def _property_names(validator: Any, names: Any, instance: Any, _: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for name in instance:
            for error in validator.descend(name, names):
                keyword = error.validator or "false"
                params = _ErrorParams(name, (keyword,))
                yield _failure(params, validator="propertyNames", schema=error.schema)


def _prefix_items(validator: Any, parts: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, list):
        for index, (item, part) in enumerate(zip(instance, parts, strict=False)):
            yield from _descend(validator, item, part, index, schema, ("prefixItems", index))


def _items(validator: Any, items: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, list):
        return
    for index in range(len(schema.get("prefixItems", ())), len(instance)):
        yield from _descend(validator, instance[index], items, index, schema, ("items",))


_ZONE = r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
_TIME = rf"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?{_ZONE}"
_EMAIL = r"[^\s@\"(),:;<>\[\]\\]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?"
_URI_REST = r"([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*"


def _is(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


def _date(text: str) -> date | None:
    is_written = re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None
    return date.fromisoformat(text) if is_written else None


_FORMATS: dict[str, Callable[[str], object]] = {
    "date": _date,
    "time": _is(re.compile(rf"{_TIME}")),
    "date-time": lambda text: _date(text[:10]) and re.fullmatch(rf"[Tt ]{_TIME}", text[10:]),
    "email": _is(re.compile(rf"{_EMAIL}")),
    "ipv4": IPv4Address,
    "ipv6": lambda text: "%" not in text and IPv6Address(text),
    "json-pointer": _is(re.compile(r"(/([^/~]|~[01])*)*")),
    "regex": parse_pattern,
    "uri": _is(re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*:{_URI_REST}")),
    "uri-reference": _is(re.compile(rf"{_URI_REST}")),
    "uuid": _is(re.compile(r"[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")),
}
"""Checks of a string: a false result or a ValueError means that it does not have the format."""
