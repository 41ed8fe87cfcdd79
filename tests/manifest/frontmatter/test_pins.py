"""The validation rules of ADR-002 about inputs."""

from __future__ import annotations

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
GIVEN = {"day": "2025-01-01", "key": "{{key}}", "topic": "x", "size": 1}


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
        (
            {**GIVEN, "key": "secret"},
            [("binding-input-invalid", "key"), ("binding-secret-literal", "key")],
        ),
    ],
)
def test_inputs(inputs: dict[str, object], problems: list[tuple[str, str]]) -> None:
    told = check_binding(MANIFEST, inputs)
    assert [(each.rule, each.subject) for each in told] == problems
    assert all("secret" not in each.message for each in told)


@pytest.mark.parametrize("manifest", [{}, {"inputs": "nonsense"}, None, 7])
def test_a_manifest_without_inputs(manifest: Any) -> None:
    assert check_binding(manifest, {}) == []


@pytest.mark.parametrize(
    ("value", "is_literal"),
    [("k1", True), ("{{key}}", False), ("k{{key}}", False), (12, True), ("", False), (None, False)],
)
def test_the_value_of_a_sensitive_input(value: object, is_literal: bool) -> None:
    told = check_binding(MANIFEST, {**GIVEN, "key": value})
    rules = [each.rule for each in told if each.subject == "key"]
    assert ("binding-secret-literal" in rules) == is_literal
    whole = {**MANIFEST, "sensitive": True}
    told = check_binding(whole, {**GIVEN, "key": "{{key}}"})
    assert [each.rule for each in told] == []


def test_what_is_sensitive() -> None:
    assert sensitive_names(MANIFEST) == {"key"}
    whole = {**MANIFEST, "sensitive": True}
    assert sensitive_names(whole) == {"day", "key", "topic", "size", "TOKEN", "PROJECT"}
