"""Prompts below the editor: find a text, go to a line."""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Label

from skillstudio.tui.widgets.entry import EntryLine

if TYPE_CHECKING:
    from skillstudio.tui.widgets.editor.marked_text import MarkedTextArea

_MOST = 5000  # The most matches that a search marks.
_STEPS = {"down": 1, "up": -1}
_PLACE = re.compile(r"\s*(\d+)\s*(?:[:,]\s*(\d+)\s*)?")


class Bar(Horizontal):
    """A prompt below the editor; escape closes it and gives the focus back."""

    DEFAULT_CSS = """
    Bar {
        height: 1;
        background: $panel;
        & Label { width: auto; padding: 0 1; }
        & Input { width: 1fr; min-width: 10; height: 1; border: none; padding: 0; }
        & .bar--state { color: $foreground 75%; }
    }
    """

    PROMPT: ClassVar[str] = ""

    def __init__(self, editor: MarkedTextArea, value: str = "") -> None:
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


class FindBar(Bar):
    """Finds a text as it is typed; enter and down go to the next match, up to the previous."""

    PROMPT = "Find"

    def __init__(self, editor: MarkedTextArea, value: str = "") -> None:
        super().__init__(editor, value)
        self._from = editor.cursor_offset

    def on_input_changed(self) -> None:
        self._search(self._from)

    def on_input_submitted(self) -> None:
        self.step(1)

    async def on_key(self, event: events.Key) -> None:
        if event.key in _STEPS:
            event.stop()
            event.prevent_default()
            self.step(_STEPS[event.key])

    def step(self, by: int) -> None:
        """Go to the next match, or with -1 to the previous one, wrapping around."""
        self._search(min(self._editor.selection_offsets), by)

    def _search(self, offset: int, by: int = 0) -> None:
        """Mark all matches, and go to the one at or after an offset; with 1 only after it, with -1
        before it."""
        spans = matches(self._editor.text, self.value)
        if not spans:
            self._editor.show_found([])
            self.say("not found" if self.value else "")
            return
        starts = [start for start, _ in spans]
        index = bisect(starts, offset) if by > 0 else bisect_left(starts, offset) + by
        index %= len(spans)
        self._editor.go_to(*spans[index])
        self._editor.show_found(spans)
        plus_sign = "+" if len(spans) >= _MOST else ""
        self.say(f"{index + 1} of {len(spans)}{plus_sign}")

    async def close(self) -> None:
        self._editor.last_search = self.value
        await super().close()


class LineBar(Bar):
    """Goes to `line` or `line:column`."""

    PROMPT = "Go to line"

    async def on_input_submitted(self) -> None:
        place = _PLACE.fullmatch(self.value)
        if not place:
            self.say("enter a line or line:column")
            return
        self._editor.go_to_line(int(place.group(1)), int(place.group(2) or 1))
        await self.close()


def matches(text: str, query: str) -> list[tuple[int, int]]:
    """The spans of the matches; case-sensitive only if `query` has capitals."""
    if not query:
        return []
    flags = re.NOFLAG if query != query.lower() else re.IGNORECASE
    all_ = re.finditer(re.escape(query), text, flags)
    return [match.span() for match in islice(all_, _MOST)]
