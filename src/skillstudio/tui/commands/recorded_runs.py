"""Recorded runs as answers to choose from, the same in Run and in Preview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillstudio.tui.screens.chooser import Answer
from skillstudio.tui.words import joined, plain

if TYPE_CHECKING:
    from skillstudio.session.running.history import RunHistoryEntry


def answer_of(run: RunHistoryEntry) -> Answer:
    """What it ran, how it ended, and its id; why it cannot be shown."""
    return Answer(
        run.run,
        f"{run.title} {run.run}",
        joined(plain(f"{run.title}  {run.about}"), plain(f"  {run.run}", "dim")),
        off=run.trouble,
    )
