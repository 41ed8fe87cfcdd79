"""Lines of the workbench: titles, tabs, keys, sentences, and styled lines as safe `Content`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from skillstudio.present.lines import LineStyle, Part, StyledLine, laid_out
from skillstudio.session.commands.commands import COMMANDS, command, why_disabled
from skillstudio.session.commands.keymap import Keymap, shown
from skillstudio.tui.words import joined, plain

STYLES: Mapping[LineStyle, str] = {
    "": "",
    "title": "bold",
    "heading": "bold",
    "folded": "bold",
    "error": "$text-error",
    "warning": "$text-warning",
    "good": "$text-success",
    "quiet": "dim",
    "code": "",
}
_NARROWEST = 12  # Cells below which lines are not wrapped here.
WORKBENCH_COMMANDS = tuple(each for each in COMMANDS if each.context != "wizard")


class Line(Widget):
    """One line of `Content`, or as many as its height has room for.

    A change causes a new layout only if it is needed.
    """

    DEFAULT_CSS = """
    Line { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, content: Content | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self.content = content or Content("")

    def render(self) -> Content:
        return self.content

    def show(self, content: Content) -> None:
        """Show another text."""
        before = self.content
        if not before.is_same(content):
            self.content = content
            may_wrap = self._may_wrap(before) or self._may_wrap(content)
            self.refresh(layout=may_wrap and self.styles.is_auto_height)

    def _may_wrap(self, content: Content) -> bool:
        return "\n" in content.plain or content.cell_length > self.content_size.width


class Sentences(Line):
    """Wrapped lines of `Content`."""

    DEFAULT_CSS = """
    Sentences { height: auto; min-height: 1; text-wrap: wrap; text-overflow: fold; }
    """


class KeyHint(NamedTuple):
    """A key as it is shown, and what it does here."""

    key: str
    does: str
    off: bool = False  # Whether it does nothing now.
    command: str = ""  # The command that a click runs.

    @property
    def content(self) -> Content:
        return Content.assemble((f" {self.key} ", "bold $footer-key-foreground"), f"{self.does} ")


def key_hints(
    ids: Iterable[str],
    keymap: Keymap,
    facts: frozenset[str],
    works: Callable[[str, str], bool] = lambda _key, _id: True,
) -> Iterator[KeyHint]:
    """The keys of those commands that can run now; `works` tells whether a key runs a command."""
    for id_ in ids:
        one = command(id_)
        keys = [key for key in keymap.keys[id_] if works(key, id_)]
        if one is not None and keys and not why_disabled(one, facts):
            yield KeyHint(shown(keys[0]), one.short or one.title, command=id_)


class KeyLine(Widget):
    """As many keys as fit, the most important first, none cut off."""

    DEFAULT_CSS = """
    KeyLine {
        dock: bottom;
        height: 1;
        background: $footer-background;
        color: $footer-foreground;
    }
    """

    @dataclass
    class Clicked(Message):
        """A command was clicked."""

        command_id: str

    def __init__(self) -> None:
        super().__init__()
        self._hints: tuple[KeyHint, ...] = ()
        self._last: tuple[KeyHint, ...] = ()
        self._fitted: list[KeyHint] = []
        self.places: list[tuple[int, int, str]] = []

    def show(self, hints: Iterable[KeyHint], last: Iterable[KeyHint] = ()) -> None:
        """Show keys; `last` come last in any case. Those that are off are left out."""
        now = tuple(hint for hint in hints if hint.key and not hint.off), tuple(last)
        if now != (self._hints, self._last):
            self._hints, self._last = now
            self.refresh()

    def render(self) -> Content:
        pieces: list[Content] = []
        self.places = []
        at = 0
        self._fitted = list(self._fitting())
        for hint in self._fitted:
            piece = hint.content
            self.places.append((at, at + piece.cell_length, hint.command))
            at += piece.cell_length
            pieces.append(piece)
        return Content("").join(pieces)

    def _fitting(self) -> Iterator[KeyHint]:
        room = self.size.width - sum(hint.content.cell_length for hint in self._last)
        for hint in self._hints:
            length = hint.content.cell_length
            if length <= room:
                room -= length
                yield hint
        yield from self._last

    def on_click(self, event: events.Click) -> None:
        for (start, end, id_), hint in zip(self.places, self._fitted, strict=True):
            if start <= event.x < end:
                if id_:
                    self.post_message(self.Clicked(id_))
                else:
                    self.app.simulate_key(hint.key)


def lines_content(parts: Iterable[Part], width: int = 0) -> Content:
    """Join lines with their indents; a line longer than `width` cells is wrapped at its indent."""
    return Content("\n").join([row for each in laid_out(parts) for row in _rows(each, width)])


def line_content(line: StyledLine) -> Content:
    """Return one line without its indent."""
    remark = plain(f"  {line.remark}", "dim") if line.remark else ""
    if line.lead:
        return joined(plain(f"{line.lead} ", STYLES[line.style]), plain(line.text), remark)
    return joined(plain(line.text, STYLES[line.style]), remark)


def _rows(line: StyledLine, width: int) -> list[Content]:
    content = line_content(line)
    before = Content("  " * line.indent)
    room = width - 2 * line.indent
    rows = content.wrap(room) if room >= _NARROWEST else [content]
    return [before + row for row in rows]
