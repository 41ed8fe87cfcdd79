"""What the wizard asks in a dialog."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from textual.content import Content

from skillstudio.tui.screens.confirm import Confirm, ConfirmOption
from skillstudio.tui.screens.prompt import PromptDialog
from skillstudio.tui.widgets.new.preview import check_lines

if TYPE_CHECKING:
    from textual.app import App

    from skillstudio.scaffold.new.creation import SkillDraft
    from skillstudio.tui.widgets.new.templates import Elsewhere


async def ask_where(app: App[Any], which: Elsewhere, before: str) -> str | None:
    """The folder of scripts, or the folder or address of a template; None when the user backs out.

    `before` is what was said last.
    """
    if which == "scripts":
        asked = PromptDialog("The folder of the scripts; none of them is run", before, _no_folder)
    else:
        title = "The folder of a template, or the address of a git repository with one"
        asked = PromptDialog(title, before, lambda text: "" if text.strip() else "nothing is named")
    where = await app.push_screen_wait(asked)
    return None if where is None else where.strip()


def _no_folder(text: str) -> str:
    named = text.strip()
    there = os.path.isdir(os.path.expanduser(named))
    return "" if there else f"no folder is at {named}" if named else "nothing is named"


async def ask_anyway(app: App[Any], draft: SkillDraft) -> bool:
    """Whether a skill is to be made though its check finds errors, which are shown."""
    options = [
        ConfirmOption("no", "n", "Go back to it"),
        ConfirmOption("yes", "y", "Make it anyway"),
    ]
    text = Content("\n").join(check_lines(draft))
    return await app.push_screen_wait(Confirm("The check finds errors", text, options)) == "yes"
