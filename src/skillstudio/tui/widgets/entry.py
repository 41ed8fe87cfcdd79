"""Fields that deal with their keys in the order they are typed in.

Left to Textual, a key that is bound comes up through all that is around its widget first, and
after the letters typed behind it, when several arrive at once.
"""

from __future__ import annotations

from textual import events
from textual.widget import Widget
from textual.widgets import Input, TextArea


class EntryLine(Input):
    """One line of text."""

    async def on_key(self, event: events.Key) -> None:
        await do_bound(self, event)


class EntryArea(TextArea):
    """Several lines of text."""

    async def on_key(self, event: events.Key) -> None:
        await do_bound(self, event)


async def do_bound(widget: Widget, event: events.Key) -> bool:
    """Do at once what a key is bound to in the widget that has the focus. Whether it was."""
    bindings = widget._bindings
    if event.is_printable or event.key not in bindings.key_to_bindings:
        return False
    for binding in bindings.get_bindings_for_key(event.key):
        if await widget.app.run_action(binding.action, widget):
            event.stop()
            event.prevent_default()
            return True
    return False
