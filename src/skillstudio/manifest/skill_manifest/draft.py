"""Draft a manifest block for the operations that `new --from` finds in scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skillstudio.manifest.dialect import Dialect, Manifest
from skillstudio.manifest.hook_values import DraftedOperation
from skillstudio.manifest.todo import TODO
from skillstudio.manifest.values import pointer as join_pointer


def draft(
    target: Dialect,
    name: str,
    effects: Sequence[str],
    operations: Mapping[str, DraftedOperation],
) -> dict[str, Any]:
    """The value of the block, with TODOs for values that the scripts do not contain."""
    return {
        "schema_version": target.versions[0],
        "id": name,
        "version": "0.1.0",
        "capabilities": [],
        "effects": list(effects),
        "operations": {
            key: _operation(drafted_operation) for key, drafted_operation in operations.items()
        },
        "stdout_contract": {
            "last_line_json": False,
            "note": f"{TODO}state whether the last output line of each operation is JSON",
        },
    }


def operation(
    manifest: Manifest, name: str, drafted_operation: DraftedOperation
) -> tuple[str, dict[str, Any]]:
    """The JSON Pointer and the value of a further operation of a manifest."""
    if manifest.dialect.id == "router-manifest-1":
        return join_pointer("entrypoints", name), dict(drafted_operation.entrypoints)
    return join_pointer("operations", name), _operation(drafted_operation)


def _operation(drafted_operation: DraftedOperation) -> dict[str, Any]:
    return {
        "description": drafted_operation.description,
        "input": drafted_operation.inputs,
        "output": {"description": f"{TODO}describe the output"},
        "entrypoints": drafted_operation.entrypoints,
    }
