"""The five jobs as an animated SVG and an asciinema recording, from keys over the examples.

A frame is taken after each key, once the screen is at rest, so both are the same in every run.
Frames share their lines, which keeps the files small.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from html import escape
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from screenshots.draw.screens import KEYS, commit
from screenshots.draw.workbench import (
    hidden_clock,
    isolate_the_same,
    run_through,
    settled,
    still,
    studio,
)
from textual.pilot import Pilot

from skillstudio.session.commands.keymap import format_key
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.new.templates import TemplateList

WIDTH, HEIGHT = 96, 28
_CELL, _LINE, _FONT = 8.4, 17.0, 14
_ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}
_TYPED = 0.12  # Seconds between two typed keys.
_FRONT, _BACK = "#e0e0e0", "#121212"


class Run(NamedTuple):
    """Cells of one style; colours are `#rrggbb`."""

    text: str
    front: str
    back: str
    looks: str  # Words of SVG: bold, italic, underline.


Row = tuple[Run, ...]


class Frame(NamedTuple):
    """What the terminal shows for some seconds; the last row is the caption."""

    rows: tuple[Row, ...]
    seconds: float


class Film:
    """Presses keys as a person does, and takes a frame after each one."""

    def __init__(self, pilot: Pilot[int], caption: str) -> None:
        self.pilot = pilot
        self.frames: list[Frame] = []
        self._caption = caption
        self._key = ""

    @property
    def bench(self) -> Workbench:
        """The workbench, also below a dialog."""
        screens = self.pilot.app.screen_stack
        return next(screen for screen in screens if isinstance(screen, Workbench))

    async def press(self, *keys: str, seconds: float = _TYPED) -> None:
        """Press keys; each result is shown for so many seconds, with 0 not at all."""
        for key in keys:
            self._key = _ARROWS.get(key) or format_key(
                next((of for of in KEYS if KEYS[of] == key), key)
            )
            await self.pilot.press(key)
            await settled(self.pilot)
            if seconds:
                await self.take(seconds)

    async def type(self, text: str) -> None:
        """Press the keys of a text."""
        await self.press(*(KEYS.get(character, character) for character in text))

    async def take(self, seconds: float) -> None:
        """Take a frame of what is on the screen; the same as before lasts longer."""
        await still(self.pilot)
        with hidden_clock(self.bench):
            await still(self.pilot)
            strips = self.pilot.app.screen._compositor.render_strips()
        frame = Frame((*map(_row, strips), _caption(self._caption, self._key)), seconds)
        if self.frames and self.frames[-1].rows == frame.rows:
            frame = frame._replace(seconds=seconds + self.frames.pop().seconds)
        self.frames.append(frame)

    async def show_run(self) -> None:
        """Show the Run view, as on a machine where nothing confines."""
        await self.press("3", seconds=0)
        isolate_the_same(self.bench)

    async def run(self) -> None:
        """Run what is chosen, to its end."""
        self._key = "f5"
        await run_through(self.pilot, self.bench)

    async def open(self, skill: str) -> None:
        """Open a skill by a few letters of its name."""
        await self.press("ctrl+l")
        await self.type(skill)
        await self.press("enter", seconds=0.8)


Scene = Callable[[Film], Awaitable[None]]


async def _scaffold(film: Film) -> None:
    await film.take(1)
    await film.press("N", seconds=0.8)
    templates = film.pilot.app.screen.query_one(TemplateList)
    while templates.rows.cursor != templates.row_of("script-tool"):
        await film.press("down")
    await film.press("enter", seconds=1)
    await film.type("word-count")
    await film.take(1.2)
    await film.press("ctrl+n", seconds=1.5)
    await film.press("down", "down", "down", seconds=0.4)
    await film.take(2)


async def _edit(film: Film) -> None:
    await film.open("worklog")
    await film.press("enter", seconds=0.5)
    await film.press("ctrl+f")
    await film.type("mode worklogs")
    await film.press("escape", seconds=0.4)
    await film.press("right")
    await film.type(":")
    await film.take(2.5)
    await film.press("f2", seconds=2.5)


async def _run(film: Film) -> None:
    await film.open("memory")
    await film.show_run()
    await film.take(0.8)
    await film.press("o", seconds=0.4)
    await film.type("store")
    await film.press("enter", seconds=0.8)
    await film.press("f", "enter", seconds=0.8)
    await film.run()
    await film.take(3.5)


async def _preview(film: Film) -> None:
    await film.open("analyze")
    await film.show_run()
    await film.press("f", "enter", seconds=0)  # A plan of a script has its path on this machine.
    await film.run()
    await film.take(1.5)
    await film.press("4", seconds=3)
    await film.press("v", seconds=2)


async def _compare(film: Film) -> None:
    await film.open("worklog")
    await film.press("enter", seconds=0.3)
    await film.press("ctrl+g")
    await film.type("16")
    await film.press("enter", "end", seconds=0.3)
    await film.press("left")
    await film.type("Z")
    await film.take(2)
    await film.press("escape", seconds=0.3)
    await film.press("5", seconds=4)


SCENES: tuple[tuple[str, Scene], ...] = (
    ("1/5 Scaffold: N, choose a template, type a name, ^n previews every file", _scaffold),
    ("2/5 Edit: problems as you type; f2 fixes this one", _edit),
    ("3/5 Run: f5 runs in copies and compares observed with declared effects", _run),
    ("4/5 Preview: the files of the run, before anything is applied", _preview),
    ("5/5 Compare: the required version bump, with a counterexample", _compare),
)


def draw_recordings() -> Iterator[tuple[str, str]]:
    """File names and texts of the recording. Raises OSError."""
    frames: list[Frame] = []
    for caption, scene in SCENES:
        with studio() as app:
            frames += asyncio.run(_played(app.run_test(size=(WIDTH, HEIGHT)), caption, scene))
    yield "five-jobs.cast", cast(frames)
    yield "five-jobs.svg", animation(frames)


async def _played(
    running: AbstractAsyncContextManager[Pilot[int]], caption: str, scene: Scene
) -> list[Frame]:
    async with running as pilot:
        await settled(pilot)
        film = Film(pilot, caption)
        commit(film.bench.session.workspace.root)
        await scene(film)
    return film.frames


def _caption(text: str, key: str) -> Row:
    """What is done, and the key that was pressed last."""
    line = f" {text}".ljust(WIDTH - len(key) - 3)
    return (
        Run(line, _BACK, "#8ab4f8", "bold"),
        Run(f" {key} ".rjust(3 + len(key)), _FRONT, _BACK, "bold"),
    )


def _row(segments: Iterable[Segment]) -> Row:
    pieces = [_piece(each) for each in segments if each.text]
    runs = groupby(pieces, lambda each: each[1:])
    return tuple(Run("".join(each.text for each in found), *style) for style, found in runs)


def _piece(segment: Segment) -> Run:
    style = segment.style or Style()
    front = style.color.get_truecolor().hex if style.color else _FRONT
    back = style.bgcolor.get_truecolor(foreground=False).hex if style.bgcolor else _BACK
    if style.reverse:
        front, back = back, front
    if style.dim:
        pairs = zip(_parts(front), _parts(back), strict=True)
        front = "#" + "".join(f"{(one + other) // 2:02x}" for one, other in pairs)
    looks = [name for name in ("bold", "italic", "underline") if getattr(style, name)]
    return Run(segment.text, front, back, " ".join(looks))


def _parts(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def cast(frames: list[Frame]) -> str:
    """An asciinema recording, version 2; each frame paints the rows that differ."""
    head = {"version": 2, "width": WIDTH, "height": HEIGHT + 1, "title": "skillstudio: five jobs"}
    lines = [json.dumps(head)]
    shown: tuple[Row, ...] = ()
    now = 0.0
    for frame in frames:
        data = "" if shown else "\x1b[?25l\x1b[2J"
        for number, row in enumerate(frame.rows):
            if number >= len(shown) or shown[number] != row:
                data += f"\x1b[{number + 1};1H" + "".join(map(_escaped, row))
        lines.append(json.dumps([round(now, 2), "o", data + "\x1b[0m"], ensure_ascii=False))
        shown, now = frame.rows, now + frame.seconds
    lines.append(json.dumps([round(now, 2), "o", "\x1b[?25h\r\n"]))
    return "\n".join(lines) + "\n"


_CODES = {"bold": "1", "italic": "3", "underline": "4"}


def _escaped(run: Run) -> str:
    colours = [
        f"{kind};2;" + ";".join(map(str, _parts(colour)))
        for kind, colour in (("38", run.front), ("48", run.back))
    ]
    codes = ["0", *(_CODES[each] for each in run.looks.split()), *colours]
    return f"\x1b[{';'.join(codes)}m{run.text}"


def animation(frames: list[Frame]) -> str:
    """An SVG that shows one frame after the other, each line drawn once."""
    rows: dict[Row, int] = {}
    styles: dict[tuple[str, str], int] = {}
    total = sum(frame.seconds for frame in frames)
    shown: list[str] = []
    rules: list[str] = []
    now = 0.0
    for number, frame in enumerate(frames):
        uses = "".join(
            f'<use href="#r{rows.setdefault(row, len(rows))}" y="{_LINE * at:g}"/>'
            for at, row in enumerate(frame.rows)
        )
        start, end = (f"{100 * each / total:.3f}%" for each in (now, now + frame.seconds))
        before = "" if number == 0 else "0%{visibility:hidden}"
        rules.append(
            f"@keyframes k{number}{{{before}{start}{{visibility:visible}}"
            f"{end}{{visibility:hidden}}100%{{visibility:hidden}}}}"
            f"#f{number}{{animation-name:k{number}}}"
        )
        shown.append(f'<g id="f{number}" class="f">{uses}</g>')
        now += frame.seconds
    drawn = [f'<g id="r{at}">{_drawn(row, styles)}</g>' for row, at in rows.items()]
    classes = [
        f".c{at}{{fill:{front}{''.join(f';{_CSS[each]}' for each in looks.split())}}}"
        for (front, looks), at in styles.items()
    ]
    width, height = WIDTH * _CELL, (HEIGHT + 1) * _LINE
    style = "\n".join(
        [
            f"text{{font:{_FONT}px DejaVu Sans Mono,Menlo,Consolas,monospace;white-space:pre}}",
            f".f{{visibility:hidden;animation:{total:g}s step-end infinite}}",
            *rules,
            # Nothing moves for those who do not want it: the fixed manifest stays.
            "@media (prefers-reduced-motion:reduce){.f{animation:none}#f0{visibility:visible}}",
            *classes,
        ]
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">',
            "<title>skillstudio: scaffold, edit, run, preview, compare</title>",
            f"<style>\n{style}\n</style>",
            "<defs>",
            *drawn,
            "</defs>",
            f'<rect width="{width:g}" height="{height:g}" fill="{_BACK}"/>',
            *shown,
            "</svg>\n",
        ]
    )


_CSS = {
    "bold": "font-weight:bold",
    "italic": "font-style:italic",
    "underline": "text-decoration:underline",
}


def _drawn(row: Row, styles: dict[tuple[str, str], int]) -> str:
    backs: list[tuple[str, float, int]] = []
    texts = []
    at = 0
    for run in row:
        size = cell_len(run.text)
        if run.back != _BACK:
            if backs and backs[-1][0] == run.back and backs[-1][1] + backs[-1][2] == at:
                size_before = backs[-1][2]
                backs[-1] = (run.back, backs[-1][1], size_before + size)
            else:
                backs.append((run.back, at, size))
        bare = run.text.strip(" ")
        if bare:
            left = at + len(run.text) - len(run.text.lstrip(" "))
            number = styles.setdefault((run.front, run.looks), len(styles))
            length = f'textLength="{cell_len(bare) * _CELL:g}" lengthAdjust="spacingAndGlyphs"'
            place = f'class="c{number}" x="{left * _CELL:g}" y="13"'
            texts.append(f"<text {place} {length}>{escape(bare)}</text>")
        at += size
    height = f'height="{_LINE + 0.3:g}"'
    rects = [
        f'<rect x="{left * _CELL:g}" width="{size * _CELL:g}" {height} fill="{fill}"/>'
        for fill, left, size in backs
    ]
    return "".join([*rects, *texts])
