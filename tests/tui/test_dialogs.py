"""What every dialog has in common: it is answered once, whatever arrives behind the answer."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from textual import events
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

import skillstudio.tui
from skillstudio.dryrun.adopting.choice import AdoptedManifest
from skillstudio.dryrun.adopting.finding import AdoptFinding
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.rulebook import all_rules
from skillstudio.scaffold.new.updating import TemplateUpdate, UpdatedFile
from skillstudio.session.commands.keymap import key_shown_as
from skillstudio.session.moving import aims, look
from skillstudio.session.previewing.adopt import AdoptOffer
from skillstudio.session.session import Disagreement
from skillstudio.session.wizard.wizard import Wizard
from skillstudio.skill.analysis import analyse
from skillstudio.skill.visibility import explain_place
from skillstudio.tui.app import Studio
from skillstudio.tui.bindings import with_keys
from skillstudio.tui.dialog import Dialog, SingleAnswerScreen
from skillstudio.tui.screens.adopt import AdoptScreen
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.conflict import ConflictScreen
from skillstudio.tui.screens.dialogs import (
    Confirm,
    ConfirmOption,
    ListDialog,
    PlanDialog,
    PromptDialog,
    TextDialog,
)
from skillstudio.tui.screens.explain import ExplainScreen
from skillstudio.tui.screens.file import FileDialog
from skillstudio.tui.screens.jump import JumpScreen
from skillstudio.tui.screens.move import MoveScreen
from skillstudio.tui.screens.new import WIZARD_COMMANDS, NewScreen
from skillstudio.tui.screens.resize import ResizeScreen
from skillstudio.tui.screens.targets import TargetsScreen
from skillstudio.tui.screens.update import UpdateScreen
from skillstudio.tui.screens.welcome import Welcome
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.terminal_input import REPEAT, REPEAT_INTERVAL, InputGate
from skillstudio.tui.widgets.lines import KeyLine
from skillstudio.tui.widgets.rows import Rows

from .conftest import Open, bench, finish, read, settled, shown, until

ENTER, ESCAPE = "\r", "\x1b"
ANSWERS = [Answer("one", "one", Content("one")), Answer("two", "two", Content("two"))]
OPTIONS = [ConfirmOption("cancel", "c", "Stay"), ConfirmOption("discard", "d", "Discard")]
SIDES = Disagreement("SKILL.md", "a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n")
FOUND = AdoptFinding("effect:fs.read", "it reads a file")


class Case(NamedTuple):
    """A dialog, and keys of which each answers it."""

    make: Callable[[Workbench], Screen[Any]]
    keys: str = ENTER
    leads_out: str = ESCAPE
    """The key that answers it with nothing."""


def adopting(_: Workbench) -> AdoptScreen:
    return AdoptScreen("Adopt", AdoptOffer(cast(Any, None), cast(Any, None), (FOUND,), None))


def showing_targets(bench: Workbench) -> TargetsScreen:
    workspace = bench.session.workspace
    analysis = analyse(DiskTree(workspace.path("alpha")))
    return TargetsScreen(analysis, partial(explain_place, analysis.skill, workspace.path("alpha")))


def moving(bench: Workbench) -> MoveScreen:
    workspace = bench.session.workspace
    aim = aims()[0]
    seen = partial(look, aim, workspace.files("alpha", {}), workspace.settings("alpha"))
    root = workspace.root
    return MoveScreen("Export", seen, f"{root}/moved-{len(list(Path(root).iterdir()))}")


def explaining(_: Workbench) -> ExplainScreen:
    return ExplainScreen(all_rules()["value-unquoted"])


def looking(bench: Workbench) -> FileDialog:
    return FileDialog("SKILL.md", bench.session.workspace.path("alpha", "SKILL.md"))


def beginning(bench: Workbench) -> NewScreen:
    screen = with_keys(NewScreen, bench.keymap, WIZARD_COMMANDS)
    return screen(Wizard(bench.session.workspace.root), bench.keymap)


def updating(_: Workbench) -> UpdateScreen:
    record = UpdatedFile(".copier-answers.yml", "kept", b"", b"")
    return UpdateScreen("alpha", lambda: TemplateUpdate("t", "1", "1", (), {}, (), record))


CASES: dict[type[Screen[Any]], Case] = {
    AdoptScreen: Case(adopting),
    Chooser: Case(lambda _: Chooser("Themes", ANSWERS)),
    Confirm: Case(lambda _: Confirm("Unsaved changes", Content("x"), OPTIONS), f"{ENTER}cd"),
    ConflictScreen: Case(lambda _: ConflictScreen(SIDES), "amt"),
    ExplainScreen: Case(explaining),
    FileDialog: Case(looking, "q"),
    JumpScreen: Case(lambda bench: JumpScreen(bench.jump_targets()), "as"),
    MoveScreen: Case(moving),
    NewScreen: Case(beginning, ""),
    PromptDialog: Case(lambda _: PromptDialog("A name", "x", lambda _: "")),
    TargetsScreen: Case(showing_targets, "a"),
    ResizeScreen: Case(lambda bench: ResizeScreen(bench.panes, bench.next_pane), ""),
    UpdateScreen: Case(updating, ""),  # Without rows enter does nothing.
}
WITHOUT_AN_ANSWER = {SingleAnswerScreen, Dialog, ListDialog, PlanDialog, TextDialog, Welcome}
"""Bases of dialogs, and the screen below them where nothing is open."""


def screens() -> Iterator[type[Screen[Any]]]:
    for module in pkgutil.walk_packages(skillstudio.tui.__path__, "skillstudio.tui."):
        for found in vars(importlib.import_module(module.name)).values():
            is_screen = isinstance(found, type) and issubclass(found, Screen)
            if is_screen and found.__module__ == module.name and not issubclass(found, Workbench):
                yield found


def test_every_screen_with_an_answer_is_in_the_table_and_is_answered_once() -> None:
    found = set(screens()) - WITHOUT_AN_ANSWER
    assert found == set(CASES)
    assert [each.__name__ for each in found if not issubclass(each, SingleAnswerScreen)] == []


async def put(pilot: Pilot[int], screen: Screen[Any], results: list[object]) -> None:
    """Show a dialog, as if a while had passed since the answer of the one before."""
    assert isinstance(pilot.app, Studio)
    if pilot.app._gate._by_hand:
        pilot.app._gate = InputGate()
    pilot.app.push_screen(screen, callback=results.append)
    await settled(pilot)
    if isinstance(screen, AdoptScreen):
        screen._adoption = AdoptedManifest("SKILL.md", "", "", ())
    await finish(pilot, "plan", "targets")


def standing(pilot: Pilot[int]) -> tuple[object, ...]:
    """What a key that reaches the workbench may not change."""
    on_the_bench = bench(pilot)
    return (
        pilot.app.is_running,
        [type(each).__name__ for each in pilot.app.screen_stack],
        on_the_bench.open.skill,
        on_the_bench.focused,
        [buffer.text for buffer in on_the_bench.session.buffers.values()],
    )


@pytest.mark.slow
@pytest.mark.parametrize("which", ["answers", pytest.param("backs out", marks=pytest.mark.slow)])
async def test_keys_that_arrive_together_answer_once(
    open_studio: Open, skills: Path, which: str
) -> None:
    async with open_studio(skills, by_hand=True) as pilot:
        below = bench(pilot)
        before = standing(pilot)
        for kind, case in CASES.items():
            for key in case.keys if which == "answers" else case.leads_out:
                results: list[object] = []
                screen = case.make(below)
                await put(pilot, screen, results)
                assert pilot.app.screen is screen
                await read(pilot, key + key)
                await until(pilot, lambda: standing(pilot) == before)
                assert len(results) == 1, f"{kind.__name__} and {key!r} twice: {results}"


@pytest.mark.slow  # Twelve dialogs, of which each is drawn at two sizes.
async def test_each_key_in_the_line_of_keys_is_bound_there_and_answers_a_click(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_studio(skills) as pilot:
        keys: list[str] = []
        monkeypatch.setattr(pilot.app, "simulate_key", keys.append)
        dialogs = [kind for kind in CASES if issubclass(kind, Dialog)]
        assert len(dialogs) > 8
        for kind in dialogs:
            screen = CASES[kind].make(bench(pilot))
            await put(pilot, screen, [])
            for size in ((120, 36), (60, 16)):
                await pilot.resize_terminal(*size)
                await settled(pilot)
                shown(pilot)  # The places of the keys are known once the line is drawn.
                line = screen.query_one(KeyLine)
                assert [place.hint.key for place in line.places][-1] == "esc", kind.__name__
                for place in line.places:
                    await pilot.click(line, offset=(place.start + 1, place.row))
                    key = key_shown_as(place.hint.key)
                    assert keys.pop() == key
                    nodes = screen.focused.ancestors_with_self if screen.focused else [screen]
                    assert any(key in node._bindings.key_to_bindings for node in nodes), key
            screen.dismiss(None)
            await settled(pilot)


async def test_a_double_click_answers_once(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, by_hand=True) as pilot:
        before = standing(pilot)
        for kind in (Confirm, Chooser):
            results: list[object] = []
            await put(pilot, CASES[kind].make(bench(pilot)), results)
            x, y = pilot.app.screen.query_one(Rows).region.offset
            click = f"\x1b[<0;{x + 3};{y + 1}M\x1b[<0;{x + 3};{y + 1}m"
            await read(pilot, click + click)
            await read(pilot, click)
            await until(pilot, lambda: standing(pilot) == before)
            assert len(results) == 1


@pytest.mark.slow
async def test_a_paste_and_a_resize_answer_nothing(open_studio: Open, skills: Path) -> None:
    sizes = [(60, 16), (120, 36)]
    async with open_studio(skills) as pilot:
        for kind, case in CASES.items():
            results: list[object] = []
            screen = case.make(bench(pilot))
            await put(pilot, screen, results)
            await read(pilot, "\x1b[200~\r\nccdd\r\n\x1b[201~", pause=False)
            await pilot.resize_terminal(*sizes[0])
            sizes.reverse()
            assert pilot.app.screen is screen, kind.__name__
            assert results == []
            screen.dismiss(None)
            await settled(pilot)
        assert len(pilot.app.screen_stack) == 2


async def test_an_answer_below_another_dialog_waits_for_it(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        results: list[object] = []
        lower, upper = (
            PromptDialog("Lower", "", lambda _: ""),
            PromptDialog("Upper", "", lambda _: ""),
        )
        await put(pilot, lower, results)
        await put(pilot, upper, results)
        lower.dismiss("first")
        lower.dismiss("second")
        await settled(pilot)
        assert pilot.app.screen is upper
        assert results == []
        upper.dismiss("third")
        await settled(pilot)
        assert pilot.app.screen is bench(pilot)
        assert results == ["third", "first"]


async def test_a_question_takes_no_key_that_was_typed_before_it_was_shown(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        results: list[object] = []
        early = [events.Key(key, key) for key in "dc"]
        await put(pilot, Confirm("Unsaved text found", Content("x"), OPTIONS), results)
        for event in early:
            event.set_sender(pilot.app)
            pilot.app.post_message(event)
        await settled(pilot)
        assert results == []
        await pilot.press("c")
        assert results == ["cancel"]


async def test_typing_on_after_asking_for_a_list_narrows_it(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        await read(pilot, "\x0cbeta")
        assert isinstance(pilot.app.screen, Chooser)
        assert pilot.app.screen.query_one(Input).value == "beta"


@pytest.mark.parametrize("key", ["enter", "d"])
async def test_a_key_that_is_held_down_goes_no_further_than_the_dialog(
    open_studio: Open, skills: Path, key: str
) -> None:
    async with open_studio(skills / "alpha", by_hand=True) as pilot:
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        before = buffer.text
        results: list[object] = []
        await put(pilot, CASES[Confirm].make(bench(pilot)), results)
        await pilot.press(key)
        app = pilot.app
        assert isinstance(app, Studio)
        assert app._driver is not None
        at = app._gate._answered_at
        while at < app._gate._opens_at + 2 * REPEAT:  # However slow this test runs.
            at += REPEAT_INTERVAL / 2
            event = events.Key(key, "\r" if key == "enter" else key)
            event.time = at
            app._driver.send_message(event)
        await settled(pilot)
        assert len(results) == 1
        assert buffer.text == before


async def test_enter_at_the_question_of_unsaved_changes_stays(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("enter", "x", "ctrl+q")
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("enter")
        assert pilot.app.screen is bench(pilot)
        assert pilot.app.is_running
        assert bench(pilot).session.dirty()


async def test_a_chooser_is_as_high_as_its_few_answers(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        chooser = Chooser("Themes", ANSWERS)
        await pilot.app.push_screen(chooser)
        await settled(pilot)
        assert chooser.query_one(Rows).size.height == len(ANSWERS)
        assert chooser.query_one("#dialog").size.height < 12
