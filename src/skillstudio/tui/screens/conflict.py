"""Merge two texts of one file: keep mine, take theirs, or choose hunk by hunk."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from skillstudio.present.lines import count
from skillstudio.session.session import Disagreement
from skillstudio.text.merging import Choice, ConflictRegion, merge, parts
from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import join, paragraphs

_WORDS: dict[Choice, str] = {
    "mine": "mine",
    "theirs": "theirs",
    "both": "both, mine first",
    "base": "neither, the original",
}
_KEYS = tuple(
    KeyHint(key, does)
    for key, does in {
        "1": "mine",
        "2": "theirs",
        "3": "both",
        "4": "neither",
        "enter": "next place",
        "a": "accept the choices",
        "m": "keep all mine",
        "t": "take all theirs",
    }.items()
)


class ConflictScreen(Dialog[str | None]):
    """Ends with the merged text, or None when the user goes back; writes nothing."""

    SIZE = "wide"
    TAKES_UNSEEN = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "all('mine')", "Mine"),
        Binding("t", "all('theirs')", "Theirs"),
        Binding("1", "here('mine')", "Mine here"),
        Binding("2", "here('theirs')", "Theirs here"),
        Binding("3", "here('both')", "Both here"),
        Binding("4", "here('base')", "Neither here"),
        Binding("a", "accept", "Accept"),
    ]

    def __init__(self, sides: Disagreement) -> None:
        super().__init__(sides.path, _KEYS)
        self._sides = sides
        self._parts = parts(sides.base, sides.mine, sides.theirs or "")
        self._open = [part for part in self._parts if not part.same]
        self._choices: list[Choice] = [part.suggestion for part in self._open]

    def body(self) -> ComposeResult:
        conflict_count = sum(part.is_conflict for part in self._open)
        about = f"{count(len(self._open), 'difference')}, {conflict_count} changed on both sides"
        yield Static(Content(about))
        yield Rows(id="answers", empty=Content("no differences"))
        with VerticalScroll(can_focus=False):
            yield Static(id="hunk")

    def on_mount(self) -> None:
        self._show()
        self.query_one(Rows).focus()

    def _show(self) -> None:
        pairs = zip(self._open, self._choices, strict=True)
        self.query_one(Rows).show([_line(part, choice) for part, choice in pairs])
        self._show_details()

    def _show_details(self) -> None:
        if self._open:
            part = self._open[self.query_one(Rows).cursor]
            self.query_one("#hunk", Static).update(_hunk(part))

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        """Enter selects the next place: only the key of a choice makes it."""
        event.stop()
        rows = self.query_one(Rows)
        if self._open and not event.was_clicked:
            rows.cursor = (rows.cursor + 1) % len(self._open)

    def action_here(self, choice: Choice) -> None:
        if self._open:
            self._choices[self.query_one(Rows).cursor] = choice
            self._show()

    def action_all(self, choice: Choice) -> None:
        self.dismiss(self._sides.mine if choice == "mine" else self._sides.theirs or "")

    def action_accept(self) -> None:
        self.dismiss(merge(self._parts, self._choices))


def _line(part: ConflictRegion, choice: Choice) -> Content:
    glyph = "✗ changed on both sides" if part.is_conflict else "· changed on one side  "
    return Content.assemble(f"line {part.line:<5} {glyph}  → ", (_WORDS[choice], "bold"))


def _hunk(part: ConflictRegion) -> Content:
    return join(
        Content.styled("mine\n", "bold $text-primary"),
        paragraphs(part.mine or "(nothing)\n"),
        Content.styled("\ntheirs\n", "bold $text-warning"),
        paragraphs(part.theirs or "(nothing)\n"),
        Content.styled("\noriginal\n", "bold"),
        paragraphs(part.base or "(nothing)\n"),
    )
