"""Two readings of the same files differ in nothing, whatever numbers stand in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import FileTree
from skillstudio.interface.compare import compare
from skillstudio.interface.kinds import RULESETS
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project
from skillstudio.schema.shape import same

NAN = float("nan")
FRONTMATTER = """\
---
manifest_version: "1.0"
name: one
description: Says things. Use when things are said.
version: .nan
metadata: {a: .nan}
execution: {timeout: .nan, network: .nan}
allowed-tools: .nan
inputs:
  required:
    - {name: b, sensitive: .nan, schema: {type: number, minimum: .nan, maximum: .inf, x-a: .nan}}
    - {name: c, schema: {properties: {a: {const: .nan}}, additionalProperties: {enum: [.nan]}}}
    - {name: d, schema: {type: array, items: {enum: [.nan, 1]}, minItems: .nan}}
    - {name: e, schema: {anyOf: [{const: .nan}, {type: string}], $ref: .nan}}
    - {name: f, schema: .nan}
  optional:
    - {name: g, schema: {type: number, enum: [.nan, .inf, 1]}, default: .nan}
    - {name: h, schema: {const: .nan, examples: [.nan, [.nan]]}, default: {x: [.nan, -.inf]}}
    - {name: .nan, schema: {const: .nan}}
env: {required: [{name: .nan}], optional: [.nan]}
preconditions: {commands: [{cmd: git, min_version: .nan, max_version: .inf}], files: [.nan]}
outputs: {files: [{pattern: .nan}], artifacts: [.nan], stdout: {schema: {const: .nan}}}
---
"""
CARO = """\
[skill]
id = "one"
name = "one"
version = nan
description = "Says things"

[metadata]
min_caro_version = nan

[capabilities]
network = nan
timeout = nan
"""


def twice(tree: FileTree, ruleset: str) -> list[str]:
    old, new = project(locate(tree).skill), project(locate(tree).skill)
    return [f"{each.kind} {each.pointer}" for each in compare(old, new, all_kinds(), ruleset)]


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize(("file", "text"), [("SKILL.md", FRONTMATTER), ("skill.toml", CARO)])
def test_a_number_that_is_none_is_no_change(file: str, text: str, ruleset: str) -> None:
    assert twice(MemoryTree({file: text.encode()}, "one"), ruleset) == []


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    "folder", sorted({path.parent for path in EXAMPLES.rglob("*") if path.name == "SKILL.md"})
)
def test_an_example_is_what_it_is(folder: Path) -> None:
    assert twice(DiskTree(folder), "strict") == []


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (NAN, NAN, True),
        ([NAN], [float("nan")], True),
        ({"a": [NAN]}, {"a": [float("nan")]}, True),
        (NAN, None, False),
        (NAN, 1, False),
        (1, 1.0, True),
        (1, True, False),
        ([1], [1, 2], False),
        ({"a": 1}, {"b": 1}, False),
    ],
)
def test_equality_is_that_of_json(one: object, other: object, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal
