"""The list of fields: the keys that open, add, remove, rename and move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.message import Message

from skillstudio.tui.widgets.rows import Rows

Wish = Literal["change", "switch", "open", "close", "add", "remove", "rename", "up", "down"]


class FieldRows(Rows):
    """One line for each field in sight."""

    HELP = """The manifest as fields, in the order of its schema; * marks what is required.
Every change goes into the text as one step of undo, and nothing else in the text changes.
Enter changes a field, switches it, opens or closes a group; an empty text of an optional field
takes the field out. a adds to a list or map, d removes, r renames a key, J and K move an item;
right and left open and close; tab and shift+tab go from field to field while you type."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "wish('change')", "Change", show=False),
        Binding("space", "wish('switch')", "Switch", show=False),
        Binding("right,l", "wish('open')", "Open", show=False),
        Binding("left,h", "wish('close')", "Close", show=False),
        Binding("a,insert", "wish('add')", "Add", show=False),
        Binding("d,delete", "wish('remove')", "Remove", show=False),
        Binding("r", "wish('rename')", "Rename", show=False),
        Binding("K,shift+up", "wish('up')", "Move up", show=False),
        Binding("J,shift+down", "wish('down')", "Move down", show=False),
    ]

    @dataclass
    class Wished(Message):
        """The user wants something done to the selected field."""

        wish: Wish

    class Scrolled(Message):
        """Rows are elsewhere on the screen."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, FieldRows.Scrolled)

    def action_wish(self, wish: Wish) -> None:
        if self.lines:
            self.post_message(self.Wished(wish))

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self.action_wish("change")

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Scrolled())

    def on_resize(self) -> None:
        super().on_resize()
        self.post_message(self.Scrolled())

    def row_at_cursor(self) -> int:
        """The line of the screen, from the top of the list, that the cursor is on."""
        return self.cursor - round(self.scroll_offset.y)
