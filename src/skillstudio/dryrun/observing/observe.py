"""The log of a run, read into what is told of it."""

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
"""Different events that are kept."""
_LINES = 1024
"""Lines between two looks at the clock."""
_QUOTED = 100
_ON_PATHS = frozenset({"read", "write", "remove"})


def observe(
    log: str,
    cwd: str,
    told: Callable[[str], str],
    secrets: Sequence[str] = (),
    is_hidden: Callable[[str], bool] = lambda _: False,
    stopped: Callable[[], bool] = lambda: False,
) -> Observation:
    """Read the log of strace, each different event once, in order.

    The first program of the log is the launcher's other half, and what it did before it became the
    program is left out. `cwd` is where it began. `told` says how a path of the run is called: by
    its original where it lies in a copy. For `secrets` and `is_hidden` see `events`. Raises OSError
    where the log cannot be read. Where it is `stopped`, the rest of the log is cut off.
    """
    gaps = Gaps()
    seen: dict[tuple[str, str, str], Event] = {}
    cut = False
    with open(log, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        lines = _BoundedLines(file, MAX_LOG, stopped)
        for event in events(_of_program(calls(lines, gaps)), cwd, secrets, is_hidden):
            if event.kind in _ON_PATHS:
                event = event._replace(subject=told(event.subject))
            key = (event.kind, event.subject, event.refused)
            if key not in seen:
                if len(seen) == MAX_EVENTS:
                    cut = True
                    break
                seen[key] = event
        cut = cut or lines.cut
    incomplete = () if cut else tuple(_missing(gaps, lines.last))
    return Observation(tuple(seen.values()), True, cut, incomplete)


def _of_program(found: Iterable[Call | Started]) -> Iterator[Call | Started]:
    """What comes after the launcher's other half, which starts the program."""
    started = 0
    every = iter(found)
    for call in every:
        if isinstance(call, Call) and call.name == "execve" and not call.error:
            started += 1
            if started == 2:
                yield from chain((call,), every)


def _missing(gaps: Gaps, last: str) -> Iterator[str]:
    """What of the log is missing or means nothing, a sentence each."""
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
    """Lines up to a number of characters in all; a line of that length alone ends it too."""

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
