"""The schemas of what commands print as JSON, and that `run` compares every output with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.published import assert_published, published_validator

from skillstudio.cli.config import OUTPUTS, output_schema, schema_files
from skillstudio.cli.verbs import all_verbs
from skillstudio.manifest.registry import dialects
from skillstudio.schema.bundle import read_bundled
from skillstudio.schema.engine import check_schema
from skillstudio.schema.references import META_SCHEMA, bad_references

VERBS = [verb.name for verb in all_verbs().values() if "json" in verb.formats]
NAMES = sorted(path.stem for path in Path(OUTPUTS).glob("*.json"))
OTHERS = {"topics", "error"}
"""The schemas that are not named after a command."""


def read_schema(name: str) -> dict[str, Any]:
    return read_bundled(schema_files()[name])


def test_every_command_with_json_has_a_schema_and_every_schema_a_command() -> None:
    assert {*map(output_schema, VERBS), *OTHERS} == {*NAMES}


def test_a_schema_has_a_name_of_its_own() -> None:
    others = [*(dialect.id for dialect in dialects()), "sample", "settings"]
    assert not {*NAMES} & {*others}
    assert list(schema_files()) == ["sample", "settings", *NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_complete_in_itself(run: Run, name: str) -> None:
    schema = json.loads(run("config", "schema", name).out)
    assert schema == read_schema(name)
    assert schema["$schema"] == META_SCHEMA
    assert schema["title"].startswith("Output of ")
    assert not check_schema(schema)
    assert not bad_references(schema)


@pytest.mark.parametrize("name", NAMES)
def test_every_definition_is_used(name: str) -> None:
    schema = read_schema(name)
    text = json.dumps(schema)
    assert [part for part in schema.get("$defs", {}) if f'"#/$defs/{part}"' not in text] == []


def test_every_shared_definition_is_used() -> None:
    texts = [path.read_text(encoding="utf-8") for path in Path(OUTPUTS).rglob("*.json")]
    for path in Path(OUTPUTS, "shared").glob("*.json"):
        for part in json.loads(path.read_text(encoding="utf-8"))["$defs"]:
            uses = (f"{path.name}#/$defs/{part}", f'"#/$defs/{part}"')
            assert any(use in text for use in uses for text in texts), part


@pytest.mark.parametrize("name", sorted({*NAMES} - {"error"}))
def test_an_object_needs_the_version_of_the_format(name: str) -> None:
    validator = published_validator(name)
    for value in ({}, {"format_version": 1}, {"format_version": 2}):
        assert not validator.is_valid(value)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("form", [("--format", "json"), ("--format=json",)])
def test_a_refusal_of_any_command_has_its_shape(run: Run, verb: str, form: tuple[str, ...]) -> None:
    ran = run(verb, "--no-such-option", *form)
    assert ran.status == 2
    assert published_validator("error").is_valid(json.loads(ran.out))


def test_an_output_of_another_shape_fails() -> None:
    value = {"format_version": 1, "path": ".", "files": ["a"], "written": True, "diff": ""}
    command = ["edit", "x", "--format", "json"]
    assert_published(command, json.dumps(value))
    for other in ({"more": 1}, {"written": 1}, {"format_version": 2}):
        with pytest.raises(AssertionError, match="not as `config schema edit`"):
            assert_published(command, json.dumps(value | other))
    for key in value:
        lacking = {name: part for name, part in value.items() if name != key}
        with pytest.raises(AssertionError, match=key):
            assert_published(command, json.dumps(lacking))


def test_a_key_that_no_schema_names_fails_wherever_it_is() -> None:
    edit: dict[str, Any] = {"title": "t", "safe": True}
    problem: dict[str, Any] = {
        "rule": "r", "severity": "error", "message": "m", "path": "p", "pointer": "",
        "line": 1, "column": 1, "end_line": 1, "end_column": 1, "fixes": [edit],
    }  # fmt: skip
    value = {
        "format_version": 1,
        "skills": [],
        "workspace": {"diagnostics": [problem], "listing": {}},
        "summary": {"skills": 0, "errors": 1, "warnings": 0, "infos": 0},
    }
    for verb in ("check", "fix"):
        command = [verb, ".", "--format=json"]
        assert_published(command, json.dumps(value))
        for part in (edit, problem, value["summary"], value):
            part["unnamed"] = 1  # type: ignore[index]
            with pytest.raises(AssertionError, match="unnamed"):
                assert_published(command, json.dumps(value))
            del part["unnamed"]  # type: ignore[attr-defined]
