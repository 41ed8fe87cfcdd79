"""An old skill in a real terminal: migrated, saved, and made into a copy for another client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import SIZES, STUDIO
from tests.scaffold.conversion.test_migrate import ROUTER

pytestmark = [needs_tmux, pytest.mark.slow]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    skill = tmp_path / "skills" / "notes"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts" / "n.sh").write_text("#!/bin/sh\n")
    (skill / "SKILL.md").write_bytes(ROUTER.encode())
    return skill


@pytest.fixture(params=SIZES)
def terminal(notes: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    opened = Terminal([STUDIO, str(notes.parent)], tmp_path, *request.param)
    yield opened
    opened.close()


def test_migrated_saved_and_exported(terminal: Terminal, notes: Path) -> None:
    terminal.to_skills("name: notes")
    terminal.press("M")
    terminal.wait("-```router-manifest")
    terminal.press("Tab")
    terminal.wait("── Report ──")
    terminal.press("Enter")
    terminal.wait("● unsaved")
    assert (notes / "SKILL.md").read_bytes() == ROUTER.encode()
    terminal.press("C-s")
    terminal.wait(lambda screen: "● unsaved" not in screen)
    assert b"```skill-manifest" in (notes / "SKILL.md").read_bytes()
    terminal.press("C-p")
    terminal.wait("letters of a command")
    terminal.type("export")
    terminal.wait("skill: Export…")
    terminal.press("Enter")
    terminal.wait("Export for")
    terminal.type("claude-upload")
    terminal.press("Enter")
    terminal.wait("Export for claude.ai")
    terminal.wait("copied; check of the")
    made = notes.parents[1] / "skills-claude-upload" / "notes"
    assert not made.exists()
    terminal.press("Down", "Enter")
    terminal.wait("exported to")
    assert (made / "SKILL.md").read_bytes() == (notes / "SKILL.md").read_bytes()
    assert (made / "scripts" / "n.sh").exists()
