"""The pane beside the text on wide screens: what an edit means, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain

from skillstudio.text.diagnostic import Splice

from .conftest import Open, bench, seen, settled, shown, until

WIDE = (170, 40)


async def test_it_says_what_agents_see_and_repeats_no_text(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, WIDE) as pilot:
        await settled(pilot)
        screen = await seen(pilot, "alpha: as agents see it", "Always in context")
        assert "What the edit means" not in screen, "no skill is open"
        await pilot.press("enter")
        screen = await seen(pilot, "What the edit means", "Always in context")
        assert "alpha: Does one thing well." in screen
        assert "Loaded on activation" in screen
        assert "tokens are" not in screen
        assert screen.count("# alpha") == 1
        assert "that look here load it" in screen
        editor = bench(pilot).views.editor
        assert editor is not None
        editor.go_to(editor.text.index("one"))
        await pilot.press("e", "x", "y")
        await seen(pilot, "alpha: Does xyone thing well.")


async def test_it_says_what_selected_targets_do(open_studio: Open, skills: Path) -> None:
    (skills / "skillstudio.toml").write_text('targets = ["claude-upload", "codex"]\n')
    (skills / "alpha/SKILL.md").write_text("---\nname: alpha\ndescription: Does: x.\n---\nSay.\n")
    async with open_studio(skills / "alpha", WIDE) as pilot:
        screen = await seen(pilot, "✗ claude.ai refuses it", "Targets")
        assert "○ Codex looks elsewhere, and would load" in screen


@pytest.mark.slow  # The first comparison of a process imports and starts git: 0.5 processor s.
@needs_git
async def test_a_change_has_its_example_and_no_fingerprint(
    open_studio: Open, tmp_path: Path
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"plain/SKILL.md": plain()}, "plain@1.0.0")
    async with open_studio(repo.root, WIDE) as pilot:
        await seen(pilot, "What the edit means", "nothing changed")
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        tight = plain(pattern="^[a-c]+$")
        buffer.replace([Splice(0, len(buffer.text), tight)], "Editing")
        screen = await seen(pilot, "needs a major bump", "counterexample")
        assert "fingerprint" not in screen
        # The view that compares has it already.
        await pilot.press("5")
        await until(pilot, lambda: shown(pilot).count("needs a major bump") == 1)
