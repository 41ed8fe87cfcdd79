"""Generate valid inputs from schemas."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Any

from skillstudio.dryrun.sampling.sample import SampleRefused
from skillstudio.interface.model import ABSENT, Operation
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.sample import samples, stated_values

SCHEMA_TERM = "inputs-schema"
_TRIED = 20
"""Values of a schema to try; the first that is not empty is used."""


def generate(
    operation: Operation, optional: bool = False, given: Collection[str] = frozenset()
) -> Any:
    """Generate the required inputs, with `optional` the others too, except sensitive and `given`
    ones. Deterministic. Raises SampleRefused."""
    schema = next((t.value for t in operation.terms if t.name == SCHEMA_TERM), None)
    if schema is not None:
        return _object(schema) or _value("input", schema if isinstance(schema, dict) else True)
    found: dict[str, Any] = {}
    for each in operation.inputs:
        if each.sensitive or each.name in given:
            continue
        if each.required:
            found[each.name] = _value(each.name, each.schema)
        elif optional:
            has_default = each.default is not ABSENT
            found[each.name] = each.default if has_default else _value(each.name, each.schema)
    return found


def _object(schema: Any) -> dict[str, Any] | None:
    parts = schema.get("properties") if isinstance(schema, dict) else None
    required = schema.get("required") if isinstance(parts, dict) else None
    if not isinstance(parts, dict) or not isinstance(required, list):
        return None
    try:
        made = {name: _value(name, parts.get(name, True)) for name in required}
        return made if compile_schema(schema).is_valid(made) else None
    except (SampleRefused, SchemaRefused):
        return None


def _value(name: str, schema: dict[str, Any] | bool) -> Any:
    """An example from the schema, else the name itself if valid, else the first non-empty value."""
    try:
        validator = compile_schema(schema)
        stated = [each for each in stated_values(schema) if validator.is_valid(each)]
        tried = [*stated, *([] if stated or not validator.is_valid(name) else [name])]
        found = tried or list(islice(samples(schema, _TRIED), _TRIED))
    except SchemaRefused as refused:
        raise SampleRefused(f"{name}: its schema cannot be used: {refused}") from None
    if not found:
        raise SampleRefused(f"{name}: no value for its schema could be generated; give one with -i")
    return next((each for each in found if each not in ("", {}, [], None)), found[0])
