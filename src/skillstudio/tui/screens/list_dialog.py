"""A dialog with a list that is gone through while something else is typed in."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType

from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.rows import Rows

Result = TypeVar("Result")


class ListDialog(Dialog[Result], Generic[Result]):
    """Arrows and page keys go through the list, whatever has the focus; escape backs out."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back"),
        Binding("down,ctrl+n", "move(1)", "Down", priority=True),
        Binding("up,ctrl+r", "move(-1)", "Up", priority=True),
        Binding("pagedown", "page(1)", "Page down", priority=True),
        Binding("pageup", "page(-1)", "Page up", priority=True),
    ]

    def action_move(self, by: int) -> None:
        self.query_one(Rows).action_move(by)

    def action_page(self, by: int) -> None:
        self.query_one(Rows).action_page(by)

    def action_back(self) -> None:
        self.dismiss(None)
