"""Two versions of one interface, in the forms that each program can compare."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

CHANGED = 40
INPUTS = 200
SCHEMAS: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    (
        {"type": "string", "pattern": r"^\d{4}-\d{1,2}-\d{1,2}$"},
        {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
    ),
    (
        {"type": "integer", "minimum": 0, "maximum": 100},
        {"type": "integer", "minimum": 0, "maximum": 50},
    ),
    (
        {"type": "string", "enum": ["low", "middle", "high"]},
        {"type": "string", "enum": ["low", "high", "urgent"]},
    ),
    (
        {"type": "array", "items": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"}},
        {"type": "array", "items": {"type": "string", "pattern": "^[a-z][a-z0-9_-]*$"}},
    ),
    (
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "depth": {"type": "integer", "minimum": 1}},
        },
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "depth": {"type": "integer", "minimum": 2}},
        },
    ),
)
"""Each kind of value before and after: narrowed, narrowed, incomparable, widened, narrowed."""
DEFAULTS: tuple[tuple[Any, Any], ...] = (
    ("2026-01-01", "2026-01-02"),
    (10, 20),
    ("low", "high"),
    (["a"], ["b"]),
    ({}, {"depth": 2}),
)
PYTHON = ("str", "int", "str", "list", "dict")


class Pair(NamedTuple):
    """Where the two versions lie, form by form."""

    old: Path
    new: Path
    """Folders of skills."""
    schemas: tuple[Path, Path]
    """Objects with a property an input, without the patterns."""
    package: Path
    """A Python package in a git repository, its versions tagged `old` and `new`."""


def pair(folder: Path, inputs: int = INPUTS, changed: int = CHANGED) -> Pair:
    """Write both versions; every fifth input of the new one has another schema."""
    every = inputs // changed
    for version, name in enumerate(("old", "new")):
        skill = folder / name / "worklog"
        skill.mkdir(parents=True)
        described = [_described(n, version if n % every == 0 else 0) for n in range(inputs)]
        (skill / "SKILL.md").write_text(_manifest(described, version), encoding="utf-8")
        properties = {f"input_{n}": _plain(schema) for n, (schema, _) in enumerate(described)}
        text = json.dumps({"type": "object", "properties": properties})
        (folder / f"{name}.schema.json").write_text(text, encoding="utf-8")
    schemas = (folder / "old.schema.json", folder / "new.schema.json")
    package = _package(folder / "package", inputs, every)
    return Pair(folder / "old" / "worklog", folder / "new" / "worklog", schemas, package)


def _described(number: int, version: int) -> tuple[dict[str, Any], Any]:
    # The quotient spreads the kinds over the changed inputs, whatever the distance of those.
    kind = (number + number // len(SCHEMAS)) % len(SCHEMAS)
    return SCHEMAS[kind][version], DEFAULTS[kind][0]


def _manifest(described: list[tuple[dict[str, Any], Any]], version: int) -> str:
    lines = [
        "---",
        'manifest_version: "1.0"',
        "name: worklog",
        "description: Writes the log of a work session. Use when a session ends.",
        f"version: 1.{version}.0",
        "inputs:",
        "  optional:",
    ]
    for number, (schema, default) in enumerate(described):
        lines += [
            f"    - name: input_{number}",
            f"      description: Input number {number}",
            "      schema:",
        ]
        lines += [f"        {key}: {json.dumps(value)}" for key, value in schema.items()]
        lines.append(f"        default: {json.dumps(default)}")
    return "\n".join([*lines, "---", "# Worklog", ""])


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without patterns: the peer enumerates what they match, and does not end."""
    plain = {key: value for key, value in schema.items() if key != "pattern"}
    if "items" in plain:
        plain["items"] = _plain(plain["items"])
    return plain


def _package(folder: Path, inputs: int, every: int) -> Path:
    """The same as parameters; what can change there and be seen is the default."""
    (folder / "worklog").mkdir(parents=True)
    _git(folder, "init", "--quiet")
    for version, name in enumerate(("old", "new")):
        parameters = []
        for number in range(inputs):
            kind = (number + number // len(SCHEMAS)) % len(SCHEMAS)
            default = DEFAULTS[kind][version if number % every == 0 else 0]
            parameters.append(f"    input_{number}: {PYTHON[kind]} = {default!r},\n")
        text = "def worklog(\n" + "".join(parameters) + ") -> None: ...\n"
        (folder / "worklog" / "__init__.py").write_text(text, encoding="utf-8")
        _git(folder, "add", ".")
        _git(folder, "commit", "--quiet", "--message", name)
        _git(folder, "tag", name)
    return folder


def _git(folder: Path, *arguments: str) -> None:
    person = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    subprocess.run(["git", "-C", str(folder), *person, *arguments], check=True)
