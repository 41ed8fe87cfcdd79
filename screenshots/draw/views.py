"""A picture of each view of Preview: one workbench and one run, the cursor on each file in turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping

from screenshots.draw.gallery import SCRIPT, SKILL, put_gallery
from screenshots.draw.svg import tidy
from screenshots.draw.workbench import (
    hide_clock,
    open_run,
    open_skill,
    picture,
    put_worklog,
    run_through,
    settled,
    studio,
    take_sample,
)
from textual.pilot import Pilot

from skillstudio.session.previewing.files import How
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.preview.table import FileTable
from skillstudio.tui.widgets.preview.view import PreviewView
from skillstudio.tui.widgets.rows import Rows

FOLDER = "views"
_SOON = 0.01
SIZE = (120, 36)
FILES = {
    "markdown": "out/report.md",
    "json": "out/tea.json",
    "broken-json": "out/broken.json",
    "json-lines": "out/cups.jsonl",
    "yaml": "out/tea.yaml",
    "toml": "out/tea.toml",
    "code": "out/tea.py",
    "org": "out/worklog.org",
    "table": "out/tea.csv",
    "sqlite": "out/tea.db",
    "zip": "out/tea.zip",
    "tar": "out/tea.tar.gz",
    "image": "out/pot.png",
    "image-bomb": "out/bomb.png",
    "svg": "out/pot.svg",
    "wasm": "out/tea.wasm",
    "not-utf-8": "out/latin.txt",
    "utf-16": "out/wide.txt",
    "escapes": "out/escapes.log",
    "empty": "out/empty.txt",
    "binary": "out/data.bin",
    "program": "out/tool",
    "link": "out/link",
    "pipe": "out/pipe",
    "not-kept": "out/huge.bin",
    "removed": "docs/gone.txt",
}
"""Files of the gallery by the names of their pictures."""
HOWS: Mapping[How, str] = {"diff": "docs/notes.txt", "raw": "out/report.md", "hex": "out/report.md"}
"""Files that are looked at in other ways."""
PARTS = {
    "card": "In a marketplace",
    "card-agent": "Always in context",
    "card-travels": "Packed files",
    "card-installer": "For installers",
    "card-permissions": "Permissions requested",
}
"""Rows of the card of a skill for caro."""
VIEWS = (*FILES, *HOWS, "outputs", *PARTS)


def draw_views(
    names: Iterable[str] = (),
    size: tuple[int, int] = SIZE,
    theme: str = "skillstudio-dark",
    colours: bool = True,
) -> Iterator[tuple[str, str]]:
    """File names and their SVG texts; all views by default. Raises OSError."""
    wanted = set(names) or set(VIEWS)

    async def drawn() -> list[tuple[str, str]]:
        async with app.run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            app.theme = theme
            return [each async for each in _pictures(pilot, wanted)]

    with studio(colours=colours, put=put_gallery) as app:
        found = asyncio.run(drawn())
    for name, svg in found:
        yield f"{FOLDER}/{name}.svg", tidy(svg, name)


async def _pictures(pilot: Pilot[int], wanted: set[str]) -> AsyncIterator[tuple[str, str]]:
    def of(names: Iterable[str]) -> list[str]:
        return [each for each in names if each in wanted]

    if of(FILES) or of(HOWS):
        bench = await open_run(pilot, SCRIPT, SKILL)
        await run_through(pilot, bench)
        view = await _preview(pilot)
        hide_clock(bench)
        for name in of(FILES):
            yield name, await _drawn(pilot, view, FILES[name])
        for how, path in HOWS.items():
            if how in wanted:
                view.show_how(how)
                yield how, await _drawn(pilot, view, path)
        view.show_how(None)
    if of(("outputs",)):
        bench = await open_run(pilot, "scripts/new-worklog.sh", "worklog")
        put_worklog(bench)
        await take_sample(pilot)
        view = await _preview(pilot)
        yield "outputs", await _drawn(pilot, view, "docs/worklogs/2025-01-01-parser.org")
    if of(PARTS):
        await open_skill(pilot, "aws")
        view = await _preview(pilot)
        while view.subject != "card":
            await pilot.press("t")
            await settled(pilot)
        for name in of(PARTS):
            yield name, await _drawn(pilot, view, PARTS[name])


async def _preview(pilot: Pilot[int]) -> PreviewView:
    await pilot.press("escape", "4")
    await settled(pilot)
    bench = pilot.app.screen
    if not isinstance(bench, Workbench) or bench.views.preview_view is None:
        raise RuntimeError("Preview is not shown")
    return bench.views.preview_view


async def _drawn(pilot: Pilot[int], view: PreviewView, path: str) -> str:
    """The picture with the cursor on the row of a path, once what it holds is shown."""
    rows = view.state.rows if view.state is not None else ()
    table = view.query_one(FileTable)
    table.cursor = next(n for n, each in enumerate(rows) if each.path.startswith(path))
    table.post_message(Rows.SelectionMoved(table, table.cursor))
    await pilot.pause()
    while not view.is_settled:
        await asyncio.sleep(_SOON)
    drawn = ""
    while (now := picture(pilot)) != drawn:
        drawn = now
        await pilot.pause()
    return drawn
