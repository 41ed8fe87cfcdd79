"""The eight validation rules of ADR-002."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillstudio.manifest.frontmatter.pins import check_binding, sensitive_names

MANIFEST: dict[str, Any] = {
    "manifest_version": "1.0",
    "inputs": {
        "required": [
            {"name": "day", "schema": {"type": "string", "pattern": "^[0-9-]+$"}},
            {"name": "key", "sensitive": True, "schema": {"type": "string", "pattern": "^k"}},
        ],
        "optional": [
            {"name": "topic", "schema": {"type": "string", "default": "session"}},
            {"name": "size", "schema": {"type": "integer", "minimum": 1}},
        ],
    },
    "env": {"required": [{"name": "TOKEN"}], "optional": [{"name": "PROJECT"}]},
    "preconditions": {
        "commands": [{"cmd": "git", "min_version": "2.40", "max_version": "2"}, {"cmd": "date"}],
        "files": [{"path": "a.sh"}, {"path": "b.md", "base": "cwd"}],
    },
}
GIVEN = {"day": "2025-01-01", "key": "k1", "topic": "x", "size": 1}


def without(name: str) -> dict[str, object]:
    return {key: value for key, value in GIVEN.items() if key != name}


@pytest.mark.parametrize(
    ("inputs", "problems"),
    [
        (GIVEN, []),
        (without("day"), [("binding-input-unmapped", "day")]),
        (without("topic"), [("binding-input-optional", "topic")]),
        ({**GIVEN, "dya": 1}, [("binding-input-unknown", "dya")]),
        ({**GIVEN, "day": "today"}, [("binding-input-invalid", "day")]),
        ({**GIVEN, "size": 0}, [("binding-input-invalid", "size")]),
        ({**GIVEN, "size": "1"}, [("binding-input-invalid", "size")]),
        ({**GIVEN, "day": "{{date}}"}, []),
        ({**GIVEN, "key": "secret"}, [("binding-input-invalid", "key")]),
    ],
)
def test_inputs(inputs: dict[str, object], problems: list[tuple[str, str]]) -> None:
    told = check_binding(MANIFEST, inputs)
    assert [(each.rule, each.subject) for each in told] == problems
    assert all("secret" not in each.message for each in told)


@pytest.mark.parametrize(
    ("manifest", "rules"),
    [
        (None, ["binding-skill-missing"]),
        ({"manifest_version": "2.0", "inputs": 7}, ["manifest-version-unsupported"]),
        ({"manifest_version": "1.3"}, []),
        ({}, []),
        ({"inputs": "nonsense", "env": [], "preconditions": 3}, []),
    ],
)
def test_the_skill_and_its_version(manifest: Any, rules: list[str]) -> None:
    assert [each.rule for each in check_binding(manifest, {})] == rules


@pytest.mark.parametrize(
    ("told", "problems"),
    [
        ({"git": "git version 2.43.0", "date": "date (GNU coreutils) 9.4"}, []),
        ({"git": "git version 2.40", "date": ""}, []),
        ({"git": "git version 2.39.5", "date": ""}, ["git"]),
        ({"git": "git version 3.0", "date": ""}, ["git"]),
        ({"git": "unknown", "date": ""}, ["git"]),
        ({"date": ""}, ["git"]),
        ({}, ["git", "date"]),
    ],
)
def test_commands(told: dict[str, str], problems: list[str]) -> None:
    found = check_binding(MANIFEST, GIVEN, find_version=told.get)
    assert [each.subject for each in found] == problems


@pytest.mark.parametrize(
    ("exists", "problems"),
    [
        (lambda base, path: True, []),
        (lambda base, path: base == "cwd", ["a.sh"]),
        (lambda base, path: None, []),
    ],
)
def test_files(exists: Callable[[str, str], bool | None], problems: list[str]) -> None:
    found = check_binding(MANIFEST, GIVEN, file_exists=exists)
    assert [each.subject for each in found] == problems


def test_environment() -> None:
    assert check_binding(MANIFEST, GIVEN, env={"TOKEN"}) == []
    assert [each.subject for each in check_binding(MANIFEST, GIVEN, env=())] == ["TOKEN"]


def test_what_is_sensitive() -> None:
    assert sensitive_names(MANIFEST) == {"key"}
    whole = {**MANIFEST, "sensitive": True}
    assert sensitive_names(whole) == {"day", "key", "topic", "size", "TOKEN", "PROJECT"}
