"""Home: the folder of skills at a glance, while no skill is open."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message

from skillstudio.present.home import HomeRow, SurveyProgress, home_rows
from skillstudio.session.session import Session
from skillstudio.tui.widgets.lines import KEY_STYLE, STYLES, key_offer
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.words import join, plain

_SHARE = 10  # A survey of thousands of skills spends at most a tenth of the time on this.


class Home(Rows):
    """What to fix first, which targets load which skills, and what to start."""

    HELP = """The skills of the open folder: how many are in order, what to fix first, and which
targets load them: ✓ whole, ! in part, ✗ not at all, ○ does not look here, – not selected. Enter
opens the selected line; f2 opens the skill and fixes the problem."""

    @dataclass
    class RowChosen(Message):
        """A line was chosen: its skill is to be opened, its command run or its folder opened."""

        row: HomeRow

    def __init__(
        self,
        session: Session,
        offers: Sequence[tuple[str, str]],
        recent: Callable[[], list[str]],
        key: Callable[[str], str],
        id: str | None = None,
    ) -> None:
        """`offers` are commands that start something, and what they do; `recent` returns the
        folders that were opened last; `key` the key that runs a command now, "" for none."""
        super().__init__(id=id, empty=Content(""))
        self._session = session
        self._offers = offers
        self._recent = recent
        self._key = key
        self._progress = SurveyProgress(is_searching=True)
        self._rows: list[HomeRow] = []
        self._was_moved = False
        """Whether the user chose a line; until then, the first one is selected."""
        self._next = 0.0
        """When the next state of an unfinished survey is shown."""

    def show_survey(self, progress: SurveyProgress) -> None:
        """Show what the survey has found so far."""
        self._progress = progress
        start = time.monotonic()
        if not progress.text or start > self._next:
            self.show_rows()
            end = time.monotonic()
            self._next = end + _SHARE * (end - start)

    def show_rows(self) -> None:
        """Show the skills, and the keys that work now."""
        before = self.here if self._was_moved else None
        workspace = self._session.workspace
        self._rows = home_rows(
            workspace.skills.values(),
            workspace.problems,
            self._progress,
            self._offers,
            self._recent(),
            self.width,
            self.size.height,
        )
        skipped_rows = {at for at, row in enumerate(self._rows) if not row.is_choice}
        self.show(LazyLines(len(self._rows), self._line), self._place_of(before), skipped_rows)

    def _place_of(self, before: HomeRow | None) -> int:
        """The line that is about the same as an earlier one, else the first to choose."""
        choices = [at for at, row in enumerate(self._rows) if row.is_choice]
        if before is not None:
            about = before[1:2] + before[3:]
            same = [at for at in choices if self._rows[at][1:2] + self._rows[at][3:] == about]
            choices = [*same, *choices]
        return next(iter(choices), 0)

    @property
    def here(self) -> HomeRow | None:
        """The selected line, if enter does something there."""
        row = self._rows[self.cursor] if self.cursor < len(self._rows) else None
        return row if row is not None and row.is_choice else None

    def _text(self, index: int) -> Content:
        """A line without its key."""
        return join(*(plain(text, STYLES[style]) for text, style in self._rows[index].pieces))

    def _line(self, index: int) -> Content:
        row, line = self._rows[index], self._text(index)
        if row.command:
            return join(Content.styled(f"  {self._key(row.command):<2} ", KEY_STYLE), line)
        if not row.has_fix:
            return line
        after = self._after(index)
        room = self.room_before(after, line)
        return join(line.truncate(room, ellipsis=True, pad=True), "  ", after)

    def _after(self, index: int) -> Content:
        """The key of the fix at the selected line; at others, that there is one."""
        is_here = index == self.cursor and self.has_focus
        key = self._key("problem.fix") if is_here else ""
        if key:
            return key_offer(key, "problem.fix", "fix")
        return Content.styled("fix", "dim")

    def watch_cursor(self, old: int, new: int) -> None:
        self._was_moved = self._was_moved or old != new
        super().watch_cursor(old, new)

    def on_resize(self) -> None:
        self.show_rows()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if (row := self.here) is not None:
            self.post_message(self.RowChosen(row))
