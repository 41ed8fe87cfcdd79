"""Commands of the tour."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from textual.screen import Screen

from skillstudio.files.placing import NotPlaced
from skillstudio.session.tour import Tour, TourOrigin
from skillstudio.session.tour_copy import copy_for_tour
from skillstudio.tui.commands.navigation import may_leave
from skillstudio.tui.screens.dialogs import OpenPath
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.tour import TourRefused, TourRequested
from skillstudio.tui.words import say


async def show(workbench: Workbench) -> None:
    """Show the step of the tour where it was; without one, begin a tour."""
    tour = workbench.tour
    if tour.is_on and not (tour.is_lost or tour.is_done):
        workbench.tour.reopen()
    else:
        workbench.post_message(TourRequested(workbench))


async def close(workbench: Workbench) -> None:
    """Hide the step of the tour; after the last one, leave the tour."""
    if workbench.tour.is_done:
        await leave(workbench)
    else:
        workbench.tour.close()


async def leave(workbench: Workbench) -> None:
    """End the tour, and open what was open before."""
    origin = workbench.tour.origin
    if await may_leave(workbench):
        workbench.post_message(OpenPath(origin.root, back=origin))


async def begin(screen: Screen[Any], last: Tour | None, examples: str, state: str) -> None:
    """Open a copy of the example for the tour; that of the last tour if it was not finished."""
    origin = screen.tour.origin_from_here if isinstance(screen, Workbench) else TourOrigin()
    if last is not None and os.path.isdir(last.copy.folder) and not last.is_done:
        tour, last.origin, last.is_closed = last, origin, False
    else:
        try:
            copy = await asyncio.to_thread(copy_for_tour, examples, state)
        except NotPlaced as error:
            say(screen, f"no tour: {error}", bad=True)
            screen.post_message(TourRefused())
            return
        tour = Tour(copy, origin)
    if not isinstance(screen, Workbench) or await may_leave(screen):
        screen.post_message(OpenPath(tour.copy.folder, tour))
