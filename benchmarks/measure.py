"""Time whole processes side by side: one run of each in turn, medians and ratios."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

# Every program may keep its compiled modules, as it does where people install it.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
C_LOCALE = {**ENVIRONMENT, "LC_ALL": "C"}


class Timing(NamedTuple):
    """Milliseconds of one thing over several rounds."""

    name: str
    milliseconds: list[float]

    @property
    def median(self) -> float:
        return median(self.milliseconds)


def process(
    command: Sequence[str],
    cwd: Path | None = None,
    environment: dict[str, str] = ENVIRONMENT,
) -> Callable[[], float]:
    """A function that runs a command once, its output thrown away, and says how long it took.

    The function raises RuntimeError for a command that failed: status 1 says that it found
    something, as every program here means it, and any other one that it did not do its work.
    """

    def once() -> float:
        start = time.perf_counter()
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env=environment,
            cwd=cwd,
        )
        milliseconds = (time.perf_counter() - start) * 1000
        if done.returncode not in (0, 1):
            said = done.stderr.decode(errors="replace").strip()
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {said}")
        return milliseconds

    return once


def processor(command: Sequence[str]) -> Callable[[], float]:
    """A function that runs a command once and says how much processor time it took.

    On a busy machine this says more than the time on the clock.
    """

    def once() -> float:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
        ) as started:
            _, status, used = os.wait4(started.pid, 0)
            started.returncode = os.waitstatus_to_exitcode(status)
        if started.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)} ended with {started.returncode}")
        return (used.ru_utime + used.ru_stime) * 1000

    return once


def printed(command: Sequence[str]) -> Callable[[], float]:
    """A function that runs a program which measures itself and prints the milliseconds."""

    def once() -> float:
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT)
        return float(done.stdout)

    return once


def side_by_side(
    things: dict[str, Callable[[], float]], rounds: int, warmup: int = 1
) -> list[Timing]:
    """Each thing in turn, so often; the first rounds are not counted."""
    found: dict[str, list[float]] = {name: [] for name in things}
    for number in range(rounds + warmup):
        for name, once in things.items():
            milliseconds = once()
            if number >= warmup:
                found[name].append(milliseconds)
    return [Timing(name, values) for name, values in found.items()]


def show(title: str, timings: Sequence[Timing], wanted: dict[str, float] | None = None) -> None:
    """A table: median, least and most, and how many times the first one takes of each.

    `wanted` maps a peer to the most that ours may take of it.
    """
    print(f"\n{title}")
    ours = timings[0]
    for each in timings:
        ratio = ours.median / each.median
        line = (
            f"  {each.name:<34} {each.median:9.1f} ms"
            f"   {min(each.milliseconds):9.1f} – {max(each.milliseconds):.1f}"
        )
        if each is not ours:
            line += f"   ours is {ratio:.2f}×"
            limit = (wanted or {}).get(each.name)
            if limit is not None:
                line += f" (wanted ≤ {limit:.2f}: {'yes' if ratio <= limit else 'NO'})"
        print(line)


def limit(timing: Timing, most: float) -> None:
    """Whether a median stays within so many milliseconds."""
    within = "yes" if timing.median <= most else "NO"
    print(f"  {timing.name}: wanted ≤ {most:.0f} ms: {within}")


def environment() -> str:
    """What the figures were taken on."""
    return f"{os.cpu_count()} cores, {os.uname().sysname} {os.uname().machine}"
