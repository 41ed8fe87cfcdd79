"""Show which skills of the workspace match a prompt while it is typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from skillstudio.present.discovery import TITLE
from skillstudio.preview.view import LazyView
from skillstudio.session.previewing.discovering import Discovering, Hit, Prompted
from skillstudio.session.previewing.files import set_lines
from skillstudio.text.safe import safe_text
from skillstudio.tui.screens.dialogs import ListDialog
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import STYLES
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain

_STEP = 25  # Skills that are read between two progress messages.


class PromptField(EntryLine):
    """One line; pasted lines are joined."""

    def _on_paste(self, event: events.Paste) -> None:
        # The field handles the event after this.
        event.text = safe_text(" ".join(event.text.split()))


class DiscoveryScreen(ListDialog[str | None]):
    """Ends with the path of a skill in the workspace, or None when the user goes back.

    Skills are read once. A new text in the field cancels the search for the last one.
    """

    SIZE = "wide"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "other", "Reasons", priority=True)]

    def __init__(
        self, discovering: Discovering, unsaved: Mapping[str, str], here: str | None = None
    ) -> None:
        """`here` is the open skill."""
        super().__init__(TITLE, "enter open · ↑↓ skills · tab reasons · esc back")
        self._discovering = discovering
        self._unsaved = unsaved
        self._here = here
        self._is_open = True
        self._is_read = False
        self._prompted: Prompted | None = None
        self._reading = Latest(
            self, "discovery-read", self._prepare_reading, self._find_first, self._fail
        )
        self._latest = Latest(self, "discovery", self._prepare, self._show, self._fail)

    def body(self) -> ComposeResult:
        prompt, hint = self._discovering.prompt, "a prompt for an agent"
        yield PromptField(prompt, placeholder=hint, id="prompt", select_on_focus=True)
        yield Static(id="state")
        yield Rows(id="hits", empty=Content(""))
        yield ViewLines(id="reasons")

    def on_mount(self) -> None:
        self._say("reading the skills …")
        self._reading.ask()

    def on_unmount(self) -> None:
        self._is_open = False
        self._latest.ask()  # Cancels the active search.

    @property
    def is_settled(self) -> bool:
        """Whether the result for the typed prompt is shown."""
        return self._is_read and self._latest.is_settled

    @property
    def _reasons(self) -> ViewLines:
        return self.query_one(ViewLines)

    @property
    def _hit(self) -> Hit | None:
        hits = self._prompted.hits if self._prompted is not None else ()
        at = self.query_one(Rows).cursor
        return hits[at] if at < len(hits) else None

    def _prepare_reading(self) -> Callable[[], bool]:
        is_wanted = lambda: self._is_open  # noqa: E731
        return partial(self._discovering.read, self._unsaved, is_wanted, self._progress)

    def _progress(self, done: int, total: int) -> None:
        if done % _STEP == 0:
            self.call_later(self._say, f"reading the skills: {done:,} of {total:,} …")

    def _find_first(self, is_read: bool) -> None:
        self._is_read = is_read
        self._latest.ask()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._discovering.prompt = event.value
        if self._is_read:
            self._latest.ask()

    def _prepare(self) -> Callable[[], Prompted | None]:
        return partial(
            self._discovering.find, self._discovering.prompt, self._latest.still_wanted()
        )

    def _fail(self) -> None:
        self._is_read = True
        self._say(self._reading.failure or self._latest.failure, "$text-error")

    def _show(self, prompted: Prompted | None) -> None:
        if prompted is None:
            return
        self._prompted = prompted
        notes = "".join(f" · ! {each}" for each in prompted.notes[:1])
        more = f" (+{len(prompted.notes) - 1} more)" if len(prompted.notes) > 1 else ""
        state = joined(plain(prompted.summary), plain(f"{notes}{more}", "$text-warning"))
        self.query_one("#state", Static).update(state)
        wide = max((len(each.place) for each in prompted.hits), default=1)
        self.query_one(Rows).show([self._line(each, wide) for each in prompted.hits], 0)
        self._show_details()

    def _line(self, hit: Hit, wide: int) -> Content:
        name = plain(hit.name, "bold" if hit.style != "quiet" else "dim")
        is_here = plain(" (open)", "$text-primary") if hit.skill == self._here else Content("")
        place = plain(f"{hit.place:>{wide}} ", STYLES[hit.style])
        return joined(place, name, is_here, plain(f"  {hit.about}", "dim"))

    def _say(self, text: str, style: str = "") -> None:
        self.query_one("#state", Static).update(plain(text, style))

    def _show_details(self) -> None:
        hit = self._hit
        width = max(self._reasons.size.width - 1, 20)
        view = LazyView("", "reasons", list(set_lines(hit.lines, width))) if hit else None
        self._reasons.show(view)

    def on_resize(self) -> None:
        # Once the parts have their new sizes.
        self.call_after_refresh(self._show_details)

    @on(Rows.RowActivated)
    @on(Input.Submitted)
    def _choose(self, event: Message) -> None:
        event.stop()
        hit = self._hit
        if hit is not None and self.is_settled:
            self.dismiss(hit.skill)

    def action_other(self) -> None:
        (self.query_one(Input) if self._reasons.has_focus else self._reasons).focus()

    def action_move(self, by: int) -> None:
        if self._reasons.has_focus:
            self._reasons.scroll_relative(y=by, animate=False)
        else:
            super().action_move(by)

    def action_page(self, by: int) -> None:
        if self._reasons.has_focus:
            height = max(self._reasons.size.height - 1, 1)
            self._reasons.scroll_relative(y=by * height, animate=False)
        else:
            super().action_page(by)

    def action_back(self) -> None:
        if self._reasons.has_focus:
            self.query_one(Input).focus()
        else:
            self.dismiss(None)
