"""Textual's bindings, created from the command table and the user's keymap."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from skillstudio.session.commands.commands import COMMANDS, Command, Context
from skillstudio.session.commands.keymap import Keymap

AnyScreen = TypeVar("AnyScreen", bound=Screen[Any])
_TYPED = {"slash", "question_mark", "space", "escape"}
WORKBENCH_KEYS = tuple(each for each in COMMANDS if each.context in ("everywhere", "outside"))
"""The commands that the workbench binds."""


def view_bindings(context: Context) -> list[BindingType]:
    """The default keys of a view's commands, for the widget that binds them."""
    return [
        Binding(",".join(each.keys), f"screen.run('{each.id}')", each.title, show=False, id=each.id)
        for each in COMMANDS
        if each.context == context and each.keys
    ]


def with_keys(
    screen: type[AnyScreen], keymap: Keymap, commands: Iterable[Command] = WORKBENCH_KEYS
) -> type[AnyScreen]:
    """A subclass of a screen that binds the keys of commands to `action_run(id)`.

    Textual reads bindings from the class, so the user's keys need a class of their own.
    """
    bindings = tuple(_binding(each, key) for each in commands for key in keymap.keys[each.id])
    return cast("type[AnyScreen]", _bound(screen, bindings))


@lru_cache(maxsize=8)
def _bound(screen: type[Screen[Any]], bindings: tuple[Binding, ...]) -> type[Screen[Any]]:
    """One class for the same keys: Textual caches data for each class."""
    members = {"BINDINGS": list(bindings), "__module__": screen.__module__}
    return type(screen.__name__, (screen,), members)


def _binding(command: Command, key: str) -> Binding:
    """Keys that type nothing have priority over the focused widget's; a letter reaches the screen
    only if no text field uses it."""
    typed = len(key) == 1 or key in _TYPED
    return Binding(
        key,
        f"screen.run('{command.id}')",
        command.title,
        show=False,
        priority=command.context in ("everywhere", "wizard") and not typed,
    )
