"""Lines of the workbench: titles, tabs, keys, sentences, and styled lines as safe `Content`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.notifications import Notification
from textual.style import Style
from textual.timer import Timer
from textual.widget import Widget

from skillstudio.present.lines import LineStyle, Part, StyledLine, laid_out
from skillstudio.session.commands.commands import COMMANDS, command, why_disabled
from skillstudio.session.commands.keymap import Keymap, format_key, key_shown_as
from skillstudio.tui.words import COMMAND_META, join, plain

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
KEY_STYLE = "bold $footer-key-foreground"
_NARROWEST = 12  # Cells below which lines are not wrapped here.
WORKBENCH_COMMANDS = tuple(entry for entry in COMMANDS if entry.context != "wizard")


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


def key_offer(key: str, command_id: str, does: str) -> Content:
    """A key and what it does; a click runs its command."""
    content = join(plain(key, KEY_STYLE), f" {does}")
    return content.stylize(Style.from_meta({COMMAND_META: command_id}))


class KeyHint(NamedTuple):
    """A key as it is shown, and what it does here."""

    key: str
    does: str
    off: bool = False  # Whether it does nothing now.
    command: str = ""  # The command that a click runs.

    @property
    def content(self) -> Content:
        return Content.assemble((f" {self.key} ", KEY_STYLE), f"{self.does} ")


def key_hints(
    ids: Iterable[str],
    keymap: Keymap,
    facts: frozenset[str],
    works: Callable[[str, str], bool] = lambda _key, _id: True,
) -> Iterator[KeyHint]:
    """The keys of those commands that can run now; `works` tells whether a key runs a command."""
    for id_ in ids:
        known_command = command(id_)
        keys = [key for key in keymap.keys[id_] if works(key, id_)]
        if known_command is not None and keys and not why_disabled(known_command, facts):
            yield KeyHint(
                format_key(keys[0]), known_command.short or known_command.title, command=id_
            )


_NOTICE_SIGNS = {"error": ("✗ ", "$text-error"), "warning": ("! ", "$text-warning")}
_NOTICE = ("» ", "italic")
"""The sign and style of a notice that only informs, which is no key."""
_MOST_NOTICE_LINES = 8
_MOST_IMPORTANT = 3  # Keys that no notice covers.


class KeyPlace(NamedTuple):
    """Where a key is in the line of keys, in cells."""

    row: int
    start: int
    end: int
    hint: KeyHint


class KeyLine(Widget):
    """As many keys as fit, the most important first, none cut off; before them, the notices.

    A notice takes the room of the less important keys. If it needs more, it takes lines from the
    panes above and covers nothing.
    """

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

    def __init__(self, wraps: bool = False) -> None:
        """`wraps`: take more lines for keys that do not fit, instead of leaving them out."""
        super().__init__()
        self._wraps = wraps
        self._hints: tuple[KeyHint, ...] = ()
        self._last: tuple[KeyHint, ...] = ()
        self._notices: list[Content] = []
        """The lines of the notices."""
        self._expiry: Timer | None = None
        self.places: list[KeyPlace] = []

    def show(self, hints: Iterable[KeyHint], last: Iterable[KeyHint] = ()) -> None:
        """Show keys; `last` come last in any case. Those that are off are left out."""
        now = tuple(hint for hint in hints if hint.key and not hint.off), tuple(last)
        if now != (self._hints, self._last):
            self._hints, self._last = now
            self._fit()

    def show_notices(self, notices: Iterable[Notification]) -> None:
        """Show notices until they expire, the latest nearest to the keys."""
        by_text = {notice.message: notice for notice in notices if not notice.has_expired}
        current = list(by_text.values())
        if self._expiry is not None:
            self._expiry.stop()
            self._expiry = None
        if current:
            delay = min(notice.time_left for notice in current)
            self._expiry = self.set_timer(delay, self._show_current)
        room = max(self.app.size.width - 2, _NARROWEST)
        lines = [line for notice in current for line in _notice(notice).wrap(room)]
        self._notices = lines[-_MOST_NOTICE_LINES:]
        self._fit()

    def _show_current(self) -> None:
        self.show_notices(self.app._notifications)

    on_mount = on_resize = _show_current

    def _fit(self) -> None:
        """Take as many lines as the notices and keys need."""
        if self._wraps:
            height = len(self._notices) + max(len(self._wrap_hints()), 1)
        else:
            height = max(len(self._notices) + (not self._is_beside_keys), 1)
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height
        self.refresh()

    def render(self) -> Content:
        lines = [join(" ", line) for line in self._notices]
        self.places = []
        if self._wraps:
            for hints in self._wrap_hints():
                lines.append(self._row(hints, len(lines)))
        else:
            before = join(lines.pop(), "  ") if self._is_beside_keys else Content("")
            lines.append(self._row(self._fit_hints(before.cell_length), len(lines), before))
        return Content("\n").join(lines)

    @property
    def _is_beside_keys(self) -> bool:
        """Whether the last line of the notices leaves room for the most important keys."""
        if not self._notices:
            return False
        return self._notices[-1].cell_length + 3 + self._important <= self.app.size.width

    @property
    def _important(self) -> int:
        """The cells of the most important keys."""
        return sum(hint.content.cell_length for hint in self._hints[:_MOST_IMPORTANT])

    def _row(self, hints: Iterable[KeyHint], row: int, before: Content | None = None) -> Content:
        """A line of keys after a text; note where they are."""
        pieces = [] if before is None else [before]
        at = sum(piece.cell_length for piece in pieces)
        for hint in hints:
            length = hint.content.cell_length
            self.places.append(KeyPlace(row, at, at + length, hint))
            at += length
            pieces.append(hint.content)
        return Content("").join(pieces)

    def _wrap_hints(self) -> list[list[KeyHint]]:
        """The keys in lines that fit."""
        rows: list[list[KeyHint]] = []
        room = 0
        for hint in (*self._hints, *self._last):
            length = hint.content.cell_length
            if not rows or length > room:
                rows.append([])
                room = self.app.size.width
            rows[-1].append(hint)
            room -= length
        return rows

    def _fit_hints(self, taken_width: int) -> Iterator[KeyHint]:
        """The keys that fit beside so many cells."""
        last_length = sum(hint.content.cell_length for hint in self._last)
        room = self.size.width - taken_width
        last = self._last if room >= last_length + (self._important if taken_width else 0) else ()
        room -= last_length if last else 0
        for hint in self._hints:
            length = hint.content.cell_length
            if length <= room:
                room -= length
                yield hint
        yield from last

    def on_click(self, event: events.Click) -> None:
        """Do what the clicked key does; a click on a notice removes the notices."""
        for place in self.places:
            if place.row == event.y and place.start <= event.x < place.end:
                event.stop()
                if place.hint.command:
                    self.post_message(self.Clicked(place.hint.command))
                else:
                    self.app.simulate_key(key_shown_as(place.hint.key))
                return
        if self._notices:
            self.app.clear_notifications()


def _notice(notice: Notification) -> Content:
    sign, style = _NOTICE_SIGNS.get(notice.severity, _NOTICE)
    return plain(f"{sign}{notice.message}", style)


def lines_content(parts: Iterable[Part], width: int = 0, offers: Collection[str] = ()) -> Content:
    """Join lines with their indents; a line longer than `width` cells is wrapped at its indent.
    `offers` are the ends of remarks that start with a key."""
    rows = (row for line in laid_out(parts) for row in _rows(line, width, offers))
    return Content("\n").join(list(rows))


def line_content(line: StyledLine, offers: Collection[str] = ()) -> Content:
    """Return one line without its indent."""
    remark = plain(f"  {line.remark}", "dim") if line.remark else Content("")
    if offer := _offer(line, offers):
        key, _, does = offer.partition(" ")
        about = plain(f"  {line.remark.removesuffix(offer)}", "dim")
        remark = join(about, plain(key, KEY_STYLE), plain(f" {does}"))
    if line.lead:
        return join(plain(f"{line.lead} ", STYLES[line.style]), plain(line.text), remark)
    return join(plain(line.text, STYLES[line.style]), remark)


def _offer(line: StyledLine, offers: Collection[str]) -> str:
    """The end of a line that starts with a key, "" if it has none."""
    return next((offer for offer in offers if offer and line.remark.endswith(offer)), "")


def _keep_together(rows: list[Content], offer: str) -> list[Content]:
    """The rows of a line, with a key that was parted from what it does in the last one, too."""
    if len(rows) < 2:
        return rows
    *first_rows, before, last = rows
    words = last.plain.strip()
    key = offer.removesuffix(words).strip() if words != offer else ""
    start = before.plain.rstrip().rfind(key)
    if not key or not offer.endswith(words) or not before.plain.rstrip().endswith(key):
        return rows
    margin = len(last.plain) - len(last.plain.lstrip())
    joined_row = join(last[:margin], before[start : start + len(key)], " ", last[margin:])
    return [*first_rows, before[:start].rstrip(), joined_row]


def _rows(line: StyledLine, width: int, offers: Collection[str]) -> list[Content]:
    content = line_content(line, offers)
    before = Content("  " * line.indent)
    room = width - 2 * line.indent
    rows = content.wrap(room) if room >= _NARROWEST else [content]
    hang = _hang(line, room)
    first = rows[0].plain.rstrip()
    if hang and len(rows) > 1 and room - hang >= _NARROWEST and content.plain.startswith(first):
        rest = content[len(first) :]
        rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
        rows = [rows[0], *(Content(" " * hang) + row for row in rest.wrap(room - hang))]
    return [before + row for row in _keep_together(rows, _offer(line, offers))]


def _hang(line: StyledLine, room: int) -> int:
    """The cells of what is before the text of a line, where its further rows start: a sign, a
    lead, or the columns before the last one; nothing before the rows of code and prose."""
    if line.style == "code":
        return 0
    if line.lead:
        width = plain(f"{line.lead} ").cell_length
    elif line.text[1:2] == " " and not line.text[0].isalnum():
        width = 2
    else:
        width = (
            plain(line.text[: line.text.rfind("  ") + 2]).cell_length if "  " in line.text else 0
        )
    if not width:
        return 0 if line.indent or line.style != "quiet" else 2
    return width if width <= room // 2 else 2
