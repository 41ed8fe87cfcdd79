"""A workbench over a folder of skills, without a terminal."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual._xterm_parser import XTermParser
from textual.pilot import Pilot

from skillstudio.tui.app import Studio
from skillstudio.tui.bench import Bench

GOOD = "---\nname: {name}\ndescription: Does one thing well.\n---\n# {name}\n"
BACKGROUND = {"survey", "survey-again", "analysis", "since", "comparison"}
Open = Callable[..., AbstractAsyncContextManager[Pilot[int]]]


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
    ) -> AsyncIterator[Pilot[int]]:
        app = Studio(
            None if path is None else str(path),
            config=str(tmp_path / "config"),
            state=str(tmp_path / "state"),
            watch=watch,
            by_hand=by_hand,
        )
        async with app.run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            yield pilot

    return opened


async def settled(pilot: Pilot[int]) -> None:
    """Wait for the background work, and for what it sets off."""
    for _ in range(2):
        await pilot.pause()
        background = [w for w in pilot.app.workers if w.group in BACKGROUND]
        if background:
            await pilot.app.workers.wait_for_complete(background)
        await pilot.pause()


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


def bench(pilot: Pilot[int]) -> Bench:
    """The workbench, whatever dialog is above it."""
    return next(s for s in pilot.app.screen_stack if isinstance(s, Bench))


def shown(pilot: Pilot[int]) -> str:
    """What the screen shows, as text."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)
