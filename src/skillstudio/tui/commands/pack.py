"""Packing the open skill: its format, then its file with the list of what is in and out."""

from __future__ import annotations

import os

from skillstudio.session.packing import KINDS, proposed
from skillstudio.tui.bench import Bench
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.pack import PackScreen
from skillstudio.tui.words import joined, plain


async def pack(bench: Bench) -> None:
    """Ask for the format, show the list, make the archive."""
    if not bench.settle() or bench.skill is None or bench.analysis is None:
        return
    answers = [
        Answer(str(at), kind.name, joined(plain(f"{kind.name:<18}"), plain(kind.about, "dim")))
        for at, kind in enumerate(KINDS)
    ]
    chosen = await bench.app.push_screen_wait(Chooser("Pack as", answers))
    if chosen is None:
        return
    kind = KINDS[int(chosen)]
    folder = bench.session.workspace.path(bench.skill)
    inner = [path for path in bench.session.unsaved() if path.startswith(folder + os.sep)]
    unsaved = [os.path.relpath(path, folder).replace(os.sep, "/") for path in inner]
    output = proposed(folder, kind, bench.analysis.skill)
    settings = bench.session.workspace.settings(bench.skill)
    made = await bench.app.push_screen_wait(PackScreen(folder, kind, output, settings, unsaved))
    if made:
        bench.say(f"packed: {made}")
