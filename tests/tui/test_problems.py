"""The list of problems, and what its keys apply to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual import events

from skillstudio.present.problems import in_order
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.source import Span
from skillstudio.tui.screens.move import MoveScreen
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.problems import ProblemList

from .conftest import SIZES, Open, bench, seen, settled, shown, until

NO_FIX = "---\nname: alpha\nname: alpha\ndescription: Does: things.\n---\n# Alpha\n\nSay.\n"


def problem(rule: str, severity: Severity, start: int, path: str = "SKILL.md") -> Diagnostic:
    return Diagnostic(rule, rule, Span(start, start), severity=severity, path=path)


def test_errors_come_first_and_consequences_at_targets_after_their_cause() -> None:
    problems = [
        problem("note", "info", 0),
        problem("target-refused", "error", 1),
        problem("later", "error", 9),
        problem("elsewhere", "error", 5, "z.md"),
        problem("careful", "warning", 2),
        problem("cause", "error", 4),
    ]
    assert [one.rule for one in in_order(problems, "SKILL.md")] == [
        *("cause", "later", "elsewhere", "target-refused", "careful", "note"),
    ]


def keys_of_fixes(screen: str) -> list[str]:
    """The lines of the text and the rows of the list that show the key of a fix."""
    *lines, _last = screen.split("\n")
    return [line for line in lines if "f2" in line]


@pytest.mark.parametrize("size", SIZES)
async def test_f2_means_the_next_problem_with_a_fix_where_the_selected_one_has_none(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    (skills / "alpha" / "SKILL.md").write_text(NO_FIX)
    async with open_studio(skills / "alpha", size) as pilot:
        problems = bench(pilot).query_one(ProblemList)
        (with_fix,) = [one for one in problems.diagnostics if one.rule == "description-unquoted"]
        without = next(one for one in problems.diagnostics if not one.fixes)
        await bench(pilot).show_problem(without)
        await settled(pilot)
        assert bench(pilot).problem == without
        assert bench(pilot).problem_to_fix == with_fix
        in_text, in_list = keys_of_fixes(shown(pilot))
        assert re.search("◂ (unquoted.*|quote this value)  f2", in_text)
        assert "unquoted" in in_list
        await pilot.press("f2")
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert '"Does: things."' in buffer.text
        assert "description-unquoted" not in {one.rule for one in problems.diagnostics}
        assert "f2" not in shown(pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_f8_goes_to_the_list_from_outside_and_stays_in_the_text(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    (skills / "alpha" / "SKILL.md").write_text(NO_FIX)
    async with open_studio(skills / "alpha", size) as pilot:
        problems, editor = bench(pilot).query_one(ProblemList), bench(pilot).views.editor
        assert editor is not None
        await pilot.press("f7")
        selected = problems.here
        await pilot.press("f8")
        assert bench(pilot).focused is problems
        assert problems.here == selected
        here = problems.here
        assert here is not None
        assert here.span is not None
        assert editor.cursor_offset == here.span.start
        await pilot.press("e", "f8")
        assert bench(pilot).focused is editor
        assert problems.here != here


async def test_a_click_where_no_fix_is_left_goes_to_the_problem(
    open_studio: Open, skills: Path
) -> None:
    (skills / "alpha" / "SKILL.md").write_text(NO_FIX)
    async with open_studio(skills / "alpha") as pilot:
        problems = bench(pilot).query_one(ProblemList)
        await pilot.press("f2")
        await settled(pilot)
        await pilot.click(problems, offset=(problems.width - 1, 0))
        await settled(pilot)
        assert bench(pilot).focused is bench(pilot).views.editor
        assert "no problem has a fix" not in shown(pilot)


async def test_a_digit_right_behind_escape_is_not_typed(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("e")
        editor = bench(pilot).views.editor
        assert editor is not None
        text = editor.text
        for event in (events.Key("escape", None), events.Key("2", "2")):
            editor.post_message(event)  # Both wait for the editor, as after one read.
        await settled(pilot)
        assert editor.text == text
        assert bench(pilot).views.current_view == "form"


async def test_the_description_of_a_key_is_shown_only_with_the_text(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("e", "down")
        await settled(pilot)
        assert "name: 5 of 64 characters." in shown(pilot)
        await pilot.press("escape", "2")
        await settled(pilot)
        assert "5 of 64 characters." not in shown(pilot).split("Problems")[1]
        await pilot.press("escape", "1")
        await settled(pilot)
        assert "name: 5 of 64 characters." in shown(pilot)


async def test_a_message_that_is_cut_is_whole_below_and_only_then(
    open_studio: Open, skills: Path
) -> None:
    key = "key-" * 20
    text = f"---\nname: alpha\ndescription: Does one thing.\nmetadata:\n  {key}: [1]\n---\nSay.\n"
    (skills / "alpha" / "SKILL.md").write_text(text)
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        problems = bench(pilot).query_one(ProblemList)
        below = bench(pilot).query_one("#problem", Line)
        here = problems.here
        assert here is not None
        assert here.message not in "".join(shown(pilot).split("\n")[:-3]), "the row is cut"
        assert here.message in below.content.plain
        await pilot.resize_terminal(400, 24)
        await settled(pilot)
        assert here.message in problems.lines[problems.cursor].plain
        assert here.message not in below.content.plain


REFUSED = '---\nname: alpha\ndescription: Does.\nargument-hint: "[file]"\n---\n# Alpha\n\nSay.\n'


@pytest.mark.slow
@pytest.mark.parametrize("way", ["key", "click", "explained"])
async def test_a_refusal_without_a_fix_offers_a_copy_for_the_target(
    open_studio: Open, skills: Path, way: str
) -> None:
    (skills / "alpha" / "SKILL.md").write_text(REFUSED)
    (skills / "skillstudio.toml").write_text('targets = ["claude-upload"]\n')
    async with open_studio(skills / "alpha") as pilot:
        problems = bench(pilot).query_one(ProblemList)
        assert problems.here is not None
        assert problems.here.rule == "target-refused"
        await pilot.press("s")
        await until(pilot, lambda: "E export" not in shown(pilot))
        await pilot.press("p")
        await until(pilot, lambda: "E export" in shown(pilot))
        if way == "explained":
            await pilot.press("x")
            screen = await seen(pilot, "Fix  export a copy", "Source  claude.ai: https://")
            assert screen.splitlines()[-1].split("  ") == [" E export a copy", "esc back"]
            await pilot.press("E")
        elif way == "click":
            await pilot.click(problems, offset=(problems.width - 2, problems.cursor))
        else:
            await pilot.press("E")
        await until(pilot, lambda: isinstance(pilot.app.screen, MoveScreen))
        assert "Export for claude.ai" in shown(pilot)


async def test_f8_leads_from_a_skill_in_order_to_the_one_to_fix_first(
    open_studio: Open, skills: Path
) -> None:
    (skills / "beta" / "SKILL.md").write_text(NO_FIX.replace("alpha", "beta"))
    async with open_studio(skills) as pilot:
        await until(pilot, lambda: bench(pilot).skills_pane.has_faults)
        await bench(pilot).open_file("alpha")
        await settled(pilot)
        await pilot.press("f8")
        await settled(pilot)
        assert bench(pilot).open.skill == "beta"
        assert bench(pilot).problem is not None
