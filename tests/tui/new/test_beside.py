"""New within the workbench on a wide screen: the preview beside the questions."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot

from skillstudio.session.wizard.state import WizardPreview, WizardState
from skillstudio.session.wizard.wizard import Wizard
from skillstudio.tui.widgets.fields.entries import LineEntry
from skillstudio.tui.widgets.new.preview import FileLines, FileRows, PreviewPane

from ..conftest import Open, bench, shown, until
from .conftest import NAMED, SKILL, done, own, to_questions, to_templates, type_, wizard

WIDE, NARROW = (160, 45), (120, 36)
pytestmark = pytest.mark.slow  # A process renders each of them.


def lines_beside(pilot: Pilot[int]) -> list[str]:
    """The text of the file beside the questions."""
    return [line.plain for line in wizard(pilot).query_one(FileLines).lines]


def is_dimmed(pilot: Pilot[int]) -> bool:
    return wizard(pilot).query_one(PreviewPane).has_class("-old")


async def test_the_file_beside_follows_the_answers_which_keep_the_focus(
    open_studio: Open, skills: Path
) -> None:
    own("mine", NAMED, **{"SKILL.md.jinja": SKILL, "more.txt.jinja": "of {{ name }}"})
    async with open_studio(skills, WIDE) as pilot:
        assert "✓ ready for the preview" in await to_questions(pilot, "mine")
        await pilot.press(*"tea")
        screen = await done(pilot)
        assert "2  name: tea" in screen
        assert "tea/" in screen
        assert isinstance(pilot.app.focused, LineEntry)
        assert not (skills / "tea").exists(), "nothing is written"

        rows = wizard(pilot).query_one(FileRows)
        at = next(i for i, line in enumerate(rows.lines) if "more.txt" in line.plain)
        await pilot.click(rows, Offset(4, at))
        assert lines_beside(pilot) == ["1  of tea"]
        await pilot.press("shift+tab", "shift+tab", "shift+tab", *"pot")
        await done(pilot)
        assert lines_beside(pilot) == ["1  of teapot"], "the selected file stays"
        await pilot.press("tab", "tab")
        assert pilot.app.focused is rows, "after the last question"

        await pilot.press("ctrl+n")
        assert "creates skills/teapot; nothing is written yet" in await done(pilot)
        assert lines_beside(pilot) == ["1  of teapot"]


async def test_an_invalid_answer_dims_the_last_draft(open_studio: Open, skills: Path) -> None:
    own("mine", NAMED, **{"SKILL.md.jinja": SKILL})
    async with open_studio(skills, WIDE) as pilot:
        await to_questions(pilot, "mine")
        for name, dimmed in (("tea", False), ("Bad Name", True), ("", True), ("tea", False)):
            await type_(pilot, name)
            assert "2  name: tea" in lines_beside(pilot)
            assert is_dimmed(pilot) is dimmed


async def test_before_the_first_draft_one_line_says_what_it_needs(
    open_studio: Open, skills: Path
) -> None:
    own("mine", NAMED + "open: {type: str}\n", **{"SKILL.md.jinja": SKILL})
    async with open_studio(skills, WIDE) as pilot:
        assert "no preview yet; required: open" in await to_questions(pilot, "mine")
        await pilot.press("down", "down", "x")
        assert "2  name: new-skill" in await done(pilot)


async def test_on_a_narrower_screen_nothing_is_beside_the_questions(
    open_studio: Open, skills: Path
) -> None:
    own("mine", NAMED, **{"SKILL.md.jinja": SKILL})
    async with open_studio(skills, NARROW) as pilot:
        await to_questions(pilot, "mine")
        pane = wizard(pilot).query_one(PreviewPane)
        assert not pane.display
        assert not pane.files.lines, "nothing is drawn"
        await pilot.resize_terminal(*WIDE)
        assert "2  name: new-skill" in await done(pilot)
        pane.files.focus()
        await pilot.resize_terminal(*NARROW)
        assert "2  name: new-skill" not in await done(pilot)
        assert isinstance(pilot.app.focused, LineEntry)


class HeldDrawing(Wizard):
    """A wizard that draws nothing until it is interrupted, as a slow template does."""

    def __init__(self, base: str) -> None:
        super().__init__(base)
        self.begun, self.gate = threading.Event(), threading.Event()

    def draw(self, state: WizardState) -> WizardPreview:
        self.begun.set()
        assert self.gate.wait(60)
        return super().draw(state)

    def interrupt(self) -> None:
        self.gate.set()
        super().interrupt()


async def test_answers_do_not_wait_for_a_slow_drawing(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillstudio.tui.commands.skills.Wizard", HeldDrawing)
    own("aa", NAMED, **{"SKILL.md.jinja": SKILL})
    async with open_studio(skills, WIDE) as pilot:
        await to_templates(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(bench(pilot).wizard, HeldDrawing))
        held = bench(pilot).wizard
        assert isinstance(held, HeldDrawing)
        await until(pilot, held.begun.is_set)
        assert "rendering…" in shown(pilot)
        await pilot.press(*"tea")
        screen = await done(pilot)
        assert "✓ creates skills/tea" in screen
        assert "2  name: tea" in screen
