"""The commands of a screen as a list to choose from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from skillstudio.session.commands.commands import Command, why_disabled
from skillstudio.session.commands.keymap import Keymap, all_shown
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.words import joined, paragraphs, plain

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget


class CommandScreen(Protocol):
    """A screen with commands: the workbench, or the wizard for a new skill."""

    keymap: Keymap

    @property
    def app(self) -> App[Any]: ...
    @property
    def focused(self) -> Widget | None: ...
    def facts(self) -> frozenset[str]: ...


def command_answers(screen: CommandScreen, commands: Iterable[Command]) -> list[Answer]:
    """Every command as a line of the palette, with its keys and why it is disabled."""
    facts = screen.facts()
    return [_answer(screen, each, why_disabled(each, facts)) for each in commands]


def _answer(screen: CommandScreen, command: Command, off: str) -> Answer:
    keys = all_shown(screen.keymap.keys[command.id])
    text = f"{command.category}: {command.title}"
    line = joined(
        plain(f"{text:<38}"), plain(f" {keys:<14}", "$text-primary"), plain(command.help, "dim")
    )
    return Answer(command.id, text, line, command.help, off)


async def help_(screen: CommandScreen, commands: Iterable[Command]) -> str:
    """Explain what is focused and list every command; the id of the one to run."""
    focused = screen.focused
    about = ""
    for node in focused.ancestors_with_self if focused else ():
        about = getattr(node, "help_text", "") or getattr(node, "HELP", None) or ""
        if about:
            break
    about = " ".join((about or "Nothing is focused: s goes to the skills.").split())
    lines = command_answers(screen, commands)
    return await screen.app.push_screen_wait(Chooser("Help", lines, paragraphs(about))) or ""
