"""What each isolation level adds to a program, beside plain bwrap and beside an overlay in a
namespace.

Run by itself it drains a gigabyte and says how late a reader came and how much memory it took.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import measure

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.prepared import CopiedFolder, Options, RunFolders, StepStart, UsageLimits
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import ProgramOutput

SCRIPT = """
git init -q . && git config user.email a@example.org && git config user.name a
for i in 1 2 3 4 5 6 7 8 9 10; do echo $i > file$i; sed s/1/2/ file$i > copy$i; done
for i in 1 2 3 4 5 6 7 8 9 10; do sed s/2/3/ copy$i > again$i; done
git add . && git commit -q -m all
rm -rf .git file* copy* again*
"""
"""Some thirty processes, and files."""

GIGABYTE = 1 << 30
TICK = 0.05
"""Seconds between two looks at the output, as a screen takes them."""


def ground(folder: Path) -> RunFolders:
    names = ("original", "copy", "home", "tmp", "kept")
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
    original, copy, home, temporary, _ = (str(folder / name) for name in names)
    return RunFolders(str(folder), (CopiedFolder(original, copy),), home, temporary)


def on(
    isolation: str, argv: Sequence[str], place: RunFolders, *, trace: bool
) -> Callable[[], float]:
    """A function that runs it once at an isolation level and says how long that took."""
    options = Options(trace=trace, trace_log=os.path.join(place.folder, "log"))
    levels = probe_isolation()

    def once() -> float:
        begin = time.perf_counter()
        start = StepStart(argv, {}, place.copies[0].original, place, options)
        prepared = levels.prepare(isolation, start)
        output = ProgramOutput(os.path.join(place.folder, "kept"))
        ended = execute(prepared, 60, threading.Event(), output)
        output.close()
        took = (time.perf_counter() - begin) * 1000
        if ended.exit_code != 0:
            raise RuntimeError(f"{isolation}: {ended} {output.stderr.tail()!r}")
        return took

    return once


def peers(argv: Sequence[str], place: RunFolders) -> dict[str, Callable[[], float]]:
    """The same program by the tools themselves, where they are there and work."""
    found: dict[str, Sequence[str]] = {}
    copy = place.copies[0].folder
    if bwrap := shutil.which("bwrap"):
        view = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", copy, copy)
        found["plain bwrap"] = (bwrap, "--unshare-all", *view, "--", *argv)
    if unshare := shutil.which("unshare"):
        upper, work = (os.path.join(place.folder, name) for name in ("upper", "work"))
        for folder in (upper, work):
            os.makedirs(folder, exist_ok=True)
        layers = f"lowerdir={copy},upperdir={upper},workdir={work}"
        mounted = f'mount -t overlay overlay -o {layers} {copy} && cd {copy} && exec "$@"'
        found["unshare + overlay"] = (unshare, "-Urmpf", "sh", "-c", mounted, "sh", *argv)
    return {
        name: measure.process(command, cwd=Path(copy))
        for name, command in found.items()
        if subprocess.run(command, cwd=copy, capture_output=True, check=False).returncode == 0
    }


def overhead(title: str, argv: Sequence[str], folder: Path, rounds: int) -> list[measure.Timing]:
    place = ground(folder)
    things: dict[str, Callable[[], float]] = {}
    for isolation in reversed(probe_isolation().all[1:4]):
        if isolation.available:
            things[isolation.id] = on(isolation.id, argv, place, trace=False)
            if isolation.traced:
                things[f"{isolation.id}, observed"] = on(isolation.id, argv, place, trace=True)
    things["plain"] = measure.process(argv, cwd=Path(place.copies[0].folder))
    timings = measure.side_by_side({**things, **peers(argv, place)}, rounds)
    measure.show(title, timings)
    return timings


def levels(folder: Path, rounds: int) -> None:
    """The overhead of each isolation level, and what it takes to listen to a loud program."""
    timings = overhead("true on each isolation level", ["/bin/true"], folder / "true", rounds * 3)
    by_name = {timing.name: timing for timing in timings}
    for name, most in (("isolated", 10), ("isolated, observed", 25)):
        if name in by_name:
            added = by_name[name].median - by_name["plain"].median
            measure.limit(measure.Timing(f"{name} adds {added:.1f} ms", [added]), most)
    if shutil.which("git"):
        overhead(
            "thirty processes on each isolation level",
            ["/bin/sh", "-c", SCRIPT],
            folder / "script",
            rounds,
        )
    said = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    drained = json.loads(said.stdout)
    print("\n1 GB of output, looked at 20 times a second")
    print(f"  {drained['seconds']:.2f} s, {drained['rate']:.2f} GB/s")
    print(f"  a look came {drained['lag']:.0f} ms late at most: wanted ≤ 50 ms")
    print(f"  {drained['memory']:.0f} MB of memory at most: wanted ≤ 80 MB")


def drain() -> dict[str, float]:
    """Run a program that prints a gigabyte while somebody looks, as the workbench does."""
    with tempfile.TemporaryDirectory() as name:
        place = ground(Path(name))
        levels = probe_isolation()
        options = Options(limits=UsageLimits(file_size=4 * GIGABYTE))
        argv = ["/usr/bin/head", "-c", str(GIGABYTE), "/dev/zero"]
        isolation = levels.choose().id
        start = StepStart(argv, {}, place.copies[0].original, place, options)
        prepared = levels.prepare(isolation, start)
        output = ProgramOutput(os.path.join(name, "kept"))
        over = threading.Event()

        def run() -> None:
            execute(prepared, 120, threading.Event(), output)
            over.set()

        begin = time.perf_counter()
        threading.Thread(target=run).start()
        lag, position, due = 0.0, 0, begin + TICK
        while not over.wait(max(due - time.perf_counter(), 0)):
            position = output.stdout.since(position, 64 << 10).position
            lag = max(lag, time.perf_counter() - due)
            due = time.perf_counter() + TICK
        seconds = time.perf_counter() - begin
        output.close()
        if output.stdout.total != GIGABYTE:
            raise RuntimeError(f"{output.stdout.total} bytes arrived")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "rate": 1 / seconds, "lag": lag * 1000, "memory": memory}


if __name__ == "__main__":
    print(json.dumps(drain()))
