"""Commands of follow mode."""

from __future__ import annotations

from skillstudio.tui.screens.workbench import Workbench


async def follow(workbench: Workbench) -> None:
    """Begin or end following what other programs write."""
    await workbench.follower.turn(not workbench.follower.is_on)


async def test(workbench: Workbench) -> None:
    """Run the samples of the followed skill."""
    await workbench.follower.test()


async def go_to_problem(workbench: Workbench) -> None:
    """Show the worst problem of the followed skill in the text."""
    if (worst := workbench.follower.worst) is not None:
        await workbench.go_to_problem(worst)
