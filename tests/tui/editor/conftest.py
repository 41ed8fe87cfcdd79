"""An application with nothing but the editor in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.pilot import Pilot

from skillstudio.session.buffer import Buffer
from skillstudio.tui.widgets.editor.editor import ManifestEditor

from ..conftest import WidgetApp


class EditorApp(WidgetApp):
    """Keeps the editor's messages."""

    def __init__(self, buffer: Buffer) -> None:
        super().__init__()
        self.buffer = buffer
        self.said: list[Message] = []

    def compose(self) -> ComposeResult:
        with Vertical():
            yield ManifestEditor()

    def on_mount(self) -> None:
        editor = self.query_one(ManifestEditor)
        editor.load(self.buffer)
        editor.focus()

    @property
    def editor(self) -> ManifestEditor:
        return self.query_one(ManifestEditor)

    def on_manifest_editor_cursor_moved(self, event: ManifestEditor.CursorMoved) -> None:
        self.said.append(event)

    def on_manifest_editor_leave_requested(self, event: ManifestEditor.LeaveRequested) -> None:
        self.said.append(event)

    def on_manifest_editor_hover_changed(self, event: ManifestEditor.HoverChanged) -> None:
        self.said.append(event)

    @property
    def screen_text(self) -> str:
        """What is on the screen, line by line."""
        lines = self.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in lines)


Open = Callable[..., AbstractAsyncContextManager[tuple[Pilot[None], EditorApp]]]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Open a text in the editor: `async with opened("name: x") as (pilot, app)`."""

    @asynccontextmanager
    async def open_(
        text: str, name: str = "SKILL.md", size: tuple[int, int] = (80, 24)
    ) -> AsyncIterator[tuple[Pilot[None], EditorApp]]:
        file = tmp_path / name
        file.write_bytes(text.encode())
        app = EditorApp(Buffer.open(str(file)))
        async with app.run_test(size=size) as pilot:
            yield pilot, app

    return open_
