"""How soon a file stands on the screen of the workbench, from the cursor's move to the frame.

`python benchmarks/preview_painted.py PATH` prints milliseconds: the first time, and how much of it
was the processor's; then the best of some; then how long the loop of the application was held up
at most; and the memory in MB that it took at most.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from textual.app import App
from textual.pilot import Pilot

from skillstudio.session.previewing.files import PreviewFileRow
from skillstudio.tui.app import Studio
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.preview.table import FileTable
from skillstudio.tui.widgets.preview.view import PreviewView

SKILL = "---\nname: tea\ndescription: Makes tea. Use when there is none.\n---\nMake tea.\n"
AGAIN = 3
SIZE = (120, 36)
IDLE = 0.5
"""Seconds that somebody looks at a table before the first file of it."""
PATIENCE = 60.0


def peak() -> float:
    """The most memory in MB that this process held."""
    try:
        with open("/proc/self/status") as file:
            return next(int(row.split()[1]) for row in file if row.startswith("VmHWM")) / 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


class Frames:
    """When the screen was drawn last, each frame set as a terminal gets it."""

    def __init__(self, app: App[int]) -> None:
        self.last = 0.0
        display = app._display

        def timed(screen: object, renderable: object) -> None:
            display(screen, renderable)  # type: ignore[arg-type]
            if renderable is not None and hasattr(renderable, "render_segments"):
                renderable.render_segments(app.console)
            self.last = time.perf_counter()

        app._display = timed  # type: ignore[method-assign, assignment]


async def painted(view: PreviewView, frames: Frames, at: int, title: str) -> float:
    """Move the cursor to a row, and wait for the frame that shows the file."""
    lines = view.query_one(ViewLines)
    start = time.perf_counter()
    view.query_one(FileTable).cursor = at
    while time.perf_counter() < start + PATIENCE:
        await asyncio.sleep(0.001)
        there = lines.view is not None and lines.view.title == title and view.is_settled
        if there:
            break
    shown = time.perf_counter()
    while frames.last < shown and time.perf_counter() < shown + 1:
        await asyncio.sleep(0.001)
    return (frames.last - start) * 1000


async def held_up(stop: asyncio.Event) -> float:
    """The longest time in ms that the loop had none for anything else."""
    longest = 0.0
    while not stop.is_set():
        before = time.perf_counter()
        await asyncio.sleep(0.001)
        longest = max(longest, time.perf_counter() - before - 0.001)
    return longest * 1000


async def measured(pilot: Pilot[int], path: str, other: str) -> list[float]:
    await pilot.press("enter", "escape", "4")
    bench = pilot.app.screen
    while not isinstance(bench, Workbench) or bench.views.preview_view is None:
        await pilot.pause()
    view = bench.views.preview_view
    while view.state is None or not view.is_settled:
        await pilot.pause()
    rows = tuple(PreviewFileRow("+", Path(each).name, "", 0, new=each) for each in (other, path))
    view.show(view.state._replace(rows=rows))
    await asyncio.sleep(IDLE)
    frames = Frames(pilot.app)
    gc.collect()
    before = peak()
    stop = asyncio.Event()
    watching = asyncio.create_task(held_up(stop))
    times = []
    busy = time.process_time()
    first = 0.0
    for _ in range(AGAIN + 1):
        times.append(await painted(view, frames, 1, rows[1].path))
        first = first or (time.process_time() - busy) * 1000
        await painted(view, frames, 0, rows[0].path)
    after = peak()
    stop.set()
    return [times[0], first, min(times[1:]), await watching, after - before]


async def main(path: str) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        skill = Path(folder, "tea")
        skill.mkdir()
        (skill / "SKILL.md").write_text(SKILL)
        other = Path(folder, "other.txt")
        other.write_text("one line\n")
        app = Studio(str(skill), str(Path(folder, "config")), str(Path(folder, "state")), False)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            return await measured(pilot, os.path.abspath(path), str(other))


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1]))))
