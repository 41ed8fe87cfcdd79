"""A form over one file, without the workbench around it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from skillstudio.files.listed import MemoryTree
from skillstudio.session.buffer import Buffer, BufferChange
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.tui.widgets.form.view import FieldRows, FormView

from ..conftest import WidgetApp

NARROW, WIDE = (80, 24), (120, 36)


class Harness(WidgetApp):
    """A buffer, and a form that hears of every change, as the workbench has it."""

    def __init__(self, text: str, file: str = "SKILL.md", read_only: str = "") -> None:
        super().__init__()
        self.animation_level = "none"
        self.file = file
        self.buffer = Buffer(f"/skills/demo/{file}", text.encode(), read_only)
        self._last: tuple[int, Analysis] | None = None

    def compose(self) -> ComposeResult:
        yield FormView(id="form")

    def on_mount(self) -> None:
        self.buffer.subscribe(self.changed)
        self.form.load(self.buffer, self.file, self.analyse)
        self.form.to_focus.focus()

    def changed(self, _change: BufferChange) -> None:
        self.call_later(self.heard)

    def heard(self) -> None:
        self.form.refresh_from(self.analyse())

    def analyse(self) -> Analysis:
        if self._last is None or self._last[0] != self.buffer.version:
            tree = MemoryTree({self.file: self.buffer.text.encode()}, name="demo")
            self._last = (self.buffer.version, analyse(tree))
        return self._last[1]

    @property
    def form(self) -> FormView:
        return self.query_one(FormView)

    @property
    def rows(self) -> FieldRows:
        return self.query_one(FieldRows)

    @property
    def text(self) -> str:
        return self.buffer.text

    def labels(self) -> list[str]:
        """The labels in sight, with the mark of what is open or closed."""
        return [line.plain.split("  ")[0].strip() for line in self.rows.lines]

    def line(self, pointer: str) -> str:
        """The line of a field."""
        at = next(i for i, row in enumerate(self.form._sheet.rows) if row.field.pointer == pointer)
        return self.rows.lines[at].plain

    def go(self, pointer: str, section: int = -1) -> None:
        """Put the cursor on a field, opening what is around it."""
        form = self.form
        section %= len(form._sheet.sections)
        form._sheet.reveal((section, pointer))
        form._again((section, pointer))
        row = form._row()
        assert row is not None
        assert row.field.pointer == pointer

    def said(self) -> str:
        """What is said below the fields."""
        return str(self.query_one("#form-about", Static).render())


Show = Callable[..., AbstractAsyncContextManager[tuple[Harness, Pilot[None]]]]


@pytest.fixture(params=[NARROW, WIDE], ids=["80x24", "120x36"])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    width, height = request.param
    return width, height


@pytest.fixture
def show(size: tuple[int, int]) -> Show:
    """Show a text as a form, at both sizes."""

    @asynccontextmanager
    async def shown(
        text: str, file: str = "SKILL.md", read_only: str = ""
    ) -> AsyncIterator[tuple[Harness, Pilot[None]]]:
        app = Harness(text, file, read_only)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield app, pilot

    return shown
