"""The JSON Schema of settings, which editors complete and check by."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from skillstudio.settings.read import SCHEMA, read_settings
from skillstudio.text.source import Source

ROOT = Path(__file__).parents[2]
SETTINGS = json.loads(Path(SCHEMA).read_text(encoding="utf-8"))
KEYS = {
    "/required-version", "/dialect", "/targets", "/targets/*", "/rules", "/rules/*",
    "/folder", "/folder/*", "/folder/*/path", "/folder/*/dialect", "/folder/*/targets",
    "/folder/*/targets/*", "/ignore", "/ignore/*", "/ignore/*/rule", "/ignore/*/path",
    "/ignore/*/reason",
    "/policy", "/policy/effects", "/policy/effects/*", "/policy/capabilities",
    "/policy/capabilities/*", "/policy/commands", "/policy/commands/*", "/policy/hosts",
    "/policy/hosts/*", "/policy/paths", "/policy/paths/*",
    "/editor", "/editor/keys", "/editor/mouse",
    "/waive", "/waive/*", "/waive/*/fingerprint", "/waive/*/reason",
}  # fmt: skip


def parts(schema: dict[str, Any], pointer: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each key with its schema; `*` is any item or name."""
    inner = {f"{pointer}/{name}": each for name, each in schema.get("properties", {}).items()}
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            inner[f"{pointer}/*"] = schema[name]
    for name, each in inner.items():
        yield name, each
        yield from parts(each, name)


def test_it_is_valid_and_describes_every_key() -> None:
    jsonschema.Draft202012Validator.check_schema(SETTINGS)
    assert SETTINGS["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert [name for name, each in parts(SETTINGS) if not each.get("description")] == []


def test_settings_of_a_workspace_start_nothing() -> None:
    """Whoever wrote the workspace wrote its settings: no key names a program, a place to write,
    an address to fetch, or less isolation. Think of that before adding a key here."""
    assert {name for name, _ in parts(SETTINGS)} == KEYS


def examples() -> Iterator[tuple[str, str]]:
    """The settings in our pages, with the name of their file."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            if "[tool.skillstudio" in block:
                yield "pyproject.toml", block
            elif any(f"\n{key}" in f"\n{block}" for key in ("targets =", "[rules]", "[[waive]]")):
                yield "skillstudio.toml", block


EXAMPLES = list(examples())


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_our_examples_are_valid(name: str, text: str) -> None:
    value = tomllib.loads(text)
    jsonschema.validate(
        value["tool"]["skillstudio"] if name == "pyproject.toml" else value, SETTINGS
    )
    assert read_settings(Source(text, name)).diagnostics == ()


def test_there_are_examples_of_both_files() -> None:
    assert {name for name, _ in EXAMPLES} == {"skillstudio.toml", "pyproject.toml"}
