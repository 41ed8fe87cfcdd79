"""The line below the editor that finds a text or goes to a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import ClassVar, Protocol

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Label

from skillstudio.tui.widgets.entry import EntryLine

_MOST = 5000
"""The most matches that a search marks."""
_STEPS = {"down": 1, "up": -1}
_PLACE = re.compile(r"\s*(\d+)\s*(?:[:,]\s*(\d+)\s*)?")


class Searched(Protocol):
    """What the bars need of the editor above them."""

    last_search: str

    @property
    def text(self) -> str: ...
    @property
    def cursor_offset(self) -> int: ...
    @property
    def selection_offsets(self) -> tuple[int, int]: ...
    def go_to(self, offset: int, end: int | None = None) -> None: ...
    def go_to_line(self, line: int, column: int = 1) -> None: ...
    def show_found(self, spans: Sequence[tuple[int, int]]) -> None: ...
    def focus(self) -> object: ...


class Bar(Horizontal):
    """A prompt below the editor; escape closes it and gives the focus back."""

    DEFAULT_CSS = """
    Bar {
        height: 1;
        background: $panel;
        & Label { width: auto; padding: 0 1; }
        & Input { width: 1fr; min-width: 10; height: 1; border: none; padding: 0; }
        & .bar--state { color: $text-muted; }
    }
    """

    PROMPT: ClassVar[str] = ""

    def __init__(self, editor: Searched, value: str = "") -> None:
        super().__init__()
        self._editor = editor
        self._value = value
        self._state = Label("", classes="bar--state", markup=False)

    def compose(self) -> ComposeResult:
        yield Label(self.PROMPT)
        yield EntryLine(self._value, compact=True, select_on_focus=True)
        yield self._state

    def on_mount(self) -> None:
        self.screen.set_focus(self.query_one(Input))

    @property
    def value(self) -> str:
        return self.query_one(Input).value

    def say(self, text: str) -> None:
        self._state.update(text)

    async def close(self) -> None:
        self._editor.show_found([])
        self._editor.focus()
        await self.remove()

    async def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            await self.close()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()


class FindBar(Bar):
    """Finds a text as it is typed; enter and down go to the next match, up to the previous."""

    PROMPT = "Find"

    def __init__(self, editor: Searched, value: str = "") -> None:
        super().__init__(editor, value)
        self._from = editor.cursor_offset

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._search(self._from)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.step(1)

    async def on_key(self, event: events.Key) -> None:
        if event.key in _STEPS:
            event.stop()
            event.prevent_default()
            self.step(_STEPS[event.key])

    def step(self, by: int) -> None:
        """Go to the next match, or with -1 to the previous one, wrapping around."""
        spans = matches(self._editor.text, self.value)
        starts = [start for start, _ in spans]
        here = min(self._editor.selection_offsets)
        if not spans:
            self._search(here)
        elif by > 0:
            self._show(spans, next((i for i, start in enumerate(starts) if start > here), 0))
        else:
            before = [i for i, start in enumerate(starts) if start < here]
            self._show(spans, before[-1] if before else len(spans) - 1)

    def _search(self, offset: int) -> None:
        spans = matches(self._editor.text, self.value)
        if not spans:
            self._editor.show_found([])
            self.say("not found" if self.value else "")
            return
        self._show(spans, next((i for i, (start, _) in enumerate(spans) if start >= offset), 0))

    def _show(self, spans: list[tuple[int, int]], index: int) -> None:
        self._editor.go_to(*spans[index])
        self._editor.show_found(spans)
        more = "+" if len(spans) >= _MOST else ""
        self.say(f"{index + 1} of {len(spans)}{more}")

    async def close(self) -> None:
        self._editor.last_search = self.value
        await super().close()


class LineBar(Bar):
    """Goes to `line` or `line:column`."""

    PROMPT = "Go to line"

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        found = _PLACE.fullmatch(self.value)
        if not found:
            self.say("enter a line or line:column")
            return
        self._editor.go_to_line(int(found.group(1)), int(found.group(2) or 1))
        await self.close()


def matches(text: str, wanted: str) -> list[tuple[int, int]]:
    """The spans of the matches; case-sensitive only if `wanted` has capitals."""
    if not wanted:
        return []
    flags = re.NOFLAG if wanted != wanted.lower() else re.IGNORECASE
    found = re.finditer(re.escape(wanted), text, flags)
    return [match.span() for match in islice(found, _MOST)]
