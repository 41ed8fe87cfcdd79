"""What can be done in the preview: going about in it, and looking with other programs."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator

from skillstudio.preview.source import Source
from skillstudio.preview.view import MOST_LINES, View
from skillstudio.session.previewing_files import bytes_of
from skillstudio.tui.external import look_outside
from skillstudio.tui.external import pager as pager_command
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.viewing import Viewing
from skillstudio.tui.words import joined, plain

HANDED = 20_000
"""Lines that a pager is given."""
_PIECE = 1 << 20
_LAST = "\0last"
_ODD = re.compile(r"[^\w.@+=-]")


async def subject(bench: Viewing) -> None:
    """From the outputs before a run to the files after it, to the card, and back."""
    if bench.preview_view is not None:
        bench.preview_view.show_next_subject()


async def how(bench: Viewing) -> None:
    """From the preview to the diff, the raw text, the bytes, and back."""
    if bench.preview_view is not None:
        bench.preview_view.show_next_how()


async def find(bench: Viewing) -> None:
    """Ask for a text to look for."""
    if bench.preview_view is not None:
        bench.to_front("view")
        bench.preview_view.open_search()


async def next_place(bench: Viewing) -> None:
    """Go to the next line that has the text."""
    if bench.preview_view is not None:
        bench.preview_view.find_next()


async def pager(bench: Viewing) -> None:
    """Hand the lines that are shown to the pager: as text they are safe for any terminal."""
    view = bench.preview_view
    if view is None or view.shown is None or view.row is None:
        return
    name = f"{_file_name(view.row.path)}.{view.how}.txt"
    if trouble := look_outside(bench.app, pager_command(), name, _as_text(view.shown)):
        bench.say(trouble, bad=True)


async def editor(bench: Viewing) -> None:
    """Show a copy of the file in the user's editor."""
    view = bench.preview_view
    source = bytes_of(view.row) if view is not None and view.row is not None else None
    if view is None or view.row is None or source is None:
        return
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    name = _file_name(view.row.path)
    if trouble := look_outside(bench.app, command, name, _pieces(source)):
        bench.say(trouble, bad=True)


async def run(bench: Viewing) -> None:
    """Choose the run whose changes are shown."""
    view, previewer = bench.preview_view, bench.previewer
    if view is None or previewer is None:
        return
    runs = await asyncio.to_thread(previewer.history)
    if not runs:
        bench.say("no run is kept yet")
        return
    answers = [Answer(_LAST, "the last run of this skill", plain("the last run of this skill"))]
    answers += [
        Answer(
            each.run,
            f"{each.title} {each.run}",
            joined(plain(f"{each.title}  {each.about}"), plain(f"  {each.run}", "dim")),
            off=each.trouble,
        )
        for each in runs
    ]
    start = previewer.run or _LAST
    chosen = await bench.app.push_screen_wait(
        Chooser("What which run changed", answers, start=start)
    )
    if chosen is not None:
        view.show_subject("run", "" if chosen == _LAST else chosen)


def _as_text(view: View) -> Iterator[bytes]:
    at = 0
    while at < HANDED:
        lines = view.texts(at, min(MOST_LINES, HANDED - at))
        if not lines and view.complete:
            return
        yield "".join(f"{each}\n" for each in lines).encode("utf-8", "replace")
        at += len(lines)
    if not view.complete or view.count > at:
        yield f"(only the first {at:,} lines are handed over)\n".encode()


def _pieces(source: Source) -> Iterator[bytes]:
    for at in range(0, source.size, _PIECE):
        yield source.read(at, _PIECE)


def _file_name(path: str) -> str:
    """The last part of a path from a skill, as a name that is plain everywhere."""
    name = _ODD.sub("_", path.rpartition("/")[2])[-80:]
    return name.lstrip(".-") or "file"
