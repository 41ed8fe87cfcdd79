"""Create a skill with the wizard, and open what it made."""

from __future__ import annotations

from skillstudio.session.wizard.wizard import Wizard, base_for
from skillstudio.tui.commands import navigation
from skillstudio.tui.messages import OpenPath
from skillstudio.tui.screens.new import ask_for_skill
from skillstudio.tui.screens.workbench import Workbench


async def begin(workbench: Workbench) -> None:
    """Start the wizard, or continue it; open the skill that it creates."""
    if not workbench.views.settle():
        return
    workspace = workbench.session.workspace
    wizard = workbench.wizard
    if wizard is None:
        wizard = workbench.wizard = Wizard(base_for(workspace.root))
    wizard.names = {entry.name: entry.path or "." for entry in workspace.skills.values()}
    ended = await ask_for_skill(workbench.app, wizard, workbench.keymap)
    if ended.quit:
        await navigation.quit_(workbench)
    elif ended.made:
        workbench.wizard = None
        await open_made(workbench, ended.made)


async def open_made(workbench: Workbench, folder: str) -> None:
    """Open a new skill; outside the workspace, open its folder instead."""
    skill = workbench.skills_pane.add(folder)
    if skill is not None:
        if await workbench.open_file(skill):
            await workbench.show_view("edit")
            workbench.go_to_pane("view")
            workbench.say(f"made {skill}")
    elif await navigation.may_leave(workbench):
        workbench.post_message(OpenPath(folder))
    else:
        workbench.say(f"made {folder}; O opens it")
