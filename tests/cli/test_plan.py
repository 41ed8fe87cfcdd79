"""`skillstudio plan`: what would be started, for people and for programs."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"
Write = Callable[..., Path]
KEYS = [
    *("skill", "operation", "dialect", "argv", "cwd", "env", "inputs", "requirements", "outputs"),
    *("effects", "isolation", "problems"),
]

MEMORY = """\
memory search  (skill-manifest-2.0)
Starts
  bash scripts/router_mem.sh search 'what did we decide' 5
Inputs
  query  "what did we decide"
  limit  5 (default)
Declared effects
  proc.exec, db.read, db.write
Requires  1 of 1 met
Working directory
  {skill}
Isolation: plan  -v shows everything
"""
ALL_OF_MEMORY = (
    "  unix     bash scripts/router_mem.sh search 'what did we decide' 5",
    "  windows  powershell.exe -NoProfile -ExecutionPolicy Bypass -File "
    "'scripts\\router_mem.ps1' search 'what did we decide' 5",
    "  the current folder (the run changes a copy)",
    "Requires\n  bash  ok: ",
    "Timeout\n  30 s",
    "Isolation: plan",
)


@pytest.fixture(autouse=True)
def _in_a_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository that is no other one, so that nothing of this checkout is the workspace."""
    (tmp_path / "work" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")


def test_a_plan_for_people(run: Run) -> None:
    ran = run("plan", EXAMPLES / "memory", "search", "-i", "query=what did we decide",
              "--isolation", "plan")  # fmt: skip
    assert (ran.status, ran.err) == (0, "")
    shown = MEMORY.format(skill=EXAMPLES / "memory")
    # Which higher isolation levels there are, the machine says.
    assert ran.out.startswith(shown)
    ran = run("plan", EXAMPLES / "memory", "search", "-i", "query=what did we decide",
              "--isolation", "plan", "-v")  # fmt: skip
    for line in ALL_OF_MEMORY:
        assert line in ran.out


def test_the_shape_of_json(run: Run) -> None:
    ran = run("plan", EXAMPLES / "worklog", "-i", "session_date=2025-12-31", "--isolation", "plan",
              "--format", "json")  # fmt: skip
    told = ran.json
    assert ran.status == 0
    assert list(told)[: len(KEYS)] == KEYS
    assert (told["skill"], told["operation"], told["dialect"]) == (
        "worklog",
        "",
        "frontmatter-1.0",
    )
    assert told["argv"] == {"unix": [], "windows": []}
    assert told["cwd"] == os.path.realpath(".")
    assert told["inputs"]["topic"] == "session"
    assert told["outputs"] == [
        {
            "pattern": "{{output_dir}}/{{session_date}}-{{topic}}.org",
            "path": "docs/worklogs/2025-12-31-session.org",
            "base": "repo_root",
        }
    ]
    assert set(told["isolation"]) == {"id", "known_gaps", "reasons"}
    assert told["isolation"]["id"] == "plan"
    for each in told["requirements"]:
        assert set(each) == {"kind", "name", "state", "found", "wanted"}
    for each in told["problems"]:
        assert set(each) == {"rule", "message", "pointer", "severity"}


def test_the_argv_of_one_process_and_of_a_recipe(run: Run) -> None:
    one = run("plan", EXAMPLES / "memory", "health", "--isolation", "plan", "--format", "json").json
    assert one["argv"]["unix"] == ["bash", "scripts/router_mem.sh", "health"]
    assert one["argv"]["windows"][0] == "powershell.exe"
    recipe = run("plan", EXAMPLES / "aws", "deploy-app", "--sample", "staging", "--isolation",
                 "plan", "--format", "json").json  # fmt: skip
    assert [step[0] for step in recipe["argv"]["unix"]] == ["aws", "kubectl", "kubectl", "kubectl"]
    assert [step["mocked"] for step in recipe["steps"]] == [True] * 4
    module = run("plan", EXAMPLES / "echo-json", "-i", "message=x", "--isolation", "plan",
                 "--format", "json").json  # fmt: skip
    assert module["argv"]["unix"] == ["skill.wasm"]


def test_problems_have_their_place(run: Run) -> None:
    ran = run("plan", EXAMPLES / "worklog", "-i", "session_date=31.12.", "-i", "topik=x",
              "--isolation", "plan")  # fmt: skip
    assert ran.status == 1
    assert re.search(
        r"worklog/SKILL\.md:12:13: error: session_date must match the pattern .* \[input-invalid\]",
        ran.out,
    )
    assert "error: unknown input topik; did you mean topic?  [input-unknown]" in ran.out


USAGE = [
    (["memory"], "memory has 4 operations; name one of search, store, health, types"),
    (["memory", "serch"], "unknown operation serch; did you mean search?"),
    (["memory", "health", "-i", "novalue"], "-i needs NAME=VALUE"),
    (["memory", "health", "--inputs-json", "{"], "--inputs-json is not JSON:"),
    (["memory", "health", "--inputs-json", "@nowhere.json"], "nowhere.json: No such file"),
    (["memory", "health", "--sample", "none"], "no sample none; use one of all"),
    (["memory", "health", "--sample", "../all"], "invalid sample name"),
    (
        ["memory", "health", "--isolation", "cloud"],
        "unknown isolation level cloud; choose from plan, copy",
    ),
    (["memory", "health", "--timeout", "0"], "a number of seconds above 0"),
    (["memory", "health", "--timeout", "nan"], "a number of seconds above 0"),
    (["memory", "health", "--workspace", "/"], "the whole machine"),
    (["memory", "health", "--workspace", "~"], ": no such folder"),
    (["memory", "health", "--secret", "key=hunter2"], "--secret key needs NAME=@FILE or"),
    (["memory", "health", "--secret", "hunter2"], "--secret needs NAME=@FILE or"),
    (["memory", "health", "--secret", "key=env:NOT_SET"], "the variable NOT_SET is not set"),
    (["nowhere"], "nowhere"),
]


@pytest.mark.parametrize(("arguments", "said"), USAGE)
def test_wrong_use(run: Run, arguments: list[str], said: str) -> None:
    ran = run("plan", EXAMPLES / arguments[0], *arguments[1:])
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert "hunter2" not in ran.err


def test_the_home_folder_is_no_workspace(run: Run) -> None:
    ran = run("plan", EXAMPLES / "memory", "health", "--workspace", os.environ["HOME"])
    assert ran.status == 2
    assert "your home folder" in ran.err


def test_an_isolation_level_that_is_not_to_be_had(run: Run) -> None:
    ran = run("plan", EXAMPLES / "memory", "health", "--isolation", "wasm")
    assert (ran.status, ran.out) == (4, "")
    assert "isolation level wasm cannot run a program that is not WASM" in ran.err
    assert run("plan", EXAMPLES / "memory", "health", "--require-isolation", "wasm").status == 4


def test_a_plan_without_a_choice_takes_the_highest_isolation_level(run: Run) -> None:
    from skillstudio.dryrun.isolation.levels import probe_isolation

    told = run("plan", EXAMPLES / "memory", "health", "--format", "json").json
    order = ("plan", "copy", "confined", "isolated")
    there = [
        isolation.id
        for isolation in probe_isolation().all
        if isolation.available and isolation.id in order
    ]
    assert told["isolation"]["id"] == there[-1]


def test_what_does_not_parse_is_refused_with_its_place(run: Run, skill: Write) -> None:
    ran = run("plan", skill("plain", "---\nname: plain\ninputs: [\n---\n"))
    assert (ran.status, ran.out) == (2, "")
    assert re.search(r"plain/SKILL\.md:\d+:\d+: ", ran.err)


def test_an_archive_is_no_skill_on_disk(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "memory.skill"
    assert run("pack", EXAMPLES / "memory", "-o", target).status == 0
    ran = run("plan", target, "health")
    assert ran.status == 2
    assert "is not a skill on disk" in ran.err


def test_a_script_with_what_follows(run: Run) -> None:
    ran = run("plan", EXAMPLES / "worklog", "scripts/extract-metrics.sh", "--isolation", "plan",
              "--format", "json", "-i", "session_date=2025-12-31", "--", "2025-12-31", "--format",
              "--", "$(id)")  # fmt: skip
    assert ran.json["argv"]["unix"][2:] == ["2025-12-31", "--format", "--", "$(id)"]


def test_secrets_come_from_files_and_variables_and_are_never_shown(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("hunter2-the-key\n")
    monkeypatch.setenv("MINE", "hunter2-the-token")
    for format in ("text", "json"):
        ran = run("plan", EXAMPLES / "deploy", "scripts/deploy.sh", "--isolation", "plan",
                  "--secret",
                  f"deploy_key=@{tmp_path / 'key'}", "--secret", "DEPLOY_TOKEN=env:MINE",
                  "--format", format, "--", "x=hunter2-the-key", "y")  # fmt: skip
        assert "hunter2" not in ran.out + ran.err
        assert "‹sensitive›" in (
            ran.out if format == "text" else json.dumps(ran.json, ensure_ascii=False)
        )


def test_a_sample_with_a_fault_is_told_with_its_place(run: Run, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "memory"
    shutil.copytree(EXAMPLES / "memory", copy)
    (copy / "samples/health/bad.yaml").write_text("inputs: {}\ninput: {}\n")
    ran = run("plan", copy, "health", "--sample", "bad")
    assert ran.status == 2
    assert f'{copy}/samples/health/bad.yaml:2:1: unknown key "input"' in ran.err


def test_a_sample_that_holds_a_secret_is_refused(run: Run, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "worklog"
    shutil.copytree(EXAMPLES / "worklog", copy)
    (copy / "samples/day.yaml").write_text("inputs: {session_date: '', api_key: hunter2}\n")
    ran = run("plan", copy, "--sample", "day")
    assert (ran.status, ran.out) == (2, "")
    assert "remove the sensitive api_key" in ran.err
    assert "hunter2" not in ran.err


HOSTILE = "---\nmanifest_version: '1.0'\nname: hostile\ndescription: x\ninputs:\n  optional:\n" + (
    '    - {name: "a\\u001b]0;t\\u0007", schema: {default: "b\\u009b2J\\u202e"}}\n---\nx\n'
)


def test_nothing_of_the_author_steers_the_terminal(run: Run, skill: Write) -> None:
    out = run("plan", skill("hostile", HOSTILE), "--isolation", "plan").out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert "a␛]0;t" in out


def test_nothing_is_written_by_a_plan(run: Run, skill: Write, tmp_path: Path) -> None:
    folder = skill("plain")
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    assert run("plan", folder, "--isolation", "plan").status == 0
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


def test_a_long_plan_is_cut_without_all(run: Run, tmp_path: Path) -> None:
    outputs = "".join(
        f"    - {{pattern: o{at}.txt, description: A file.}}\n" for at in range(1_100)
    )
    (tmp_path / "SKILL.md").write_text(
        "---\nmanifest_version: '1.0'\nversion: 1.0.0\nname: g\ndescription: Says. Use it.\n"
        f"outputs:\n  files:\n{outputs}---\nSay.\n"
    )
    cut = run("plan", tmp_path, "--format", "json").json
    assert (len(cut["outputs"]), cut["total"]["/outputs"]) == (1_000, 1_100)
    whole = run("plan", tmp_path, "--all", "--format", "json").json
    assert len(whole["outputs"]) == 1_100


def test_a_script_that_does_not_parse_is_the_reason_why_its_inputs_are_unknown(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "work" / "sums"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: sums\ndescription: Sums. Use it.\n---\n")
    script = folder / "scripts" / "sum.py"
    text = "#!/usr/bin/env python3\nimport argparse\np = argparse.ArgumentParser()\n"
    text += 'p.add_argument("one")\nprint(p.parse_args().one)\n'
    script.write_text(text)
    words = ("plan", folder, "scripts/sum.py", "-i", "one=1", "-i", "two=2", "--isolation", "plan")
    rules = [each["rule"] for each in run(*words, "--format", "json").json["problems"]]
    assert "input-unknown" in rules
    script.write_text(text + "print(\n")
    problems = run(*words, "--format", "json").json["problems"]
    errors = [each["message"] for each in problems if each["severity"] == "error"]
    assert errors == [
        "scripts/sum.py: not valid Python 3: line 6: '(' was never closed, so its inputs are not "
        "known; fix it"
    ]
