"""`skillstudio check`: protos, ignores of the settings, lists, revisions, watching."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run
from tests.repositories import Repo

Skill = Callable[..., Path]

GREETER = (
    '---\nmanifest_version: "1.0"\nname: greeter\ndescription: Greets. Use it.\ninputs:\n'
    "  required:\n    - name: who\n      description: Whom.\n      schema:\n        type: string\n"
    "---\nGreet.\n"
)


@pytest.mark.parametrize(
    ("proto", "found"),
    [
        ("steps:\n  - skill: greeter\n    inputs: {who: Ada}\n", []),
        ("steps:\n  - skill: greeter\n", [("binding-input-unmapped", 2, 12)]),
        ("steps:\n  - skill: greter\n", [("binding-skill-missing", 2, 12)]),
        ("steps:\n  - skill: [\n", [("syntax-yaml", 2, 12)]),
    ],
)
def test_a_proto_is_checked_against_the_skills_of_its_workspace(
    run: Run, skill: Skill, tmp_path: Path, proto: str, found: list[tuple[str, int, int]]
) -> None:
    skill("skills/greeter", text=GREETER)
    (tmp_path / ".git").mkdir()
    (tmp_path / "protos").mkdir()
    file = tmp_path / "protos" / "day.yaml"
    file.write_text(proto)
    ran = run("check", file, "--format", "json")
    rows = ran.json["workspace"]["diagnostics"]
    assert [(row["rule"], row["line"], row["column"]) for row in rows] == found
    assert {row["path"] for row in rows} <= {str(file)}
    assert ran.json["skills"] == []
    assert ran.status == (1 if found else 0)


NEEDING = """---
manifest_version: "1.0"
name: needing
description: Does a thing. Use it.
env:
  required:
    - {name: NEEDED_VARIABLE, description: Needed.}
  optional:
    - {name: NO_VARIABLE, description: Not needed.}
preconditions:
  commands:
    - cmd: git
      min_version: "2.1"
    - cmd: git-lfs-but-not-really
  files:
    - {path: notes.txt, base: repo_root}
    - {path: more.txt, base: cwd}
---
Do it.
"""


def test_what_depends_on_this_machine_is_checked_with_here(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = skill("skills/needing", text=NEEDING)
    (tmp_path / ".git").mkdir()
    file = tmp_path / "day.yaml"
    file.write_text("skill: needing\n")
    monkeypatch.delenv("NEEDED_VARIABLE", raising=False)

    def found(*options: str) -> list[tuple[str, str]]:
        rows = run("check", file, *options, "--format", "json").json["workspace"]["diagnostics"]
        return [(row["rule"], row["message"]) for row in rows]

    assert found() == []
    told = found("--here")
    assert [rule for rule, _ in told] == [
        "binding-command-missing",
        "binding-file-missing",
        "binding-file-missing",
        "binding-env-missing",
    ]
    assert told[0][1] == "needing: git-lfs-but-not-really is not on this machine"
    (tmp_path / "notes.txt").touch()
    (folder / "more.txt").touch()
    monkeypatch.setenv("NEEDED_VARIABLE", "")
    assert [rule for rule, _ in found("--here")] == ["binding-command-missing"]
    (folder / "SKILL.md").write_text(NEEDING.replace("2.1", "99"))
    assert "git is older than required" in found("--here")[0][1]


def test_a_proto_shows_its_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "day.yml"
    file.write_text("skill: nobody\n")
    lines = run("check", file).out.splitlines()
    assert lines[0].startswith(f"{file}:1:8: error binding-skill-missing: ")
    assert lines[1:3] == ["  1 | skill: nobody", "    |        ^^^^^^"]


def test_yaml_that_names_no_skill_belongs_to_none(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "compose.yaml"
    file.write_text("services: {}\n")
    rows = run("check", file, "--format", "json").json["workspace"]["diagnostics"]
    assert [row["rule"] for row in rows] == ["skill-missing"]


def test_a_file_of_a_skill_means_that_skill_alone(run: Run, skill: Skill) -> None:
    outer = skill("outer")
    skill("outer/inner", text=CLEAN.format(name="inner"))
    value = run("check", outer / "SKILL.md", "--format", "json").json
    assert [row["name"] for row in value["skills"]] == ["outer"]


IGNORES = """[[ignore]]
rule = "key-unknown"
path = "plain/SKILL.md"

[[ignore]]
rule = "value-type"
path = "plain/SKILL.md"
reason = "the client reads both"
"""


def test_an_idle_ignore_of_the_settings_is_told(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    skill(text="---\nname: plain\ndescription: Says. Use it.\nlicence: MIT\n---\n")
    Path("skillstudio.toml").write_text(IGNORES)
    value = run("check", ".", "--format", "json").json
    assert value["skills"][0]["diagnostics"] == []
    rows = value["workspace"]["diagnostics"]
    assert [(row["rule"], row["path"], row["line"]) for row in rows] == [
        ("ignore-unused", "skillstudio.toml", 6)
    ]
    part = run("check", "plain", "--format", "json").json
    assert part["workspace"]["diagnostics"] == []


@pytest.mark.parametrize(
    "path",
    [
        ".claude-plugin/plugin.json",
        "own/.claude-plugin/plugin.json",
        "plugins/own/.claude-plugin/*",
        "plugins/*/plugin.json",
    ],
)
def test_an_ignore_of_the_settings_for_a_plugin(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    skill("plugins/own/skills/plain", text="---\nname: plain\ndescription: Says. Use it.\n---\n")
    manifest = Path("plugins/own/.claude-plugin/plugin.json")
    manifest.parent.mkdir()
    manifest.write_text('{"name": "own", "themes": "./none", "version": "1"}')
    Path("skillstudio.toml").write_text(f'[[ignore]]\nrule = "path-missing"\npath = "{path}"\n')
    for asked in (".", manifest, "plugins/own"):
        rows = run("check", asked, "--format", "json").json["workspace"]["diagnostics"]
        assert [row["rule"] for row in rows] == ["version-not-semver"]
    manifest.write_text('{"name": "own"}')
    rows = run("check", ".", "--format", "json").json["workspace"]["diagnostics"]
    assert [row["rule"] for row in rows] == ["ignore-unused"]


@pytest.mark.parametrize("separator", ["\n", "\0"])
def test_a_list_on_stdin(
    run: Run, skill: Skill, monkeypatch: pytest.MonkeyPatch, separator: str
) -> None:
    folders = [skill("one"), skill("two words")]
    listed = separator.join(f"{folder}/SKILL.md" for folder in folders) + separator
    monkeypatch.setattr("sys.stdin", io.StringIO(listed))
    value = run("check", "-", "--format", "json").json
    assert [row["path"] for row in value["skills"]] == [str(folder) for folder in folders]


def test_an_empty_list_checks_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    ran = run("check", "-")
    assert (ran.status, ran.out) == (0, "0 skills checked, no problems\n")


def test_a_revision_that_git_does_not_know_exits_2(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for made in ("the repository has no commits", "unknown git revision"):
        for ref in ("no-such-ref", "--output=stolen", "HEAD~1"):
            ran = run("check", folder, f"--changed-since={ref}")
            assert (ran.status, ran.out) == (2, "")
            assert made in ran.err
        Repo(tmp_path).commit({"a": "b"})
    assert not (tmp_path / "stolen").exists()


@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent as POSIX signals")
def test_watch_checks_again_when_a_file_changes(skill: Skill) -> None:
    folder = skill()
    file = folder / "SKILL.md"
    # A shell starts what it runs in the background with interrupts ignored.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from skillstudio.cli.main import main; sys.exit(main())"
    )
    arguments = ["check", str(folder), "--watch", "--format", "github"]
    with subprocess.Popen(
        [sys.executable, "-u", "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watching:
        try:
            assert watching.stdout is not None
            assert watching.stderr is not None
            assert watching.stderr.readline() == "watching; ^C ends\n"
            file.write_text(file.read_text().replace("Says things.", "Use when: asked."))
            assert "title=description-unquoted" in watching.stdout.readline()
            assert watching.stderr.readline() == "watching; ^C ends\n"
            watching.send_signal(signal.SIGINT)
            assert watching.wait(timeout=60) == 130
            assert "Traceback" not in watching.stderr.read()
        finally:
            watching.kill()


def test_a_report_is_one_value(run: Run, skill: Skill) -> None:
    ran = run("check", skill(), "--format", "json")
    assert json.loads(ran.out)["summary"] == {"skills": 1, "errors": 0, "warnings": 0, "infos": 0}


def test_the_place_of_skills_selects_targets_and_their_listing(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "---\nname: {0}\ndescription: {1}\n---\nSay.\n"
    for number in range(9):
        name = f"s{number}"
        skill(f".claude/skills/{name}", text=text.format(name, "d" * 1000))
    skill(".codex/skills/tea", text=text.format("tea", "d" * 2000))
    monkeypatch.chdir(tmp_path)
    ran = run("check", ".", "--format", "json")
    rows = {row["name"]: row for row in ran.json["skills"]}
    assert rows["s0"]["selected_by"] == "the skill is in .claude/skills"
    assert list(rows["s0"]["targets"]) == ["claude-code"]
    assert [each["rule"] for each in rows["tea"]["diagnostics"]] == [
        "description-length",
        "target-partial",
    ]
    listing = ran.json["workspace"]["listing"]
    assert listing[".claude/skills"]["claude-code"]["used"] == 9 * 1007
    assert listing[".claude/skills"]["claude-code"]["dropped"] == 2
    assert listing[".codex/skills"]["codex"]["cut"] == {"tea": 976}
    (problem,) = ran.json["workspace"]["diagnostics"]
    assert (problem["rule"], problem["path"]) == ("listing-budget", ".claude/skills")
    assert problem["message"] == (
        "these 9 skills take 9,063 of 8,000 characters that Claude Code lists at a context window "
        "of 200,000 tokens, so it leaves out at least 2 descriptions, of the skills used least; "
        "shorten the descriptions by 1,063 characters"
    )
    assert ran.status == 0
    why = run("why", ".claude/skills/s0").out
    assert "s0  selected: Claude Code (the skill is in .claude/skills)\n✓ Claude Code, " in why
    assert "\nthese 9 skills take 9,063 of 8,000 characters" in why
    (tmp_path / "skillstudio.toml").write_text('[rules]\nlisting-budget = "off"\n')
    assert run("check", ".", "--format", "json").json["workspace"]["diagnostics"] == []
    ran = run("check", ".", "--format", "json", "--target", "roo")
    assert {row["selected_by"] for row in ran.json["skills"]} == {"--target"}
    assert "Selected without --target" in run("targets", "claude-code").out


PLUGIN_SKILL = "---\nname: greet\ndescription: Greets. Use it.\n---\nGreet.\n"


@pytest.mark.parametrize("path", ["", ".claude-plugin/plugin.json"])
def test_the_files_of_a_plugin_are_checked(
    run: Run, skill: Skill, tmp_path: Path, path: str
) -> None:
    skill("plugin/skills/greet", text=PLUGIN_SKILL)
    folder = tmp_path / "plugin"
    (folder / ".claude-plugin").mkdir()
    (folder / ".claude-plugin" / "plugin.json").write_text('{\n  "name": "a",\n  "skills": "x"\n}')
    ran = run("check", folder / path, "--format", "json")
    (row,) = ran.json["workspace"]["diagnostics"]
    assert (row["rule"], row["line"], row["column"]) == ("plugin-path-form", 3, 13)
    assert row["path"] == str(folder / ".claude-plugin" / "plugin.json")
    assert (len(ran.json["skills"]), ran.status) == (0 if path else 1, 1)


def test_settings_switch_off_rules_of_plugins(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".claude-plugin").mkdir()
    (tmp_path / ".claude-plugin" / "plugin.json").write_text('{"name": "A_b", "x": 1}')
    (tmp_path / "skillstudio.toml").write_text(
        '[rules]\nplugin-name-format = "off"\nkey-unknown = "error"\n'
    )
    rows = run("check", tmp_path, "--format", "json").json["workspace"]["diagnostics"]
    assert [(row["rule"], row["severity"]) for row in rows] == [("key-unknown", "error")]


@pytest.mark.parametrize(
    ("text", "skills"),
    [
        ("---\nname: odd\ndescription: Says. Use it.\n---\n", 1),
        ("---\ndescription: Says. Use it.\nname: [\n---\n", 1),
        ("---\nconcept: skills\n---\n# Skill\n", 0),
        ("# Skill\n", 0),
    ],
)
def test_a_page_named_skill_md_is_a_skill_only_by_its_keys(
    run: Run, tmp_path: Path, text: str, skills: int
) -> None:
    (tmp_path / "wiki/odd").mkdir(parents=True)
    (tmp_path / "wiki/odd/skill.md").write_text(text)
    value = run("check", tmp_path / "wiki", "--format", "json").json
    assert len(value["skills"]) == skills
