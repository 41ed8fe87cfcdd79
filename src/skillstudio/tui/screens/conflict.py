"""Two texts of one file: take mine, theirs, or choose hunk by hunk."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from skillstudio.session.conflict import Choice, ConflictRegion, merge, parts
from skillstudio.session.session import Disagreement
from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import paragraphs, plain

WORDS: dict[Choice, str] = {
    "mine": "mine",
    "theirs": "theirs",
    "both": "both, mine first",
    "base": "neither, as it was",
}
_KEYS = (
    "1 mine  2 theirs  3 both  4 neither · enter next place\n"
    "a accept the choices shown · m keep all mine · t take all theirs\n"
    "esc back, nothing changes"
)


class ConflictScreen(Dialog[str | None]):
    """Ends with the joint text, or None when the user backs out; nothing is written."""

    CSS_PATH = "dialogs.tcss"
    TAKES_UNSEEN = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back"),
        Binding("m", "all('mine')", "Mine"),
        Binding("t", "all('theirs')", "Theirs"),
        Binding("1", "here('mine')", "Mine here"),
        Binding("2", "here('theirs')", "Theirs here"),
        Binding("3", "here('both')", "Both here"),
        Binding("4", "here('base')", "Neither here"),
        Binding("a", "accept", "Accept"),
    ]

    def __init__(self, sides: Disagreement) -> None:
        super().__init__()
        self._sides = sides
        self._parts = parts(sides.base, sides.mine, sides.theirs or "")
        self._open = [part for part in self._parts if not part.same]
        self._choices: list[Choice] = [part.suggested for part in self._open]

    def compose(self) -> ComposeResult:
        clashing = sum(part.conflicting for part in self._open)
        about = f"{len(self._open)} places differ, {clashing} of them changed on both sides"
        with Vertical(classes="dialog wide"):
            yield Static(plain(self._sides.path), classes="title")
            yield Static(Content(about))
            yield Rows(id="answers", empty=Content("nothing differs"))
            with VerticalScroll(can_focus=False):
                yield Static(id="hunk")
            yield Static(Content(_KEYS), classes="hint")

    def on_mount(self) -> None:
        self._show()
        self.query_one(Rows).focus()

    def _show(self) -> None:
        rows = self.query_one(Rows)
        pairs = zip(self._open, self._choices, strict=True)
        rows.show([_line(part, choice) for part, choice in pairs])
        self._show_hunk()

    def _show_hunk(self) -> None:
        if self._open:
            part = self._open[self.query_one(Rows).cursor]
            self.query_one("#hunk", Static).update(_hunk(part))

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._show_hunk()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        """Enter and a click only go on: no choice is made without its own key."""
        event.stop()
        rows = self.query_one(Rows)
        if self._open and not event.clicked:
            rows.cursor = (rows.cursor + 1) % len(self._open)

    def action_here(self, choice: Choice) -> None:
        if self._open:
            self._choices[self.query_one(Rows).cursor] = choice
            self._show()

    def action_all(self, choice: Choice) -> None:
        text = self._sides.mine if choice == "mine" else self._sides.theirs or ""
        self.dismiss(text)

    def action_accept(self) -> None:
        self.dismiss(merge(self._parts, self._choices))

    def action_back(self) -> None:
        self.dismiss(None)


def _line(part: ConflictRegion, choice: Choice) -> Content:
    glyph = "✗ both changed it" if part.conflicting else "· one changed it "
    return Content.assemble(f"line {part.line:<5} {glyph}  → ", (WORDS[choice], "bold"))


def _hunk(part: ConflictRegion) -> Content:
    pieces = [
        Content.styled("mine\n", "bold $text-primary"),
        paragraphs(part.mine or "(nothing)\n"),
        Content.styled("\ntheirs\n", "bold $text-warning"),
        paragraphs(part.theirs or "(nothing)\n"),
        Content.styled("\nas it was\n", "bold"),
        paragraphs(part.base or "(nothing)\n"),
    ]
    return Content("").join(pieces)
