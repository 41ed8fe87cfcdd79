"""Who uses what broke, among the protos, recipes and skills of a workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.settings.read import Waiver
from skillstudio.skill.versions import impact
from skillstudio.skill.versions.comparison import (
    Comparison,
    Version,
    compare_versions,
    open_version,
)
from skillstudio.skill.versions.operands import Operand
from skillstudio.text.source import Position

MANIFEST = """\
---
manifest_version: "1.0"
name: plain
description: Says things.
version: 1.0.0
inputs:
  required:
    - name: topic
      schema: {type: string, maxLength: 9}
  optional:
    - name: title
      schema: {type: string, default: "x"}
---
"""
OPTIONAL = '  optional:\n    - name: title\n      schema: {type: string, default: "x"}\n'
REQUIRED = "    - name: title\n      schema: {type: string}\n  optional: []\n"
PROTOS = {
    "gives.yaml": "steps:\n  - skill: plain\n    inputs: {topic: a, title: b}\n",
    "deep/omits.yml": "run:\n  skill: {id: plain}\n  inputs: {topic: a}\n",
    "pins.yaml": "skill: {id: plain, min_version: 1.0.0}\ninputs: {topic: a}\n",
    "other.yaml": "skill: another\ninputs: {topic: plain}\n",
    "broken.yaml": "skill: plain\ninputs: [\n",
    "node_modules/x.yaml": "skill: plain\n",
    "text.md": "skill: plain\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for path, text in PROTOS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def version(text: str, file: str = "SKILL.md", name: str = "plain") -> Version:
    found = open_version(Operand(MemoryTree({file: text.encode()}, name), name))
    assert found is not None
    return found


def hits(made: Comparison) -> dict[str, list[str]]:
    return {c.kind: list(c.hits) for c in made.changes if c.level == "major"}


@pytest.mark.parametrize(
    ("old", "new", "kind", "expected"),
    [
        ("maxLength: 9", "maxLength: 5", "input-length-narrowed",
         ["deep/omits.yml", "gives.yaml", "pins.yaml"]),
        ('default: "x"', 'default: "y"', "input-default-changed",
         ["broken.yaml", "deep/omits.yml", "pins.yaml"]),
        ("name: title", "name: caption", "input-renamed", ["gives.yaml", "pins.yaml"]),
        ("  required:\n", "  required:\n    - name: author\n      schema: {type: string}\n",
         "input-required-added", ["broken.yaml", "deep/omits.yml", "gives.yaml", "pins.yaml"]),
    ],
)  # fmt: skip
def test_a_proto_is_hit_by_what_it_gives_or_leaves_out(
    workspace: Path, old: str, new: str, kind: str, expected: list[str]
) -> None:
    made = compare_versions(
        version(MANIFEST), version(MANIFEST.replace(old, new)), workspace=str(workspace)
    )
    assert hits(made) == {kind: expected}


def test_an_input_that_must_be_given_now_hits_those_that_leave_it_out(workspace: Path) -> None:
    new = version(MANIFEST.replace(OPTIONAL, REQUIRED))
    found = hits(compare_versions(version(MANIFEST), new, workspace=str(workspace)))
    assert found["input-became-required"] == ["broken.yaml", "deep/omits.yml", "pins.yaml"]


def test_what_is_no_input_hits_every_reference(workspace: Path) -> None:
    old = version(MANIFEST.replace("inputs:", "env: {required: [{name: HOME}]}\ninputs:"))
    found = hits(compare_versions(old, version(MANIFEST), workspace=str(workspace)))
    assert found["env-required-removed"] == [
        "broken.yaml", "deep/omits.yml", "gives.yaml", "pins.yaml",
    ]  # fmt: skip


def test_what_is_taken_on_shows_whom_it_hits_all_the_same(workspace: Path) -> None:
    old, new = version(MANIFEST), version(MANIFEST.replace("maxLength: 9", "maxLength: 5"))
    (change,) = compare_versions(old, new).changes
    waivers = [Waiver(change.fingerprint, "agreed", Position(1, 1))]
    made = compare_versions(old, new, waivers=waivers, workspace=str(workspace))
    assert [each.waived for each in made.changes] == ["agreed"]
    assert hits(made) == {"input-length-narrowed": ["deep/omits.yml", "gives.yaml", "pins.yaml"]}


def test_what_does_not_break_hits_nobody(workspace: Path) -> None:
    new = version(MANIFEST.replace("maxLength: 9", "maxLength: 12"))
    made = compare_versions(version(MANIFEST), new, workspace=str(workspace))
    assert made.changes
    assert all(not change.hits for change in made.changes)


CARO = """\
[skill]
id = "cloud.aws"
name = "AWS"
version = "1.0.0"
description = "Clouds"

[capabilities.terminal_exec]
commands = ["aws", "jq"]
"""
DEPENDENT = """\
[skill]
id = "cloud.backup"
name = "Backup"
version = "1.0.0"
description = "Keeps"

[dependencies]
"cloud.aws" = "^1.0.0"
"""
RECIPE = """\
id: {id}
name: {id}
description: Does it
version: 1.0.0
steps:
  - {{id: one, name: One, description: Does, command: "{command}"}}
"""


def test_a_caro_skill_hits_its_dependents_and_the_recipes_that_use_what_is_gone(
    tmp_path: Path,
) -> None:
    files = {
        "aws/skill.toml": CARO,
        "aws/recipes/list.yaml": RECIPE.format(id="list", command="aws s3 ls"),
        "aws/recipes/filter.yaml": RECIPE.format(id="filter", command="aws s3 ls | jq ."),
        "backup/skill.toml": DEPENDENT,
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    old = open_version(Operand(DiskTree(tmp_path / "aws"), "aws"))
    new = version(CARO.replace(', "jq"', ""), "skill.toml", "aws")
    made = compare_versions(old, new, workspace=str(tmp_path), ruleset="security")
    found = {change.kind: list(change.hits) for change in made.changes if change.hits}
    assert found == {"operation-removed": ["backup/skill.toml"]}
    users = {user.path: user.programs for user in impact.users_of(("cloud.aws",), str(tmp_path))}
    assert users == {
        "aws/recipes/filter.yaml": {"aws", "jq"},
        "aws/recipes/list.yaml": {"aws"},
        "backup/skill.toml": None,
    }


def test_a_workspace_of_any_size_is_looked_at_within_bounds(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(impact, "MOST_ENTRIES", 3)
    assert list(impact.users_of(("plain",), str(workspace))) == []
