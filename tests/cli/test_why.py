"""`skillstudio why`: which clients see a skill, and what stops the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import CLEAN, Run

Skill = Callable[..., Path]
PLAIN = CLEAN.format(name="plain")


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
    out = run("why", folder).out
    assert "frontmatter-1.0: frontmatter of SKILL.md with the key manifest_version\n" in out
    assert "\nLook elsewhere: amp, claude-code, cline, codex," in out
    assert "Claude Code:" not in out
    out = run("why", "--all", folder).out
    assert (
        "\n  ○ Claude Code: looks elsewhere; it only looks in ~/.claude/skills, .claude/skills\n"
        in out
    )


def test_a_folder_without_a_skill_exits_2(run: Run, tmp_path: Path) -> None:
    ran = run("why", tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert "no SKILL.md" in ran.err


def test_the_outcomes_are_worded(run: Run, skill: Skill) -> None:
    out = run("why", skill(text="---\nname: plain\ndescription: Says: things.\n---\n")).out
    assert "\n  ✗ OpenAI skill-creator: refuses it\n    the frontmatter is not valid YAML" in out
    assert "quote this text  SKILL.md:3:18\n" in out
    folder = skill(".claude/skills/shy", "---\ndisable-model-invocation: true\n---\nSay.\n")
    out = run("why", folder).out
    assert "\n  ! Claude Code: lists it without its description\n" in out


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
    assert (
        "  ✓ Claude Code: loads it; as /tools:plain, a skill of the plugin tools; run "
        "/plugin marketplace add REPOSITORY, then /plugin install tools@acme"
    ) in lines
