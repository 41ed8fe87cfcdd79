"""Lines of the workbench: titles, tabs, keys, sentences, and styled lines as safe `Content`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from skillstudio.present.lines import LineStyle, Part, StyledLine, laid_out
from skillstudio.session.commands.commands import COMMANDS, Command, why_disabled
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
MOST = 6
_ALWAYS = ("help.show", "help.palette")  # Commands that are shown beside those of a view.
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
        return Content.assemble(
            (f" {self.key} ", "dim" if self.off else "bold $footer-key-foreground"),
            (f"{self.does} ", "dim" if self.off else ""),
        )


class KeyLine(Widget):
    """As many available commands as fit, the most important first; at most six, none cut off."""

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

    def __init__(self, keymap: Keymap, commands: Collection[Command] = WORKBENCH_COMMANDS) -> None:
        super().__init__()
        ranked = sorted(
            (each for each in commands if each.footer and keymap.keys[each.id]),
            key=lambda command: command.footer,
        )
        self._commands = {each: shown(keymap.keys[each.id][0]) for each in ranked}
        self._facts: frozenset[str] = frozenset()
        self._hints: tuple[KeyHint, ...] = ()
        self._last: tuple[KeyHint, ...] = ()
        self.places: list[tuple[int, int, str]] = []

    def show(
        self,
        facts: frozenset[str],
        hints: Iterable[KeyHint] = (),
        last: Iterable[KeyHint] = (),
    ) -> None:
        """Leave out the commands that are disabled under `facts`; dim them if all fit.

        `hints` are the keys of the focused view, which come first; `last` come last in any case.
        """
        own = tuple(each for each in hints if each.key and not each.off)
        now = (facts, own, tuple(last))
        if now != (self._facts, self._hints, self._last):
            self._facts, self._hints, self._last = now
            self.refresh()

    def render(self) -> Content:
        pieces: list[Content] = []
        self.places = []
        at, width = 0, self.size.width
        room = width - sum(each.content.cell_length for each in self._last)
        hints = [(each, room) for each in self._fitting(room)]
        for hint, limit in [*hints, *((each, width) for each in self._last)]:
            piece = hint.content
            if at + piece.cell_length <= limit:
                self.places.append((at, at + piece.cell_length, hint.command))
                at += piece.cell_length
                pieces.append(piece)
        return Content("").join(pieces)

    def _fitting(self, room: int) -> Iterable[KeyHint]:
        """The keys to show: those of the view and the way to all others, else the general ones."""
        if self._hints:
            always = [each for each in self._general() if each.command in _ALWAYS]
            room -= sum(each.content.cell_length for each in always)
            for hint in self._hints:
                room -= hint.content.cell_length
                if room >= 0:
                    yield hint
            yield from always
            return
        general = [each for each in self._general() if not (each.off and self._is_choice)]
        yield from general[:MOST]

    @property
    def _is_choice(self) -> bool:
        return len(self._commands) > MOST

    def _general(self) -> Iterable[KeyHint]:
        for each, key in self._commands.items():
            off = bool(why_disabled(each, self._facts))
            yield KeyHint(key, each.short or each.title, off, each.id)

    def on_click(self, event: events.Click) -> None:
        for start, end, id_ in self.places:
            if id_ and start <= event.x < end:
                self.post_message(self.Clicked(id_))


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
