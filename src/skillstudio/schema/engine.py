"""Validate JSON Schema 2020-12 with jsonschema-rs, or with jsonschema if there is no wheel."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from skillstudio.schema.keywords import TYPES, Path, patterns_of, walk_schema
from skillstudio.schema.messages import message
from skillstudio.schema.outcome import SchemaError, SchemaRefused, Validator
from skillstudio.schema.references import (
    META_SCHEMA,
    REFERENCES,
    bad_references,
    finished_nodes,
    reachable_parts,
)
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import join_pointer

ENGINES = ("jsonschema-rs", "jsonschema")
MAX_TRANSLATED = 250_000
"""Class escapes of a pattern times its length: jsonschema-rs expands each escape."""
MAX_WEIGHT = 1_000_000  # Maximum number of parts after each reference is replaced by its target.
_CLASS_ESCAPE = lazy_pattern(r"\\[dDwWsS]")
_FEW = 20  # With so few references only a huge schema can have too many parts.


def compile_schema(schema: Any, engine: str = "auto") -> Validator:
    """Make a validator. `engine`: `auto`, `jsonschema-rs`, `jsonschema`. Raises SchemaRefused."""
    refuse_costly(schema)
    if _choose_engine(engine) == "jsonschema-rs":
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


def refuse_costly(schema: Any) -> None:
    """Raise SchemaRefused if a part makes the schema too expensive."""
    references = 0
    for path, part in walk_schema(schema):
        references += len(part.keys() & set(REFERENCES))
        for place, pattern in patterns_of(path, part):
            if len(pattern) * len(_CLASS_ESCAPE.findall(pattern)) > MAX_TRANSLATED:
                raise SchemaRefused("the pattern is too long to compile", join_pointer(place))
    if references > _FEW and _weight(schema) > MAX_WEIGHT:
        raise SchemaRefused("the schema has too many parts after its references are resolved")


def _weight(schema: dict[str, Any]) -> int:
    """The number of parts, counted once for each reference to them. A loop counts once."""
    graph = {id(part): [id(child) for _, child in inner] for part, inner in reachable_parts(schema)}
    weights: dict[int, int] = {}
    for part in finished_nodes(graph, [id(schema)], set()):
        weights[part] = 1 + sum(weights.get(child, 1) for child in graph[part])
    return weights[id(schema)]


def check_schema(schema: Any, engine: str = "auto") -> list[SchemaError]:
    """Validate a schema against 2020-12; `instance` is the path in the schema.

    Unresolved references have the keyword `$ref`. Patterns and remote references are not checked
    here; see `schema.regex` and `schema.references`.
    """
    errors: dict[tuple[str, Path], SchemaError] = {}
    for error in _meta_validator(engine).errors(schema):
        place = (error.keyword, *error.instance[-1:])
        is_regex = error.keyword == "format" and error.params == "regex"
        if is_regex or place == ("propertyNames", "patternProperties"):
            continue
        if place == ("anyOf", "type"):
            error = error._replace(message=message("enum", list(TYPES)))
        errors.setdefault((error.keyword, error.instance), error)
    for path, reference, complaint in bad_references(schema):
        if reference.startswith("#"):
            errors["$ref", path] = SchemaError("$ref", path, (), reference, complaint)
    return list(errors.values())


@lru_cache(maxsize=2)
def _meta_validator(engine: str) -> Validator:
    if _choose_engine(engine) == "jsonschema-rs":
        return compile_schema({"$ref": META_SCHEMA}, engine)
    from skillstudio.schema.engine_py import PyValidator

    return PyValidator({"$ref": META_SCHEMA}, is_meta=True)


def _choose_engine(engine: str) -> str:
    if engine == "auto":
        try:
            import jsonschema_rs  # noqa: F401
        except ImportError:
            return "jsonschema"
        return "jsonschema-rs"
    if engine not in ENGINES:
        raise ValueError(f"unknown engine {engine}")
    return engine
