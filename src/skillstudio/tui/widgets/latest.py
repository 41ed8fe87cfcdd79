"""Work of a widget in a thread, one piece at a time: of several wishes the last one wins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Generic, TypeVar

from textual.widget import Widget

Found = TypeVar("Found")
Work = Callable[[], Found]


class Latest(Generic[Found]):
    """Does what was wished for last, and shows it only while nothing else is wished for.

    What a thread finds comes back to the widget as one of its messages; what it raises is for the
    widget's `on_worker_state_changed`, which calls `failed`.
    """

    def __init__(
        self,
        widget: Widget,
        group: str,
        prepare: Callable[[], Work[Found] | None],
        take: Callable[[Found], Awaitable[None] | None],
    ) -> None:
        """`prepare` makes the work of what is wished for now, None for none; `take` shows what
        was found. Both are called by the screen, and only the work in a thread."""
        self.group = group
        """Of its workers."""
        self._widget = widget
        self._prepare = prepare
        self._take = take
        self._asked = 0
        """Numbers the wishes; what is found for an earlier one is of something else."""
        self._busy = 0
        """The wish under way; 0 for none."""
        self._told_of = 0

    @property
    def is_settled(self) -> bool:
        """Whether what is shown is what was wished for last."""
        return self._told_of == self._asked

    def ask(self) -> None:
        """Do it again once the work under way is done."""
        self._asked += 1
        # The thread would hold the frame up.
        self._widget.call_after_refresh(self._start)

    def more(self, work: Work[Found]) -> None:
        """Do more of what is shown, unless something else is wished for or under way."""
        if self.is_settled and not self._busy:
            self._run(work)

    def failed(self) -> bool:
        """Give up what was under way; whether nothing else is wished for by now."""
        is_last = self._busy == self._asked
        self._busy = 0
        if is_last:
            self._told_of = self._asked
        else:
            self._start()
        return is_last

    def _start(self) -> None:
        if self._busy or self.is_settled or not self._widget.is_mounted:
            return
        work = self._prepare()
        if work is None:
            self._told_of = self._asked
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
        self._told_of = number
        waits = self._take(found)
        if waits is not None:
            await waits
