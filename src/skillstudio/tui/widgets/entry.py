"""Fields that handle keys in the order in which they are typed.

In Textual a bound key bubbles up through all parents first. If several keys arrive at once, it is
handled after the letters that follow it.
"""

from __future__ import annotations

from textual import events
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Input, TextArea

from skillstudio.preview.spans import cut


class EntryLine(Input):
    """One line of text. A placeholder that is longer ends with `…`."""

    _hint = ""

    def _show_cursor(self) -> None:
        """Bring the cursor into sight: Textual shows a first text from its start."""
        if self.has_focus:
            place = Region(self._cursor_offset, 0, width=1, height=1)
            self.scroll_to_region(place, force=True, animate=False)

    def on_mount(self) -> None:
        self._hint = self.placeholder

    def on_resize(self) -> None:
        self.placeholder = cut(self._hint, self.content_size.width)
        self._show_cursor()

    def on_focus(self) -> None:
        self._show_cursor()

    async def on_key(self, event: events.Key) -> None:
        await do_bound(self, event)


class EntryArea(TextArea):
    """Several lines of text."""

    async def on_key(self, event: events.Key) -> None:
        await do_bound(self, event)


async def do_bound(widget: Widget, event: events.Key) -> bool:
    """Run the action of a key in the focused widget immediately. Whether there is one."""
    bindings = widget._bindings
    if event.is_printable or event.key not in bindings.key_to_bindings:
        return False
    for binding in bindings.get_bindings_for_key(event.key):
        if await widget.app.run_action(binding.action, widget):
            event.stop()
            event.prevent_default()
            return True
    return False
