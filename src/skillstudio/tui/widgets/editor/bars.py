"""One line below the editor: find a text, or go to a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Label

from skillstudio.tui.widgets.entry import EntryLine

_MOST = 5000
"""Places that a search marks; it says when there are more."""
_PLACE = re.compile(r"\s*(\d+)\s*(?:[:,]\s*(\d+)\s*)?")


class Searched(Protocol):
    """What the bars ask of the editor that they stand below."""

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
        & .bar--says { color: $text-muted; }
    }
    """

    PROMPT: ClassVar[str] = ""

    def __init__(self, editor: Searched, value: str = "") -> None:
        super().__init__()
        self._editor = editor
        self._value = value
        self._says = Label("", classes="bar--says", markup=False)

    def compose(self) -> ComposeResult:
        yield Label(self.PROMPT)
        yield EntryLine(self._value, compact=True, select_on_focus=True)
        yield self._says

    def on_mount(self) -> None:
        self.screen.set_focus(self.query_one(Input))

    @property
    def value(self) -> str:
        return self.query_one(Input).value

    def say(self, text: str) -> None:
        self._says.update(text)

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
    """Finds a text as it is typed; enter and down go on, up goes back."""

    PROMPT = "Find"

    def __init__(self, editor: Searched, value: str = "") -> None:
        super().__init__(editor, value)
        self._from = editor.cursor_offset
        self._keys: dict[str, Callable[[], None]] = {
            "down": lambda: self.step(1),
            "up": lambda: self.step(-1),
        }

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._search(self._from)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.step(1)

    async def on_key(self, event: events.Key) -> None:
        if event.key in self._keys:
            event.stop()
            event.prevent_default()
            self._keys[event.key]()

    def step(self, by: int) -> None:
        """Go to the next place, or with -1 to the one before, around the ends."""
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
    """Goes to a line, or to `line:column`."""

    PROMPT = "Go to line"

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        found = _PLACE.fullmatch(self.value)
        if not found:
            self.say("a number, or line:column")
            return
        self._editor.go_to_line(int(found.group(1)), int(found.group(2) or 1))
        await self.close()


def matches(text: str, wanted: str) -> list[tuple[int, int]]:
    """Where a text is found; capitals count when there are any in what is wanted."""
    if not wanted:
        return []
    flags = re.NOFLAG if wanted != wanted.lower() else re.IGNORECASE
    found = []
    for match in re.finditer(re.escape(wanted), text, flags):
        found.append(match.span())
        if len(found) == _MOST:
            break
    return found
