"""The overview of the workspace, which is shown while no skill is open."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message

from skillstudio.present.overview import OverviewRow, SurveyProgress, overview_rows
from skillstudio.session.session import Session
from skillstudio.tui.widgets.lines import line_content
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain

_SHARE = 10  # A survey of thousands of skills spends at most a tenth of the time on the overview.


class Overview(Rows):
    """How many problems the skills have, which are the worst, and which targets accept them."""

    HELP = """The skills of the open folder: how many problems they have, the worst ones, and which
selected targets accept them. Enter opens the skill of the selected line."""

    @dataclass
    class SkillChosen(Message):
        """A skill was chosen, by its path."""

        skill: str

    def __init__(
        self, session: Session, starts: Iterable[tuple[str, str]], id: str | None = None
    ) -> None:
        """`starts` are keys and what they do, which are shown in a folder without skills."""
        super().__init__(id=id, empty=Content(""))
        self._session = session
        self._starts = tuple(starts)
        self._progress = SurveyProgress(is_searching=True)
        self._rows: list[OverviewRow] = []
        self._next = 0.0
        """When the next state of an unfinished survey is shown."""

    def show_survey(self, progress: SurveyProgress) -> None:
        """Show what the survey has found so far."""
        self._progress = progress
        start = time.monotonic()
        if not progress.text or start > self._next:
            self._show_rows()
            end = time.monotonic()
            self._next = end + _SHARE * (end - start)

    def _show_rows(self) -> None:
        before = self._selected
        workspace = self._session.workspace
        self._rows = overview_rows(
            workspace.skills.values(),
            workspace.problems,
            self._progress,
            self.width,
            self.size.height,
        )
        if not self._rows:
            self.show(self._without_skills(), 0)
            return
        found = [at for at, row in enumerate(self._rows) if row.skill is not None]
        same = [at for at in found if self._rows[at].skill == before]
        lines = [joined("  " * row.line.indent, line_content(row.line)) for row in self._rows]
        self.show(lines, next(iter([*same, *found]), 0))

    def _without_skills(self) -> list[Content]:
        head = plain(self._progress.without_skills, "bold")
        rows = [joined(plain(f"{key:>6}  ", "bold"), plain(does)) for key, does in self._starts]
        return [head, Content(""), *rows]

    @property
    def _selected(self) -> str | None:
        return self._rows[self.cursor].skill if self.cursor < len(self._rows) else None

    def on_resize(self) -> None:
        self._show_rows()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if (skill := self._selected) is not None:
            self.post_message(self.SkillChosen(skill))
