"""Work of a widget in a thread, one piece at a time: only the last request counts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Generic, TypeVar

from textual.message import Message
from textual.widget import Widget

Found = TypeVar("Found")
Work = Callable[[], Found]


class LatestMessage(Message):
    """A message that replaces one of its class that is not handled yet."""

    def can_replace(self, message: Message) -> bool:
        return type(message) is type(self)


class Latest(Generic[Found]):
    """Does the work of the last request, and shows the result unless there is a newer one.

    The result returns to the widget as a message. An error goes to the widget's
    `on_worker_state_changed`, which calls `failed`.
    """

    def __init__(
        self,
        widget: Widget,
        group: str,
        prepare: Callable[[], Work[Found] | None],
        take: Callable[[Found], Awaitable[None] | None],
    ) -> None:
        """`prepare` returns the work of the current request or None; `take` shows its result.

        Only the work runs in a thread. `group` is that of the workers.
        """
        self.group = group
        self._widget = widget
        self._prepare = prepare
        self._take = take
        self._asked = 0
        """The number of the last request."""
        self._busy = 0
        """The request whose work is running; 0 for none."""
        self._shown = 0

    @property
    def is_settled(self) -> bool:
        """Whether the result of the last request is shown."""
        return self._shown == self._asked

    def ask(self) -> None:
        """Make a new request, to be done after the running work."""
        self._asked += 1
        # A thread started now would delay the frame.
        self._widget.call_after_refresh(self._start)

    def more(self, work: Work[Found]) -> None:
        """Add to the shown result, unless there is a newer request or running work."""
        if self.is_settled and not self._busy:
            self._run(work)

    def failed(self) -> bool:
        """Discard the failed work. Whether there is no newer request."""
        is_last = self._busy == self._asked
        self._busy = 0
        if is_last:
            self._shown = self._asked
        else:
            self._start()
        return is_last

    def _start(self) -> None:
        if self._busy or self.is_settled or not self._widget.is_mounted:
            return
        work = self._prepare()
        if work is None:
            self._shown = self._asked
        else:
            self._run(work)

    def _run(self, work: Work[Found]) -> None:
        self._busy = self._asked
        in_thread = partial(self._work, self._asked, work)
        self._widget.run_worker(in_thread, thread=True, group=self.group, exit_on_error=False)

    def _work(self, number: int, work: Work[Found]) -> None:
        found = work()
        # A message to the widget: a thread touches nothing of the screen.
        self._widget.call_later(self._done, number, found)

    async def _done(self, number: int, found: Found) -> None:
        self._busy = 0
        if number != self._asked:
            self._start()
            return
        self._shown = number
        waits = self._take(found)
        if waits is not None:
            await waits
