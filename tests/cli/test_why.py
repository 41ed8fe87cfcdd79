"""`skillstudio why`: which clients see a skill, and what stops the others."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import CLEAN, Run

from skillstudio.manifest.targets import targets

Skill = Callable[..., Path]
PLAIN = CLEAN.format(name="plain")


@pytest.fixture
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def client(value: Any, id: str) -> tuple[str, list[tuple[str, int, int]]]:
    """A target's outcome, and each reason's outcome and place."""
    (row,) = [each for each in value["targets"] if each["target"] == id]
    return (
        row["outcome"],
        [(each["outcome"], each["line"], each["column"]) for each in row["reasons"]],
    )


def test_a_skill_in_the_folder_of_a_client(run: Run, skill: Skill) -> None:
    value = run("why", skill("app/.claude/skills/plain", text=PLAIN), "--format", "json").json
    assert value["where"] == ".claude/skills/plain"
    assert client(value, "claude-code") == ("loads", [])
    assert client(value, "codex") == ("not found", [("not found", 1, 1)])


def test_the_repository_is_the_project(run: Run, skill: Skill, tmp_path: Path) -> None:
    (tmp_path / "app" / ".git").mkdir(parents=True)
    value = run("why", skill("app/tools/.agents/skills/plain", text=PLAIN), "--format", "json").json
    assert value["where"] == "tools/.agents/skills/plain"


def test_the_users_own_folder(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    value = run("why", skill(".claude/skills/plain", text=PLAIN), "--format", "json").json
    assert value["where"] == "~/.claude/skills/plain"
    assert client(value, "claude-code")[0] == "loads"


def test_the_colon_that_only_some_clients_forgive(run: Run, skill: Skill) -> None:
    text = "---\nname: plain\ndescription: Use when: asked\n---\n"
    value = run("why", skill(".claude/skills/plain", text=text), "--format", "json").json
    assert client(value, "goose") == ("dropped", [("dropped", 3, 22), ("loads", 1, 1)])
    assert client(value, "opencode")[0] == "loads"


def test_a_skill_of_the_same_name_comes_first(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    skill("home/.claude/skills/plain", text=PLAIN)
    value = run("why", skill("app/.claude/skills/plain", text=PLAIN), "--format", "json").json
    assert client(value, "claude-code") == ("dropped", [("dropped", 1, 1)])


def test_the_dialects_found_and_why(run: Run, skill: Skill) -> None:
    text = "---\nname: plain\ndescription: Says. Use it.\nmanifest_version: '1.0'\n---\n"
    folder = skill(text=text)
    value = run("why", folder / "SKILL.md", "--format", "json").json
    assert [(each["id"], each["reason"]) for each in value["dialects"]] == [
        ("agent-skills", "frontmatter of SKILL.md"),
        ("frontmatter-1.0", "frontmatter of SKILL.md with the key manifest_version"),
    ]
    out = run("why", "-v", folder).out
    assert "frontmatter-1.0: frontmatter of SKILL.md with the key manifest_version\n" in out
    assert "frontmatter-1.0" not in run("why", folder).out


@pytest.mark.usefixtures("in_tmp_path")
def test_where_nobody_looks_is_one_line_with_the_command(run: Run, skill: Skill) -> None:
    skill(text=PLAIN)
    *_, last = run("why", "plain").out.splitlines()
    assert last.startswith("○ look elsewhere: amp, claude-code, cline, codex,")
    assert last.endswith(
        "copy it for one of them with: skillstudio export plain --target ID -o FOLDER/plain"
    )
    lines = run("why", "--verbose", "plain").out.splitlines()
    assert "○ Claude Code looks elsewhere; it only looks in ~/.claude/skills, .claude/skills" in (
        lines
    )


@pytest.mark.usefixtures("in_tmp_path")
@pytest.mark.parametrize("named", ["codex", "Codex"])
def test_a_target_that_is_asked_for(run: Run, skill: Skill, named: str) -> None:
    skill(".claude/skills/my skill", text=PLAIN)
    folder = ".claude/skills/my skill"
    assert run("why", folder, "--target", named).out.splitlines() == [
        f"{folder}  selected: Codex (--target)",
        "○ Codex looks elsewhere, and would load it there",
        "  it only looks in .agents/skills, .codex/skills, ~/.agents/skills, ~/.codex/skills",
        f"  copy it there with: skillstudio export '{folder}' --target codex "
        "-o .agents/skills/'my skill'",
    ]
    value = run("why", folder, "--target", named, "--format", "json").json
    assert [each["target"] for each in value["targets"]] == ["codex"]


@pytest.mark.usefixtures("in_tmp_path")
def test_the_command_copies_the_skill_to_where_the_target_looks(run: Run, skill: Skill) -> None:
    skill("skills/plain", text=PLAIN)
    *_, last = run("why", "skills/plain", "--target", "claude-code").out.splitlines()
    _, _, command = last.partition("copy it there with: skillstudio ")
    assert run(*shlex.split(command)).status == 0
    value = run("why", ".claude/skills/plain", "--format", "json").json
    assert client(value, "claude-code")[0] == "loads"


@pytest.mark.usefixtures("in_tmp_path")
def test_a_target_that_export_does_not_know_gets_a_copy(run: Run, skill: Skill) -> None:
    skill("skills/plain", text=PLAIN)
    *_, last = run("why", "skills/plain", "--target", "Kiro").out.splitlines()
    command = "mkdir -p .kiro/skills && cp -r skills/plain .kiro/skills/plain"
    assert last == f"  copy it there with: {command}"
    subprocess.run(command, shell=True, check=True)
    value = run("why", ".kiro/skills/plain", "--format", "json").json
    assert client(value, "kiro")[0] == "not recorded"


@pytest.mark.usefixtures("in_tmp_path")
@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("codxe", "codex"),
        ("GitHub Copilot in VS Cod", "GitHub Copilot in VS Code"),
        ("clinee", "cline"),
    ],
)
@pytest.mark.parametrize("command", ["why plain", "check plain", "export plain -o new"])
def test_a_misspelled_target_is_guessed(
    run: Run, skill: Skill, command: str, target: str, meant: str
) -> None:
    skill(text=PLAIN)
    ran = run(*command.split(), "--target", target)
    assert (ran.status, ran.out) == (2, "")
    assert f"unknown target {target}; did you mean {meant}?" in ran.err


def test_reasons_that_targets_share_are_printed_once(run: Run, skill: Skill) -> None:
    text = "---\nname: Plain\ndescription: Says. Use it.\ntags: [a]\n---\nSay.\n"
    lines = run("why", skill("plain", text)).out.splitlines()
    key = "  it does not allow the key tags; move the key under metadata  SKILL.md:4:1"
    assert lines.count(key) == 1
    assert lines[lines.index(key) - 1] == (
        "✗ OpenAI skill-creator, Agent Skills specification, claude.ai refuse it"
    )
    reasons = [line for line in lines if line.startswith("  ")]
    assert len(reasons) == len(set(reasons))


def test_targets_that_load_a_skill_come_first_and_selected_ones_first_of_them(
    run: Run, skill: Skill
) -> None:
    out = run("why", skill("app/.claude/skills/plain", text=PLAIN)).out
    title, first, *_ = out.splitlines()
    assert title.endswith("  selected: Claude Code (the skill is in .claude/skills)")
    assert first.startswith("✓ Claude Code, OpenAI skill-creator, ")
    signs = [line[0] for line in out.splitlines()[1:] if not line.startswith(" ")]
    assert signs == sorted(signs, key="✓–!✗○".index)


@pytest.mark.usefixtures("in_tmp_path")
def test_a_folder_of_skills_has_a_line_for_each_outcome(run: Run, skill: Skill) -> None:
    skill("skills/plain", text=PLAIN)
    skill("skills/shy", "---\nname: shy\ndescription: Use when: asked\n---\nSay.\n")
    for path, start in (("skills", "skills/"), (".", "skills/")):
        assert run("why", path).out.splitlines() == [
            f"{start}plain",
            "  ✓ load it: 6 targets",
            f"  ○ look elsewhere: {len(targets()) - 6} targets",
            f"{start}shy",
            "  ✓ loads it: lenient",
            "  ✗ refuse it: skill-creator, skills-ref, spec, claude.ai",
            "  ✗ ignores it: npx-skills",
            f"  ○ look elsewhere: {len(targets()) - 6} targets",
        ]
    assert run("why", "-q", "skills").out.splitlines()[0] == "skills/shy"
    value = run("why", "skills", "--format", "json").json
    assert [each["name"] for each in value["skills"]] == ["plain", "shy"]


@pytest.mark.parametrize(("folder", "path"), [("", "."), ("scripts/lib", "../..")])
def test_the_current_folder_is_a_skill_or_in_one(
    run: Run, skill: Skill, monkeypatch: pytest.MonkeyPatch, folder: str, path: str
) -> None:
    here = skill(text=PLAIN) / folder
    here.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(here)
    for words in (("why",), ("why", ".")):
        assert run(*words).out.startswith(f"{path}  no targets are selected\n")


def test_quiet_prints_only_problems(run: Run, skill: Skill) -> None:
    assert run("why", "-q", skill(text=PLAIN)).out == ""
    out = run("why", "-q", skill("shy", "---\nname: shy\ndescription: Use when: x\n---\n")).out
    assert [line[0] for line in out.splitlines()[1:]] == ["✗", " "]


def test_a_folder_without_a_skill_exits_2(run: Run, tmp_path: Path) -> None:
    ran = run("why", tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert "no SKILL.md" in ran.err


def test_the_outcomes_are_worded(run: Run, skill: Skill) -> None:
    out = run("why", skill(text="---\nname: plain\ndescription: Says: things.\n---\n")).out
    assert (
        "\n✗ OpenAI skill-creator, skills-ref 0.1, Agent Skills specification, claude.ai refuse it"
        in out
    )
    assert "; npx skills ignores it\n  the frontmatter is not valid YAML" in out
    assert "quote this text  SKILL.md:3:18\n" in out
    folder = skill(".claude/skills/shy", "---\ndisable-model-invocation: true\n---\nSay.\n")
    out = run("why", folder).out
    assert "\n! Claude Code, GitHub Copilot CLI list it without its description\n" in out


def test_a_skill_of_a_plugin_names_its_installation(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill("repo/tools/skills/plain", text=PLAIN)
    for place, text in (
        ("repo/tools/.claude-plugin/plugin.json", '{"name": "tools"}'),
        (
            "repo/.claude-plugin/marketplace.json",
            '{"name": "acme", "plugins": [{"name": "tools", "source": "./tools"}]}',
        ),
    ):
        (tmp_path / place).parent.mkdir()
        (tmp_path / place).write_text(text)
    lines = run("why", folder).out.splitlines()
    at = lines.index("✓ Claude Code loads it")
    assert lines[at + 1] == (
        "  as /tools:plain, a skill of the plugin tools; run /plugin marketplace add REPOSITORY, "
        "then /plugin install tools@acme"
    )


def test_a_target_of_the_place_that_looks_elsewhere_is_explained(
    run: Run, skill: Skill, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    folder = skill(".claude/skills/group/plain", text=PLAIN)
    lines = run("why", folder).out.splitlines()
    at = lines.index("○ Claude Code looks elsewhere, and would load it there")
    assert "2 levels below .claude/skills" in lines[at + 1]
    assert lines[at + 2].startswith("  copy it there with: skillstudio export")
    assert "claude-code," not in lines[-1]
