"""Whatever numbers a manifest holds, what `--format json` prints is one value of JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git

pytestmark = needs_git
TEXT = """\
---
manifest_version: "1.0"
name: one
description: Says things. Use when things are said.
version: 1.0.0
execution: {{timeout: .inf}}
inputs:
  required: []
  optional:
    - {{name: a, schema: {{type: number, enum: [.nan, .inf, 1]}}, default: {default}}}
    - {{name: b, schema: {{type: number, maximum: {default}, x-a: [-.inf]}}, default: .nan}}
---
Say.
"""


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit({"one/SKILL.md": TEXT.format(default=1)}, "one@1.0.0")
    made.write({"one/SKILL.md": TEXT.format(default=".nan")})
    monkeypatch.chdir(made.root)
    return made


def strict(text: str) -> Any:
    def refuse(word: str) -> NoReturn:
        raise AssertionError(f"JSON has no {word}")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(
    "command",
    [
        ("diff",),
        ("diff", "one"),
        ("diff", "HEAD..HEAD"),
        ("diff", "one", "--ruleset", "strict"),
        ("show", "one"),
        ("identity", "one"),
        ("identity", "one", "--digests"),
        ("bump", "one"),
        ("lock", "one"),
        ("check", "one"),
    ],
    ids=" ".join,
)
def test_it_is_json(run: Run, repo: Repo, command: tuple[str, ...]) -> None:
    ran = run(*command, "--format", "json")
    assert ran.status in (0, 1)
    strict(ran.out)


def test_such_numbers_are_told_as_yaml_writes_them(run: Run, repo: Repo) -> None:
    changes = strict(run("diff", "one", "--format", "json").out)["changes"]
    told = {change["pointer"]: (change["old"], change["new"]) for change in changes}
    assert told["/inputs/b/schema/maximum"] == (1, ".nan")
    (shown,) = strict(run("show", "one", "--format", "json").out)["operations"]
    assert shown["inputs"][0]["schema"]["enum"] == [".nan", ".inf", 1]


@pytest.mark.parametrize("format", ["text", "markdown", "github", "json"])
def test_nothing_changed_between_a_manifest_and_itself(run: Run, repo: Repo, format: str) -> None:
    ran = run("diff", "one", "one", "--format", format)
    assert ran.status == 0
    if format == "json":
        assert strict(ran.out)["changes"] == []
