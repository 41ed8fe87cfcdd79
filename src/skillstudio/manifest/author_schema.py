"""Check the JSON Schemas in manifests. Only unusual ones need the schema engine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from skillstudio.manifest.finding import at_key
from skillstudio.manifest.values import has_type
from skillstudio.schema.keywords import STANDARD, walk_schema
from skillstudio.text.diagnostic import Diagnostic, Fix, Rename, Set
from skillstudio.text.node import Document, Scalar, escape, join_pointer, resolve
from skillstudio.text.source import Span

SUBSET = frozenset(
    ("type", "pattern", "minimum", "maximum", "items", "properties", "default", "enum")
)
"""Keywords of the JSON Schema subset in ADR-002."""

_ANNOTATIONS = frozenset(("description", "title"))
_TYPES = frozenset(("string", "number", "integer", "boolean", "array", "object", "null"))
_PLAIN = re.compile(
    r"\^?(?:(?:\\[dDwWsS.^$*+?()\[\]{}|/\\]|[A-Za-z0-9 _/:,@#%&=~\"'<>;!-]|\."
    r"|\[\^?(?:a-z|A-Z|0-9|[A-Za-z0-9_ .,:;/@]|\\[dws.])+-?\])(?:[*+?]|\{[0-9]{1,3}\})?)*\$?"
)
"""Patterns without groups that are valid without parsing."""


def check_author_schema(
    document: Document, pointer: str, schema: Any, subset: bool = True
) -> Iterator[Diagnostic]:
    """The problems of a schema; with `subset`, keywords outside `SUBSET` are a warning."""
    if not isinstance(schema, dict):
        if subset or not isinstance(schema, bool):
            but = ", not true or false" if isinstance(schema, bool) else ""
            yield _make_diagnostic(
                document, pointer, "schema-invalid", f"a schema must be a mapping{but}"
            )
        return
    invalid = yield from _invalid(document, pointer, schema)
    is_broken = bool(invalid)
    for below, part in _subschemas(schema, pointer):
        for key in part:
            yield from _keyword(document, below, key, part[key], subset)
        patterns = [(f"{below}/pattern", part.get("pattern"), False)]
        if isinstance(part.get("patternProperties"), dict):
            above = f"{below}/patternProperties"
            patterns += [
                (f"{above}/{escape(name)}", name, True) for name in part["patternProperties"]
            ]
        for where, pattern, is_key in patterns:
            if isinstance(pattern, str):
                for finding in pattern_findings(document, where, pattern, is_key):
                    is_broken = is_broken or finding.rule == "pattern-invalid"
                    yield finding
        is_broken = is_broken or _is_remote(part.get("$ref"))
    if not is_broken:
        yield from _refused_values(document, pointer, schema)
        yield from _empty(document, pointer, schema)


def _invalid(document: Document, pointer: str, schema: dict[str, Any]) -> Any:
    """Report `schema-invalid` at values that violate the meta-schema; return whether any does."""
    if _is_plain(schema):
        return False
    has_errors = False
    for path, message in _meta_errors(_key(schema)):
        has_errors = True
        where = pointer + join_pointer(path)
        advice, fixes = _near_type(document, where) if path[-1:] == ["type"] else ("", ())
        text = f"not a valid JSON Schema: {message}{advice}"
        yield _make_diagnostic(document, where, "schema-invalid", text)._replace(fixes=fixes)
    return has_errors


def _near_type(document: Document, where: str) -> tuple[str, tuple[Fix, ...]]:
    """The type that a misspelt one may mean, as advice and as a fix."""
    from skillstudio.text.nearest import nearest

    node = resolve(document.at(where))
    stated_type = node.value if isinstance(node, Scalar) else None
    near = nearest(stated_type, _TYPES) if isinstance(stated_type, str) else None
    if not near:
        return "", ()
    return f"; did you mean {near}?", (Fix(f"Change it to {near}", (Set(where, near),)),)


def _keyword(
    document: Document, pointer: str, key: str, value: Any, subset: bool
) -> Iterator[Diagnostic]:
    where = f"{pointer}/{escape(key)}"
    if key == "type" and subset and "null" in (value if isinstance(value, list) else [value]):
        message = "the type null is outside the JSON Schema subset that this dialect supports"
        yield _make_diagnostic(document, where, "schema-keyword-outside", message)
        return
    if key == "$ref" and _is_remote(value):
        yield _make_diagnostic(
            document,
            where,
            "schema-ref-remote",
            "a $ref must start with # and stay in this schema; remote schemas are never fetched",
        )
        return
    if key in SUBSET or key in _ANNOTATIONS or key.startswith("x-"):
        return
    if key in STANDARD:
        if subset:
            message = f"{key} is outside the JSON Schema subset that this dialect supports"
            yield at_key(document, where, "schema-keyword-outside", message)
        return
    from skillstudio.text.nearest import nearest

    near = nearest(key, STANDARD)
    advice = f"; did you mean {near}?" if near else ""
    message = f"{json.dumps(key, ensure_ascii=False)} is not a JSON Schema keyword{advice}"
    fixes = (Fix(f"Rename to {near}", (Rename(where, near),)),) if near else ()
    yield at_key(document, where, "schema-keyword-outside", message, fixes)


def _refused_values(
    document: Document, pointer: str, schema: dict[str, Any]
) -> Iterator[Diagnostic]:
    """Defaults, examples and values of `enum` and `const` that their schema rejects."""
    for below, part in _subschemas(schema, pointer):
        for key in ("default", "examples", "enum", "const"):
            stated_value = part.get(key)
            if key in ("default", "const") and key in part:
                values = [(f"{below}/{key}", stated_value)]
            elif isinstance(stated_value, list) and (len(part) > 1 or not stated_value):
                values = [(f"{below}/{key}/{at}", value) for at, value in enumerate(stated_value)]
            else:
                continue
            refused_values = [
                pair for pair in values[:_MOST_VALUES] if not accepts(schema, pair[1], part)
            ]
            if key in _LISTING and len(refused_values) == len(values):
                if not _is_negated(below, pointer):
                    reason = f"other keywords reject {_LISTING[key]}" if values else "enum is empty"
                    yield _no_value(document, f"{below}/{key}", reason)
                continue
            for where, value in refused_values:
                message = f"{_REFUSALS[key][1]}{_reason(schema, value, part)}"
                yield _make_diagnostic(document, where, _REFUSALS[key][0], message)


def _reason(schema: dict[str, Any], value: Any, part: dict[str, Any]) -> str:
    """The first complaint of the validator about a value, for a message."""
    validator = _validator(_key(_with_definitions(schema, part)))
    errors = validator.errors(value) if validator is not None else []
    first = min(errors, key=lambda error: (len(error.instance), error.schema), default=None)
    if first is None:
        return ""
    place = join_pointer([str(token) for token in first.instance])
    return f": {first.message}" + (f" (at {place})" if place else "")


def _empty(document: Document, pointer: str, schema: dict[str, Any]) -> Iterator[Diagnostic]:
    """Parts with two keywords that contradict each other for every value of the type."""
    for below, part in _subschemas(schema, pointer):
        keywords = {} if _is_negated(below, pointer) else _contradiction(part)
        if keywords:
            first, second = sorted(keywords, key=list(part).index)
            words = " and ".join(f"{key} {json.dumps(keywords[key])}" for key in (first, second))
            yield _no_value(document, f"{below}/{second}", f"{words} contradict each other")


def _contradiction(part: dict[str, Any]) -> dict[str, Any]:
    """Two keywords that leave no value of the only type, with what contradicts; {} without."""
    kind = part.get("type")
    for kinds, low, high in _RANGES:
        if kind in kinds and low in part and high in part:
            least, most = part[low], part[high]
            if least > most or (least == most and "exclusive" in low + high):
                return {low: least, high: most}
    if kind == "object" and part.get("additionalProperties") is False:
        for name in part.get("required", ()):
            if name not in part.get("properties", ()) and "patternProperties" not in part:
                return {"required": name, "additionalProperties": False}
    return {}


def _is_negated(below: str, pointer: str) -> bool:
    """Whether a part may accept no value on purpose."""
    return not _WITHIN_NEGATION.isdisjoint(below.removeprefix(pointer).split("/"))


def _no_value(document: Document, where: str, reason: str) -> Diagnostic:
    return _make_diagnostic(
        document, where, "schema-empty", f"no value satisfies this schema: {reason}"
    )


_REFUSALS = {
    "default": ("schema-default-invalid", "the default does not satisfy its own schema"),
    "examples": ("schema-example-invalid", "this example does not satisfy its own schema"),
    "enum": ("schema-enum-invalid", "other keywords of the schema reject this value of enum"),
}
_MOST_VALUES = 200  # Maximum number of values of one list to check.
_WITHIN_NEGATION = frozenset(("not", "if"))
_RANGES = (
    (("number", "integer"), "minimum", "maximum"),
    (("number", "integer"), "exclusiveMinimum", "maximum"),
    (("number", "integer"), "minimum", "exclusiveMaximum"),
    (("number", "integer"), "exclusiveMinimum", "exclusiveMaximum"),
    (("string",), "minLength", "maxLength"),
    (("array",), "minItems", "maxItems"),
    (("object",), "minProperties", "maxProperties"),
)
"""The types that two bounds apply to, and the bounds."""
_LISTING = {"enum": "every value of enum", "const": "the value of const"}
_DEFINITION_KEYS = ("$defs", "definitions")


def _with_definitions(whole: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A part with the definitions at the root that its references lead to."""
    if part is whole:
        return whole
    return {**{key: whole[key] for key in _DEFINITION_KEYS if key in whole}, **part}


def accepts(whole: dict[str, Any], value: Any, part: dict[str, Any] | None = None) -> bool:
    """Whether a valid schema, or a part of it, accepts a value."""
    part = whole if part is None else part
    kind = part.get("type")
    if part.keys() <= _QUICK and isinstance(kind, str):
        is_listed = "enum" not in part or any(
            type(value) is type(option) and value == option for option in part["enum"]
        )
        if is_listed or not isinstance(value, dict | list | int | float):
            return is_listed and has_type(value, kind)
    validator = _validator(_key(_with_definitions(whole, part)))
    return validator is None or bool(validator.is_valid(value))


_QUICK = frozenset(("type", "default", "description", "title", "enum"))
_SIMPLE = {**dict.fromkeys(("type", "pattern", "description", "title"), str), "enum": list}


def _is_plain(schema: dict[str, Any]) -> bool:
    """Whether a schema has the common simple form, which is always valid."""
    is_simple = all(
        key == "default" or isinstance(value, _SIMPLE.get(key, ())) for key, value in schema.items()
    )
    return is_simple and schema.get("type", "string") in _TYPES


def _subschemas(schema: dict[str, Any], pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The schema and its subschemas, each with its JSON Pointer."""
    if _is_plain(schema):
        yield pointer, schema
        return
    for path, part in walk_schema(schema):
        yield pointer + join_pointer([str(token) for token in path]), part


def _key(schema: Any) -> str:
    return json.dumps(schema, ensure_ascii=False, default=str)


@lru_cache(maxsize=512)
def _meta_errors(schema: str) -> tuple[tuple[list[str], str], ...]:
    from skillstudio.schema.engine import check_schema

    return tuple(
        ([str(token) for token in error.instance], error.message)
        for error in check_schema(json.loads(schema))
    )


@lru_cache(maxsize=512)
def _validator(schema: str) -> Any:
    from skillstudio.schema.engine import compile_schema
    from skillstudio.schema.outcome import SchemaRefused

    try:
        return compile_schema(json.loads(schema))
    except SchemaRefused:
        # The other rules of this module report the reason.
        return None


def _is_remote(reference: Any) -> bool:
    return isinstance(reference, str) and not reference.startswith("#")


def _make_diagnostic(document: Document, pointer: str, rule: str, message: str) -> Diagnostic:
    node = document.at(pointer)
    span: Span | None = node.span if node is not None else document.key_span(pointer)
    return Diagnostic(rule, message, span, pointer)


def pattern_findings(
    document: Document, pointer: str, pattern: str, key: bool = False
) -> Iterator[Diagnostic]:
    """Problems of the pattern at a JSON Pointer, or of the key there."""
    rule, message = _judge(pattern)
    if rule:
        node = document.at(pointer)
        span = document.key_span(pointer) if key else node.span if node is not None else None
        yield Diagnostic(rule, message, span, pointer)


@lru_cache(maxsize=512)
def _judge(pattern: str) -> tuple[str, str]:
    if _PLAIN.fullmatch(pattern):
        return "", ""
    from skillstudio.schema.regex import PatternError, parse_pattern, python_only

    for _, construct in python_only(pattern):
        return (
            "pattern-python-only",
            f"{construct} is Python syntax; use an ECMA-262 regular expression",
        )
    try:
        parse_pattern(pattern)
    except PatternError as error:
        return "pattern-invalid", f"not a valid regular expression: {error}"
    return "", ""
