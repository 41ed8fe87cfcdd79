"""Every view shows its state in signs or words, which no colours are needed for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.session.kept_runs import keep_run

from .conftest import Open, bench, seen, settled, shown
from .preview.conftest import settled as previewed
from .run.conftest import Held, fill, held, levels, planned, skills
from .test_targets import read
from .testing.test_in_workbench import put, rested

__all__ = ["held", "levels", "skills"]
BROKEN = "---\nname: other\ndescription: Takes notes: in meetings.\n---\n"


@pytest.mark.slow
async def test_every_view_shows_its_state_without_colours(
    open_studio: Open,
    skills: Path,
    levels: None,
    held: Held,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    (skills / "other").mkdir()
    (skills / "other" / "SKILL.md").write_text(BROKEN)
    (skills / "skillstudio.toml").write_text('targets = ["cline", "codex"]\n')
    put(skills, "hello", "inputs: {text: hello}\n")
    keep_run(tmp_path / "state" / "runs", skills / "say", {"new.txt": b"new"})
    held.prints = b"said hello\n"
    async with open_studio(skills, (80, 24)) as pilot:
        assert pilot.app.no_color
        has(shown(pilot), "✗ other +3", "○ say")
        await pilot.press("e")
        screen = await seen(pilot, "Fix first")
        has(screen, "2 skills   ✗ 1 with errors   ○ 1 where no selected target looks")
        has(screen, "✗ other +3:25 +unquoted", "other +✗ +○", "say +○ +○")
        await pilot.press("enter")
        await settled(pilot)
        assert bench(pilot).open.skill == "other"
        has(shown(pilot), r"\[1 Edit ✗2\]", "✗ 3  description", "✗ 3:25  unquoted")
        await pilot.press("alt+2")
        await settled(pilot)
        has(shown(pilot), r"1 Edit ✗2 +\[2 Form\]", "✗ unquoted", "not set")
        await pilot.press("escape", "t")
        has(
            await read(pilot),
            "✗ Cline  looks elsewhere, and would ignore it",
            "○ Codex  looks elsewhere",
        )
        await pilot.press("escape")
        await bench(pilot).open_file("say")
        await pilot.press("escape", "3")
        has(await planned(pilot), r"\[Plan\]", "✗ Can't run yet", "○ required")
        await fill(pilot)
        has(shown(pilot), "✓ ready")
        await pilot.press("f5")
        screen = await seen(pilot, "[Result] ✓")
        has(screen, r"\[3 Run ✓", "✓ as declared · exit 0", "warning: kind begins")
        await pilot.press("t")
        has(await planned(pilot), r"\[Output\]", "said hello")
        await pilot.press("escape", "4")
        has(
            await previewed(pilot),
            r"\[Changes\]",
            r"\+1 ~0 -2",
            r"\+  ?new.txt",
            "- skillstudio.toml",
        )
        await pilot.press("t")
        has(await previewed(pilot), r"\[Card\]", "Always in context")
        await pilot.press("t")
        has(await previewed(pilot), r"\[Outputs\]", "no declared output files")
        await pilot.press("escape", "5")
        has(await seen(pilot, "[5 Compare", "no older version"), "Commit the skill to git")
        await pilot.press("escape", "6")
        has(await rested(pilot), "○ 1 not run", "○ go  hello.yaml")


def has(screen: str, *patterns: str) -> None:
    """Assert that a screen, which is text without styles, matches each pattern."""
    for pattern in patterns:
        assert re.search(pattern, screen), f"no {pattern!r} in\n{screen}"
