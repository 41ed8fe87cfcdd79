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
from skillstudio.text.diagnostic import Diagnostic, Fix, Rename
from skillstudio.text.node import Document, escape, join_pointer
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
_NESTED = re.compile(r"\)\s*[*+{]")


def check_author_schema(
    document: Document, pointer: str, schema: Any, subset: bool = True
) -> Iterator[Diagnostic]:
    """The problems of a schema; with `subset`, keywords outside `SUBSET` are a warning."""
    if not isinstance(schema, dict):
        if subset or not isinstance(schema, bool):
            but = ", not true or false" if isinstance(schema, bool) else ""
            yield _finding(document, pointer, "schema-invalid", f"a schema must be a mapping{but}")
        return
    invalid = yield from _invalid(document, pointer, schema)
    broken = bool(invalid)
    for below, part in _subschemas(schema, pointer):
        for key in part:
            yield from _keyword(document, below, key, part[key], subset)
        patterns = [(f"{below}/pattern", part.get("pattern"), False)]
        if isinstance(part.get("patternProperties"), dict):
            above = f"{below}/patternProperties"
            patterns += [(f"{above}/{escape(e)}", e, True) for e in part["patternProperties"]]
        for where, pattern, is_key in patterns:
            if isinstance(pattern, str):
                for finding in pattern_findings(document, where, pattern, is_key):
                    broken = broken or finding.rule == "pattern-invalid"
                    yield finding
        broken = broken or _is_remote(part.get("$ref"))
    if not broken:
        yield from _defaults(document, pointer, schema)


def _invalid(document: Document, pointer: str, schema: dict[str, Any]) -> Any:
    """Report `schema-invalid` at values that violate the meta-schema; return whether any does."""
    if _is_plain(schema):
        return False
    found = False
    for path, message in _meta_errors(_key(schema)):
        found = True
        where = pointer + join_pointer(path)
        yield _finding(document, where, "schema-invalid", f"not a valid JSON Schema: {message}")
    return found


def _keyword(
    document: Document, pointer: str, key: str, value: Any, subset: bool
) -> Iterator[Diagnostic]:
    where = f"{pointer}/{escape(key)}"
    if key == "$ref" and _is_remote(value):
        yield _finding(
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


def _defaults(document: Document, pointer: str, schema: dict[str, Any]) -> Iterator[Diagnostic]:
    for below, part in _subschemas(schema, pointer):
        if "default" in part and not accepts(schema, part["default"], part):
            message = "the default does not satisfy its own schema"
            yield _finding(document, f"{below}/default", "schema-default-invalid", message)


def accepts(whole: dict[str, Any], value: Any, part: dict[str, Any] | None = None) -> bool:
    """Whether a valid schema, or a part of it, accepts a value."""
    part = whole if part is None else part
    kind = part.get("type")
    if part.keys() <= _QUICK and isinstance(kind, str):
        return has_type(value, kind)
    if part is not whole:
        # References of a part lead to definitions at the root.
        part = {**{key: whole[key] for key in ("$defs", "definitions") if key in whole}, **part}
    validator = _validator(_key(part))
    return validator is None or bool(validator.is_valid(value))


_QUICK = frozenset(("type", "default", "description", "title"))
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


def _finding(document: Document, pointer: str, rule: str, message: str) -> Diagnostic:
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
    if _NESTED.search(pattern):
        from skillstudio.manifest.ambiguity import is_exponential

        if is_exponential(pattern):
            return (
                "pattern-expensive",
                "nested repetitions can take exponential time in many regex engines",
            )
    return "", ""
