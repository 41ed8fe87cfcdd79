"""The command that packs the open skill."""

from __future__ import annotations

import os

from skillstudio.session.packing import KINDS, proposed
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.pack import PackScreen
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import joined, plain


async def pack(workbench: Workbench) -> None:
    """Ask for the format, show the list of files, write the archive."""
    if (
        not workbench.views.settle()
        or workbench.open.skill is None
        or workbench.open.analysis is None
    ):
        return
    answers = [
        Answer(str(at), kind.name, joined(plain(f"{kind.name:<18}"), plain(kind.about, "dim")))
        for at, kind in enumerate(KINDS)
    ]
    chosen = await workbench.app.push_screen_wait(Chooser("Pack as", answers))
    if chosen is None:
        return
    kind = KINDS[int(chosen)]
    folder = workbench.session.workspace.path(workbench.open.skill)
    inner = [path for path in workbench.session.unsaved() if path.startswith(folder + os.sep)]
    unsaved = [os.path.relpath(path, folder).replace(os.sep, "/") for path in inner]
    output = proposed(folder, kind, workbench.open.analysis.skill)
    settings = workbench.session.workspace.settings(workbench.open.skill)
    made = await workbench.app.push_screen_wait(PackScreen(folder, kind, output, settings, unsaved))
    if made:
        workbench.say(f"packed: {made}")
