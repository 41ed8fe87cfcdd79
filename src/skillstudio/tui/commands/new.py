"""Beginning a skill with the wizard, and opening what it made."""

from __future__ import annotations

from typing import Any

from textual.app import App

from skillstudio.session.commands.keymap import Keymap
from skillstudio.session.wizard.wizard import Wizard, base_for
from skillstudio.tui.bindings import with_keys
from skillstudio.tui.command_runner import CommandRunner
from skillstudio.tui.commands import navigation
from skillstudio.tui.messages import OpenPath
from skillstudio.tui.screens.new import OWN, NewScreen
from skillstudio.tui.widgets.new.messages import WizardResult


async def ask(app: App[Any], wizard: Wizard, keymap: Keymap) -> WizardResult:
    """Show the wizard until a skill is made or the user backs out."""
    screen = with_keys(NewScreen, keymap, OWN.__contains__)(wizard, keymap)
    return await app.push_screen_wait(screen)


async def begin(bench: CommandRunner) -> None:
    """Begin a skill, or go on with the one that was begun; open it once it is made."""
    if not bench.settle():
        return
    workspace = bench.session.workspace
    wizard = bench.wizard
    if wizard is None:
        wizard = bench.wizard = Wizard(base_for(workspace.root))
    wizard.names = {entry.name: entry.path or "." for entry in workspace.skills.values()}
    ended = await ask(bench.app, wizard, bench.keymap)
    if ended.quit:
        await bench.carry_out("app.quit")
    elif ended.made:
        bench.wizard = None
        await open_made(bench, ended.made)


async def open_made(bench: CommandRunner, folder: str) -> None:
    """Open a skill that was made: here, or in a workbench of its own where it lies elsewhere."""
    skill = bench.take_in(folder)
    if skill is not None:
        if await bench.open_file(skill):
            await bench.show_view("edit")
            bench.go_to_pane("view")
            bench.say(f"made {skill}")
    elif await navigation.may_leave(bench):
        bench.post_message(OpenPath(folder))
    else:
        bench.say(f"made {folder}; O opens it")
