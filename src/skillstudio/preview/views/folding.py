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

SCANNED = 10_000  # Lines that a fold can hide, and that folding everything looks at.
_AHEAD = 16  # Lines after a line that decide whether it has nested ones: blank lines can follow.
_ABOVE = 2_000  # Lines that are searched for the parent of a line.
_BATCH = 200
OPEN, FOLDED, NONE = "▾ ", "▸ ", "  "

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
    closing: str  # The closing bracket, which is among them.


class FoldingView(FileView):
    """A view with marks for lines that have nested ones, which can be hidden.

    `count` and `lines` count visible lines; `place` and `reveal` convert the numbers.
    """

    def __init__(self, inner: FileView, layout: FoldLayout) -> None:
        super().__init__(inner.title, inner.kind, inner.notes, None)
        self.unfolded = inner
        """The same view without folds and marks."""
        self._layout = layout
        self._folds: dict[int, Fold] = {}
        self._shown: list[Fold] = []  # The folds that are not within another one.
        self._starts: list[int] = []
        self._hidden = [
            0
        ]  # Before each shown fold, and after the last: the number of hidden lines.

    @property
    def note(self) -> str:
        return self.unfolded.note

    @property
    def count(self) -> int:
        return max(self.unfolded.count - self._hidden[-1], 0)

    @property
    def complete(self) -> bool:
        return self.unfolded.complete

    def lines(self, start: int, count: int) -> list[Line]:
        return list(self._lines(max(start, 0), min(max(count, 0), MOST_LINES)))

    def _lines(self, start: int, count: int) -> Iterator[Line]:
        at, left = self.place(start), count
        while left > 0:
            index = bisect_right(self._starts, at - 1)
            fold = self._shown[index] if index < len(self._shown) else None
            size = min(left, fold.start + 1 - at) if fold is not None else left
            marks = self._opens(at, size)
            found = self.unfolded.lines(at, size)
            for number, line in enumerate(found, at):
                if fold is not None and number == fold.start:
                    yield _folded(line, fold)
                else:
                    mark = OPEN if marks[number - at : number - at + 1] == [True] else NONE
                    yield (StyledSpan(mark, "marker"), *line)
            left -= len(found)
            at += len(found)
            if not found:
                return
            if fold is not None and at == fold.start + 1:
                at = fold.end

    def texts(self, start: int, count: int) -> list[str]:
        if not self._shown:
            return self.unfolded.texts(start, count)
        return [plain(line) for line in self.lines(start, count)]

    def place(self, row: int) -> int:
        """The line of the file that is shown at a row."""
        at = row
        for fold, hidden in zip(self._shown, self._hidden[1:], strict=True):
            if row + hidden - (fold.end - fold.start - 1) <= fold.start:
                break
            at = row + hidden
        return at

    def row(self, place: int) -> int:
        """The row of a line of the file, or of the line that it is folded into."""
        at = bisect_right(self._starts, place - 1)
        if at and place < self._shown[at - 1].end:
            place, at = self._shown[at - 1].start, at - 1
        return place - self._hidden[at]

    def reveal(self, place: int) -> int:
        """The row of a line of the file, which is unfolded if it is hidden."""
        hiding = [fold for fold in self._folds.values() if fold.start < place < fold.end]
        for fold in hiding:
            del self._folds[fold.start]
        if hiding:
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
        self._put(place, self.unfolded.texts(place, 1)[0], self._after(place))
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
        while len(texts) < SCANNED and (more := self.unfolded.texts(len(texts), _BATCH)):
            texts += more
        for at, opens in enumerate(_opening([self._layout.depth(text) for text in texts])):
            if opens and self._layout.depth(texts[at]) in self._layout.outer:
                self._put(at, texts[at], enumerate(islice(texts, at + 1, None), at + 1))
        self._arrange()

    def unfold_all(self) -> None:
        self._folds.clear()
        self._arrange()

    def parent(self, row: int) -> int:
        """The row of the line that a row is nested in; the row itself if there is none."""
        place = self.place(row)
        texts = self.unfolded.texts(max(place - _ABOVE, 0), min(place, _ABOVE) + 1)
        depth = self._layout.depth(texts[-1]) if texts else None
        first = place - len(texts) + 1
        for at in range(len(texts) - 2, -1, -1):
            above = self._layout.depth(texts[at])
            if depth is not None and above is not None and above < depth:
                return self.reveal(first + at)
        return row

    def _arrange(self) -> None:
        shown: list[Fold] = []
        for _, fold in sorted(self._folds.items()):
            if not shown or fold.start >= shown[-1].end:
                shown.append(fold)
        hidden = [0]
        for fold in shown:
            hidden.append(hidden[-1] + fold.end - fold.start - 1)
        self._shown, self._hidden = shown, hidden
        self._starts = [fold.start for fold in shown]

    def _opens(self, start: int, count: int) -> list[bool]:
        """Whether each line has nested ones."""
        texts = self.unfolded.texts(start, count + _AHEAD)
        return _opening([self._layout.depth(text) for text in texts])[:count]

    def _put(self, start: int, opening: str, after: Iterable[tuple[int, str]]) -> None:
        """Fold a line that has nested ones; `after` are the numbered lines below it."""
        depth = self._layout.depth
        own = depth(opening) or 0
        is_block = _what(opening, "") == "line"
        child, closing = "", ""
        children = 0
        first: int | None = None
        end = start + 1
        for at, text in after:
            found, bare = depth(text), text.strip()
            if found is not None and found <= own:
                if bare[:1] in ("]", "}"):
                    closing, end = bare, at + 1
                break
            if found is not None or _indent(text) > _indent(opening):
                end = at + 1
            if is_block:
                children += bool(bare) and _indent(text) > _indent(opening)
            elif found is not None:
                first = found if first is None else first
                child = child or text
                children += found <= first and bare[:1] not in ("]", "}")
        more = "more than " if end - start > SCANNED else ""
        about = f"{more}{children:,} {_what(opening, child)}{'' if children == 1 else 's'}"
        self._folds[start] = Fold(start, end, about, closing)

    def _after(self, start: int) -> Iterator[tuple[int, str]]:
        at = start + 1
        while at - start <= SCANNED:
            texts = self.unfolded.texts(at, _BATCH)
            if not texts and (self.unfolded.complete or at < self.unfolded.count):
                return
            yield from enumerate(texts, at)
            at += len(texts)


def foldable(view: FileView, kind: str) -> FileView:
    """The view with folds, if its kind has nested lines."""
    return FoldingView(view, LAYOUTS[kind]) if kind in LAYOUTS else view


def _opening(depths: Sequence[int | None]) -> list[bool]:
    """Whether the next line of each is nested deeper."""
    found: list[bool] = []
    following: int | None = None
    for depth in reversed(depths):
        found.append(depth is not None and following is not None and following > depth)
        following = depth if depth is not None else following
    return found[::-1]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _what(opening: str, child: str) -> str:
    bare = opening.split(" #")[0].rstrip()
    if bare.endswith("[") or child.lstrip().startswith("- ") or child.strip() == "-":
        return "item"
    if bare.rstrip("+-0123456789").endswith((": |", ": >", "- |", "- >")):
        return "line"
    return "key"


def _folded(line: Iterable[StyledSpan], fold: Fold) -> Line:
    closing = (StyledSpan(f" {fold.closing}", "punctuation"),) if fold.closing else ()
    about = StyledSpan(f" … {fold.about}", "quiet")
    return (StyledSpan(FOLDED, "marker"), *line, about, *closing)
