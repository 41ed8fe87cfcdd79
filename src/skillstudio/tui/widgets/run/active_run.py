"""The active run: its worker thread writes here, the screen reads."""

from __future__ import annotations

import threading
import time

from skillstudio.dryrun.run import Listener
from skillstudio.dryrun.running.output import ProgramOutput
from skillstudio.session.running.output import Tail
from skillstudio.session.running.state import RunState


class ActiveRun:
    """One run. Each attribute is written by one side only."""

    def __init__(self, run_state: RunState) -> None:
        self.run_state = run_state
        self.cancel = threading.Event()
        self._stage = "starting"
        self._output: ProgramOutput | None = None
        self._since = time.monotonic()
        self._tails = (Tail(), Tail("! "))

    @property
    def listener(self) -> Listener:
        """What the run is to tell."""
        return Listener(self._enter, self._print_to)

    def _enter(self, stage: str) -> None:
        self._since = time.monotonic()
        self._stage = stage

    def _print_to(self, output: ProgramOutput) -> None:
        self._output = output

    def lines(self, last: bool = False) -> list[str]:
        """What was printed since the last look; with `last` the line without an end, too."""
        found: list[str] = []
        if self._output is not None:
            for tail, stream in zip(
                self._tails, (self._output.stdout, self._output.stderr), strict=True
            ):
                found += tail.look(stream)
                found += tail.end() if last else []
        return found

    @property
    def status(self) -> str:
        """What it does, for how long, how long it may, and how much it printed."""
        seconds = time.monotonic() - self._since
        if self.cancel.is_set():
            return "ending everything that was started…"
        if self._stage != "running":
            return f"{self._stage}…"
        timeout = self.run_state.plan.timeout if self.run_state.plan else 0.0
        printed = sum(tail.position for tail in self._tails)
        left = max(timeout - seconds, 0)
        return f"running {seconds:.0f} s · {left:.0f} s left · {printed:,} bytes printed"
