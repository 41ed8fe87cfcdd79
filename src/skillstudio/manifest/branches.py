"""Validate a value that has two forms with the part of the schema for the intended form."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.registry import schema_of, validator_of
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Missing, resolve, split_pointer, to_value


def judge(manifest: Manifest, pointer: str, definition: str) -> Iterator[Diagnostic]:
    """Problems of the value at a JSON Pointer with `$defs/definition`; none without a value."""
    document = manifest.document
    node = resolve(document.at(pointer))
    if node is None or isinstance(node, Missing):
        return
    errors = validator_of(manifest.dialect, definition=definition).errors(to_value(node))
    if not errors:
        return
    from skillstudio.schema.diagnostics import schema_diagnostics

    above = split_pointer(pointer)
    placed_errors = [error._replace(instance=(*above, *error.instance)) for error in errors]
    schema = schema_of(manifest.dialect)["$defs"][definition]
    yield from schema_diagnostics(document, schema, placed_errors)
