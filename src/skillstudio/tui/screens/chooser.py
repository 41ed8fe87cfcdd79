"""A question with a list of answers that letters narrow: palette, help, skills, themes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.fuzzy import FuzzySearch
from textual.widgets import Input, Static

from skillstudio.tui.screens.list_dialog import ListDialog
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.rows import Rows


class Answer(NamedTuple):
    """One line to choose: what it stands for, what is searched, what is shown."""

    id: str
    title: str
    line: Content
    more: str = ""
    """Words to find it by that stand behind the title."""
    off: str = ""
    """Why it cannot be chosen now."""


class Chooser(ListDialog[str | None]):
    """Ends with the id of an answer, or None when the user backs out."""

    def __init__(
        self,
        title: str,
        answers: Sequence[Answer],
        about: Content | None = None,
        on_move: Callable[[str], None] | None = None,
        start: str = "",
    ) -> None:
        """`on_move` hears of the selected answer; `start` is the one to begin at."""
        super().__init__()
        self._title = title
        self._answers = list(answers)
        self._found = list(answers)
        self._about = about
        self._on_move = on_move
        self._start = start

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="title")
            if self._about is not None:
                yield Static(self._about, id="about")
            yield EntryLine(placeholder="type to search", id="query", select_on_focus=False)
            yield Rows(id="answers", empty=Content("nothing has these letters"))
            yield Static(Content("enter choose · esc back"), classes="hint", id="hint")

    def on_mount(self) -> None:
        ids = [answer.id for answer in self._answers]
        self._list(ids.index(self._start) if self._start in ids else 0)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._found = matching(event.value, self._answers)
        self._list(0)

    def _list(self, cursor: int) -> None:
        lines = [a.line.stylize("dim") if a.off else a.line for a in self._found]
        self.query_one(Rows).show(lines, cursor)
        self._moved()

    def _moved(self) -> None:
        here = self._here()
        off = here.off if here else ""
        keys = "enter choose · esc back"
        hint = f"not now: {off}" if off else f"{here.more} · {keys}" if here and here.more else keys
        self.query_one("#hint", Static).update(Content(hint))
        if here and self._on_move is not None:
            self._on_move(here.id)

    def _here(self) -> Answer | None:
        index = self.query_one(Rows).cursor
        return self._found[index] if index < len(self._found) else None

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._moved()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self._choose()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._choose()

    def _choose(self) -> None:
        here = self._here()
        if here and not here.off:
            self.dismiss(here.id)


def matching(query: str, answers: Sequence[Answer]) -> list[Answer]:
    """The answers with every word of the query, those with them in the title first; where no
    answer has them, those with the letters in this order."""
    words = query.casefold().split()
    titled = [each for each in answers if _has(words, each.title)]
    mentioned = [each for each in answers if _has(words, f"{each.title} {each.more}")]
    if mentioned:
        return [*titled, *(each for each in mentioned if each not in titled)]
    search = FuzzySearch()
    scored = [(search.match("".join(words), each.title)[0], each) for each in answers]
    return [each for score, each in sorted(scored, key=lambda pair: -pair[0]) if score > 0]


def _has(words: list[str], text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)
