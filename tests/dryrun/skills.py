"""Small skills that dry runs are tried on, and the isolation levels that this machine offers for
them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillstudio.dryrun.isolation.levels import probe_isolation

PROCESSES = ("copy", "confined", "isolated")


def offered(isolation: str) -> str:
    """The isolation level, where this machine has it; else the test is skipped with the reason."""
    found = probe_isolation().level(isolation)
    if not found.available:
        pytest.skip(f"{isolation}: {found.reason}")
    return isolation


def block_skill(folder: Path, script: str, **options: Any) -> Path:
    """A skill with one operation `go` that runs a script.

    `inputs` are its inputs by name, each a declaration; they are its arguments in that order.
    `fields` are those of the last line, which is JSON then. `interpreter` is `sh` by itself.
    What else is given stands in the manifest.
    """
    inputs = options.pop("inputs", {})
    fields = options.pop("fields", None)
    program = options.pop("interpreter", "sh")
    operation: dict[str, Any] = {
        "description": "Goes",
        "input": inputs,
        "output": {"description": "said", "fields": fields or {}},
        "entrypoints": {"unix": [program, "go.script", *(f"{{{name}}}" for name in inputs)]},
    }
    manifest: dict[str, Any] = {
        "schema_version": "2.0",
        "id": folder.name,
        "version": "1.0.0",
        "capabilities": [],
        "effects": options.pop("effects", ["fs.write", "proc.exec", "fs.read"]),
        "stdout_contract": {"last_line_json": fields is not None},
        "operations": {"go": operation},
    }
    manifest |= options
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.script").write_text(script)
    (folder / "SKILL.md").write_text(
        f"---\nname: {folder.name}\ndescription: Goes. Use when it is to go.\n---\n\n"
        f"```skill-manifest\n{json.dumps(manifest, indent=2)}\n```\n"
    )
    return folder


def front_skill(folder: Path, head: str, script: str, name: str = "scripts/go.sh") -> Path:
    """A skill with a manifest in its frontmatter, and one script."""
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(script)
    place.chmod(0o755)
    (folder / "SKILL.md").write_text(
        f'---\nmanifest_version: "1.0"\nname: {folder.name}\ndescription: Goes.\n{head}---\nText.\n'
    )
    return folder
