"""Fold the nested lines of JSON, YAML and TOML, by their layout.

Only the lines that are shown, and those that a fold hides, are read, so a file of any size can be
folded. The lines themselves stay as they are in the file, with their comments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from skillstudio.preview.spans import Line, StyledSpan, plain
from skillstudio.preview.view import MOST_LINES, FileView

SCANNED_LINES = 10_000  # Lines that a fold can hide, and that folding everything looks at.
_AHEAD = 16  # Lines after a line that decide whether it has nested ones: blank lines can follow.
_ABOVE = 2_000  # Lines that are searched for the parent of a line.
_BATCH = 200
OPEN, FOLD_MARK, NONE = "▾ ", "▸ ", "  "

Depth = Callable[[str], int | None]
"""How deep a line is nested; None for a line that belongs to those around it."""


def _of_json(text: str) -> int | None:
    bare = text.lstrip(" ")
    return len(text) - len(bare) if bare else None


def _of_yaml(text: str) -> int | None:
    bare = text.lstrip(" ")
    if not bare or bare.startswith("#"):
        return None
    # The items of a key may have its indentation.
    return 2 * (len(text) - len(bare)) + (bare.startswith("- ") or bare == "-")


def _of_toml(text: str) -> int | None:
    bare = text.lstrip(" \t")
    if not bare or bare.startswith("#"):
        return None
    return 0 if text.startswith("[") else 1 + len(text) - len(bare)


class FoldLayout(NamedTuple):
    """How the lines of a kind are nested."""

    depth: Depth
    outer: range  # The depths of the lines that folding everything folds.


LAYOUTS: Mapping[str, FoldLayout] = {
    "json": FoldLayout(_of_json, range(2, 3)),
    "yaml": FoldLayout(_of_yaml, range(2)),
    "toml": FoldLayout(_of_toml, range(2)),
}


class Fold(NamedTuple):
    """The lines from `start` + 1 to before `end` are hidden."""

    start: int
    end: int
    about: str  # What they are, such as "3 keys".
    closing_bracket: str  # The closing bracket, which is among them.


class FoldingView(FileView):
    """A view with marks for lines that have nested ones, which can be hidden.

    `count` and `lines` count visible lines; `place` and `reveal` convert the numbers.
    """

    def __init__(self, inner: FileView, layout: FoldLayout) -> None:
        super().__init__(inner.title, inner.kind, inner.notes, None)
        self.plain_view = inner
        """The same view without folds and marks."""
        self._layout = layout
        self._folds: dict[int, Fold] = {}
        self._outer_folds: list[Fold] = []  # The folds that are not within another one.
        self._starts: list[int] = []
        self._hidden_counts = [
            0
        ]  # Before each shown fold, and after the last: the number of hidden lines.

    @property
    def note(self) -> str:
        return self.plain_view.note

    @property
    def count(self) -> int:
        return max(self.plain_view.count - self._hidden_counts[-1], 0)

    @property
    def complete(self) -> bool:
        return self.plain_view.complete

    def lines(self, start: int, count: int) -> list[Line]:
        return list(self._lines(max(start, 0), min(max(count, 0), MOST_LINES)))

    def _lines(self, start: int, count: int) -> Iterator[Line]:
        at, remaining_count = self.place(start), count
        while remaining_count > 0:
            index = bisect_right(self._starts, at - 1)
            fold = self._outer_folds[index] if index < len(self._outer_folds) else None
            size = (
                min(remaining_count, fold.start + 1 - at) if fold is not None else remaining_count
            )
            marks = self._opens(at, size)
            lines = self.plain_view.lines(at, size)
            for number, line in enumerate(lines, at):
                if fold is not None and number == fold.start:
                    yield _render_fold(line, fold)
                else:
                    mark = OPEN if marks[number - at : number - at + 1] == [True] else NONE
                    yield (StyledSpan(mark, "marker"), *line)
            remaining_count -= len(lines)
            at += len(lines)
            if not lines:
                return
            if fold is not None and at == fold.start + 1:
                at = fold.end

    def texts(self, start: int, count: int) -> list[str]:
        if not self._outer_folds:
            return self.plain_view.texts(start, count)
        return [plain(line) for line in self.lines(start, count)]

    def place(self, row: int) -> int:
        """The line of the file that is shown at a row."""
        at = row
        for fold, hidden_count in zip(self._outer_folds, self._hidden_counts[1:], strict=True):
            if row + hidden_count - (fold.end - fold.start - 1) <= fold.start:
                break
            at = row + hidden_count
        return at

    def row(self, place: int) -> int:
        """The row of a line of the file, or of the line that it is folded into."""
        at = bisect_right(self._starts, place - 1)
        if at and place < self._outer_folds[at - 1].end:
            place, at = self._outer_folds[at - 1].start, at - 1
        return place - self._hidden_counts[at]

    def reveal(self, place: int) -> int:
        """The row of a line of the file, which is unfolded if it is hidden."""
        hiding_folds = [fold for fold in self._folds.values() if fold.start < place < fold.end]
        for fold in hiding_folds:
            del self._folds[fold.start]
        if hiding_folds:
            self._arrange()
        return self.row(place)

    def is_folded(self, row: int) -> bool:
        return self.place(row) in self._folds

    def can_fold(self, row: int) -> bool:
        """Whether a line has nested ones that are visible."""
        place = self.place(row)
        return place not in self._folds and self._opens(place, 1) == [True]

    def fold(self, row: int) -> bool:
        """Hide the nested lines of a row. Whether it has some."""
        if not self.can_fold(row):
            return False
        place = self.place(row)
        self._put(place, self.plain_view.texts(place, 1)[0], self._after(place))
        self._arrange()
        return True

    def unfold(self, row: int) -> bool:
        """Show the nested lines of a row again. Whether they were hidden."""
        if self._folds.pop(self.place(row), None) is None:
            return False
        self._arrange()
        return True

    def fold_all(self) -> None:
        """Hide everything below the outermost keys of the first lines."""
        texts: list[str] = []
        while len(texts) < SCANNED_LINES and (batch := self.plain_view.texts(len(texts), _BATCH)):
            texts += batch
        for at, opens in enumerate(_mark_parents([self._layout.depth(text) for text in texts])):
            if opens and self._layout.depth(texts[at]) in self._layout.outer:
                self._put(at, texts[at], enumerate(islice(texts, at + 1, None), at + 1))
        self._arrange()

    def unfold_all(self) -> None:
        self._folds.clear()
        self._arrange()

    def parent(self, row: int) -> int:
        """The row of the line that a row is nested in; the row itself if there is none."""
        place = self.place(row)
        texts = self.plain_view.texts(max(place - _ABOVE, 0), min(place, _ABOVE) + 1)
        depth = self._layout.depth(texts[-1]) if texts else None
        first = place - len(texts) + 1
        for at in range(len(texts) - 2, -1, -1):
            above = self._layout.depth(texts[at])
            if depth is not None and above is not None and above < depth:
                return self.reveal(first + at)
        return row

    def _arrange(self) -> None:
        outer_folds: list[Fold] = []
        for _, fold in sorted(self._folds.items()):
            if not outer_folds or fold.start >= outer_folds[-1].end:
                outer_folds.append(fold)
        hidden_counts = [0]
        for fold in outer_folds:
            hidden_counts.append(hidden_counts[-1] + fold.end - fold.start - 1)
        self._outer_folds, self._hidden_counts = outer_folds, hidden_counts
        self._starts = [fold.start for fold in outer_folds]

    def _opens(self, start: int, count: int) -> list[bool]:
        """Whether each line has nested ones."""
        texts = self.plain_view.texts(start, count + _AHEAD)
        return _mark_parents([self._layout.depth(text) for text in texts])[:count]

    def _put(self, start: int, opening_text: str, after: Iterable[tuple[int, str]]) -> None:
        """Fold a line that has nested ones; `after` are the numbered lines below it."""
        depth = self._layout.depth
        base_depth = depth(opening_text) or 0
        is_block = _what(opening_text, "") == "line"
        child, closing_bracket = "", ""
        children = 0
        first: int | None = None
        end = start + 1
        for at, text in after:
            line_depth, bare = depth(text), text.strip()
            if line_depth is not None and line_depth <= base_depth:
                if bare[:1] in ("]", "}"):
                    closing_bracket, end = bare, at + 1
                break
            if line_depth is not None or _indent(text) > _indent(opening_text):
                end = at + 1
            if is_block:
                children += bool(bare) and _indent(text) > _indent(opening_text)
            elif line_depth is not None:
                first = line_depth if first is None else first
                child = child or text
                children += line_depth <= first and bare[:1] not in ("]", "}")
        qualifier = "more than " if end - start > SCANNED_LINES else ""
        about = (
            f"{qualifier}{children:,} {_what(opening_text, child)}{'' if children == 1 else 's'}"
        )
        self._folds[start] = Fold(start, end, about, closing_bracket)

    def _after(self, start: int) -> Iterator[tuple[int, str]]:
        at = start + 1
        while at - start <= SCANNED_LINES:
            texts = self.plain_view.texts(at, _BATCH)
            if not texts and (self.plain_view.complete or at < self.plain_view.count):
                return
            yield from enumerate(texts, at)
            at += len(texts)


def foldable(view: FileView, kind: str) -> FileView:
    """The view with folds, if its kind has nested lines."""
    return FoldingView(view, LAYOUTS[kind]) if kind in LAYOUTS else view


def _mark_parents(depths: Sequence[int | None]) -> list[bool]:
    """Whether the next line of each is nested deeper."""
    flags: list[bool] = []
    next_depth: int | None = None
    for depth in reversed(depths):
        flags.append(depth is not None and next_depth is not None and next_depth > depth)
        next_depth = depth if depth is not None else next_depth
    return flags[::-1]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _what(opening_text: str, child: str) -> str:
    bare = opening_text.split(" #")[0].rstrip()
    if bare.endswith("[") or child.lstrip().startswith("- ") or child.strip() == "-":
        return "item"
    if bare.rstrip("+-0123456789").endswith((": |", ": >", "- |", "- >")):
        return "line"
    return "key"


def _render_fold(line: Iterable[StyledSpan], fold: Fold) -> Line:
    closing_spans = (
        (StyledSpan(f" {fold.closing_bracket}", "punctuation"),) if fold.closing_bracket else ()
    )
    about = StyledSpan(f" … {fold.about}", "quiet")
    return (StyledSpan(FOLD_MARK, "marker"), *line, about, *closing_spans)
