"""Textual's bindings made from the command table and the user's keymap."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from skillstudio.session.commands.commands import COMMANDS, Command, Context
from skillstudio.session.commands.keymap import Keymap

AnyScreen = TypeVar("AnyScreen", bound=Screen[Any])
_TYPED = {"slash", "question_mark", "space", "escape"}
_BENCH: tuple[Context, ...] = ("everywhere", "outside")


def on_the_bench(command: Command) -> bool:
    """Whether a command is one that the workbench binds."""
    return command.context in _BENCH


def view_bindings(context: Context) -> list[BindingType]:
    """The default keys of a view's commands, for the widget that has them while it is focused."""
    return [
        Binding(",".join(each.keys), f"screen.run('{each.id}')", each.title, show=False, id=each.id)
        for each in COMMANDS
        if each.context == context and each.keys
    ]


def with_keys(
    screen: type[AnyScreen], keymap: Keymap, wanted: Callable[[Command], bool] = on_the_bench
) -> type[AnyScreen]:
    """The screen's class with a binding for each key of the commands it is to run.

    Textual reads bindings from the class, so the user's keys need a class of their own. They
    call the screen's `action_run(id)`.
    """
    bindings = tuple(
        _binding(command, key)
        for command in COMMANDS
        if wanted(command)
        for key in keymap.keys[command.id]
    )
    return cast("type[AnyScreen]", _bound(screen, bindings))


@lru_cache(maxsize=8)
def _bound(screen: type[Screen[Any]], bindings: tuple[Binding, ...]) -> type[Screen[Any]]:
    """One class for the same keys: Textual keeps what it finds out about each class."""
    members = {"BINDINGS": list(bindings), "__module__": screen.__module__}
    return type(screen.__name__, (screen,), members)


def _binding(command: Command, key: str) -> Binding:
    """Keys that type nothing go before the focused widget's own; a letter reaches the screen
    only where no text field takes it."""
    typed = len(key) == 1 or key in _TYPED
    return Binding(
        key,
        f"screen.run('{command.id}')",
        command.title,
        show=False,
        priority=command.context in ("everywhere", "wizard") and not typed,
    )
