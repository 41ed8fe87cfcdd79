"""The user's pager, for results that are longer than the screen."""

from __future__ import annotations

import os
import shlex
import subprocess
from types import TracebackType
from typing import Any, TextIO


class PagedOutput:
    """Standard output that goes to a pager as soon as it is longer than the terminal."""

    def __init__(self, out: TextIO, command: str) -> None:
        self._out = out
        self._command = command
        self._rows = os.get_terminal_size(out.fileno()).lines - 1
        self._buffer = ""
        self._pager: subprocess.Popen[str] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)

    def write(self, text: str) -> int:
        if self._pager is None:
            self._buffer += text
            if self._buffer.count("\n") > self._rows:
                self._start()
        elif self._pager.stdin is not None:
            self._pager.stdin.write(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: what is held goes out at the end."""

    def _start(self) -> None:
        environment = {"LESS": "FRX", **os.environ}
        try:
            self._pager = subprocess.Popen(  # noqa: S603  (no shell, the user's own program)
                shlex.split(self._command), stdin=subprocess.PIPE, text=True, env=environment
            )
        except (OSError, ValueError):
            # A pager that cannot be started must not hide the results.
            self._rows = 1 << 60
            return
        self.write(self._buffer)

    def __enter__(self) -> PagedOutput:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        if self._pager is None:
            self._out.write(self._buffer)
            return False
        try:
            if self._pager.stdin is not None:
                self._pager.stdin.close()
        except BrokenPipeError:
            pass
        while True:
            try:
                self._pager.wait()
                break
            except KeyboardInterrupt:
                # The terminal sends it to the pager too, which decides what it means.
                continue
        # Who leaves the pager early has seen enough: that is no fault.
        return isinstance(error, BrokenPipeError)
