"""Validate a value that has two forms with the part of the schema for the intended form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from skillstudio.manifest.dialect import Dialect, Manifest
from skillstudio.manifest.registry import schema_of
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Missing, resolve, split_pointer, to_value

if TYPE_CHECKING:
    from skillstudio.schema.outcome import Validator

_validators: dict[tuple[str, str], Validator] = {}


def judge(manifest: Manifest, pointer: str, definition: str) -> Iterator[Diagnostic]:
    """Problems of the value at a JSON Pointer with `$defs/definition`; none without a value."""
    document = manifest.document
    node = resolve(document.at(pointer))
    if node is None or isinstance(node, Missing):
        return
    errors = _validator(manifest.dialect, definition).errors(to_value(node))
    if not errors:
        return
    from skillstudio.schema.diagnostics import schema_diagnostics

    above = split_pointer(pointer)
    placed = [error._replace(instance=(*above, *error.instance)) for error in errors]
    yield from schema_diagnostics(document, _definition(manifest.dialect, definition), placed)


def _definition(dialect: Dialect, name: str) -> dict[str, Any]:
    schema: dict[str, Any] = schema_of(dialect)["$defs"][name]
    return schema


def _validator(dialect: Dialect, name: str) -> Validator:
    if (dialect.id, name) not in _validators:
        from skillstudio.schema.engine import compile_schema

        _validators[dialect.id, name] = compile_schema(_definition(dialect, name))
    return _validators[dialect.id, name]
