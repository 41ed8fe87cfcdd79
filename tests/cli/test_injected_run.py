"""`run --injected`: the commands that Claude Code runs when it starts a skill."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run
from tests.dryrun.skills import offered

HEAD = "---\nname: demo\ndescription: Shows things. Use for things.\n---\n"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs bash")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a skill in a folder with a space, and the current folder."""
    project = tmp_path / "my project"
    skill = project / "skills" / "demo"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts" / "say.sh").write_text("echo said $1; pwd; echo bad >&2; touch left\n")
    (project / "notes.txt").write_text("tea\n")
    monkeypatch.chdir(project)
    return project


def write(project: Path, body: str) -> str:
    (project / "skills" / "demo" / "SKILL.md").write_text(HEAD + body)
    return "skills/demo"


def rows(run: Run, project: Path, body: str, *words: str) -> tuple[int, list[dict[str, Any]]]:
    ran = run(
        "run", write(project, body), "--injected", "--workspace", ".", "--format", "json", *words
    )
    return ran.status, ran.json["commands"]


@pytest.mark.parametrize("level", ["copy", "confined", "isolated"])
def test_each_command_is_run_in_copies(project: Path, run: Run, level: str) -> None:
    body = 'Notes: !`cat notes.txt`\n```!\nbash "${CLAUDE_SKILL_DIR}/scripts/say.sh" $0\n```\n'
    status, found = rows(run, project, body, "--isolation", offered(level), "--", "milk")
    assert status == 0
    assert [(each["line"], each["output"]) for each in found] == [
        (5, "tea"),
        (6, f"said milk\n{project}"),
    ]
    assert [each["stderr"] for each in found] == ["", "bad"]
    assert not (project / "left").exists()


def test_a_failing_command_aborts_the_skill(project: Path, run: Run) -> None:
    body = "!`grep coffee notes.txt`\n!`cat none.txt`\n`false`\n```bash\nfalse\n```\n"
    status, found = rows(run, project, body, "--isolation", offered("isolated"))
    assert status == 1
    assert [(each["operation"], each["exit_code"], each["aborts"]) for each in found] == [
        ("SKILL.md:5", 1, False),
        ("SKILL.md:6", 1, True),
    ]
    ran = run("run", "skills/demo", "--injected", "--workspace", ".")
    assert "2 injected commands · 1 would abort the skill" in ran.out
    assert "skills/demo/SKILL.md:6: cat none.txt\n" in ran.out
    assert "exit 1 · Claude Code would abort the skill here" in ran.out


def test_one_command_is_run_by_its_place(project: Path, run: Run) -> None:
    skill = write(project, "!`echo a` and !`echo $ARGUMENTS`\n")
    ran = run("plan", skill, "SKILL.md:5:15", "--format", "json", "--", "b c", "d")
    assert (ran.status, ran.json["argv"]["unix"]) == (0, ["bash", "-c", 'echo "b c" d'])
    ran = run("run", skill, "SKILL.md:7")
    assert ran.status == 2
    assert "did you mean SKILL.md:5?" in ran.err


def test_the_list_says_how_many_there_are(project: Path, run: Run) -> None:
    ran = run("run", write(project, "!`true`\n"))
    assert ran.status == 2
    assert "1 injected command: skillstudio run skills/demo --injected" in ran.out


def test_what_a_command_prints_is_safe_for_a_terminal(project: Path, run: Run) -> None:
    skill = write(project, "!`printf '\\033[31mred'`\n")
    ran = run("run", skill, "--injected", "--workspace", ".", "--isolation", "copy")
    assert ran.status == 0
    assert "\x1b" not in ran.out


@pytest.mark.parametrize(
    ("body", "words", "message"),
    [
        ("`ls`\n", (), "demo has no injected commands: no !`command` and no ```! block"),
        ("!`ls`\n", ("scripts/say.sh",), "--injected runs all injected commands; leave out"),
        ("!`ls`\n", ("--apply",), "--injected and --apply cannot be used together"),
        ("!`ls`\n", ("--with", "six"), "--injected and --with cannot be used together"),
    ],
)
def test_refusals(project: Path, run: Run, body: str, words: tuple[str, ...], message: str) -> None:
    ran = run("run", write(project, body), *words, "--injected")
    assert ran.status == 2
    assert message in ran.err


def test_powershell_is_not_run(project: Path, run: Run) -> None:
    skill = project / "skills" / "demo" / "SKILL.md"
    skill.write_text(HEAD.replace("name:", "shell: powershell\nname:") + "!`Get-Date`\n")
    ran = run("run", "skills/demo", "--injected", "--workspace", ".", "--format", "json")
    assert (ran.status, ran.json["commands"][0]["exit_code"]) == (0, None)
    assert "PowerShell" in ran.json["commands"][0]["reason"]
