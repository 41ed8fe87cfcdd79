"""The layout of a view with two parts: side by side if there is room, else stacked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from textual import events
from textual.containers import Vertical
from textual.content import Content

from skillstudio.tui.widgets.latest import Latest, LatestMessage
from skillstudio.tui.widgets.lines import KeyHint

BESIDE = 84  # Columns from which the second part is beside the first instead of below it.

Step = TypeVar("Step", bound=str)


class SplitView(Vertical):
    """Lines above and below a `.body`, in which the second part is a `.side`."""

    DEFAULT_CSS = """
    SplitView { height: 1fr; min-width: 24; }
    SplitView > Line { background: $panel; }
    SplitView > .body { height: 1fr; }
    SplitView > .body > .side { width: 1fr; height: 1fr; border-left: vkey $primary 40%; }
    SplitView > .body > .side > Line { background: $panel; }
    SplitView.-below > .body { layout: vertical; }
    SplitView.-below > .body > .side { width: 100%; border-left: none; }
    """

    _latest: Latest[Any]  # The work in a thread that finds what the view shows.

    class CommandsChanged(LatestMessage):
        """The set of enabled commands changed."""

    def __init__(self, key: Callable[[str], str], id: str | None = None) -> None:
        """`key` returns the shown key of a command, "" if it has none."""
        super().__init__(id=id)
        self._key = key

    @property
    def hints(self) -> Iterable[KeyHint]:
        """The keys of the view, the most important first."""
        return ()

    @property
    def skill(self) -> str | None:
        """The skill that is shown."""
        return None

    @property
    def tab_state(self) -> Content:
        """What the tab of the view shows beside its name."""
        return Content("")

    def _hint(self, id_: str, does: str, off: bool = False) -> KeyHint:
        return KeyHint(self._key(id_), does, off, id_)

    def refresh_soon(self) -> None:
        """Refresh after the active refresh; only the last request is shown."""
        self._latest.ask()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < BESIDE, "-below")

    async def drawn(self) -> None:
        """Wait for the next layout, after which a widget that was hidden can be focused."""
        done = asyncio.Event()
        self.call_after_refresh(done.set)
        await done.wait()


def after(steps: tuple[Step, ...], here: Step) -> Step:
    """The next step; the first one after the last."""
    return steps[(steps.index(here) + 1) % len(steps)]
