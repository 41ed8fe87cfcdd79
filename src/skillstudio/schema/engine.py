"""JSON Schema 2020-12 by jsonschema-rs, or by jsonschema where that has no wheel."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from skillstudio.schema.keywords import TYPES, Path
from skillstudio.schema.messages import message
from skillstudio.schema.references import META_SCHEMA, bad_references

ENGINES = ("jsonschema-rs", "jsonschema")


class SchemaError(NamedTuple):
    """One keyword that a value breaks.

    `params`: for `required` the missing key; for `additionalProperties` the list of unknown
    keys; for `enum` the allowed values; for `const` the value; for `type` the list of allowed
    types; for limits the limit; for `pattern` and `format` their text.
    """

    keyword: str
    instance: tuple[str | int, ...]
    """The path to the value at fault; for missing and unknown keys, to their parent."""
    schema: tuple[str | int, ...]
    """The path to the keyword in the schema."""
    params: Any
    message: str
    """A plain sentence without the value, the same from both engines."""


class SchemaRefused(ValueError):
    """A schema that cannot be used: invalid, remote `$ref`, a pattern that is none. `pointer`
    leads to the place in the schema."""

    def __init__(self, message: str, pointer: str = "") -> None:
        super().__init__(message)
        self.pointer = pointer


class Validator(Protocol):
    def errors(self, value: Any) -> list[SchemaError]:
        """Everything wrong with a value, in no particular order."""

    def is_valid(self, value: Any) -> bool: ...


def compile_schema(schema: Any, engine: str = "auto") -> Validator:
    """Make a validator. `engine`: `auto`, `jsonschema-rs`, `jsonschema`. Raises SchemaRefused."""
    if _chosen(engine) == "jsonschema-rs":
        from skillstudio.schema.engine_rs import RsValidator

        return RsValidator(schema)
    from skillstudio.schema.engine_py import PyValidator

    return PyValidator(schema)


def check_schema(schema: Any, engine: str = "auto") -> list[SchemaError]:
    """What makes a schema no valid 2020-12 schema; `instance` leads to the place in it.

    References that lead nowhere are told with the keyword `$ref`. Patterns and references to
    other files are not judged here: `schema.regex` and `schema.references` say more about them.
    """
    found: dict[tuple[str, Path], SchemaError] = {}
    for error in _meta_validator(engine).errors(schema):
        is_regex = error.keyword == "format" and error.params == "regex"
        if is_regex or (error.keyword, error.instance[-1:]) == _PATTERN_KEYS:
            continue
        if error.keyword == "anyOf" and error.instance[-1:] == ("type",):
            error = error._replace(message=message("enum", list(TYPES)))
        found.setdefault((error.keyword, error.instance), error)
    for path, reference, complaint in bad_references(schema):
        if reference.startswith("#"):
            found["$ref", path] = SchemaError("$ref", path, (), reference, complaint)
    return list(found.values())


_PATTERN_KEYS = ("propertyNames", ("patternProperties",))


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
        raise ValueError(f"no such engine: {engine}")
    return engine
