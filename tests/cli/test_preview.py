"""`skillstudio preview`: outputs before a run, files, cards and topics."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"
Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is no other one, so that nothing of this checkout is the workspace."""
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def test_an_output_that_is_not_there_yet(run: Run, work: Path) -> None:
    ran = run("preview", EXAMPLES / "worklog", "-i", "session_date=2026-01-02")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "worklog  (frontmatter-1.0)",
        f"workspace {os.path.realpath(work)}",
        "+ docs/worklogs/2026-01-02-session.org  new",
        "    from {{output_dir}}/{{session_date}}-{{topic}}.org",
        f"    in {os.path.realpath(work)}",
    ]


def test_an_output_that_would_be_overwritten(run: Run, work: Path) -> None:
    (work / "docs" / "worklogs").mkdir(parents=True)
    (work / "docs" / "worklogs" / "2026-01-02-x.org").write_text("* old\n")
    ran = run("preview", EXAMPLES / "worklog", "-i", "session_date=2026-01-02", "-i", "topic=x",
              "--format", "json")  # fmt: skip
    assert ran.status == 0
    assert ran.json["outputs"] == [
        {
            "pattern": "{{output_dir}}/{{session_date}}-{{topic}}.org",
            "path": "docs/worklogs/2026-01-02-x.org",
            "folder": os.path.realpath(work),
            "base": "repo_root",
            "state": "exists",
            "existing": [{"path": "docs/worklogs/2026-01-02-x.org", "size": 6}],
            "why": None,
        }
    ]
    assert set(ran.json) == {"skill", "operation", "workspace", "outputs", "problems"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "session_date has no value, so the path is unknown"),
        (["-i", "session_date=2026-01-02", "-i", "output_dir=../.."],
         "with these inputs it would leave its base folder"),
        (["-i", "session_date=2026-01-02", "-i", "output_dir=/etc"],
         "with these inputs it would be absolute"),
    ],
)  # fmt: skip
def test_an_output_that_is_not_known(run: Run, given: list[str], why: str) -> None:
    ran = run("preview", EXAMPLES / "worklog", *given)
    assert ran.status == 1
    path = "{{output_dir}}/{{session_date}}-{{topic}}.org"
    assert f"? {path}  path unknown\n    {why}\n" in ran.out
    assert ran.out.count(why) + ran.err.count(why) == 1


def test_a_sensitive_value_in_a_path_is_not_looked_for(run: Run, skill: Write) -> None:
    folder = skill(
        "s",
        '---\nmanifest_version: "1.0"\nname: s\ndescription: d. Use when d.\nversion: 1.0.0\n'
        "inputs:\n  required:\n    - name: key\n      description: k\n      sensitive: true\n"
        "      schema: {type: string}\n"
        'outputs:\n  files:\n    - pattern: "{{key}}.txt"\n      base: repo_root\n---\nx\n',
    )
    secret = folder.parent / "secret"
    secret.write_text("hunter2hunter2")
    ran = run("preview", folder, "--secret", f"key=@{secret}")
    assert "hunter2" not in ran.out + ran.err
    assert "the path contains a sensitive value" in ran.out
    assert ran.status == 1


def test_an_operation_is_named_where_there_are_several(run: Run) -> None:
    assert run("preview", EXAMPLES / "memory").status == 2
    ran = run("preview", EXAMPLES / "memory", "search", "-i", "query=x")
    assert (ran.status, ran.out.splitlines()[-1]) == (0, "no declared output files")
    assert run("preview", EXAMPLES / "memory", "none").status == 2


def test_a_file_as_what_it_holds(run: Run, work: Path) -> None:
    (work / "a.json").write_text('{"a": [1, "\\u001b"]}')
    ran = run("preview", "a.json")
    assert (ran.status, ran.out) == (0, '{\n  "a": [\n    1,\n    "\\u001b"\n  ]\n}\n')
    assert run("preview", "a.json", "--view", "raw").out == '{"a": [1, "\\u001b"]}\n'
    assert run("preview", "a.json", "--view", "hex").out.startswith("00000000  7b 22 61 22")


def test_a_part_of_a_file(run: Run, work: Path) -> None:
    (work / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 1001)))
    first = run("preview", "a.txt")
    assert first.out.splitlines()[-1] == "line 200"
    assert first.err == "lines 1 to 200 of 1,000; --lines A:B shows others\n"
    assert run("preview", "a.txt", "--lines", "999:1000").out == "line 999\nline 1000\n"
    assert len(run("preview", "a.txt", "--lines", ":").out.splitlines()) == 1000
    assert run("preview", "a.txt", "--lines", "998:").out.splitlines()[0] == "line 998"
    beyond = run("preview", "a.txt", "--lines", "2000:2001")
    assert (beyond.status, beyond.out) == (0, "")
    assert beyond.err == "there is no line 2,000; the last one is 1,000\n"
    told = run("preview", "a.txt", "--lines", "5:6", "--format", "json").json
    assert list(told) == [*("path", "kind", "view", "first", "lines", "known", "complete", "note")]
    assert (told["path"], told["kind"], told["view"]) == ("a.txt", "text", "preview")
    assert (told["first"], told["lines"]) == (5, ["line 5", "line 6"])


@pytest.mark.skipif(os.name == "nt", reason="links and FIFOs")
def test_what_is_no_file(run: Run, work: Path) -> None:
    (work / "link").symlink_to("/etc/shadow")
    os.mkfifo(work / "pipe")
    assert run("preview", "link").out == "a link to /etc/shadow\n"
    assert run("preview", "pipe").out == "a pipe (FIFO)\n"
    gone = run("preview", "none")
    assert (gone.status, gone.err) == (2, "skillstudio: none: no such file or folder\n")


def test_escapes_reach_no_terminal(run: Run, work: Path) -> None:
    (work / "a.txt").write_bytes(b"\x1b]0;x\x07\xc2\x9b31m\n")
    assert run("preview", "a.txt").out == "␛]0;x␇<U+009B>31m\n"


WRONG = [
    (["README", "--lines", "3:2"], "--lines needs A:B"),
    (["README", "--lines", "0:2"], "--lines needs A:B"),
    (["README", "--lines", "a:b"], "--lines needs A:B"),
    (["README", "op"], "a file and OPERATION cannot be combined"),
    ([str(EXAMPLES / "greeter"), "--lines", "1:2"], "--lines is for a file"),
    ([str(EXAMPLES / "greeter"), "--view", "hex"], "--view is for a file"),
    ([str(EXAMPLES / "greeter"), "--card", "--view", "hex"], "--card and --view"),
    ([str(EXAMPLES), "--prompt", "x", "--card"], "--prompt and --card"),
    (["README", "--card"], ""),
    ([".git", "--prompt", "x"], "there is no skill in .git"),
    ([".git"], ".git does not contain a skill"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_cannot_be_asked_for(run: Run, work: Path, arguments: list[str], message: str) -> None:
    (work / "README").write_text("x")
    ran = run("preview", *arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert message in ran.err


def test_a_card(run: Run) -> None:
    ran = run("preview", EXAMPLES / "aws", "--card")
    assert (ran.status, ran.err) == (0, "")
    for wanted in (
        "cloud.aws 0.3.0  caro-1.0",
        "Always in context  about 19 tokens",
        "  [x] eks  EKS cluster management",
        "  tests/  tests; caro's packer excludes them, too",
        "  suggests tool.terraform  Works great with Terraform for IaC",
        "  never starts rm, dd, mkfs",
    ):
        assert wanted in ran.out.splitlines()
    assert re.search(r"^Permissions requested: \d+  \(no policy set\)", ran.out, re.M)
    told = run("preview", EXAMPLES / "aws", "--card", "--format", "json").json
    assert told["features"][0] == {
        "name": "eks", "description": "EKS cluster management", "default": True}  # fmt: skip
    assert {each["path"] for each in told["files"]} >= {"skill.toml", "knowledge/overview.md"}
    assert told["permissions"]["permissions"][1]["value"] == "aws"


def test_a_card_by_the_policy_of_the_workspace(run: Run, work: Path, skill: Write) -> None:
    tools = "Bash(git:*) Bash(rm:*)"
    text = f"---\nname: a\ndescription: Says. Use when.\nallowed-tools: {tools}\n---\nx\n"
    folder = skill("work/a", text)
    (work / "skillstudio.toml").write_text('[policy]\ncommands = ["git"]\n')
    told = run("preview", folder, "--card", "--format", "json").json["permissions"]
    verdicts = {each["value"]: each["verdict"] for each in told["permissions"]}
    assert (verdicts["git"], verdicts["rm"]) == ("granted", "refused")
    out = run("preview", folder, "--card").out
    assert "refused by policy.commands (" in out


def test_a_skill_that_cannot_be_packed_still_has_a_card(run: Run, skill: Write) -> None:
    folder = skill()
    (folder / "out").symlink_to("/etc")
    ran = run("preview", folder, "--card")
    assert ran.status == 0
    assert "  ✗ out is a link to '/etc', which is not a path within the skill" in ran.out


def test_topics_that_match_a_prompt(run: Run) -> None:
    ran = run("preview", EXAMPLES, "--prompt", "list my aws buckets")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("cloud.aws  (")
    assert lines[0].endswith(")  priority 100")
    assert "  topic aws" in lines
    told = run("preview", EXAMPLES, "--prompt", "list my aws buckets", "--format", "json").json
    assert list(told) == ["prompt", "words", "matching", "others", "notes"]
    assert told["matching"][0]["matches"][0] == {
        "rule": "topic-exact",
        "topic": "aws",
        "words": ["aws"],
        "distance": 0,
        "note": "",
    }
    none = run("preview", EXAMPLES / "greeter", "--prompt", "zzz")
    assert (none.status, none.out.splitlines()[-1]) == (1, "0 of 1 skill match")


def test_the_last_run_is_on_the_card(run: Run, skill: Write) -> None:
    folder = skill("plain", None)
    (folder / "scripts").mkdir()
    (folder / "scripts" / "a.sh").write_text("#!/bin/sh\necho hi > out.txt\n")
    (folder / "SKILL.md").write_text(
        '---\nmanifest_version: "1.0"\nname: plain\nversion: 1.0.0\n'
        "description: Says things. Use when things are said.\n"
        "preconditions:\n  commands:\n    - cmd: git\n---\nRun scripts/a.sh.\n"
    )
    done = run("run", folder, "scripts/a.sh", "--isolation", "copy", "--yes")
    assert done.status in (0, 1), done.err
    told = run("preview", folder, "--card", "--format", "json").json["permissions"]
    assert told["run"]
    assert [each["effect"] for each in told["beyond"]] == ["fs.write"]
    # Another skill of the same name has not run.
    namesake = folder.parent / "elsewhere" / "plain"
    shutil.copytree(folder, namesake)
    assert not run("preview", namesake, "--card", "--format", "json").json["permissions"]["run"]


def test_one_json_value_stays_small(run: Run, work: Path) -> None:
    (work / "long.txt").write_text("x\n" * 12_345)
    told = run("preview", "long.txt", "--lines", "100:", "--format", "json").json
    assert (told["first"], len(told["lines"])) == (100, 10_000)
