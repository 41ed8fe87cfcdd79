"""The tour: through its five steps by keys and by clicks, and what can go wrong on the way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.dryrun.skills import offered
from tests.repositories import needs_git
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.dryrun.isolation.levels import (
    ISOLATION_LEVELS,
    IsolationLevel,
    IsolationLevels,
    probe_isolation,
)
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.tour import TourStrip

from .conftest import SIZES, Open, WidgetApp, bench, seen, settled, shown, until

EXAMPLE = (Path(__file__).parents[2] / "examples" / "worklog" / "SKILL.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start where there is no repository, as a newcomer may."""
    monkeypatch.chdir(tmp_path)


def strip(pilot: Pilot[int]) -> str:
    """What the strip says, without its lines; "" if it is not on the screen."""
    for one in pilot.app.screen_stack[-1].query(TourStrip):
        if one.region:
            keys = (piece.key if isinstance(piece, KeyHint) else piece for piece in one._pieces)
            return f"{one._head} {''.join(keys)} {one._close.key} {one._close.does}"
    return ""


def root(pilot: Pilot[int]) -> str:
    """The open folder; "" while another one is being opened."""
    benches = [one for one in pilot.app.screen_stack if isinstance(one, Workbench)]
    return benches[0].session.workspace.root if benches else ""


async def step(pilot: Pilot[int], *texts: str) -> None:
    """Wait until the strip says this."""
    await pilot.pause()
    await until(pilot, lambda: all(text in strip(pilot) for text in texts))
    await settled(pilot)


async def click(pilot: Pilot[int], key: str) -> None:
    """Click a key in the strip."""
    widget = bench(pilot).query_one(TourStrip)
    widget.render()
    (place,) = [place for place in widget.places if place.hint.key == key]
    await pilot.click(TourStrip, offset=(place.start, place.row))


def text(pilot: Pilot[int]) -> str:
    buffer = bench(pilot).open.buffer
    assert buffer is not None
    return buffer.text


@needs_git
@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_the_five_steps_by_keys(
    open_studio: Open, tmp_path: Path, size: tuple[int, int]
) -> None:
    offered("confined")
    async with open_studio(None, size) as pilot:
        await pilot.press("t")
        await step(pilot, "1/5 Break it: type : after “worklogs”")
        await pilot.press(":")
        await step(pilot, "2/5 Fix it: f2 quotes the text")
        assert "unquoted" in shown(pilot)
        await pilot.press("f2")
        await step(pilot, "3/5 Run it: esc 3 shows")
        await pilot.press("escape", "3")
        await step(pilot, "3/5 Run it: f lists samples")
        await pilot.press("f")
        await seen(pilot, "Inputs of a sample")
        await pilot.press("enter")
        await step(pilot, "3/5 Run it: f5 runs the script")
        await pilot.press("f5")
        await step(pilot, "4/5 The report lists", "5 shows what your edit changes")
        assert "✓ as declared, 1 declared file not written · exit 0" in shown(pilot)
        await pilot.press("5")
        await step(pilot, "4/5 Compare: agents choose", "patch bump")
        assert "needs a patch bump: 1.0.0 → 1.0.1" in shown(pilot)
        await pilot.press("1")
        await step(pilot, "5/5 Undo it: press ^z")
        await pilot.press("ctrl+z")
        await step(pilot, "5/5 Undo it")
        await pilot.press("ctrl+z")
        await step(pilot, "✓ Done. Next: O opens your own folder, N creates a skill", "f12 back")
        assert text(pilot) == EXAMPLE
        await pilot.press("f12")
        await seen(pilot, "Take the tour")
        assert (tmp_path / "state" / "tour" / "worklog" / "SKILL.md").read_text("utf-8") == EXAMPLE


@needs_git
@pytest.mark.slow
async def test_the_five_steps_by_clicks(open_studio: Open, skills: Path) -> None:
    offered("confined")
    async with open_studio(skills, (80, 24)) as pilot:
        await pilot.press("e")
        await seen(pilot, " U  a tour in five steps")
        home = bench(pilot).views.home
        assert home is not None
        at = next(i for i in range(30) if home._rows[i].command == "help.tour")
        await pilot.click("#home", offset=(6, at))
        await step(pilot, "1/5")
        await click(pilot, ":")
        await step(pilot, "2/5")
        await click(pilot, "f2")
        await step(pilot, "3/5")
        await click(pilot, "esc 3")
        await step(pilot, "lists samples")
        await click(pilot, "f")
        await seen(pilot, "Inputs of a sample")
        await pilot.click("#answers", offset=(4, 0))
        await step(pilot, "runs the script")
        await click(pilot, "f5")
        await step(pilot, "4/5 The report lists")
        await click(pilot, "5")
        await step(pilot, "patch bump")
        await click(pilot, "1")
        await step(pilot, "5/5")
        await click(pilot, "^z")
        await settled(pilot)
        await click(pilot, "^z")
        await step(pilot, "✓ Done")
        await click(pilot, "f12")
        await until(pilot, lambda: root(pilot) == str(skills))


@pytest.mark.slow
async def test_closing_hides_it_and_the_palette_shows_it_where_it_was(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, (60, 16)) as pilot:
        await pilot.press("U")
        await step(pilot, "1/5")
        await pilot.press(":")
        await step(pilot, "2/5")
        await pilot.press("f12")
        # The notice wraps in this width.
        await until(pilot, lambda: "Leave the tour ends it" in " ".join(shown(pilot).split()))
        assert strip(pilot) == ""
        await pilot.press("f2")
        await settled(pilot)
        await pilot.press("ctrl+p", *">tour", "enter")
        await step(pilot, "3/5")
        await click(pilot, "f12")
        await until(pilot, lambda: strip(pilot) == "")


@pytest.mark.slow
async def test_leaving_goes_back_to_the_open_file_after_a_question(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        await bench(pilot).open_file("beta", "SKILL.md")
        await pilot.press("e", "Z")
        await settled(pilot)
        await pilot.press("ctrl+p", *">tour", "enter")
        await seen(pilot, "Unsaved changes")
        await pilot.press("c")
        await settled(pilot)
        assert root(pilot) == str(skills)
        await pilot.press("ctrl+p", *">tour", "enter")
        await seen(pilot, "Unsaved changes")
        await pilot.press("d")
        await step(pilot, "1/5")
        await pilot.press(":")
        await step(pilot, "2/5")
        await pilot.press("ctrl+p", *"leave the tour", "enter")
        await seen(pilot, "Unsaved changes")
        await pilot.press("d")
        await until(pilot, lambda: root(pilot) == str(skills))
        await until(pilot, lambda: bench(pilot).open.skill == "beta")
        assert strip(pilot) == ""
        # It is over: the next one begins with the first step, on the same unchanged copy.
        await settled(pilot)
        await pilot.press("escape", "U")
        await step(pilot, "1/5")


@pytest.mark.slow
async def test_with_vim_keys(open_studio: Open) -> None:
    async with open_studio(None, (80, 24)) as pilot:
        await pilot.press("t")
        await step(pilot, "1/5")
        await pilot.press("ctrl+p", *">vim keys", "enter")
        await step(pilot, "1/5 Break it: press i")
        await pilot.press("i", ":")
        await step(pilot, "2/5")
        assert "worklogs: documenting" in text(pilot)


@pytest.mark.slow
async def test_another_folder_during_the_tour_and_back(open_studio: Open, skills: Path) -> None:
    async with open_studio(None, (80, 24)) as pilot:
        await until_fixed(pilot)
        await pilot.press("ctrl+s", "escape", "O")
        await seen(pilot, "Open a skill or a folder")
        proposed = pilot.app.screen.query_one(Input).value
        assert proposed == str(skills.parent), "the folder outside of the tour"
        await pilot.press("ctrl+u", *str(skills), "enter")
        await until(pilot, lambda: root(pilot) == str(skills))
        await settled(pilot)
        assert strip(pilot) == ""
        await pilot.press("f12")
        await seen(pilot, "the tour is not open here")
        await pilot.press("U")
        await step(pilot, "3/5")


@pytest.mark.slow
async def test_a_copy_that_was_changed_stays(open_studio: Open, tmp_path: Path) -> None:
    for name in ("tour", "tour-2"):
        async with open_studio(None, (80, 24)) as pilot:
            await pilot.press("t")
            await step(pilot, "1/5")
            assert root(pilot) == str(tmp_path / "state" / name / "worklog")
            await pilot.press(":", "ctrl+s")
            await seen(pilot, "saved SKILL.md")
    assert "worklogs: doc" in (tmp_path / "state/tour/worklog/SKILL.md").read_text("utf-8")


@pytest.mark.slow
async def test_text_of_a_tour_that_was_killed_is_offered(open_studio: Open) -> None:
    async with open_studio(None, (80, 24)) as pilot:
        await pilot.press("t")
        await step(pilot, "1/5")
        await pilot.press(":")
        await step(pilot, "2/5")
        bench(pilot).keep_drafts()
    async with open_studio(None, (80, 24)) as pilot:
        await pilot.press("t")
        await seen(pilot, "Unsaved text found")
        await pilot.press("r")
        await step(pilot, "2/5")
        assert "worklogs: documenting" in text(pilot)


@pytest.mark.slow
async def test_a_deleted_copy_is_replaced(open_studio: Open, tmp_path: Path) -> None:
    async with open_studio(None, (80, 24)) as pilot:
        await pilot.press("t")
        await step(pilot, "1/5")
        await pilot.press(":")
        await step(pilot, "2/5")
        shutil.rmtree(tmp_path / "state" / "tour")
        bench(pilot).look_at_disk(frozenset())
        await step(pilot, "The copy of the example was deleted. esc U starts again")
        await pilot.press("escape", "U")
        await seen(pilot, "Unsaved changes")
        await pilot.press("d")
        await step(pilot, "1/5")
        assert text(pilot) == EXAMPLE


async def until_fixed(pilot: Pilot[int]) -> None:
    await pilot.press("t")
    await step(pilot, "1/5")
    await pilot.press(":")
    await step(pilot, "2/5")
    await pilot.press("f2")
    await step(pilot, "3/5")


@pytest.mark.slow
async def test_without_git_the_run_can_be_passed(
    open_studio: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with open_studio(None, (80, 24)) as pilot:
        await until_fixed(pilot)
        await pilot.press("escape", "3")
        await step(pilot, "lists samples")
        await pilot.press("f")
        await seen(pilot, "Inputs of a sample")
        await pilot.press("enter")
        await step(pilot, "not possible here")
        await pilot.press("5")
        await step(pilot, "4/5 Compare: nothing differs, or there is no version in git")
        await pilot.press("1")
        await step(pilot, "5/5")
        await pilot.press("ctrl+z", "ctrl+z")
        await step(pilot, "✓ Done")


@pytest.mark.slow
async def test_without_isolation_it_runs_in_copies(open_studio: Open, copies_only: None) -> None:
    async with open_studio(None, (80, 24)) as pilot:
        await until_fixed(pilot)
        await pilot.press("escape", "3", "f")
        await seen(pilot, "Inputs of a sample")
        await pilot.press("enter")
        await step(pilot, "f5 runs the script")
        await pilot.press("f5")
        await step(pilot, "4/5 The report lists")
        assert "u copy · network" in shown(pilot)


@pytest.fixture
def copies_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with no isolation level above `copy`."""
    known = [
        IsolationLevel(id_, id_ in ("plan", "copy"), "not here", ()) for id_ in ISOLATION_LEVELS
    ]
    levels = IsolationLevels(known, probe_isolation().host)
    monkeypatch.setattr("skillstudio.session.running.running.probe_isolation", lambda: levels)


async def test_without_a_folder_for_the_copy_another_choice_can_be_made(
    open_studio: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "tour").write_text("")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    async with open_studio(None, (80, 24)) as pilot:
        await pilot.press("t")
        await seen(pilot, "no tour: no folder for a copy of worklog")
        await pilot.press("h")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2)


async def test_keys_of_the_user(open_studio: Open, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "keymap.yaml").write_text("problem.fix: f11\nhelp.tour-close:\n")
    async with open_studio(None, (80, 24)) as pilot:
        await pilot.press("t")
        await step(pilot, "1/5")
        await pilot.press(":")
        await step(pilot, "Fix it: f11 quotes", "“help.tour-close” in ^p close")


class Strips(WidgetApp):
    """A strip alone."""

    def compose(self) -> ComposeResult:
        self.clicked: list[str] = []
        yield TourStrip(lambda hint: self.clicked.append(hint.key))


PIECES = ("Run it: ", KeyHint("esc 3", ""), ", then a few words more, ", KeyHint("f5", ""), ".")


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (80, [" 3/5  Run it: esc 3, then a few words more, f5.                       f12 close "]),
        (
            40,
            [
                " 3/5  Run it: esc 3, then a   f12 close ",
                "      few words more, f5.",
            ],
        ),
    ],
)
async def test_a_strip_wraps_between_words_and_its_keys_answer(
    width: int, lines: list[str]
) -> None:
    app = Strips()
    async with app.run_test(size=(width, 5)) as pilot:
        widget = app.query_one(TourStrip)
        widget.show("3/5", PIECES, KeyHint("f12", "close"))
        await pilot.pause()
        assert widget.render().plain.split("\n") == lines
        assert widget.size.height == len(lines)
        for place in list(widget.places):
            await pilot.click(TourStrip, offset=(place.end - 1, place.row))
        await pilot.click(TourStrip, offset=(2, 0))
        assert sorted(app.clicked) == ["esc 3", "f12", "f5"]
