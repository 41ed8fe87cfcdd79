"""The dialog that lists the keys and headings of the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from skillstudio.manifest.outline import OutlineItem
from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.editor.text_document import pictured
from skillstudio.tui.widgets.entry import EntryLine


class OutlineScreen(Dialog[int | None]):
    """Returns the offset of the chosen entry; letters filter the list."""

    DEFAULT_CSS = """
    OutlineScreen {
        align: center middle;
        & > Vertical {
            width: 60;
            min-width: 30;
            max-width: 90%;
            height: 80%;
            border: round $primary;
            background: $surface;
        }
        & Input { height: 1; border: none; padding: 0 1; }
        & OptionList { height: 1fr; min-width: 20; border: none; padding: 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Close")]

    def __init__(self, items: Sequence[OutlineItem], offset: int) -> None:
        super().__init__()
        self._items = items
        self._shown: list[OutlineItem] = []
        self._offset = offset

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = "Outline"
            yield EntryLine(placeholder="letters of a key", compact=True)
            options = OptionList(markup=False)
            options.can_focus = False
            yield options

    def on_mount(self) -> None:
        self._fill("")
        here = [i for i, item in enumerate(self._items) if item.offset <= self._offset]
        if here:
            self.query_one(OptionList).highlighted = here[-1]

    def _fill(self, wanted: str) -> None:
        words = wanted.lower().split()
        self._shown = [
            item for item in self._items if all(word in item.name.lower() for word in words)
        ]
        digits = len(str(max((item.line for item in self._items), default=1)))
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(_line(item, digits)) for item in self._shown])
        if self._shown:
            options.highlighted = 0

    def on_input_changed(self, event: Input.Changed) -> None:
        self._fill(event.value)

    def on_input_submitted(self) -> None:
        at = self.query_one(OptionList).highlighted
        self.dismiss(self._shown[at].offset if at is not None and self._shown else None)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._shown[event.option_index].offset)

    def on_key(self, event: events.Key) -> None:
        options = self.query_one(OptionList)
        if event.key == "down":
            options.action_cursor_down()
        elif event.key == "up":
            options.action_cursor_up()
        else:
            return
        event.stop()
        event.prevent_default()


def _line(item: OutlineItem, digits: int) -> Content:
    name = "  " * item.level + pictured(item.name)
    return Content.assemble((f"{item.line:>{digits}} ", "dim"), name)
