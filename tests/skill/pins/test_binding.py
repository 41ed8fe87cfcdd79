"""The inputs that a proto maps, in every dialect; the marks enclose each problem's place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.manifest.marked import expected

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.skill.pins.proto import check_proto
from skillstudio.text.source import Source

FRONT = """---
manifest_version: "1.0"
name: skill
description: d
inputs:
  required:
    - {name: size, schema: {type: integer}}
    - {name: day, schema: {type: string, default: today}}
    - {name: key, sensitive: true, schema: {type: string, default: k}}
  optional:
    - {name: topic, schema: {type: string, default: any}}
---
"""
PLAIN = "---\nname: skill\ndescription: d\n---\n"
BLOCK = PLAIN + "```skill-manifest\n%s\n```\n"
PARAMETERS: dict[str, Any] = {
    "size": {"type": "integer", "required": True},
    "day": {"type": "string", "required": True, "default": "today"},
    "topic": {"type": "string", "default": "any"},
}
SCHEMA: dict[str, Any] = {
    "required": ["size", "day"],
    "properties": {
        "size": {"$ref": "#/$defs/size"},
        "day": {"type": "string", "default": "today"},
        "topic": {"type": "string", "default": "any"},
    },
    "$defs": {"size": {"type": "integer"}},
}
MODULE = {"artifact": "x", "entrypoint": "run", "capabilities": [], "signers": []}
V1 = {"schema_version": "1.0.0-draft", "id": "a.skill", "inputs_schema": SCHEMA, **MODULE}
V0 = {"schema_version": "v0", "skill_id": "a.skill", "inputs": {"json_schema": SCHEMA}, **MODULE}
CARO = '[skill]\nid = "tool.skill"\napi_version = "1.0"\n[provides]\nrecipes = true\n'
RECIPE = """id: run
name: Run
description: d
parameters:
  - {name: size, type: integer, required: true}
  - {name: day, type: string, required: true, default: today}
  - {name: topic, type: string, default: any}
steps: [{command: "run {{size}} {{day}} {{topic}}"}]
"""


def block(**operations: Any) -> dict[str, str]:
    value = {"schema_version": "2.0", "id": "skill", "operations": operations}
    return {"SKILL.md": BLOCK % json.dumps(value)}


def skill(files: dict[str, str]) -> Skill:
    return locate(MemoryTree({path: each.encode() for path, each in files.items()}, "skill")).skill


SKILLS = {
    "frontmatter": {"SKILL.md": FRONT},
    "skill-manifest": block(run={"input": PARAMETERS}),
    "caro": {"skill.toml": CARO, "recipes/run.yaml": RECIPE},
    "provenact-0": {"manifest.json": json.dumps(V0)},
    "provenact-1": {"manifest.json": json.dumps(V1)},
}
PROTOS = [
    ("", "skill: s\ninputs: {size: 1, day: x, topic: y}\n"),
    ("", "skill: s\ninputs: {size: '{{size}}', day: x, topic: y}\n"),
    ("binding-input-optional", "skill: «s»\ninputs: {size: 1, topic: y}\n"),
    ("binding-input-optional", "skill: «s»\ninputs: {size: 1, day: x}\n"),
    ("binding-input-unmapped", "skill: «s»\ninputs: {day: x, topic: y}\n"),
    ("binding-input-unknown", "skill: s\ninputs: {size: 1, day: x, topic: y, «tpoic»: z}\n"),
    ("binding-input-invalid", "skill: s\ninputs: {size: «large», day: x, topic: y}\n"),
    ("binding-input-invalid", "skill: s\ninputs: {size: 1, day: «5», topic: y}\n"),
]


def found(files: dict[str, str], proto: str, ignored: str = "") -> tuple[list[str], list[str]]:
    problems = check_proto(Source(proto, "proto.yaml"), {"s": skill(files)}.get)
    kept = [each for each in problems if not ignored or ignored not in each.message]
    places = [f"{d.rule} {d.span.start}-{d.span.end}" for d in kept if d.span]
    return places, [each.message for each in kept]


@pytest.mark.parametrize(("rule", "marked"), PROTOS)
@pytest.mark.parametrize("dialect", SKILLS)
def test_each_problem_in_each_dialect(dialect: str, rule: str, marked: str) -> None:
    proto, places = expected(rule, marked)
    # Only the frontmatter has sensitive inputs.
    assert found(SKILLS[dialect], proto, "input key")[0] == places


@pytest.mark.parametrize(
    ("value", "rules"),
    [
        ("k1", ["binding-secret-literal"]),
        ("12", ["binding-input-invalid", "binding-secret-literal"]),
        ("'{{key}}'", []),
        ("''", []),
    ],
)
def test_values_of_sensitive_inputs_are_not_shown(value: str, rules: list[str]) -> None:
    proto = f"skill: s\ninputs: {{size: 1, day: x, topic: y, key: {value}}}\n"
    places, messages = found(SKILLS["frontmatter"], proto)
    assert [each.split()[0] for each in places] == rules
    assert not any(value in each for each in messages)


TWO = block(
    add={"input": {"title": {"type": "string", "required": True}}},
    remove={"input": {"id": {"type": "integer", "required": True}}},
)
BUNDLE = {"manifest.json": json.dumps({"name": "a.skill", **MODULE})}
CLOSED = {"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}
OPEN = {"type": "object", "properties": {"a": {}}, "additionalProperties": True}


def provenact(schema: Any) -> dict[str, str]:
    return {"manifest.json": json.dumps({**V1, "inputs_schema": schema})}


@pytest.mark.parametrize(
    ("files", "inputs", "message"),
    [
        (TWO, "{title: x}", ""),
        (TWO, "{id: 5}", ""),
        (TWO, "{id: x}", "s: operation remove: the value 'x' does not satisfy the schema of id"),
        (TWO, "{}", "s: operation add: the required input title has no value"),
        (
            TWO,
            "{id: 5, titel: x}",
            's: operation remove: unknown input titel; did you mean "title"',
        ),
        ({"SKILL.md": PLAIN}, "{any: 1}", ""),
        (BUNDLE, "{any: 1}", ""),
        (provenact("https://example.com/in.json"), "{any: 1}", ""),
        (provenact(OPEN), "{a: 1, b: 2}", ""),
        (provenact(CLOSED), "{a: 1, b: 2}", ""),
        (provenact({**CLOSED, "required": ["b"]}), "{a: 1}", "s: the required input b has"),
        (provenact({"required": ["c"]}), "{a: 1}", "s: the values together do not satisfy"),
    ],
)
def test_which_inputs_a_skill_takes(files: dict[str, str], inputs: str, message: str) -> None:
    messages = found(files, f"skill: s\ninputs: {inputs}\n")[1]
    assert len(messages) == bool(message)
    assert all(message in each for each in messages)
