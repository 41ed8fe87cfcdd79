"""Lines of the workbench: titles, tabs, keys, sentences, and styled lines as safe `Content`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
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
        made = Content.assemble(
            (f" {self.key} ", "dim" if self.off else "bold $footer-key-foreground"),
            (f"{self.does} ", "dim" if self.off else ""),
        )
        if not self.command:
            return made
        return made.stylize(Style.from_meta({"@click": f"screen.run('{self.command}')"}))


class KeyLine(Widget):
    """As many commands as fit, the most important first; at most six, none cut off."""

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
        self._commands = {each: shown(keymap.keys[each.id][0]) for each in ranked[:MOST]}
        self._facts: frozenset[str] = frozenset()
        self._places: list[tuple[int, int, str]] = []

    def show(self, facts: frozenset[str]) -> None:
        """Dim the commands that are disabled under `facts`."""
        if facts != self._facts:
            self._facts = facts
            self.refresh()

    def render(self) -> Content:
        pieces: list[Content] = []
        self._places = []
        at, room = 0, self.size.width
        for command, key in self._commands.items():
            disabled = bool(why_disabled(command, self._facts))
            piece = KeyHint(key, command.short or command.title, disabled).content
            room -= piece.cell_length
            if room >= 0:
                self._places.append((at, at + piece.cell_length, command.id))
                at += piece.cell_length
                pieces.append(piece)
        return Content("").join(pieces)

    def on_click(self, event: events.Click) -> None:
        for start, end, id_ in self._places:
            if start <= event.x < end:
                self.post_message(self.Clicked(id_))


def keys_line(keys: Iterable[KeyHint]) -> Content:
    """The keys in a row; one without a key is left out."""
    return joined(*(each.content for each in keys if each.key))


def tab(name: str, is_here: bool) -> Content:
    """A name in a row of tabs; `is_here` marks the selected one."""
    if is_here:
        return Content.styled(f"[{name}]", "bold $text-primary")
    return Content.styled(f" {name} ", "dim")


def tabs(choices: Iterable[tuple[str, str, str]], here: str) -> Content:
    """Tabs of (id, key, name), the one with the id `here` selected."""
    return Content(" ").join([tab(f"{key} {name}", id_ == here) for id_, key, name in choices])


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
