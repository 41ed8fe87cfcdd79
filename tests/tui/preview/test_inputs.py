"""Inputs in Preview: the outputs follow what is typed, and Run has the same inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.dryrun.skills import front_skill
from tests.dryrun.traces.conftest import REPORT
from tests.tui.conftest import NARROW_FIRST, Open, bench, seen, shown, until
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.session.commands.commands import COMMANDS, why_disabled
from skillstudio.session.running.running import FinishedRun, Runner, RunState
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.screens.chooser import Chooser
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.preview.table import FileTable
from skillstudio.tui.widgets.preview.view import PreviewView
from skillstudio.tui.widgets.run.form import InputForm

from .conftest import settled, to_preview, view

STATES = (
    "new",
    "would be overwritten",
    "a link exists here",
    "blocked: not a file",
    "any number of files, 0 exist now",
)
DAYS = [
    ("tuesday", "+", "new", "from logs/{{day}}.org"),
    ("monday", "~", "would be overwritten", "* Monday"),
    ("sunday", "!", "a link exists here", "a link to /etc/shadow"),
    ("friday", "!", "blocked: not a file", "a folder"),
]
HEAD = """inputs:
  required:
    - {name: day, schema: {type: string, pattern: "^[a-z]+$"}, description: Which day}
  optional:
    - {name: leaf, description: d, schema: {type: string, default: green}}
outputs:
  files:
    - {pattern: "logs/{{day}}.org", base: repo_root}
    - {pattern: "{{leaf}}/*.txt", base: repo_root}
"""


@pytest.fixture
def tea(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A skill with two scripts, in a workspace with a file where one output may lie."""
    workspace = tmp_path / "workspace"
    made = front_skill(workspace / "tea", HEAD, "#!/bin/sh\n", "scripts/one.sh")
    front_skill(workspace / "tea", HEAD, "#!/bin/sh\n", "scripts/two.sh")
    (workspace / "logs").mkdir()
    (workspace / "logs" / "monday.org").write_text("* Monday\n")
    (workspace / "logs" / "sunday.org").symlink_to("/etc/shadow")
    (workspace / "logs" / "friday.org").mkdir()
    monkeypatch.chdir(workspace)
    return made


async def typed(pilot: Pilot[int], text: str) -> str:
    """Type into the field that has the focus."""
    assert isinstance(pilot.app.screen.focused, Input)
    await pilot.press(*text)
    return await settled(pilot)


def view_keys(pilot: Pilot[int]) -> str:
    """The keys of the view that can be pressed."""
    hints = view(pilot).hints
    return "".join(f" {hint.key} {hint.does}" for hint in hints if hint.key and not hint.off)


def form(pilot: Pilot[int]) -> InputForm:
    return view(pilot).query_one(InputForm)


def rows(screen: str) -> list[tuple[str, str, str]]:
    """Sign, path and state of each output; beside the form a state is cut off."""
    row = r"([+~!*?]) (\S*/\S*) +(?:\d+ bytes? +)?((?:[\w,:]+ )*[\w,:]+)( ?…)?"
    found = re.findall(row, screen)
    return [(sign, path, _whole(state) if cut else state) for sign, path, state, cut in found]


def _whole(state: str) -> str:
    return next(each for each in STATES if each.startswith(state))


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_each_output_follows_what_is_typed_and_says_its_state_and_why(
    open_studio: Open, tea: Path, size: tuple[int, int]
) -> None:
    async with open_studio(tea, size) as pilot:
        screen = await to_preview(pilot)
        assert re.search(r"\? logs/\{\{day\}\}\.org *(│|\n)", screen)
        assert "Can't run yet: `day` is required · e opens the inputs" in screen
        for word in ("unknown", "no value", "Rendered", "Raw", " v ", " f5 "):
            assert word not in screen, "it is said once, and no key does nothing"
        await pilot.press("e")
        screen = await settled(pilot)
        assert "▌day*" in screen
        assert "Can't run yet: `day` is required" in screen
        assert "opens the inputs" not in screen
        for day, sign, state, note in DAYS:
            form(pilot).editors[0].entry.show_text("")
            screen = await typed(pilot, day)
            assert rows(screen)[0] == (sign, f"logs/{day}.org", state)
            assert note in screen
            assert " f5 run" in view_keys(pilot)
            assert ("[Rendered]" in screen) == (day == "monday"), "only of a file"
        assert ("*", "green/*.txt", "any number of files, 0 exist now") in rows(screen)
        screen = await typed(pilot, "5")
        assert "✗ day must match the pattern" in screen


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_run_and_preview_have_one_set_of_inputs(
    open_studio: Open, tea: Path, size: tuple[int, int]
) -> None:
    async with open_studio(tea, size) as pilot:
        await to_preview(pilot, "e")
        await typed(pilot, "monday")
        await pilot.press("escape", "3")
        await seen(pilot, "✓ ready")
        found = bench(pilot)
        assert isinstance(found, Workbench)
        assert found.views.run_view is not None
        of_run = found.views.run_view.query_one(InputForm)
        assert [each.entry.text for each in of_run.editors[:2]] == ["monday", ""]
        await pilot.press("e")
        await pilot.pause()
        of_run.editors[1].entry.focus()
        await pilot.press(*"black")
        await seen(pilot, "✓ ready")
        await pilot.press("escape", "4")
        screen = await settled(pilot)
        assert "* black/*.txt" in screen
        await pilot.press("e")
        await settled(pilot)
        assert [each.entry.text for each in form(pilot).editors[:2]] == ["monday", "black"]
        await typed(pilot, "s")
        await pilot.press("escape", "3")
        await seen(pilot, "✓ ready", "mondays")
        assert of_run.editors[0].entry.text == "mondays"


@pytest.mark.slow
async def test_escape_closes_the_form_then_goes_to_the_skills(open_studio: Open, tea: Path) -> None:
    async with open_studio(tea, (80, 24)) as pilot:
        await to_preview(pilot, "e")
        await typed(pilot, "t4q")
        assert view(pilot).subject == "ahead"
        await pilot.press("escape")
        await settled(pilot)
        assert not view(pilot).has_inputs
        assert bench(pilot).focused is view(pilot).query_one(FileTable)
        await pilot.press("escape")
        await settled(pilot)
        assert bench(pilot).focused is bench(pilot).query_one("#skills")


@pytest.mark.slow
async def test_enter_goes_from_field_to_field_and_out_of_the_last(
    open_studio: Open, tea: Path
) -> None:
    async with open_studio(tea, (120, 36)) as pilot:
        await to_preview(pilot, "e")
        await typed(pilot, "monday")
        form(pilot).editors[-1].entry.focus()
        await pilot.press("enter")
        await settled(pilot)
        assert not view(pilot).has_inputs
        assert "~ logs/monday.org" in shown(pilot)


@pytest.mark.slow
async def test_from_the_changes_and_the_card_the_inputs_lead_to_the_outputs(
    open_studio: Open, tea: Path
) -> None:
    async with open_studio(tea, (80, 24)) as pilot:
        screen = await to_preview(pilot, "t", "t")
        assert "[Card]" in screen
        await pilot.press("e")
        await settled(pilot)
        screen = await typed(pilot, "monday")
        assert "[Outputs]" in screen
        assert "~ logs/monday.org" in screen
        await pilot.press("escape", "t")
        screen = await settled(pilot)
        assert "[Changes]" in screen
        assert "Which day" not in screen


@pytest.mark.slow
async def test_scripts_of_one_skill_share_its_inputs(open_studio: Open, tea: Path) -> None:
    async with open_studio(tea, (140, 36)) as pilot:
        await to_preview(pilot, "e")
        await typed(pilot, "monday")
        await pilot.press("escape", "o")
        await seen(pilot, "Which operation?", "scripts/two.sh")
        assert isinstance(pilot.app.screen, Chooser)
        await pilot.press("down", "enter")
        screen = await settled(pilot)
        assert " scripts/two.sh  2 outputs" in screen
        assert "~ logs/monday.org" in screen
        await pilot.press("e")
        await settled(pilot)
        await pilot.press(*["backspace"] * 6)
        assert "+ logs/tuesday.org" in await typed(pilot, "tuesday")
        await pilot.press("escape", "o")
        await seen(pilot, "Which operation?")
        await pilot.press("up", "enter")
        screen = await settled(pilot)
        assert " scripts/one.sh  2 outputs" in screen
        assert "+ logs/tuesday.org" in screen


@pytest.mark.slow
async def test_the_form_has_the_operation_that_was_chosen_in_run_meanwhile(
    open_studio: Open, tea: Path
) -> None:
    async with open_studio(tea, (80, 24)) as pilot:
        await to_preview(pilot, "t")
        await pilot.press("3")
        await seen(pilot, "scripts/one.sh")
        await pilot.press("o")
        await seen(pilot, "Which operation?")
        await pilot.press("down", "enter")
        await seen(pilot, "scripts/two.sh")
        await pilot.press("4")
        await settled(pilot)
        await pilot.press("e")
        await settled(pilot)
        await pilot.press(*"monday")
        await settled(pilot)
        assert form(pilot).editors[0].entry.text == "monday"


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_what_is_given_is_run_from_there(
    open_studio: Open, tea: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    asked: list[Mapping[str, object]] = []

    def run(_: Runner, of: RunState, *given: object) -> FinishedRun:
        assert of.plan is not None
        asked.append(of.plan.inputs)
        return FinishedRun(REPORT)

    monkeypatch.setattr(Runner, "run", run)
    async with open_studio(tea, size) as pilot:
        await to_preview(pilot)
        await pilot.press("r")
        await seen(pilot, "Can't run yet: `day` is required", "▌day*")
        assert asked == []
        await pilot.press("escape", "escape", "4")
        await settled(pilot)
        await pilot.press("e")
        await settled(pilot)
        await typed(pilot, "monday")
        await pilot.press("f5")
        await seen(pilot, "[Result")
        assert asked == [{"day": "monday", "leaf": "green"}]


@pytest.mark.slow
async def test_a_sample_is_taken(open_studio: Open, tea: Path) -> None:
    async with open_studio(tea, (80, 24)) as pilot:
        await to_preview(pilot, "f")
        await seen(pilot, "Inputs of a sample", "generated")
        await pilot.press("enter")
        screen = await settled(pilot)
        assert "path unknown" not in screen
        await pilot.press("e")
        await settled(pilot)
        assert form(pilot).editors[0].entry.text


@pytest.mark.slow
async def test_what_is_unsaved_is_named(open_studio: Open, tea: Path) -> None:
    async with open_studio(tea, (400, 36)) as pilot:
        await to_preview(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        buffer.replace([Splice(len(buffer.text), len(buffer.text), "\nMore.\n")], "typed")
        await pilot.pause()
        screen = await settled(pilot)
        assert "SKILL.md is not saved; the files on disk are used" in screen
        await pilot.press("S")
        while buffer.dirty:
            await pilot.pause()
        assert "is unsaved" not in await settled(pilot)


@pytest.mark.slow
async def test_a_manifest_that_cannot_be_read_has_no_inputs(open_studio: Open, tea: Path) -> None:
    (tea / "SKILL.md").write_text("---\nname: [\n---\n")
    async with open_studio(tea, (80, 24)) as pilot:
        screen = await to_preview(pilot, "e")
        assert "cannot be read" in screen
        await pilot.press("o")
        await seen(pilot, "cannot be read")
        assert not isinstance(pilot.app.screen, Chooser)


async def test_elsewhere_the_commands_say_how_to_get_there(open_studio: Open, tea: Path) -> None:
    async with open_studio(tea, (80, 24)) as pilot:
        wanted = ("preview.inputs", "preview.operation", "preview.sample")
        off = [why_disabled(each, bench(pilot).facts()) for each in COMMANDS if each.id in wanted]
        assert off == ["the Preview view is not open: press 4"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("size", [(60, 16), (83, 20), (84, 20)])
async def test_every_size_has_room_for_the_field_and_the_outputs(
    open_studio: Open, tea: Path, size: tuple[int, int]
) -> None:
    async with open_studio(tea, size) as pilot:
        await to_preview(pilot, "e")
        screen = await typed(pilot, "monday")
        assert "monday.org" in screen
        assert "▌day*" in screen
        assert isinstance(view(pilot), PreviewView)
        await pilot.resize_terminal(45, 20)
        await settled(pilot)
        await pilot.resize_terminal(*size)
        assert "▌day*" in await settled(pilot)


@pytest.mark.slow
async def test_outputs_that_appear_elsewhere_are_followed(open_studio: Open, tea: Path) -> None:
    async with open_studio(tea.parent, watch=True) as pilot:
        await to_preview(pilot)
        await pilot.press("e")
        await settled(pilot)
        assert ("+", "logs/tuesday.org", "new") in rows(await typed(pilot, "tuesday"))
        (tea.parent / "logs" / "tuesday.org").write_text("* Tuesday\n")
        await until(
            pilot, lambda: ("~", "logs/tuesday.org", "would be overwritten") in rows(shown(pilot))
        )
