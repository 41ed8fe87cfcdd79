"""The reason of a failed run, from the program to the report: masked, and with its advice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.dryrun.skills import block_skill, front_skill, offered

Run = Callable[..., Any]
SENSITIVE = """inputs:
  required:
    - {name: token, description: d, sensitive: true, schema: {type: string}}
"""
SECRET = "s3cr3t-abcdefghijklmnopqrstuvwxyz-0123456789"


@pytest.mark.slow  # Starts a program.
@pytest.mark.parametrize(
    ("value", "line"),
    [
        pytest.param(
            SECRET,
            f"ValueError: {'x' * 470} $SKILL_INPUT_TOKEN is refused",
            id="the end of a long line is cut",
        ),
        pytest.param(
            f"user: {SECRET}",
            "$SKILL_INPUT_TOKEN: command not found",
            id="advice names what follows a colon",
        ),
        pytest.param(
            f"MY_KEY: {SECRET.upper().replace('-', '_')}",
            "$SKILL_INPUT_TOKEN: unbound variable",
            id="advice names a variable",
        ),
        pytest.param(
            f"{SECRET.replace('-', '_')}.core",
            "ModuleNotFoundError: No module named '$SKILL_INPUT_TOKEN'",
            id="advice names a package",
        ),
    ],
)
def test_no_part_of_a_secret_is_left_where_a_line_is_cut(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, line: str
) -> None:
    monkeypatch.setenv("TOKEN_OF_TEST", value)
    script = f'#!/bin/sh\necho "{line}" >&2\nexit 1\n'
    skill = front_skill(tmp_path / "skill", SENSITIVE, script, "scripts/go.sh")
    words = ("--isolation", offered("copy"), "--yes", "--secret", "token=env:TOKEN_OF_TEST")
    report = run("run", skill, "scripts/go.sh", *words, "--format", "json").json
    assert line.partition("$")[0] in report["reason"]["message"]
    text = json.dumps(report).casefold().replace("_", "-")
    assert not any(SECRET[:size] in text for size in (8, 16))


@pytest.mark.slow  # Starts a program.
@pytest.mark.parametrize("isolation", ["copy", "confined", "isolated"])
def test_the_line_of_the_skill_and_the_advice(run: Run, tmp_path: Path, isolation: str) -> None:
    script = "set -u\necho begun\necho $NOT_SET_HERE\n"
    skill = block_skill(tmp_path / "skill", script)
    words = ("--isolation", offered(isolation), "--yes", "--trace", "off")
    value = run("run", skill, "go", *words, "--format", "json").json
    reason = value["reason"]
    assert (reason["path"], reason["line"], reason["is_whole"]) == ("go.script", 3, True)
    assert "NOT_SET_HERE" in reason["message"]
    assert [each["rule"] for each in value["problems"]] == ["variable-missing"]
    lines = run("run", skill, "go", *words).out.splitlines()
    assert lines[0].startswith("✗ failed · exit 2")
    assert lines[1].strip() == reason["message"]
    assert lines[2].strip().endswith("go.script:3")
