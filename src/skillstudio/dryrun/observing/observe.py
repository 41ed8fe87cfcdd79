"""The log of a run, read into what is told of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TextIO

from skillstudio.dryrun.observing.events import events
from skillstudio.dryrun.report import Event, Observation

MAX_LOG = 64 << 20
"""Bytes of a log that are read."""
MAX_EVENTS = 5_000
"""Different events that are kept."""
_LINES = 1024
"""Lines between two looks at the clock."""
_ON_PATHS = frozenset({"read", "write", "remove"})


def observe(
    log: str,
    cwd: str,
    told: Callable[[str], str],
    secrets: Sequence[str] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> Observation:
    """Read the log of strace, each different event once, in order.

    `cwd` is where the first process began. `told` says how a path of the run is called: by its
    original where it lies in a copy. `secrets` are told also where they are not there. Raises
    OSError where the log cannot be read. Where it is `stopped`, the rest of the log is cut off.
    """
    seen: dict[tuple[str, str, str], Event] = {}
    cut = False
    with open(log, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        lines = _Bounded(file, MAX_LOG, stopped)
        for event in events(lines, cwd, secrets):
            if event.kind in _ON_PATHS:
                event = event._replace(subject=told(event.subject))
            key = (event.kind, event.subject, event.refused)
            if key not in seen:
                if len(seen) == MAX_EVENTS:
                    cut = True
                    break
                seen[key] = event
        cut = cut or lines.cut
    return Observation(tuple(seen.values()), True, cut)


class _Bounded:
    """Lines up to a number of characters in all; a line of that length alone ends it too."""

    def __init__(self, file: TextIO, limit: int, stopped: Callable[[], bool]) -> None:
        self._read = file.readline
        self._left = limit
        self._stopped = stopped
        self.cut = False

    def __iter__(self) -> Iterator[str]:
        for number in count():
            if not (line := self._read(self._left + 1)):
                return
            self._left -= len(line)
            if self._left < 0 or (number % _LINES == 0 and self._stopped()):
                self.cut = True
                return
            yield line
