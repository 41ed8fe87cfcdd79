"""Bind keys to commands, and run these in the order of the keys, however fast they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from skillstudio.session.commands.commands import COMMANDS, Command, Context, command, why_disabled
from skillstudio.session.commands.keymap import Keymap, is_typed

AnyScreen = TypeVar("AnyScreen", bound=Screen[Any])
PATIENCE = 2.0  # The longest time in seconds that keys wait for the command before them.
WORKBENCH_KEYS = tuple(
    command for command in COMMANDS if command.context in ("everywhere", "outside", "editor")
)
"""The commands that the workbench binds: the editor's lead to the text from anywhere."""


def view_bindings(context: Context) -> list[BindingType]:
    """The default keys of a view's commands, for the widget that binds them."""
    return [
        Binding(
            ",".join(entry.keys), f"screen.run('{entry.id}')", entry.title, show=False, id=entry.id
        )
        for entry in COMMANDS
        if entry.context == context and entry.keys
    ]


def with_keys(
    screen: type[AnyScreen], keymap: Keymap, commands: Iterable[Command] = WORKBENCH_KEYS
) -> type[AnyScreen]:
    """A subclass of a screen that binds the keys of commands to `action_run(id)`.

    Textual reads bindings from the class, so the user's keys need a class of their own.
    """
    bindings = tuple(_binding(entry, key) for entry in commands for key in keymap.keys[entry.id])
    return cast("type[AnyScreen]", _subclass_screen(screen, bindings))


@lru_cache(maxsize=8)
def _subclass_screen(screen: type[Screen[Any]], bindings: tuple[Binding, ...]) -> type[Screen[Any]]:
    """One class for the same keys: Textual caches data for each class."""
    members = {"BINDINGS": list(bindings), "__module__": screen.__module__}
    return type(screen.__name__, (screen,), members)


def _binding(command: Command, key: str) -> Binding:
    """Keys that type nothing have priority over the focused widget's; a letter reaches the screen
    only if no text field uses it."""
    is_for_widget = is_typed(key) or key == "escape"
    return Binding(
        key,
        f"screen.run('{command.id}', '{key}')",
        command.title,
        show=False,
        priority=command.context in ("everywhere", "wizard") and not is_for_widget,
    )


class CommandRunner:
    """Runs each command in a worker of the screen."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen
        self._active: set[asyncio.Event] = set()
        """Commands that later keys wait for."""

    async def run(self, work: Awaitable[object]) -> bool:
        """Run a command; return when it is done or opens a dialog, so that later keys wait.

        False if it took too long for that.
        """
        completion = asyncio.Event()
        self._active.add(completion)
        self._screen.run_worker(self._run(work, completion), group="commands", exit_on_error=False)
        await _patiently(completion)
        return completion.is_set()

    async def _run(self, work: Awaitable[object], completion: asyncio.Event) -> None:
        try:
            await work
        finally:
            completion.set()
            self._active.discard(completion)

    def release_keys(self) -> None:
        """Let keys through while the active commands wait for a dialog."""
        for completion in self._active:
            completion.set()


def asks(id_: str) -> bool:
    """Whether a command opens a field or a dialog, into which the user types on."""
    definition = command(id_)
    return definition is not None and definition.asks


def why_not(id_: str, facts: frozenset[str]) -> str:
    """Why a command cannot run now, "" if it can."""
    definition = command(id_)
    return why_disabled(definition, facts) if definition else f"there is no command {id_}"


async def typed_out(screen: Screen[Any]) -> None:
    """Wait until the focused widget has handled the keys sent to it."""
    if screen.focused is not None:
        completion = asyncio.Event()
        screen.focused.call_later(completion.set)
        await _patiently(completion)


async def _patiently(event: asyncio.Event) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), PATIENCE)
