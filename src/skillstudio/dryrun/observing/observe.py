"""Read a tracer's log into the observation of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count
from typing import TextIO

from skillstudio.dryrun.observing.events import events
from skillstudio.dryrun.observing.strace import Call, Gaps, Started, calls
from skillstudio.dryrun.report import Event, Observation

MAX_LOG = 64 << 20
"""Bytes of a log that are read."""
MAX_EVENTS = 5_000
"""Distinct events that are kept."""
_LINES = 1024
"""Lines between two checks of `stopped`."""
_QUOTED = 100
_ON_PATHS = frozenset({"read", "write", "remove"})


def observe(
    log: str,
    cwd: str,
    shown: Callable[[str], str],
    secrets: Sequence[str] = (),
    is_hidden: Callable[[str], bool] = lambda _: False,
    stopped: Callable[[], bool] = lambda: False,
) -> Observation:
    """Read a log of strace from the program's start on; each distinct event appears once. `shown`
    maps a path to the one shown to people, the others are those of `events`; when `stopped` returns
    true, the rest is cut off. Raises OSError."""
    gaps = Gaps()
    seen: dict[tuple[str, str, str], Event] = {}
    cut = False
    with open(log, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        lines = _BoundedLines(file, MAX_LOG, stopped)
        for event in events(_of_program(calls(lines, gaps)), cwd, secrets, is_hidden):
            if event.kind in _ON_PATHS:
                event = event._replace(subject=shown(event.subject))
            key = (event.kind, event.subject, event.refused)
            if key not in seen:
                if len(seen) == MAX_EVENTS:
                    cut = True
                    break
                seen[key] = event
        cut = cut or lines.cut
    incomplete = () if cut else tuple(_missing(gaps, lines.last))
    return Observation(tuple(seen.values()), True, cut, incomplete)


def _of_program(calls: Iterable[Call | Started]) -> Iterator[Call | Started]:
    """Skip the calls of the launcher, which starts the program with the second `execve`."""
    started = 0
    every = iter(calls)
    for call in every:
        if isinstance(call, Call) and call.name == "execve" and not call.error:
            started += 1
            if started == 2:
                yield from chain((call,), every)


def _missing(gaps: Gaps, last: str) -> Iterator[str]:
    """What is missing in the log or could not be read, a sentence each."""
    if gaps.unread:
        lines = "1 line" if gaps.unread == 1 else f"{gaps.unread:,} lines"
        yield f"{lines} of the tracer's log could not be read, first: {gaps.first[:_QUOTED]}"
    if not last.endswith("\n"):
        yield "the tracer's log ends in the middle of a line" if last else "the log is empty"
    if gaps.running:
        count = len(gaps.running)
        what = "1 process" if count == 1 else f"{count:,} processes"
        yield f"the tracer did not record how {what} ended"


class _BoundedLines:
    """Lines up to `limit` characters in all, so that one endless line ends it too."""

    def __init__(self, file: TextIO, limit: int, stopped: Callable[[], bool]) -> None:
        self._read = file.readline
        self._left = limit
        self._stopped = stopped
        self.cut = False
        self.last = ""

    def __iter__(self) -> Iterator[str]:
        for number in count():
            if not (line := self._read(self._left + 1)):
                return
            self._left -= len(line)
            if self._left < 0 or (number % _LINES == 0 and self._stopped()):
                self.cut = True
                return
            self.last = line
            yield line
