"""Draft a manifest block for the operations that `new --from` finds in scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.hook_values import DraftedOperation
from skillstudio.manifest.todo import TODO


def draft(
    target: Dialect,
    name: str,
    effects: Sequence[str],
    operations: Mapping[str, DraftedOperation],
    speaks_json: bool,
) -> dict[str, Any]:
    """The value of the block, with TODOs for values that the scripts do not contain."""
    return {
        "schema_version": target.versions[0],
        "id": name,
        "version": "0.1.0",
        "capabilities": [],
        "effects": list(effects),
        "operations": {
            key: {
                "description": each.description,
                "input": each.inputs,
                "output": {"description": f"{TODO}describe the output"},
                "entrypoints": each.entrypoints,
            }
            for key, each in operations.items()
        },
        "stdout_contract": {
            "last_line_json": speaks_json,
            "note": f"{TODO}state whether the last output line of each operation is JSON",
        },
    }
