"""New within the workbench from a folder of scripts."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.tui.screens.dialogs import PromptDialog
from skillstudio.tui.screens.new import ScriptDetails

from ..conftest import NARROW_FIRST, Open, bench, shown
from .conftest import done, take, to_templates, type_

SCRIPTS = Path(__file__).parents[2] / "scaffold" / "new" / "folders" / "argparse"


async def name_folder(pilot: Pilot[int], folder: str) -> str:
    """Choose the line for scripts and name their folder."""
    if not isinstance(pilot.app.screen, PromptDialog):
        await take(pilot, "scripts")
    while not isinstance(pilot.app.screen, PromptDialog):
        await pilot.pause()
    pilot.app.screen.query_one(Input).value = folder
    await pilot.press("enter")
    return await done(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_read_named_wrongly_previewed_created_opened(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        assert "from a folder of scripts …" in await to_templates(pilot)
        assert "nowhere is not a folder" in await name_folder(pilot, "nowhere")
        screen = await name_folder(pilot, f" {SCRIPTS} ")
        assert "[Questions]" in screen
        assert "New skill · from folders/argparse" in screen
        assert "2 scripts read, none run: 3 operations" in screen
        assert "links  folder, ending=.md, limit=20, format=text" in screen
        assert "· --quiet is not in the operation: a switch" in screen

        screen = await type_(pilot, "Note Keeper")
        joined_lines = " ".join(screen.split())
        assert (
            "✗ rejected by skill-creator, skills-ref, spec, claude-upload, mistral-vibe, roo: the "
            "name contains characters other than lowercase letters, digits and hyphens"
        ) in joined_lines
        assert "✗ rejected by qwen: the name contains a space" in joined_lines
        assert "✗ invalid: name" in screen
        await type_(pilot, "note-keeper")
        await pilot.press("tab", "tab")
        await type_(pilot, "Keeps notes. Use when something is to be kept.")
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, ScriptDetails)
        await pilot.press("G")
        await done(pilot)
        assert "notes-find  database, word, limit=10" in shown(pilot)

        await pilot.press("ctrl+n")
        screen = await done(pilot)
        assert "[Preview" in screen
        assert "check !5" in screen
        assert "links.py" in screen
        assert not (skills / "note-keeper").exists(), "nothing is written yet"
        await pilot.press("ctrl+s")
        assert "note-keeper 0.1.0 · SKILL.md" in await done(pilot)
        assert bench(pilot).views.editor is not None
        assert (skills / "note-keeper" / "scripts" / "notes.py").is_file()


@pytest.mark.slow
async def test_a_template_afterwards_shows_no_scripts(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await to_templates(pilot)
        await name_folder(pilot, str(SCRIPTS))
        await pilot.press("escape")
        await done(pilot)
        await take(pilot, "agent-skills")
        screen = await done(pilot)
        assert "[Questions" in screen
        assert "read, none run" not in screen
        assert not pilot.app.screen.query_one(ScriptDetails).display


async def test_a_folder_without_scripts_says_why(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "old\x1b[31m.rb").write_text("puts 1")
    async with open_studio(skills) as pilot:
        await to_templates(pilot)
        screen = await name_folder(pilot, str(tmp_path / "bare"))
        assert "[Template" in screen
        assert "contains no program: old␛[31m.rb is excluded" in " ".join(screen.split())
