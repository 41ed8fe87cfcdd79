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
    """Does the work of the last request, and shows the result unless there is a newer one."""

    def __init__(
        self,
        widget: Widget,
        group: str,
        prepare: Callable[[], Work[Found] | None],
        take: Callable[[Found], Awaitable[None] | None],
        fail: Callable[[], None],
    ) -> None:
        """`prepare` returns the work of the current request or None; `take` shows its result,
        `fail` the `failure`. Only the work runs in a thread.

        `group` is that of the workers, and names the work in the message about a fault.
        """
        self._widget = widget
        self._group = group
        self._prepare = prepare
        self._take = take
        self._fail = fail
        self._request_number = 0
        """The number of the last request."""
        self._busy = False
        """Whether work is running."""
        self._shown_number = 0
        self.failure = ""
        """The fault in the last work, "" if it had none."""

    @property
    def is_settled(self) -> bool:
        """Whether the result of the last request is shown."""
        return self._shown_number == self._request_number

    def ask(self) -> None:
        """Make a new request, to be done after the running work."""
        self._request_number += 1
        # A thread started now would delay the frame.
        self._widget.call_after_refresh(self._start)

    def extend(self, work: Work[Found]) -> None:
        """Add to the shown result, unless there is a newer request or running work."""
        if self.is_settled and not self._busy:
            self._run(work)

    def still_wanted(self) -> Callable[[], bool]:
        """A test, for any thread, whether there is no request after the current one."""
        number = self._request_number
        return lambda: number == self._request_number

    def _start(self) -> None:
        if self._busy or self.is_settled or not self._widget.is_mounted:
            return
        work = self._prepare()
        if work is None:
            self._shown_number, self.failure = self._request_number, ""
        else:
            self._run(work)

    def _run(self, work: Work[Found]) -> None:
        self._busy = True
        in_thread = partial(self._work, self._request_number, work)
        self._widget.run_worker(in_thread, thread=True, group=self._group, exit_on_error=False)

    def _work(self, number: int, work: Work[Found]) -> None:
        failure = ""
        show: Callable[[], Awaitable[None] | None] = self._fail
        try:
            show = partial(self._take, work())
        except Exception as error:
            failure = f"{self._group} stopped: {error!r}"
        # A message to the widget: a thread touches nothing of the screen.
        self._widget.call_later(self._finish, number, show, failure)

    async def _finish(
        self, number: int, show: Callable[[], Awaitable[None] | None], failure: str
    ) -> None:
        self._busy = False
        if number != self._request_number:
            self._start()
            return
        self._shown_number, self.failure = number, failure
        waits = show()
        if waits is not None:
            await waits
