"""Choosing a theme with each one shown as the cursor passes it."""

from __future__ import annotations

from skillstudio.tui.palette import Themed
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import joined, plain


async def choose(workbench: Workbench) -> None:
    """Preview the selected theme; keep the chosen one, or go back to the one before."""
    app = workbench.app
    if not isinstance(app, Themed):
        return
    before = app.theme
    lines = [
        Answer(
            theme.name,
            f"{theme.name} {theme.title}",
            joined(plain(theme.title), "  ", plain(theme.name, "dim")),
        )
        for theme in app.known_themes.values()
    ]

    def preview(name: str) -> None:
        app.theme = name

    chosen = await app.push_screen_wait(Chooser("Themes", lines, on_move=preview, start=before))
    app.theme = chosen or before
    if chosen is not None:
        app.remember_theme(chosen)
