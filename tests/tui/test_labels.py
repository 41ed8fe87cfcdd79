"""Every key on the screen does what it says where it stands, pressed and clicked.

The labels are read from the painted frame. The commands are replaced, so that each one only notes
that it ran, and one open workbench serves all labels of a screen.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from textual.pilot import Pilot

from skillstudio.session.commands.keymap import format_key as key_on_screen
from skillstudio.tui.screens.workbench import Workbench

from .conftest import NARROW_FIRST, SIZES, Open, bench, settled

MANIFEST = """---
name: alpha
description: Says: things.
manifest_version: "1.0"
version: 1.0.0
---
# alpha

Say.
"""
RECIPE = """---
name: beta
description: Does one thing well.
---
# beta

Run scripts/say.sh.
"""
_TAB = re.compile(r"(?<![\w:])(?P<key>\d) (?P<does>Edit|Form|Run|Preview|Compare|Tests)\b")
_TITLE = re.compile(r"[╭┏][─━] (?P<key>\w) (?P<does>Skills|Problems)\b")
_CHIPS = re.compile(r" (?P<key>t)(?P<does>) [─━][╯┛]")
_FIX = re.compile(r"(?:◂ .*|  )(?P<key>f2)(?P<does>)(?: |$)")
_DIGITS = "esc 1…6"
_KEYS = {"^": "ctrl+", "/": "slash", "?": "question_mark", "esc": "escape", "+": "plus"}
VIEWS = ("edit", "form", "run", "preview", "compare", "tests")


class Label(NamedTuple):
    """A key on the screen, what it says, and the cell of its first character."""

    key: str
    does: str
    x: int
    y: int


def painted(pilot: Pilot[int]) -> list[str]:
    """The lines of the screen, a character for each cell (nothing here is wider)."""
    return [strip.text for strip in pilot.app.screen._compositor.render_strips()]


def labels(lines: list[str]) -> list[Label]:
    """The keys that a frame shows: in its last line, at tabs, titles, targets and fixes."""
    read = []
    for y, line in enumerate(lines[:-1]):
        for pattern in (_TAB, _TITLE, _CHIPS, _FIX):
            read += [Label(m["key"], m["does"], m.start("key"), y) for m in pattern.finditer(line)]
    for piece in re.finditer(r"(?P<key>\S+) (?P<does>\S+(?: \S+)*)", lines[-1]):
        read.append(Label(piece["key"], piece["does"], piece.start(), len(lines) - 1))
    return read


def test_labels_are_read_from_a_frame() -> None:
    frame = [
        "╭─ s Skills 2 ─╮╭─ alpha ─────────────────╮",
        "│ ▸ ✓ alpha    ││ 1 Edit ✗1    2 Form      │",
        "│              ││ ✗ 3  say: a: b  ◂ no  f2 │",
        "╰──────────────╯╰────────── ✗ codex  t ─╯",
        " f2 fix  ^s save  enter to the text ",
    ]
    assert [(label.key, label.does) for label in labels(frame)] == [
        *(("s", "Skills"), ("1", "Edit"), ("2", "Form"), ("f2", ""), ("t", "")),
        *(("f2", "fix"), ("^s", "save"), ("enter", "to the text")),
    ]


def press_name(key: str) -> str:
    """The name of a key on the screen, as a test presses it."""
    return re.sub(r"^\^", "ctrl+", _KEYS.get(key, key))


def expected(label: Label) -> str:
    """The command that a label promises; empty for enter and for leaving a field."""
    if label.does.lower() in VIEWS and label.key.isdecimal():
        return f"view.{label.does.lower()}"
    if label.does in ("Skills", "Problems"):
        return f"pane.{label.does.lower()}"
    if not label.does:
        return {"t": "skill.targets", "f2": "problem.fix"}[label.key]
    return ""


async def nothing(pilot: Pilot[int]) -> None:
    """Stay in the screen of the start."""


def press(*keys: str) -> Callable[[Pilot[int]], Awaitable[None]]:
    async def go(pilot: Pilot[int]) -> None:
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    return go


PLACES = {
    "the skills": nothing,
    "home": press("e"),
    "the filter": press("slash"),
    "a file in the tree": press("enter"),
    "the problems": press("enter", "p"),
    "a skill without problems": press("down", "enter", "p"),
    "the text": press("enter", "p", "enter"),
    "the end of the text": press("enter", "p", "enter", "ctrl+end"),
    "the search in the text": press("enter", "p", "enter", "ctrl+f"),
    "the form": press("enter", "2"),
    "a field of the form": press("enter", "2", "enter"),
    "the run": press("down", "enter", "3"),
    "the preview": press("down", "enter", "4"),
    "the comparison": press("down", "enter", "5"),
    "the tests": press("down", "enter", "6"),
    "the text after a view": press("enter", "3", "1"),
}


@pytest.fixture
def two(skills: Path) -> Path:
    """The skill alpha with a problem and a fix, and beta with a script."""
    (skills / "alpha/SKILL.md").write_text(MANIFEST)
    (skills / "beta/SKILL.md").write_text(RECIPE)
    (skills / "beta/scripts").mkdir()
    (skills / "beta/scripts/say.sh").write_text("#!/bin/sh\necho say\n")
    (skills / "beta/scripts/say.sh").chmod(0o755)
    return skills


class Notes:
    """The commands that were run since the last look; they do nothing else."""

    def __init__(self, workbench: Workbench) -> None:
        self.ids: list[str] = []
        self._workbench = workbench
        self._handlers = workbench._handlers
        workbench._handlers = {id_: self._noting(id_) for id_ in self._handlers}

    def _noting(self, id_: str) -> Callable[[Workbench], Awaitable[None]]:
        async def note(_: Workbench) -> None:
            self.ids.append(id_)

        return note

    def take(self) -> list[str]:
        ids, self.ids = self.ids, []
        return ids

    def stop(self) -> None:
        self._workbench._handlers = self._handlers


@pytest.mark.slow  # A key or a click with its drawing takes 40 processor ms; there are 20 to 40.
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("place", PLACES)
async def test_each_label_does_what_it_says(
    open_studio: Open, two: Path, place: str, size: tuple[int, int]
) -> None:
    async with open_studio(two, size) as pilot:
        await PLACES[place](pilot)
        workbench = bench(pilot)
        buffer = workbench.open.buffer
        text, focused = buffer.text if buffer is not None else "", workbench.focused
        frame = painted(pilot)
        shown = labels(frame)
        assert {label.key for label in shown} >= {"f1", "^p", "^o"}
        notes = Notes(workbench)
        for way, label in product(("pressed", "clicked"), shown):
            if label.key in ("enter", "tab", "esc") or (focused and not focused.is_attached):
                continue  # They lead elsewhere; a click leaves a field for good.
            if way == "pressed":
                await pilot.press(press_name(label.key))
            else:
                await pilot.click(offset=(label.x, label.y))
            await settled(pilot)
            ids = notes.take()
            if way == "clicked":
                workbench.set_focus(focused)  # A click in a pane moves the focus there.
                await settled(pilot)
            about = f"{label.key} {label.does}, {way}, in {place}"
            assert len(ids) == 1, f"{about}: ran {ids}"
            if wanted := expected(label):
                assert ids == [wanted], about
            else:
                keys = {key_on_screen(key) for key in workbench.keymap.keys[ids[0]]}
                assert label.key in keys, f"{about}: ran {ids}"
        notes.stop()
        assert (buffer.text if buffer is not None else "") == text
        if any(_DIGITS in line for line in frame):
            for number, view in enumerate(VIEWS, 1):
                await pilot.press("escape", str(number))
                await settled(pilot)
                assert workbench.views.current_view == view
                if view != "edit":
                    await pilot.press("escape", "1")
                    await settled(pilot)
                workbench.go_to_pane("view")
                await settled(pilot)
            assert buffer is not None
            assert buffer.text == text


@pytest.mark.parametrize("way", ["pressed", "clicked"])
@pytest.mark.parametrize(
    "place", ["a file in the tree", "the problems", "a skill without problems"]
)
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_enter_goes_into_the_text(
    open_studio: Open, two: Path, place: str, way: str, size: tuple[int, int]
) -> None:
    async with open_studio(two, size) as pilot:
        await PLACES[place](pilot)
        at = {label[:2]: label[2:] for label in labels(painted(pilot))}["enter", "to the text"]
        if way == "clicked":
            await pilot.click(offset=at)
        else:
            await pilot.press("enter")
        await settled(pilot)
        assert bench(pilot).focused is bench(pilot).views.editor
