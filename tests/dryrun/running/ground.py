"""A ground for programs of tests, and ways to start them at an isolation level and to wait for
them."""

from __future__ import annotations

import fcntl
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.prepared import CopiedFolder, Options, RunFolders, StepStart
from skillstudio.dryrun.report import RunEnding
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import ProgramOutput

SHAPES = ("-c", Path(__file__).with_name("shapes.py").read_text())
"""The programs as a text: no isolation level has to show where the tests lie."""
ISOLATION_LEVELS = ("copy", "confined", "isolated")
linux = pytest.mark.skipif(sys.platform != "linux", reason="the launcher is one of Linux")


class Ran(NamedTuple):
    ended: RunEnding
    out: bytes
    err: bytes
    output: ProgramOutput


class Watching:
    """Stands where secrets are masked, and calls when a word goes by."""

    def __init__(self, word: bytes, then: Callable[[], None]) -> None:
        self.word, self.then, self.seen = word, then, b""

    def feed(self, data: bytes) -> bytes:
        self.seen = self.seen[-64:] + data[-(1 << 16) :]
        if self.word in self.seen:
            self.then()
        return data

    def flush(self) -> bytes:
        return b""


class Start:
    """Starts a program at an isolation level, in a copy of its own."""

    def __init__(self, folder: Path) -> None:
        for name in ("original", "copy", "home", "tmp", "kept"):
            (folder / name).mkdir()
        self.folder = folder
        self.copy = folder / "copy"
        copied = CopiedFolder(str(folder / "original"), str(self.copy))
        self.ground = RunFolders(str(folder), (copied,), str(folder / "home"), str(folder / "tmp"))

    def __call__(
        self,
        isolation: str,
        *argv: str,
        options: Options | None = None,
        timeout: float = 60,
        env: dict[str, str] | None = None,
        cancel_at: bytes | None = None,
        cap: int = 1 << 20,
        cancel: threading.Event | None = None,
        watching: Watching | None = None,
    ) -> Ran:
        levels = probe_isolation()
        if not levels.level(isolation).available:
            pytest.skip(levels.level(isolation).reason)
        options = options or Options()
        cwd = self.ground.copies[0].original
        prepared = levels.prepare(isolation, StepStart(argv, env or {}, cwd, self.ground, options))
        stop = cancel or threading.Event()
        watching = Watching(cancel_at, stop.set) if cancel_at else watching
        quiet = Watching(b"\0never\0", stop.set)
        output = ProgramOutput(
            str(self.folder / "kept"), (watching, quiet) if watching else None, cap
        )
        ended = execute(prepared, timeout, stop, output)
        output.close()
        kept = (Path(each.path).read_bytes() for each in (output.stdout, output.stderr))
        return Ran(ended, *kept, output)

    def shape(self, isolation: str, name: str, *more: str, **options: object) -> Ran:
        return self(isolation, sys.executable, "-I", "-S", *SHAPES, name, *more, **options)  # type: ignore[arg-type]

    def alive(self) -> list[str]:
        """The locks that somebody still holds."""
        return [path.name for path in self.copy.glob("alive-*") if not free(path, wait=False)]

    def locks(self) -> list[Path]:
        return list(self.copy.glob("alive-*"))


def free(path: Path, *, wait: bool) -> bool:
    """Whether nobody holds a lock; or wait until that is so."""
    with path.open("r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
    return True
