"""Run the commands of a screen in the order of its keys, however fast they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from skillstudio.session.commands.commands import command, why_disabled

if TYPE_CHECKING:
    from textual.screen import Screen

PATIENCE = 2.0
"""The longest time in seconds that keys wait for the command before them."""


class CommandRunner:
    """Runs each command in a worker of the screen."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen
        self._active: set[asyncio.Event] = set()
        """Commands that later keys wait for."""

    async def run(self, command: Awaitable[None]) -> None:
        """Run a command; return when it is done or opens a dialog, so that later keys wait."""
        done = asyncio.Event()
        self._active.add(done)
        self._screen.run_worker(self._run(command, done), group="commands", exit_on_error=False)
        await _patiently(done)

    async def _run(self, command: Awaitable[None], done: asyncio.Event) -> None:
        try:
            await command
        finally:
            done.set()
            self._active.discard(done)

    def release_keys(self) -> None:
        """Let keys through while the active commands wait for a dialog."""
        for done in self._active:
            done.set()


def why_not(id_: str, facts: frozenset[str]) -> str:
    """Why a command cannot run now, "" if it can."""
    found = command(id_)
    return why_disabled(found, facts) if found else f"there is no command {id_}"


async def typed_out(screen: Screen[Any]) -> None:
    """Wait until the focused widget has handled the keys sent to it."""
    if screen.focused is not None:
        handled = asyncio.Event()
        screen.focused.call_later(handled.set)
        await _patiently(handled)


async def _patiently(event: asyncio.Event) -> None:
    """Wait for an event, but not forever."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), PATIENCE)
