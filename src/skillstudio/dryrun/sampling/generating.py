"""Generate the inputs of a sample from their schemas."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from typing import Any

from skillstudio.dryrun.sampling.sample import SampleRefused
from skillstudio.interface.model import ABSENT, Operation
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.sample import samples, stated_values
from skillstudio.schema.work import Work

_MOST_VALUES = 20  # Values of a schema to try; the first that is not empty is used.
_MOST_STEPS = 300_000  # For the values of all inputs together; at most 2 s.


def generate(
    operation: Operation, optional: bool = False, given_names: Collection[str] = frozenset()
) -> Any:
    """Generate the required inputs, with `optional` the others too, except sensitive and
    `given_names` ones. Deterministic. Raises SampleRefused."""
    work = Work(_MOST_STEPS)
    schema = operation.value_schema
    if schema is not None:
        whole = schema if isinstance(schema, dict) else True
        return _object(schema, work) or _value("input", whole, work)
    values: dict[str, Any] = {}
    for field in operation.inputs:
        if field.sensitive or field.name in given_names or not (field.required or optional):
            continue
        is_generated = field.required or field.default is ABSENT
        values[field.name] = (
            _value(field.name, field.schema, work) if is_generated else field.default
        )
    return values


def _object(schema: Any, work: Work) -> dict[str, Any] | None:
    parts = schema.get("properties") if isinstance(schema, dict) else None
    required_names = schema.get("required") if isinstance(parts, dict) else None
    if not isinstance(parts, dict) or not isinstance(required_names, list):
        return None
    try:
        values = {name: _value(name, parts.get(name, True), work) for name in required_names}
        return values if compile_schema(schema).is_valid(values) else None
    except (SampleRefused, SchemaRefused):
        return None


def _value(name: str, schema: dict[str, Any] | bool, work: Work) -> Any:
    """An example from the schema, else the name itself if valid, else the first non-empty value."""
    try:
        validator = compile_schema(schema)
        valid_values = [value for value in stated_values(schema) if validator.is_valid(value)]
        fallback = [] if valid_values or not validator.is_valid(name) else [name]
        examples = iter(
            [*valid_values, *fallback] or samples(schema, _MOST_VALUES, validator, work)
        )
        first = next(examples, ABSENT)
        if first is ABSENT:
            reason = "no value for its schema could be generated; give one with -i"
            raise SampleRefused(f"{name}: {reason}")
        usable = (value for value in chain([first], examples) if value not in ("", {}, [], None))
        return next(usable, first)  # Values are generated on demand, because each takes long.
    except SchemaRefused as error:
        raise SampleRefused(f"{name}: its schema cannot be used: {error}") from None
