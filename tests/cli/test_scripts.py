"""Scripts of a skill without operations: listed, run by their arguments, added as operations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Run

SCRIPT = """#!/usr/bin/env python3
\"\"\"Count words.\"\"\"
import argparse
p = argparse.ArgumentParser()
p.add_argument("file")
p.add_argument("--limit", type=int, default=3)
p.add_argument("--all", action="store_true")
p.parse_args()
"""
BLOCK = {
    "schema_version": "2.0", "id": "words", "version": "1.0.0", "capabilities": [], "effects": [],
    "operations": {}, "stdout_contract": {"last_line_json": False},
}  # fmt: skip


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "words"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: words\ndescription: Counts words.\n---\n")
    (folder / "scripts" / "count.py").write_text(SCRIPT)
    return folder


def test_a_skill_without_operations_lists_its_scripts(skill: Path, run: Run) -> None:
    status, out, _ = run("run", str(skill))
    assert status == 2
    assert "scripts/count.py -- [--limit LIMIT] [--all] FILE" in out
    assert "Count words." in out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["-i", "file=a.md"], ["a.md"]),
        (["-i", "file=a.md", "-i", "limit=3", "-i", "all=false"], ["a.md"]),
        (["-i", "file=-a", "-i", "limit=4", "-i", "all=true"],
         ["--limit", "4", "--all", "--", "-a"]),
        (["--", "x", "--all"], ["x", "--all"]),
    ],
)  # fmt: skip
def test_inputs_become_arguments(skill: Path, run: Run, given: list[str], words: list[str]) -> None:
    status, out, _ = run("plan", str(skill), "scripts/count.py", "--format", "json", *given)
    argv = json.loads(out)["argv"]["unix"]
    assert (status, argv[2:]) == (0, words)


def test_a_required_argument_prevents_a_run(skill: Path, run: Run) -> None:
    status, out, _ = run("plan", str(skill), "scripts/count.py")
    assert status == 1
    assert "give it with -i file=VALUE, or give all arguments after --" in out


def test_operation_add_changes_only_the_operations(skill: Path, run: Run) -> None:
    text = (skill / "SKILL.md").read_text() + f"\n```skill-manifest\n{json.dumps(BLOCK)}\n```\n"
    (skill / "SKILL.md").write_text(text)
    assert run("edit", str(skill), "add-operation", "scripts/count.py", "--diff")[0] == 0
    assert (skill / "SKILL.md").read_text() == text
    assert run("edit", str(skill), "add-operation", "scripts/count.py")[0] == 0
    block = json.loads((skill / "SKILL.md").read_text().split("```")[1].partition("\n")[2])
    added = block.pop("operations")["count"]
    assert block == {key: value for key, value in BLOCK.items() if key != "operations"}
    assert added["entrypoints"]["unix"] == [
        "python3", "scripts/count.py", "--limit", "{limit}", "{file}",
    ]  # fmt: skip
    assert added["input"]["limit"]["default"] == 3
    status, _, err = run("edit", str(skill), "add-operation", "scripts/count.py")
    assert status == 1
    assert "already an operation count" in err


def test_a_skill_without_such_a_manifest_is_refused(skill: Path, run: Run) -> None:
    asked = ("edit", str(skill), "add-operation", "scripts/count.py")
    status, _, err = run(*asked, "--dialect", "frontmatter-1.0")
    assert status == 1
    assert "add one of skill-manifest-2.0" in err
    assert run(*asked)[0] == 0
    assert "```skill-manifest" in (skill / "SKILL.md").read_text()
