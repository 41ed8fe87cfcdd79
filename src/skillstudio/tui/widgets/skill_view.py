"""The base of the views of a skill besides its text: Run, Preview, Compare and Tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from textual import events
from textual.containers import Vertical
from textual.content import Content

from skillstudio.tui.widgets.latest import Latest, LatestMessage
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.words import plain

if TYPE_CHECKING:
    from skillstudio.dryrun.report import RunReport

_NARROW = 84  # Columns below which a view leaves out its empty lines.

Step = TypeVar("Step", bound=str)


class SkillView(Vertical):
    """A view that shows what work in a thread has found, its keys, and its state in the tab."""

    DEFAULT_CSS = "SkillView { height: 1fr; min-width: 24; }"

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

    @property
    def tab_states(self) -> Mapping[str, Content]:
        """What tabs show by the name of their view; that of the view itself counts most."""
        return {self.id or "": self.tab_state}

    @property
    def edge(self) -> Content:
        """What the lower edge of the frame shows instead of the targets; empty for these."""
        return Content("")

    def _hint(self, id_: str, does: str, off: bool = False) -> KeyHint:
        return KeyHint(self._key(id_), does, off, id_)

    def refresh_soon(self) -> None:
        """Refresh after the active refresh; only the last request is shown."""
        self._latest.ask()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < _NARROW, "-narrow")

    async def wait_for_layout(self) -> None:
        """Wait for the next layout, after which a widget that was hidden can be focused."""
        layout_event = asyncio.Event()
        self.call_after_refresh(layout_event.set)
        await layout_event.wait()


def changes_state(report: RunReport) -> Content:
    """How many files a run added, changed and removed, as a tab shows it."""
    from skillstudio.present.run_report import counts_text

    words = counts_text(report).split() if report.changes else ()
    return plain(" ".join(word for word in words if int(word[1:])))


def after(steps: tuple[Step, ...], here: Step) -> Step:
    """The next step; the first one after the last."""
    return steps[(steps.index(here) + 1) % len(steps)]
