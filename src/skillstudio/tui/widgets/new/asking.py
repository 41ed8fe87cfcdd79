"""What the wizard asks in a dialog."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from textual.content import Content

from skillstudio.tui.screens.confirm import Confirm, Option
from skillstudio.tui.screens.prompt import Prompt
from skillstudio.tui.widgets.new.preview import check_told

if TYPE_CHECKING:
    from textual.app import App

    from skillstudio.scaffold.new.making import Draft


async def ask_which(app: App[Any]) -> str | None:
    """The folder or the address of a template; None when the user backs out."""
    title = "The folder of a template, or the address of a git repository with one"
    asked = Prompt(title, "", lambda text: "" if text.strip() else "nothing is named")
    which = await app.push_screen_wait(asked)
    return None if which is None else which.strip()


async def ask_for_scripts(app: App[Any], before: str) -> str | None:
    """The folder of scripts; None when the user backs out. `before` is what was said last."""

    def wrong(text: str) -> str:
        folder = os.path.expanduser(text.strip())
        return "" if os.path.isdir(folder) else f"no folder is at {text.strip() or 'no path'}"

    asked = Prompt("The folder of the scripts; none of them is run", before, wrong)
    which = await app.push_screen_wait(asked)
    return None if which is None else which.strip()


async def ask_anyway(app: App[Any], draft: Draft) -> bool:
    """Whether a skill is to be made though its check finds errors, which are shown."""
    options = [Option("no", "n", "Go back to it"), Option("yes", "y", "Make it anyway")]
    text = Content("\n").join(check_told(draft))
    return await app.push_screen_wait(Confirm("The check finds errors", text, options)) == "yes"
