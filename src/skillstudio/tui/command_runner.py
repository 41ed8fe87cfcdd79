"""Running commands on the bench, in the order of the keys, whatever speed they come at."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from skillstudio.session.commands.keymap import Keymap
from skillstudio.session.session import Session
from skillstudio.tui.commands import navigation
from skillstudio.tui.skills_pane import SkillsPane
from skillstudio.tui.widgets.key_line import KeyLine

if TYPE_CHECKING:
    from textual.screen import Screen

PATIENCE = 2.0
"""Seconds that keys wait at most for the command before them."""


class CommandRunner(SkillsPane):
    """Runs the commands of the table, or says why not."""

    def __init__(self, session: Session, keymap: Keymap, file: str) -> None:
        super().__init__(session, keymap, file)
        self._under_way: set[asyncio.Event] = set()
        """Commands that the keys behind them wait for."""

    @abstractmethod
    async def carry_out(self, id_: str) -> None:
        """Do what one command says."""

    async def action_run(self, id_: str) -> None:
        """Run a command, or say why not.

        What was typed before it is dealt with first, and what is typed behind it waits until it
        is done or asks something: keys may come faster than they are dealt with. Below a dialog
        nothing is run: a second click on a key line would ask twice.
        """
        if self.app.screen is not self:
            return
        await typed_out(self)
        if id_.startswith("file."):
            self.settle()
        if off := navigation.reason(id_, self):
            self.say(f"not now: {off}")
            return
        over = asyncio.Event()
        self._under_way.add(over)
        self.run_worker(self._run_until(id_, over), group="commands", exit_on_error=False)
        await _patiently(over)

    async def _run_until(self, id_: str, over: asyncio.Event) -> None:
        try:
            await self._run(id_)
        finally:
            over.set()
            self._under_way.discard(over)

    def on_screen_suspend(self) -> None:
        """A command asks something: the keys are for the dialog now."""
        for over in self._under_way:
            over.set()

    async def _run(self, id_: str) -> None:
        if id_ in ("help.show", "help.palette"):
            id_ = await (navigation.help_ if id_ == "help.show" else navigation.palette)(self)
            if id_:
                await self.action_run(id_)
            return
        await self.carry_out(id_)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a line is typed, undo and redo are the line's own."""
        return not (
            action == "run" and parameters[0] in ("edit.undo", "edit.redo") and self.typing()
        )

    def on_key_line_clicked(self, event: KeyLine.Clicked) -> None:
        self.app.call_later(self.action_run, event.command_id)


async def typed_out(screen: Screen[Any]) -> None:
    """Let the focused widget deal with the keys that were sent to it."""
    if screen.focused is not None:
        dealt_with = asyncio.Event()
        screen.focused.call_later(dealt_with.set)
        await _patiently(dealt_with)


async def _patiently(event: asyncio.Event) -> None:
    """Wait for an event, but hold nobody up for ever."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), PATIENCE)
