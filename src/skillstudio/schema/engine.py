"""Validate JSON Schema 2020-12 with jsonschema-rs, or with jsonschema if there is no wheel."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from skillstudio.schema.cost import refuse_costly
from skillstudio.schema.keywords import TYPES, Path
from skillstudio.schema.messages import message
from skillstudio.schema.outcome import SchemaError, SchemaRefused, Validator
from skillstudio.schema.references import META_SCHEMA, bad_references
from skillstudio.text.node import join_pointer

ENGINES = ("jsonschema-rs", "jsonschema")


def compile_schema(schema: Any, engine: str = "auto") -> Validator:
    """Make a validator. `engine`: `auto`, `jsonschema-rs`, `jsonschema`. Raises SchemaRefused."""
    refuse_costly(schema)
    if _chosen(engine) == "jsonschema-rs":
        from skillstudio.schema.engine_rs import RsValidator

        return RsValidator(schema)
    from skillstudio.schema.engine_py import PyValidator

    try:
        invalid = check_schema(schema, "jsonschema")
    except RecursionError:
        raise SchemaRefused("the schema is nested too deeply") from None
    for error in invalid:  # jsonschema itself accepts an invalid schema.
        raise SchemaRefused(error.message, join_pointer(error.instance))
    return PyValidator(schema)


def check_schema(schema: Any, engine: str = "auto") -> list[SchemaError]:
    """Validate a schema against 2020-12; `instance` is the path in the schema.

    Unresolved references have the keyword `$ref`. Patterns and remote references are not checked
    here; see `schema.regex` and `schema.references`.
    """
    found: dict[tuple[str, Path], SchemaError] = {}
    for error in _meta_validator(engine).errors(schema):
        place = (error.keyword, *error.instance[-1:])
        is_regex = error.keyword == "format" and error.params == "regex"
        if is_regex or place == ("propertyNames", "patternProperties"):
            continue
        if place == ("anyOf", "type"):
            error = error._replace(message=message("enum", list(TYPES)))
        found.setdefault((error.keyword, error.instance), error)
    for path, reference, complaint in bad_references(schema):
        if reference.startswith("#"):
            found["$ref", path] = SchemaError("$ref", path, (), reference, complaint)
    return list(found.values())


@lru_cache(maxsize=2)
def _meta_validator(engine: str) -> Validator:
    if _chosen(engine) == "jsonschema-rs":
        return compile_schema({"$ref": META_SCHEMA}, engine)
    from skillstudio.schema.engine_py import PyValidator

    return PyValidator({"$ref": META_SCHEMA}, is_meta=True)


def _chosen(engine: str) -> str:
    if engine == "auto":
        try:
            import jsonschema_rs  # noqa: F401
        except ImportError:
            return "jsonschema"
        return "jsonschema-rs"
    if engine not in ENGINES:
        raise ValueError(f"unknown engine {engine}")
    return engine
