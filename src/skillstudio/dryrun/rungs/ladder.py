"""The ladder: which rungs this machine offers, and which one a run takes."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from skillstudio.dryrun.plan import RungChoice
from skillstudio.dryrun.prepared import Ground, Options, Prepared
from skillstudio.dryrun.rungs import canary, isolated, launch, wasm
from skillstudio.dryrun.rungs.holes import holes
from skillstudio.dryrun.rungs.host import Host, this_host
from skillstudio.dryrun.rungs.readable import Readable, readable
from skillstudio.files.paths import below

RungId = Literal["plan", "copy", "confined", "isolated", "wasm"]
RUNGS: tuple[RungId, ...] = get_args(RungId)
"""Lowest first; `wasm` stands beside the others, for programs that are WASM."""

TITLES: Mapping[str, str] = {
    "plan": "Plan",
    "copy": "Copy run, not isolated",
    "confined": "Confined",
    "isolated": "Isolated",
    "wasm": "Confined by WASI",
}
"""The words on the screen."""

_PROCESSES = ("plan", "copy", "confined", "isolated")


class RungUnavailable(Exception):
    """The rung that is asked for is not to be had here: a sentence with the reason."""


class Rung(NamedTuple):
    """A rung on this machine."""

    id: RungId
    available: bool
    reason: str
    """Why it is not available; "" where it is."""
    holes: tuple[str, ...]
    traced: bool = False
    """Whether strace was seen to work on it."""


class Ladder:
    """Every rung, lowest first. Each is tried when somebody first asks for it."""

    def __init__(
        self, rungs: Iterable[Rung], host: Host, probe: Callable[[RungId], Rung] | None = None
    ) -> None:
        """`rungs` are those that are known; `probe` tries one of the others."""
        self.host = host
        self._known = {rung.id: rung for rung in rungs}
        self._probe = probe
        self._readable: Readable | None = None

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """All of them, tried at once."""
        return self._tried(RUNGS)

    def rung(self, name: str) -> Rung:
        """The rung with that id. Raises RungUnavailable for a name that is no rung's."""
        for rung in RUNGS:
            if rung == name:
                return self._tried((rung,))[0]
        raise RungUnavailable(f"there is no rung {name}; the rungs are {', '.join(RUNGS)}")

    def _tried(self, names: Sequence[RungId]) -> tuple[Rung, ...]:
        wanted = [name for name in names if name not in self._known]
        if self._probe is None or len(wanted) < 2:
            found = [self._probe(name) for name in wanted] if self._probe else []
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(len(wanted)) as several:
                found = list(several.map(self._probe, wanted))
        self._known |= {rung.id: rung for rung in found}
        return tuple(self._known[name] for name in names)

    def choose(
        self, rung: str | None = None, require: str | None = None, program: str = "process"
    ) -> RungChoice:
        """The rung that a run takes: exactly `rung`, or the highest one, `require` at least.

        `program` is `process`, or `wasm` for a WASM artifact. Raises RungUnavailable; nothing is
        ever lowered without a word.
        """
        order = ("plan", "wasm") if program == "wasm" else _PROCESSES
        if require is not None:
            self.rung(require)
        if rung is not None:
            found = self.rung(rung)
            if rung not in order:
                what = "a WASM artifact" if program == "wasm" else "a program that is not WASM"
                raise RungUnavailable(f"the rung {rung} does not run {what}")
            if not found.available:
                raise RungUnavailable(f"the rung {rung} is not available: {found.reason}")
            if require is not None and not _reaches(rung, require):
                raise RungUnavailable(f"the rung {rung} is lower than {require}")
        else:
            # From the highest down: those below the one that is taken are not tried.
            highest = next(name for name in reversed(order) if self.rung(name).available)
            found = self.rung(highest)
            if require is not None and not _reaches(found.id, require):
                raise RungUnavailable(self._why_not(require, order))
        higher = order[order.index(found.id) + 1 :]
        reasons = {name: self.rung(name).reason or "another rung is asked for" for name in higher}
        return RungChoice(found.id, found.holes, reasons)

    def hides(self, rung: str, path: str) -> bool:
        """Whether something exists on this machine and cannot be read at an isolation level.

        Of the run's own folders and of the system's virtual files nothing is said.
        """
        if rung not in ("confined", "isolated") or not os.path.isabs(path):
            return False
        if any(below(path, each) is not None for each in ("/proc", "/dev")):
            return False
        self._readable = self._readable or readable(self.host)
        return os.path.lexists(path) and not self._readable.shows(path)

    def prepare(
        self,
        rung: str,
        argv: Sequence[str],
        env: Mapping[str, str],
        cwd: str,
        ground: Ground,
        options: Options,
    ) -> Prepared:
        """A step on a rung, ready to be started. It is traced only where that was seen to work.

        Raises RungUnavailable, and OSError where descriptors run out.
        """
        found = self.rung(rung)
        if not found.available or rung == "plan":
            raise RungUnavailable(found.reason or "a plan starts nothing")
        options = options._replace(trace=options.trace and found.traced)
        prepared = _prepare(rung, self.host, argv, env, cwd, ground, options)
        folders = (*(copy.folder for copy in ground.copies), ground.home, ground.temporary)
        return prepared._replace(writable=folders, copied=options.copied)

    def _why_not(self, require: str, order: Sequence[str]) -> str:
        wanted = [name for name in order if _reaches(name, require)]
        if not wanted:
            return f"no rung for this program reaches {require}"
        reasons = [f"{name}: {self.rung(name).reason}" for name in wanted]
        return f"{require} or a higher rung is not available; " + "; ".join(reasons)


@functools.cache
def _ladder(host: Host) -> Ladder:
    def probe(name: RungId) -> Rung:
        seen = _seen(name, host)
        left_open = holes(name, host, seen.traced)
        return Rung(name, not seen.failure, seen.failure, left_open, seen.traced)

    return Ladder((), host, probe)


def probe_rungs(host: Host | None = None) -> Ladder:
    """The rungs of this machine, or of one that is told. Each is tried once in a process at most.

    What was seen is not kept from one process to the next: what a rung holds hangs on the limits
    and filters that this very process was started under.
    """
    return _ladder(host or this_host())


_ELSEWHERE = "this system has nothing that skillstudio has seen confine a program"
_NO_LANDLOCK = "this kernel has no Landlock, or it is turned off (Linux 5.13 and later have it)"
_NO_BWRAP = "bwrap is not installed (the package is called bubblewrap)"


def _seen(rung: RungId, host: Host) -> canary.Seen:
    """How a rung's canary fared, or why there is none."""
    if rung == "plan":
        return canary.Seen("")
    if rung in ("confined", "isolated") and host.system != "linux":
        return canary.Seen(_ELSEWHERE)
    if rung == "confined" and not host.landlock:
        return canary.Seen(_NO_LANDLOCK)
    if rung == "isolated" and not host.bwrap:
        return canary.Seen(_NO_BWRAP)
    return _fly(rung, host)


def _fly(rung: RungId, host: Host) -> canary.Seen:
    """A canary on a rung, traced where strace is there and works; else without."""

    def prepare(argv: list[str], cwd: str, ground: Ground, options: Options) -> Prepared:
        if rung == "wasm":
            return wasm.canary(host, ground, options)
        return _prepare(rung, host, argv, {}, cwd, ground, options)

    must_hold = rung != "copy"
    if host.strace and rung != "wasm":
        seen = canary.fly(prepare, host.python, True, must_hold)
        if not seen.failure:
            return seen
    return canary.fly(prepare, host.python, False, must_hold)


def _prepare(
    rung: str,
    host: Host,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    ground: Ground,
    options: Options,
) -> Prepared:
    if rung == "isolated":
        return isolated.prepare(host, argv, env, cwd, ground, options)
    if rung == "wasm":
        return wasm.prepare(host, argv, env, cwd, ground, options)
    return launch.prepare(host, argv, env, cwd, ground, options, confine=rung == "confined")


def _reaches(rung: str, least: str) -> bool:
    """Whether a rung is that one or a higher one. WASI gives no more than it is told to."""
    if "wasm" in (rung, least):
        return rung == "wasm"
    return _PROCESSES.index(rung) >= _PROCESSES.index(least)
