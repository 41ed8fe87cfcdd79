"""Paint the rows of a text: gutter, text with its colours, and the message of a problem."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip

from skillstudio.present.problems import SIGNS
from skillstudio.tui.widgets.editor.highlight import Run
from skillstudio.tui.widgets.editor.rows import CellTable, character_start

FIX_META = {"problem": "fix"}
"""The meta of the key of a fix, by which a click recognizes it."""
SIGN_CELLS = 2
"""Cells left of the line numbers: the diagnostic's letter and the mark of a changed line."""
_NUMBER_GAP = 2
_KEY_GAP = "  "
_STRIPS = 2048


class RowNote(NamedTuple):
    """A message as a row shows it; its key is never cut."""

    severity: str
    text: str
    key: str

    @property
    def cells(self) -> int:
        return cell_len(self.text) + (cell_len(_KEY_GAP + self.key) if self.key else 0)


class LineNote(NamedTuple):
    """A message at a line; `forms` are its wordings, the most detailed first, safe to draw.

    A remark, without a sign, is at the right edge.
    """

    severity: str
    sign: str
    forms: tuple[str, ...]
    key: str = ""

    def fit(self, width: int) -> RowNote | None:
        """Return the most detailed wording that has space, None if none has."""
        for form in self.forms:
            row_note = RowNote(self.severity, f"{self.sign} {form}".lstrip(), self.key)
            if row_note.cells <= width:
                return row_note
        return None

    def cut(self, width: int) -> RowNote | None:
        """Return the message with its end cut where it has no space, None if the key has none."""
        whole = RowNote(self.severity, f"{self.sign} {self.forms[0]}".lstrip(), self.key)
        excess = whole.cells - width
        if excess <= 0:
            return whole
        room = cell_len(whole.text) - excess - 1
        if room < cell_len(self.sign):
            alone = RowNote(self.severity, self.sign, self.key)
            return alone if alone.cells <= width else None
        return whole._replace(text=set_cell_size(whole.text, room).rstrip() + "…")


class RowContent(NamedTuple):
    """All that a row shows: equal contents give equal strips, wherever they are painted."""

    width: int
    gutter: int = 0
    number: str = ""
    is_cursor_line: bool = False
    is_worst_line: bool = False
    severity: str = ""
    is_changed: bool = False
    indent: int = 0
    """Cells between the gutter and the text."""
    text: str = ""
    tabs: tuple[int, ...] = ()
    """The cells of each tab in the text."""
    cells: int = 0
    """The cells of the text."""
    runs: tuple[Run, ...] = ()
    """Kinds of columns of the text; a later one is painted over those before it."""
    note: RowNote | None = None
    note_at: int = 0
    """The cell after the gutter at which the message starts."""


class RowPainter:
    """Paints rows; each that looks the same is painted once."""

    def __init__(self, style_of: Callable[[str], Style]) -> None:
        """`style_of` returns the style of a kind, the background only for those that have one."""
        self._style_of = style_of
        self._strips: LRUCache[RowContent, Strip] = LRUCache(_STRIPS)
        self._styles: dict[tuple[str, ...], Style] = {}

    def clear(self) -> None:
        """Forget all strips and styles, because a style changed."""
        self._strips.clear()
        self._styles.clear()

    def paint(self, content: RowContent) -> Strip:
        """Return the strip of a row, as wide as the row."""
        strip = self._strips.get(content)
        if strip is None:
            strip = self._strips[content] = self._paint(content)
        return strip

    def _style(self, *kinds: str) -> Style:
        style = self._styles.get(kinds)
        if style is None:
            style = self._styles[kinds] = Style.combine(self._style_of(kind) for kind in kinds)
        return style

    def _paint(self, content: RowContent) -> Strip:
        ground: tuple[str, ...] = ("base",)
        if content.is_worst_line:
            ground = ("base", "worst")
        elif content.is_cursor_line:
            ground = ("base", "cursor-line")
        segments = list(self._gutter(content)) if content.gutter else []
        at = content.indent + content.cells
        if content.indent:
            segments.append(Segment(" " * content.indent, self._style(*ground)))
        segments.extend(self._text(content, ground))
        if content.note is not None:
            note = content.note
            kind = f"{note.severity}-note"
            segments.append(Segment(" " * (content.note_at - at), self._style(*ground)))
            segments.append(Segment(note.text, self._style(*ground, kind)))
            if note.key:
                segments.append(Segment(_KEY_GAP, self._style(*ground)))
                style = self._style(*ground, f"{note.severity}-key") + Style(meta=FIX_META)
                segments.append(Segment(note.key, style))
            at = content.note_at + note.cells
        rest = content.width - content.gutter - at
        if rest > 0:
            segments.append(Segment(" " * rest, self._style(*ground)))
        strip = Strip(segments, content.gutter + at + max(rest, 0))
        return strip if rest >= 0 else strip.crop(0, content.width)

    def _gutter(self, content: RowContent) -> Iterable[Segment]:
        ground: tuple[str, ...] = ("base", "worst") if content.is_worst_line else ("base",)
        sign, sign_kinds = " ", ground
        if content.severity:
            sign, sign_kinds = SIGNS[content.severity], (*ground, f"{content.severity}-sign")
        number = (
            f"{content.number:>{content.gutter - SIGN_CELLS - _NUMBER_GAP}}" + " " * _NUMBER_GAP
        )
        kind = "cursor-gutter" if content.is_cursor_line else "gutter"
        yield Segment(sign, self._style(*sign_kinds))
        yield Segment("~" if content.is_changed else " ", self._style(*ground, "changed"))
        yield Segment(number, self._style(*ground, kind))

    def _text(self, content: RowContent, ground: tuple[str, ...]) -> Iterable[Segment]:
        text, runs, tabs = content.text, content.runs, iter(content.tabs)
        edges = {0, len(text)}
        for run in runs:
            edges |= {run.start, run.end}
        places = sorted(edges)
        for start, end in pairwise(places):
            kinds = (run.kind for run in runs if run.start <= start and end <= run.end)
            part = text[start:end]
            if "\t" in part:
                first, *other_parts = part.split("\t")
                part = first + "".join(" " * next(tabs) + other for other in other_parts)
            yield Segment(part, self._style(*ground, *kinds))


def clip(runs: Iterable[Run], start: int, end: int, table: CellTable) -> Iterable[Run]:
    """Yield the parts of runs within columns of a line, as columns from `start`.

    A run that covers a part of a character covers all of it.
    """
    is_simple = isinstance(table, range)
    for run in runs:
        first, last = run.start, run.end
        if first >= end or last <= start:
            continue
        if not is_simple:
            first, last = character_start(table, first), _character_end(table, last)
        yield Run(max(first, start) - start, min(last, end) - start, run.kind)


def _character_end(table: CellTable, column: int) -> int:
    """Return a column, or the end of the character that it is within."""
    if character_start(table, column) == column:
        return column
    return min(bisect_right(table, table[column]), len(table) - 1)
