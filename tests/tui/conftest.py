"""The workbench without a terminal, driven by keys in two sizes (80×24 and 120×36).

A folder for each view: editor/, form/, new/, run/, testing/, preview/, compare/; there,
test_in_workbench.py tests the view within the workbench. Here: lists and keys in test_workbench.py,
stories in test_journeys.py, dialogs, palette, mouse, tree, themes (contrasts).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import pytest
from tests.choice import DEFAULT
from tests.screens import with_tabs
from textual._compositor import Compositor
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.pilot import Pilot

from skillstudio.tui.app import Studio
from skillstudio.tui.palette import roles
from skillstudio.tui.screens.dialogs import PlanDialog
from skillstudio.tui.screens.workbench import Workbench

GOOD = "---\nname: {name}\ndescription: Does one thing well.\n---\n# {name}\n"
SIZES = [(80, 24), (120, 36)]
"""The two layouts: one pane at a time, and panes beside each other."""
NARROW_FIRST = [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.slow)]
"""The same where the layout is not the point: the wide one only where slow tests are run."""
PATIENCE = 60.0
"""Seconds until what never comes fails a test, however busy the machine is."""
BACKGROUND = {
    "survey",
    "survey-again",
    "analysis",
    "since",
    "the comparison",
    "the live comparison",
}
Open = Callable[..., AbstractAsyncContextManager[Pilot[int]]]


@pytest.fixture(autouse=True)
def _frames_that_nobody_sees(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Draw only what a test looks at, a quarter less to do; each frame where slow tests run too."""
    if request.config.option.markexpr == DEFAULT:
        drawn = Compositor.render_update

        def skipped(self: Compositor, full: bool = False, **more: Any) -> object:
            if full:  # A picture is taken.
                return drawn(self, full, **more)
            self._dirty_regions.clear()
            return None

        monkeypatch.setattr(Compositor, "render_update", skipped)


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """A folder with the skills alpha and beta; both are in order."""
    for name in ("alpha", "beta"):
        folder = tmp_path / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(GOOD.format(name=name))
    return tmp_path / "skills"


@pytest.fixture
def open_studio(tmp_path: Path) -> Open:
    """Open a path with the user's folders in `tmp_path`, and wait until it is looked through."""

    @asynccontextmanager
    async def opened(
        path: Path | str | None,
        size: tuple[int, int] = (120, 36),
        watch: bool = False,
        by_hand: bool = False,
        follow: bool = False,
    ) -> AsyncIterator[Pilot[int]]:
        app = Studio(
            None if path is None else str(path),
            config=str(tmp_path / "config"),
            state=str(tmp_path / "state"),
            watch=watch,
            by_hand=by_hand,
            follow=follow,
        )
        async with app.run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            yield pilot

    return opened


class WidgetApp(App[None]):
    """An application for a widget alone, which knows the colours of the workbench's roles."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return roles(self.current_theme)


async def settled(pilot: Pilot[int]) -> None:
    """Wait for the background work, and for what it sets off."""
    for _ in range(2):
        await pilot.pause()
        background = [w for w in pilot.app.workers if w.group in BACKGROUND]
        if background:
            await pilot.app.workers.wait_for_complete(background)
        await pilot.pause()


async def finish(pilot: Pilot[int], *groups: str) -> str:
    """The screen once no worker of these groups is left, and none that one of them started."""
    await settled(pilot)
    while workers := [worker for worker in pilot.app.workers if worker.group in groups]:
        await pilot.app.workers.wait_for_complete(workers)
        await settled(pilot)
    return shown(pilot)


async def finish_plan(pilot: Pilot[int]) -> str:
    """The screen once the dialog of a plan has read, written, or asks a question."""

    def is_finished() -> bool:
        groups = {worker.group for worker in pilot.app.workers}
        return "plan" not in groups and (
            "ask" not in groups or not isinstance(pilot.app.screen, PlanDialog)
        )

    await settled(pilot)
    await until(pilot, is_finished)
    return await finish(pilot)


async def until(pilot: Pilot[int], holds: Callable[[], bool]) -> None:
    """Let the application work until something is so."""
    end = monotonic() + PATIENCE
    while not holds():
        if monotonic() > end:
            raise AssertionError(f"not within {PATIENCE:.0f} s:\n{shown(pilot)}")
        await pilot.pause(0.01)


async def ended(pilot: Pilot[int]) -> None:
    """Wait until the application has exited; its status is 0."""
    await until(pilot, lambda: pilot.app.return_value is not None)
    assert pilot.app.return_value == 0


async def seen(pilot: Pilot[int], *texts: str) -> str:
    """The screen, once it shows all of these."""
    await pilot.pause()
    await until(pilot, lambda: all(text in shown(pilot) for text in texts))
    return shown(pilot)


async def read(pilot: Pilot[int], data: str, pause: bool = True) -> None:
    """Let the terminal send some characters, all of which arrive in one read."""
    driver = pilot.app._driver
    assert driver is not None
    parser = XTermParser()
    found = list(parser.feed(data))
    parser._timeout_time = 0.0 if parser._timeout_time else None
    for event in [*found, *parser.tick()]:
        event.set_sender(pilot.app)
        driver.send_message(event)
    if pause:
        await settled(pilot)


def bench(pilot: Pilot[int]) -> Workbench:
    """The workbench, whatever dialog is above it."""
    return next(s for s in pilot.app.screen_stack if isinstance(s, Workbench))


def shown(pilot: Pilot[int]) -> str:
    """What the screen shows, as text without the frames at both ends of a line; the selected tab
    is in brackets."""
    lines = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
    return "\n".join(line.rstrip().strip("│┃").rstrip() for line in with_tabs(lines))


IDLE_CHECK = 0.01  # Seconds; half of Textual's: most of a test is that wait.


@pytest.fixture(autouse=True, scope="session")
def _idle_means_nothing_to_do() -> Iterator[None]:
    """Let `pilot.pause()` and `pilot.press()` wait for idleness as `wait_for_idle` below."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual.pilot.wait_for_idle", wait_for_idle)
        patch.setattr("textual.app.wait_for_idle", wait_for_idle)
        yield


async def wait_for_idle(min_sleep: float = 2 * IDLE_CHECK, max_sleep: float = 1.0) -> None:
    """Wait until no callback is due and no thread works, at most for `max_sleep` processor seconds.

    Textual waits until the process uses no processor time, which on a busy machine can be because
    it gets none.
    """
    begin, begin_used = monotonic(), process_time()
    while True:
        used = process_time()
        await asyncio.sleep(IDLE_CHECK)
        now_used = process_time()
        if now_used - begin_used > max_sleep:
            return
        is_quiet = now_used - used < IDLE_CHECK / 20 and monotonic() - begin > min_sleep
        if is_quiet and not is_working():
            return


def is_working() -> bool:
    """Whether a callback of the event loop is due, or another thread could run."""
    # Threads first: the last thing that one does is to make a callback due.
    return any(map(_can_run, threading.enumerate())) or bool(
        getattr(asyncio.get_running_loop(), "_ready", ())
    )


def _can_run(thread: threading.Thread) -> bool:
    """Whether another thread runs or waits for a processor; False where /proc does not tell."""
    if thread is threading.current_thread():
        return False
    try:
        with open(f"/proc/self/task/{thread.native_id}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"R", b"D")
    except OSError:
        return False
