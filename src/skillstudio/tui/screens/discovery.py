"""A prompt as somebody would type it, and which skills of the workspace it finds, as one types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerState

from skillstudio.present.discovery import TITLE
from skillstudio.preview.view import LazyView
from skillstudio.session.previewing.discovering import Discovering, Hit, Prompted
from skillstudio.session.previewing.files import set_lines
from skillstudio.text.safe import safe_text
from skillstudio.tui.screens.list_dialog import ListDialog
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.lines import STYLES
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain

_KEYS = "enter opens the skill · ↑↓ the skills · tab the reasons · esc back"
_TOLD_EVERY = 25
"""Skills that are read between two words about how far it is."""


class PromptField(EntryLine):
    """One line; what is pasted comes as one, whatever ends its lines had."""

    def _on_paste(self, event: events.Paste) -> None:
        # The field takes it after this.
        event.text = safe_text(" ".join(event.text.split()))


class DiscoveryScreen(ListDialog[str | None]):
    """Ends with the folder of a skill in the workspace, or None when the user backs out.

    Skills are read once, in a thread; each other text in the field gives up the look at the one
    before, so the last one wins.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "other", "Reasons", priority=True)]

    @dataclass
    class ReadProgress(Message):
        """So many skills of so many are read; `over` is for all of them."""

        done: int
        total: int
        over: bool = False

    @dataclass
    class SearchDone(Message):
        """What was found for the prompt of a number."""

        number: int
        prompted: Prompted

    def __init__(
        self, discovering: Discovering, unsaved: Mapping[str, str], here: str | None = None
    ) -> None:
        """`here` is the skill that is open."""
        super().__init__()
        self._discovering = discovering
        self._unsaved = unsaved
        self._here = here
        self._asked = 0
        """Numbers the prompts; what is found for an earlier one is not wanted any more."""
        self._is_open = True
        self._is_read = False
        self._prompted: Prompted | None = None
        self._told_of = 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Static(Content(TITLE), classes="title")
            yield PromptField(
                self._discovering.prompt,
                placeholder="a prompt for an agent",
                id="prompt",
                select_on_focus=True,
            )
            yield Static(id="state")
            yield Rows(id="hits", empty=Content(""))
            yield ViewLines(id="reasons")
            yield Static(Content(_KEYS), classes="hint", id="hint")

    def on_mount(self) -> None:
        self._say("reading the skills …")
        # The thread would hold the first frame up.
        self.call_after_refresh(self._read_soon)

    def on_unmount(self) -> None:
        self._is_open = False

    @property
    def is_settled(self) -> bool:
        """Whether what is shown is of what is typed."""
        return self._is_read and self._told_of == self._asked

    @property
    def _hit(self) -> Hit | None:
        hits = self._prompted.hits if self._prompted is not None else ()
        at = self.query_one("#hits", Rows).cursor
        return hits[at] if at < len(hits) else None

    # Reading and finding, in threads.

    def _read_soon(self) -> None:
        self.run_worker(self._read, thread=True, group="discovery-read", exit_on_error=False)

    def _read(self) -> None:
        done = self._discovering.read(self._unsaved, lambda: self._is_open, self._progress)
        if done:
            self.post_message(self.ReadProgress(0, 0, over=True))

    def _progress(self, done: int, total: int) -> None:
        if done % _TOLD_EVERY == 0:
            self.post_message(self.ReadProgress(done, total))

    def on_discovery_screen_read_progress(self, event: ReadProgress) -> None:
        event.stop()
        if event.over:
            self._is_read = True
            self._find_soon()
        elif not self._is_read:
            self._say(f"reading the skills: {event.done:,} of {event.total:,} …")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._discovering.prompt = event.value
        if self._is_read:
            self._find_soon()

    def _find_soon(self) -> None:
        self._asked += 1
        number, prompt = self._asked, self._discovering.prompt
        work = partial(self._find, number, prompt)
        self.run_worker(work, thread=True, group="discovery", exit_on_error=False)

    def _find(self, number: int, prompt: str) -> None:
        wanted: Callable[[], bool] = lambda: self._is_open and number == self._asked  # noqa: E731
        found = self._discovering.find(prompt, wanted)
        if found is not None:
            self.post_message(self.SearchDone(number, found))

    def on_discovery_screen_search_done(self, event: SearchDone) -> None:
        event.stop()
        if event.number == self._asked:
            self._told_of = event.number
            self._show(event.prompted)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault in reading or finding is told and costs no more than its own work."""
        event.stop()
        if event.state is WorkerState.ERROR:
            self._is_read, self._told_of = True, self._asked
            self._say(f"{event.worker.group} stopped: {event.worker.error!r}", "$text-error")

    # Showing.

    def _show(self, prompted: Prompted) -> None:
        self._prompted = prompted
        notes = "".join(f" · ! {each}" for each in prompted.notes[:1])
        more = f" (+{len(prompted.notes) - 1} more)" if len(prompted.notes) > 1 else ""
        self.query_one("#state", Static).update(
            joined(plain(prompted.told), plain(f"{notes}{more}", "$text-warning"))
        )
        rows = self.query_one("#hits", Rows)
        wide = max((len(each.place) for each in prompted.hits), default=1)
        rows.show([self._line(each, wide) for each in prompted.hits], 0)
        self._tell()

    def _line(self, hit: Hit, wide: int) -> Content:
        name = plain(hit.name, "bold" if hit.style != "quiet" else "dim")
        is_here = plain(" (open)", "$text-primary") if hit.skill == self._here else Content("")
        place = plain(f"{hit.place:>{wide}} ", STYLES[hit.style])
        return joined(place, name, is_here, plain(f"  {hit.about}", "dim"))

    def _say(self, text: str, style: str = "") -> None:
        self.query_one("#state", Static).update(plain(text, style))

    def _tell(self) -> None:
        """Why the selected skill is found, or is not."""
        view, hit = self.query_one(ViewLines), self._hit
        room = max(view.size.width - 1, 20)
        view.show(LazyView("", "reasons", list(set_lines(hit.lines, room))) if hit else None)

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._tell()

    def on_resize(self) -> None:
        # Once the parts have their new sizes.
        self.call_after_refresh(self._tell)

    # Choosing.

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self._choose()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._choose()

    def _choose(self) -> None:
        hit = self._hit
        if hit is not None and self.is_settled:
            self.dismiss(hit.skill)

    def action_other(self) -> None:
        """From the prompt to the reasons, and back."""
        reasons = self.query_one(ViewLines)
        (self.query_one(Input) if reasons.has_focus else reasons).focus()

    def action_move(self, by: int) -> None:
        reasons = self.query_one(ViewLines)
        if reasons.has_focus:
            reasons.scroll_relative(y=by, animate=False)
        else:
            super().action_move(by)

    def action_page(self, by: int) -> None:
        reasons = self.query_one(ViewLines)
        if reasons.has_focus:
            reasons.scroll_relative(y=by * max(reasons.size.height - 1, 1), animate=False)
        else:
            super().action_page(by)

    def action_back(self) -> None:
        """Out of the reasons, then out of the dialog."""
        if self.query_one(ViewLines).has_focus:
            self.query_one(Input).focus()
        else:
            self.dismiss(None)
