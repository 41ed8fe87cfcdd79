"""Screens that end with an answer. Each is answered once, also by keys that arrive together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual import _time, events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen, Screen

from skillstudio.tui.widgets.lines import KeyHint, KeyLine
from skillstudio.tui.widgets.pane import Pane
from skillstudio.tui.words import plain

Result = TypeVar("Result")
BACK = KeyHint("esc", "back")
_LOW = 30  # Lines below which a dialog takes the whole height.
UNSEEN = 1.0  # Seconds until a question accepts keys although the terminal is too slow to show it.


class SingleAnswerScreen(Screen[Result]):
    """A screen that keeps its first answer and ignores every later one.

    Textual's own `dismiss` removes whatever screen is on top, so that a second key in the same
    read would remove the workbench.
    """

    _is_answered = False
    _pending_answer: tuple[Result | None] | None = (
        None  # The answer of a screen that another one covers.
    )

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """End with a result: at once, or when the screens above this one are answered."""
        if self._is_answered:
            return AwaitComplete()
        self._is_answered = True
        if self.app.screen is self:
            return super().dismiss(result)
        self._pending_answer = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        if self._pending_answer is not None and self.app.screen is self:
            (result,), self._pending_answer = self._pending_answer, None
            super().dismiss(result)


class Dialog(SingleAnswerScreen[Result], ModalScreen[Result]):
    """A dialog above another screen; escape ends it with None. A subclass composes its `body`."""

    CSS_PATH = "dialogs.tcss"
    SIZE: ClassVar[str] = ""
    """Classes: `small` or `wide`, if it is not of the usual size; `fit`, as high as its lists."""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]
    TAKES_UNSEEN: ClassVar[bool] = True
    """Whether keys that were typed before the dialog was shown are for it: true if the user asked
    for it and types on, false for a question that may appear while the user is typing."""

    _shown_at: float | None = None
    _mounted_at = 0.0

    def __init__(self, title: str | Content, keys: Sequence[KeyHint]) -> None:
        """`keys` are those of the last line, without escape."""
        super().__init__()
        self._title = plain(title) if isinstance(title, str) else title
        self._keys = keys

    def compose(self) -> ComposeResult:
        with Pane("dialog") as pane:
            pane.set_classes(self.SIZE)
            pane.label(self._title)
            yield from self.body()
        line = KeyLine(wraps=True)
        line.show(self._keys, (BACK,))
        yield line

    def body(self) -> ComposeResult:
        """The widgets in the frame."""
        return ()

    def on_rows_selection_moved(self, event: Message) -> None:
        event.stop()
        self._show_details()

    def _show_details(self) -> None:
        """Show what belongs to the selected row of the dialog's list."""

    def on_resize(self) -> None:
        self.set_class(self.size.height < _LOW, "-low")

    def on_mount(self) -> None:
        self._mounted_at = _time.get_time()

    def note_shown(self, at: float) -> None:
        """The screen was drawn: keys made from then on may be answers."""
        if self._mounted_at and self._shown_at is None:
            self._shown_at = at

    def is_seen(self, event: events.Event) -> bool:
        """Whether an event was made after the dialog was shown, or may come before."""
        if self.TAKES_UNSEEN:
            return True
        if self._shown_at is not None:
            return event.time >= self._shown_at
        return bool(self._mounted_at) and event.time >= self._mounted_at + UNSEEN

    def action_back(self) -> None:
        self.dismiss(None)
