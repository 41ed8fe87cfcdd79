"""The form as view 2 of the workbench: one buffer, one undo, one idea of what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.tui.widgets.fields.entries import LineEntry
from skillstudio.tui.widgets.form.view import FormView

from ..conftest import Open, bench, settled, shown

TEXT = """---
name: alpha
description: Does one thing well.
version: 1.0.0
inputs:
  required:
    - name: day
      description: A day
      schema: {type: string}
outputs:
  files:
    - pattern: "{{dya}}.md"
---
# alpha
"""


@pytest.fixture
def skill(skills: Path) -> Path:
    (skills / "alpha" / "SKILL.md").write_text(TEXT)
    return skills / "alpha"


@pytest.fixture(params=[(80, 24), (120, 36)], ids=["80x24", "120x36"])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    width, height = request.param
    return width, height


@pytest.mark.slow
async def test_a_field_is_changed_saved_and_taken_back(
    open_studio: Open, skill: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skill, size) as pilot:
        await pilot.press("escape", "2", "home", "down", "down", "enter", *"MIT", "ctrl+s")
        await pilot.pause()
        wanted = TEXT.replace("---\n# alpha", "license: MIT\n---\n# alpha")
        assert (skill / "SKILL.md").read_text() == wanted
        await pilot.press("ctrl+z")
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert buffer.text == TEXT
        assert (skill / "SKILL.md").read_text() == wanted


@pytest.mark.slow_cases("80x24")
async def test_problems_and_fixes_are_reached_from_the_form(
    open_studio: Open, skill: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skill, size) as pilot:
        await pilot.press("escape", "2", "home")
        seen = set()
        for _ in range(4):
            await pilot.press("f8")
            await pilot.pause()
            form = bench(pilot).query_one(FormView)
            if form.here is not None:
                seen.add(form.here.rule)
        found = bench(pilot).open.analysis
        assert found is not None
        assert seen == {each.rule for each in found.diagnostics}
        assert "output-input-undeclared" in seen


@pytest.mark.slow
async def test_text_and_form_show_the_same_place(
    open_studio: Open, skill: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skill, size) as pilot:
        screen = bench(pilot)
        assert screen.views.editor is not None
        screen.views.editor.go_to(TEXT.index("A day"))
        await pilot.press("escape", "2")
        assert screen.views.form is not None
        assert TEXT[screen.views.form.offset_here :].startswith("A day")
        await pilot.press("home", "1")
        assert screen.views.editor.cursor_offset == TEXT.index("alpha")


@pytest.mark.slow
async def test_typing_in_the_text_shows_in_the_form(open_studio: Open, skill: Path) -> None:
    async with open_studio(skill) as pilot:
        await pilot.press("escape", "2", "1", "e")
        screen = bench(pilot)
        assert screen.views.editor is not None
        screen.views.editor.go_to(TEXT.index("alpha"))
        await pilot.press("x", "escape", "2")
        assert "xalpha" in shown(pilot)
        await pilot.press("home", "enter")
        assert isinstance(screen.focused, LineEntry)
        assert screen.focused.value == "xalpha"


async def test_the_line_of_keys_has_those_of_the_field(open_studio: Open, skill: Path) -> None:
    async with open_studio(skill, (120, 36)) as pilot:
        for keys, hints in (
            (("2", "home"), " enter change  f2 fix"),
            (("enter",), " enter keep  tab keep, next field  esc discard"),
            (("escape", "down", "down"), " enter change  "),
            (("end",), " enter open  "),
            (("enter", "down"), " enter open  a add  f2 fix"),
        ):
            await pilot.press(*keys)
            await settled(pilot)
            assert shown(pilot).splitlines()[-1].startswith(hints), keys
