"""A comparison on the screen, without the workbench around it."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot

from skillstudio.interface.bump import Bump
from skillstudio.interface.change import Change, Level
from skillstudio.interface.model import ABSENT
from skillstudio.session.comparing.comparing import (
    ComparedSide,
    ComparisonResult,
    Sides,
    SkillComparer,
)
from skillstudio.session.workspace import Workspace
from skillstudio.tui.widgets.compare.diff import DiffRows
from skillstudio.tui.widgets.compare.view import CompareView, Mode
from skillstudio.tui.widgets.lines import KeyLine

from ..conftest import WidgetApp

NARROW, WIDE = (80, 21), (88, 32)
KEYS = {
    "compare.old": "o", "compare.new": "n", "compare.text": "v", "compare.waive": "W",
    "compare.bump": "b", "compare.details": "i", "compare.copy": "m",
}  # fmt: skip


def change(kind: str, level: Level = "major", pointer: str = "/inputs/a", **more: Any) -> Change:
    given: dict[str, Any] = {
        "operation": "", "review": False, "routing": False, "old": ABSENT, "new": 1,
        "message": f"{kind} here", "source": "a table",
    }  # fmt: skip
    return Change(kind=kind, level=level, pointer=pointer, **{**given, **more})


def outcome(*changes: Change, **more: Any) -> ComparisonResult:
    given: dict[str, Any] = {
        "old": ComparedSide("v1.0.0", "1.0.0", "sha256:" + "1f" * 32),
        "new": ComparedSide("open", "1.0.0", "sha256:" + "2e" * 32),
        "changes": changes,
        "bump": Bump("none", "major", False, "2.0.0", ()),
    }
    given.update(more)
    given.setdefault("bump_to", "" if given["bump"] is None else given["bump"].suggested)
    return ComparisonResult(**given)


class FakeComparing(SkillComparer):
    """Returns the given results; a gate delays them if there is one."""

    def __init__(self, *found: ComparisonResult) -> None:
        super().__init__(Workspace("/skills"), "demo")
        self.found = list(found)
        self.asked: list[Mapping[str, str]] = []
        self.gate: threading.Event | None = None

    def compare(self, sides: Sides, unsaved_texts: Mapping[str, str]) -> ComparisonResult:
        self.asked.append(dict(unsaved_texts))
        if self.gate is not None:
            assert self.gate.wait(60)
        return self.found.pop(0) if len(self.found) > 1 else self.found[0]


class Harness(WidgetApp):
    """The view, its comparison, and the messages that it sends to the screen."""

    def __init__(self, comparing: SkillComparer) -> None:
        super().__init__()
        self.animation_level = "none"
        self.comparing = comparing
        self.texts: dict[str, str] = {}
        self.jumps: list[Any] = []

    def compose(self) -> ComposeResult:
        yield CompareView(KEYS.__getitem__, id="compare")
        yield KeyLine()

    def on_skill_view_commands_changed(self) -> None:
        self.query_one(KeyLine).show(self.view.hints)

    def on_mount(self) -> None:
        self.view.load(self.comparing, lambda: self.texts)
        self.view.to_focus.focus()

    @property
    def view(self) -> CompareView:
        return self.query_one(CompareView)

    def on_compare_view_jump_to_change(self, event: CompareView.JumpToChange) -> None:
        self.jumps.append(event.about)

    def on_diff_rows_jump_to_line(self, event: Any) -> None:
        self.jumps.append((event.path, event.line))

    @property
    def shown(self) -> str:
        """What the screen shows, as text."""
        strips = self.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


class Driver:
    """A harness and its keys."""

    def __init__(self, app: Harness, pilot: Pilot[None]) -> None:
        self.app, self.pilot, self.press = app, pilot, pilot.press

    async def settled(self) -> str:
        """What is shown once nothing is being compared."""
        while True:
            await self.pilot.pause()
            await self.app.workers.wait_for_complete()
            await self.pilot.pause()
            if self.app.view.is_settled:
                return self.app.shown

    async def stopped(self) -> str:
        """What is shown once a comparison has failed."""
        await self.pilot.pause()
        while not self.app.view._latest.is_settled:
            await self.pilot.pause()
        await self.pilot.pause()
        return self.app.shown

    async def mode(self, mode: Mode) -> str:
        """Show the texts in a way, and focus them."""
        self.app.view.show_mode(mode)
        self.app.view.query_one(DiffRows).focus()
        return await self.settled()


Show = Callable[..., AbstractAsyncContextManager[Driver]]


@pytest.fixture
def show() -> Show:
    """Show a comparison, and wait until it is made."""

    @asynccontextmanager
    async def opened(
        found: ComparisonResult | SkillComparer, size: tuple[int, int] = NARROW
    ) -> AsyncIterator[Driver]:
        app = Harness(FakeComparing(found) if isinstance(found, ComparisonResult) else found)
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            if not isinstance(app.comparing, FakeComparing) or app.comparing.gate is None:
                await driver.settled()
            yield driver

    return opened
