"""Which isolation levels this machine offers, and which one a run takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Literal, NamedTuple, get_args

from skillstudio.dryrun.isolation import remembered
from skillstudio.dryrun.isolation.host import CanaryResult, Host, this_host
from skillstudio.dryrun.isolation.known_gaps import known_gaps, network_gaps
from skillstudio.dryrun.isolation.readable import Readable, readable
from skillstudio.dryrun.plan import ANY_NETWORK, NOT_REQUESTED, IsolationChoice, NetworkChoice
from skillstudio.dryrun.prepared import PreparedProcess, StepStart
from skillstudio.files.paths import below

IsolationId = Literal["plan", "copy", "confined", "isolated", "wasm"]
ISOLATION_LEVELS: tuple[IsolationId, ...] = get_args(IsolationId)
"""Lowest first; `wasm` is beside the others, for WASM programs."""

TITLES: Mapping[str, str] = {
    "plan": "Plan",
    "copy": "Copy run, not isolated",
    "confined": "Confined",
    "isolated": "Isolated",
    "wasm": "Confined by WASI",
}

_OWN_DEVICES = (
    *("console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm"),
    *("stderr", "stdin", "stdout", "tty", "urandom", "zero"),
)
"""What bwrap puts into a new /dev."""
_PROCESSES = ("plan", "copy", "confined", "isolated")


class IsolationUnavailable(Exception):
    """The requested isolation level is not available: a sentence with the reason."""


class IsolationLevel(NamedTuple):
    """An isolation level on this machine."""

    id: IsolationId
    available: bool
    reason: str
    known_gaps: tuple[str, ...]
    traced: bool = False  # Whether runs can be observed at it.


class IsolationLevels:
    """Every isolation level, lowest first. Each is probed on first use."""

    def __init__(
        self,
        levels: Iterable[IsolationLevel],
        host: Host,
        probe: Callable[[IsolationId], IsolationLevel] | None = None,
    ) -> None:
        """`levels` are already known; `probe` tries one of the others."""
        self.host = host
        self._levels = {isolation.id: isolation for isolation in levels}
        self._probe = probe
        self._readable: Readable | None = None

    @property
    def all(self) -> tuple[IsolationLevel, ...]:
        """All levels, probed in parallel."""
        return self._probe_levels(ISOLATION_LEVELS)

    def level(self, name: str) -> IsolationLevel:
        """The isolation level with this id. Raises IsolationUnavailable for an unknown one."""
        for isolation in ISOLATION_LEVELS:
            if isolation == name:
                return self._probe_levels((isolation,))[0]
        choices = ", ".join(ISOLATION_LEVELS)
        raise IsolationUnavailable(f"unknown isolation level: {name}; use one of {choices}")

    def _probe_levels(self, names: Sequence[IsolationId]) -> tuple[IsolationLevel, ...]:
        unprobed_names = [name for name in names if name not in self._levels]
        if self._probe is None or len(unprobed_names) < 2:
            levels = [self._probe(name) for name in unprobed_names] if self._probe else []
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(len(unprobed_names)) as several:
                levels = list(several.map(self._probe, unprobed_names))
        self._levels |= {isolation.id: isolation for isolation in levels}
        return tuple(self._levels[name] for name in names)

    def choose(
        self,
        isolation: str | None = None,
        require: str | None = None,
        program: str = "process",
        network: NetworkChoice = ANY_NETWORK,
    ) -> IsolationChoice:
        """Choose exactly `isolation`, else the highest level; `program` is `process` or `wasm`.
        Raises IsolationUnavailable: a level is never lowered silently, nor below `require` or what
        `network` needs."""
        if network.needs and isolation != "plan":
            option = f"--net {' '.join(network.words)}"
            if program == "wasm":
                raise IsolationUnavailable(f"{option}: a WASM program has no network")
            if isolation is not None and not _reaches(isolation, network.needs):
                raise IsolationUnavailable(
                    f"{option} needs the isolation level {network.needs}, not {isolation}"
                )
            if require is None or not _reaches(require, network.needs):
                require = network.needs
            try:
                choice = self.choose(isolation, require, program)
                gaps = network_gaps(choice.id, network.mode)
                return choice._replace(known_gaps=(*choice.known_gaps, *gaps))
            except IsolationUnavailable as error:
                raise IsolationUnavailable(f"{option}: {error}") from None
        order = ("plan", "wasm") if program == "wasm" else _PROCESSES
        if require is not None:
            self.level(require)
        if isolation is not None:
            level = self.level(isolation)
            if isolation not in order:
                what = "a WASM artifact" if program == "wasm" else "a program that is not WASM"
                raise IsolationUnavailable(f"isolation level {isolation} cannot run {what}")
            if not level.available:
                why = f"is not available: {level.reason}"
                raise IsolationUnavailable(f"isolation level {isolation} {why}")
            if require is not None and not _reaches(isolation, require):
                raise IsolationUnavailable(f"isolation level {isolation} is lower than {require}")
        else:
            # From the highest down, so that lower levels are not probed.
            highest = next(name for name in reversed(order) if self.level(name).available)
            level = self.level(highest)
            if require is not None and not _reaches(level.id, require):
                raise IsolationUnavailable(self._why_not(require, order))
        higher = order[order.index(level.id) + 1 :]
        reasons = {name: self.level(name).reason or NOT_REQUESTED for name in higher}
        return IsolationChoice(level.id, level.known_gaps, reasons)

    def hides(self, isolation: str, path: str) -> bool:
        """Whether something exists and is hidden; false for the system's virtual files."""
        if isolation not in ("confined", "isolated") or not os.path.isabs(path):
            return False
        if below(path, "/proc") is not None:
            return False
        if device := below(path, "/dev"):
            is_own = device.partition("/")[0] in _OWN_DEVICES
            return isolation == "isolated" and not is_own and os.path.lexists(path)
        self._readable = self._readable or readable(self.host)
        return os.path.lexists(path) and not self._readable.shows(path)

    def with_programs(self, folder: str) -> IsolationLevels:
        """The same levels for a machine with a folder first on PATH."""
        path = f"{folder}{os.pathsep}{self.host.path}"
        levels = self._probe_levels(tuple(self._levels))
        return IsolationLevels(levels, self.host._replace(path=path), self._probe)

    def prepare(self, isolation: str, start: StepStart) -> PreparedProcess:
        """Prepare a step, observed where that works. Raises IsolationUnavailable, OSError."""
        level = self.level(isolation)
        if not level.available or isolation == "plan":
            raise IsolationUnavailable(level.reason or "a plan starts nothing")
        options = start.options._replace(trace=start.options.trace and level.traced)
        prepared_process = _prepare(isolation, self.host, start._replace(options=options))
        run_folders = start.run_folders
        copies = (copy.folder for copy in run_folders.copies)
        folders = (*copies, run_folders.home, run_folders.temporary)
        return prepared_process._replace(writable=folders, initial_size=options.initial_size)

    def _why_not(self, require: str, order: Sequence[str]) -> str:
        candidates = [name for name in order if _reaches(name, require)]
        if not candidates:
            return f"no isolation level for this program is as high as {require}"
        reasons = [f"{name}: {self.level(name).reason}" for name in candidates]
        return f"no isolation level from {require} up is available: " + "; ".join(reasons)


@cache
def _levels(host: Host) -> IsolationLevels:
    def probe(name: IsolationId) -> IsolationLevel:
        result = _run_canary(name, host)
        left_open = known_gaps(name, host, result.traced)
        return IsolationLevel(name, not result.failure, result.failure, left_open, result.traced)

    return IsolationLevels((), host, probe)


def probe_isolation(host: Host | None = None) -> IsolationLevels:
    """The levels of this machine, or of `host`, each probed at most once per process."""
    return _levels(host or this_host())


_ELSEWHERE = "skillstudio cannot confine programs on this system; use Linux, a container or WSL"
_NO_LANDLOCK = "this kernel has no Landlock or it is turned off; use Linux 5.13 or later"
_NO_BWRAP = "bwrap is not installed; install the package bubblewrap"


def _run_canary(isolation: IsolationId, host: Host) -> CanaryResult:
    """The result of a level's canary, or why it cannot run."""
    if isolation == "plan":
        return CanaryResult("")
    if isolation in ("confined", "isolated") and host.system != "linux":
        return CanaryResult(_ELSEWHERE)
    if isolation == "confined" and not host.landlock:
        return CanaryResult(_NO_LANDLOCK)
    if isolation == "isolated" and not host.bwrap:
        return CanaryResult(_NO_BWRAP)
    if isolation != "wasm" and (success := remembered.recall(isolation, host)):
        return success
    # What starts programs is loaded only when one is started.
    from skillstudio.dryrun.isolation import canary

    prepare = partial(_prepare, isolation, host)
    if isolation == "wasm":
        from skillstudio.dryrun.isolation import wasm

        prepare = partial(wasm.canary, host)
    must_hold = isolation != "copy"
    if host.observes and isolation != "wasm":
        result = canary.run_canary(prepare, host.python, True, must_hold)
        if not result.failure:
            if result.traced:
                remembered.remember(isolation, host, is_traced=True)
            return result
    # Without a tracer where tracing fails.
    return canary.run_canary(prepare, host.python, False, must_hold)


def _prepare(isolation: str, host: Host, start: StepStart) -> PreparedProcess:
    from skillstudio.dryrun.isolation import launch

    if isolation == "isolated":
        return launch.prepare_isolated(host, start)
    if isolation == "wasm":
        from skillstudio.dryrun.isolation import wasm

        return wasm.prepare(host, start)
    return launch.prepare(host, start, confine=isolation == "confined")


def _reaches(isolation: str, least: str) -> bool:
    """Whether an isolation level is at least `least`; `wasm` compares only with itself."""
    if "wasm" in (isolation, least):
        return isolation == "wasm"
    return _PROCESSES.index(isolation) >= _PROCESSES.index(least)
