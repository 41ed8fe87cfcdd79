"""The dialogs that others use: a few answers, one line of text, and a list to move through."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from rich.cells import cell_len
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from skillstudio.session.tour import Tour, TourOrigin
from skillstudio.tui.dialog import BACK, Dialog
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.lines import KEY_STYLE, KeyHint, KeyLine
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import join, paragraphs, plain

_LONGEST = 48  # Characters of an answer in the line of keys.
Plan = TypeVar("Plan")
Result = TypeVar("Result")


@dataclass
class OpenPath(Message):
    """Asks the application to open another skill or folder; None for the welcome screen."""

    path: str | None
    tour: Tour | None = None  # The tour that is taken there.
    back: TourOrigin | None = None  # What to open there, at the end of the tour.


class ConfirmOption(NamedTuple):
    """An answer: its id, the key that chooses it, its text."""

    id: str
    key: str
    title: str


class Confirm(Dialog[str | None]):
    """Ends with the id of the option, or None when the user goes back.

    Enter chooses the first option, which the line of keys names: the one that the command asks
    for, or, where something would be lost, one that loses nothing.
    """

    SIZE = "small"
    TAKES_UNSEEN = False

    def __init__(self, title: str, text: Content, options: Sequence[ConfirmOption]) -> None:
        super().__init__(title, (_enter(options[0]),))
        self._text = text
        self._options = list(options)

    def body(self) -> ComposeResult:
        yield Static(self._text, id="about")
        yield Rows(id="answers")

    def on_mount(self) -> None:
        rows = self.query_one(Rows)
        rows.show([join(plain(f"{o.key}  ", KEY_STYLE), plain(o.title)) for o in self._options])
        rows.styles.height = len(self._options)
        rows.focus()

    def _show_details(self) -> None:
        option = self._options[self.query_one(Rows).cursor]
        self.query_one(KeyLine).show((_enter(option),), (BACK,))

    def on_key(self, event: events.Key) -> None:
        for option in self._options:
            if event.key == option.key:
                event.stop()
                self.dismiss(option.id)
                return

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self.dismiss(self._options[event.index].id)


def _enter(option: ConfirmOption) -> KeyHint:
    """What enter does, where an option is selected."""
    title = option.title
    return KeyHint("enter", title if len(title) <= _LONGEST else f"{title[: _LONGEST - 1]}…")


def anyway(title: str, text: Content, yes: str, no: str = "Go back") -> Confirm:
    """A question that ends with `yes` only by its own key or row; enter means no."""
    return Confirm(title, text, [ConfirmOption("no", "n", no), ConfirmOption("yes", "y", yes)])


class PromptDialog(Dialog[str | None]):
    """Ends with one line of text, or None when the user goes back."""

    SIZE = "small"

    def __init__(
        self, title: str, start: str, wrong: Callable[[str], str], about: str = ""
    ) -> None:
        """`wrong` gives the reason to reject a text, "" to accept it; `about` is below the field
        until then."""
        super().__init__(title, (KeyHint("enter", "accept"),))
        self._start = start
        self._wrong = wrong
        self._about = about

    def body(self) -> ComposeResult:
        yield EntryLine(self._start, select_on_focus=False)
        yield Static(plain(self._about, "dim"), id="state")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if wrong := self._wrong(event.value):
            self.query_one("#state", Static).update(plain(f"✗ {wrong}", "$text-error"))
        else:
            self.dismiss(event.value)


def nonempty(problem: str) -> Callable[[str], str]:
    """A check for `PromptDialog` that rejects an empty text with a message."""
    return lambda text: "" if text.strip() else problem


async def ask_for_path(
    app: App[Any], start: str, title: str = "Open a skill or a folder of skills"
) -> str | None:
    """Ask for an existing file or folder; its absolute path."""

    def wrong(path: str) -> str:
        return "" if os.path.exists(os.path.expanduser(path)) else f"{path} does not exist"

    about = f"a folder with SKILL.md, or a folder of such folders; ~ is {os.path.expanduser('~')}"
    path = await app.push_screen_wait(PromptDialog(title, start, wrong, about))
    return None if path is None else os.path.abspath(os.path.expanduser(path))


class ListDialog(Dialog[Result]):
    """Arrow and page keys move through the list, whatever has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,ctrl+n", "move(1)", "Down", priority=True),
        Binding("up,ctrl+r", "move(-1)", "Up", priority=True),
        Binding("pagedown", "page(1)", "Page down", priority=True),
        Binding("pageup", "page(-1)", "Page up", priority=True),
    ]

    def action_move(self, by: int) -> None:
        self.query_one(Rows).action_move(by)

    def action_page(self, by: int) -> None:
        self.query_one(Rows).action_page(by)


class TextDialog(Dialog[Result]):
    """A text, with a key that scrolls where there is more of it than fits."""

    SIZE = "wide fit"

    def on_mount(self) -> None:
        details = self.query_one(Details)
        details.focus()
        self.watch(details, "virtual_size", self._fit, init=False)

    def _fit(self) -> None:
        self.call_after_refresh(self._show_keys)

    def _show_keys(self) -> None:
        scroll_hints = [KeyHint("pagedown", "more")] if self.query_one(Details).max_scroll_y else []
        self.query_one(KeyLine).show([*self._keys, *scroll_hints], (BACK,))


class PlanDialog(ListDialog[Result], Generic[Plan, Result]):
    """Shows what would be written to a path while it is typed, then writes it."""

    SIZE = "wide"
    FAILURE_TEXT = "not possible"
    REFUSALS: tuple[type[Exception], ...] = ()  # What `_make` raises.
    _make: Callable[[str], Plan]  # Plans for a path, in a thread.
    _part: Callable[[str], str]  # The part of a path that the plan depends on.
    _fault: Callable[[str], str]  # Why nothing can be written to a path; "" if it can.
    _summary: Callable[[Plan], str]
    _lines: Callable[[Plan], list[tuple[Content, str]]]
    """The lines of the list, each with its whole text."""
    _question: Callable[[Plan], Confirm | None]  # What to ask before a plan is written.
    _write: Callable[[Plan, str], Awaitable[None]]  # Write a plan to a path.

    def __init__(self, title: str, start: str, keys: Sequence[KeyHint]) -> None:
        """`start` is the proposed path; without one, there is no field for it."""
        super().__init__(title, keys)
        self._start = start
        self._plan: Plan | None = None
        self._planned_part = ""
        self._texts: list[str] = []
        self._is_busy = False
        """Whether a question is open or the plan is being written."""

    def body(self) -> ComposeResult:
        if self._start:
            yield EntryLine(self._start, id="path", select_on_focus=False)
        yield Static(id="state")
        yield Rows(id="answers", empty=Content(""))
        yield Static(id="whole")

    def on_mount(self) -> None:
        self._look()

    @property
    def _path(self) -> str:
        """The absolute path of what is typed, relative to the folder of the proposed one."""
        typed_path = os.path.expanduser(self.query_one(Input).value.strip()) if self._start else ""
        return (
            os.path.abspath(os.path.join(os.path.dirname(self._start), typed_path))
            if typed_path
            else ""
        )

    def _look(self) -> None:
        self._planned_part, self._plan = self._part(self._path), None
        self._say(Content("reading the skill …"))
        self.run_worker(self._read(self._path), group="plan", exclusive=True)

    async def _read(self, path: str) -> None:
        lines: list[tuple[Content, str]] = []
        try:
            self._plan = await asyncio.to_thread(self._make, path)
        except self.REFUSALS as error:
            self._say(paragraphs(f"{self.FAILURE_TEXT}: {error}").stylize("$text-error"))
        else:
            lines = self._lines(self._plan)
            self._update_view()
        self._texts = [text for _, text in lines]
        self.query_one(Rows).show([line for line, _ in lines], 0)
        self._show_details()

    def _update_view(self) -> None:
        if self._plan is not None:
            wrong = self._fault(self._path)
            self._say(plain(wrong, "$text-error") if wrong else plain(self._summary(self._plan)))

    def _say(self, text: Content) -> None:
        self.query_one("#state", Static).update(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._part(self._path) != self._planned_part:
            self._look()
        else:
            self._update_view()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._take()

    def _take(self) -> None:
        plan, path = self._plan, self._path
        if plan is None or self._is_busy:
            return
        if wrong := self._fault(path):
            self._say(plain(wrong, "$text-error"))
        else:
            self._is_busy = True
            self.run_worker(self._ask(plan, path), group="ask")

    async def _ask(self, plan: Plan, path: str) -> None:
        question = self._question(plan)
        if question is None or await self.app.push_screen_wait(question) == "yes":
            self.query(Input).set(disabled=True)
            self.run_worker(self._write(plan, path), group="plan", exclusive=True)
        else:
            self._is_busy = False

    def _show_failure(self, text: Content) -> None:
        self._say(text.stylize("$text-error"))
        self._is_busy = False
        self.query(Input).set(disabled=False).focus()

    def _show_details(self) -> None:
        """Show the selected line, which may be too long for the list."""
        rows = self.query_one(Rows)
        text = self._texts[rows.cursor] if self._texts else ""
        is_cut = cell_len(text) > rows.width
        self.query_one("#whole", Static).update(plain(text if is_cut else "", "dim"))
