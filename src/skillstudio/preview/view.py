"""The protocol of file views, and a view with generated lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple, Protocol

from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, line, plain
from skillstudio.text.safe import safe_text

MOST_LINES = 400  # Lines returned at once.
_KEPT = 20_000  # The most lines of a view with generated lines.
_SEARCHED = 20_000  # Lines that one search inspects.
_BATCH = 200


class FileView(Protocol):
    """A view of a file, read on demand."""

    title: str  # The file's name, safe to show.
    kind: str  # The kind of the file by `files.kind`.

    @property
    def note(self) -> str:
        """Remarks about the view: truncation, damage, changes since it was opened."""

    @property
    def count(self) -> int:
        """The number of known lines; all of them if `complete`."""

    @property
    def complete(self) -> bool: ...

    def lines(self, start: int, count: int) -> list[Line]:
        """At most MOST_LINES lines from `start`; if none and not `complete`, call it again."""

    def texts(self, start: int, count: int) -> list[str]:
        """The same lines without styles."""

    def more(self) -> FileView | None:
        """A view with more of the file; None if there is no more to show."""


class LazyView:
    """A view whose lines are generated on demand."""

    def __init__(
        self,
        title: str,
        kind: str,
        lines: Iterable[Line],
        notes: list[str] | None = None,
        source: ByteSource | None = None,
        more: Callable[[], FileView] | None = None,
    ) -> None:
        self.title = safe_text(title)
        self.kind = kind
        self.notes = [] if notes is None else notes  # Notes, which the line generator can extend.
        self._waiting = iter(lines)
        self._made: list[Line] = []
        self._source = source
        self._more = more
        self.complete = False

    @property
    def note(self) -> str:
        state = self._source.state if self._source is not None else ""
        return "; ".join(each for each in (*self.notes, state) if each)

    @property
    def count(self) -> int:
        return len(self._made)

    def lines(self, start: int, count: int) -> list[Line]:
        wanted = max(start, 0) + min(max(count, 0), MOST_LINES)
        # Generate one extra line to know whether there are more.
        missing = min(wanted + 1, _KEPT) - len(self._made)
        if missing > 0 and not self.complete:
            got = list(islice(self._waiting, missing))
            self._made += got
            self.complete = len(got) < missing
            if not self.complete and len(self._made) >= _KEPT:
                self.complete = True
                self.notes.append(f"only the first {_KEPT:,} lines are shown")
        return self._made[max(start, 0) : wanted]

    def texts(self, start: int, count: int) -> list[str]:
        return [plain(each) for each in self.lines(start, count)]

    def more(self) -> FileView | None:
        return self._more() if self._more is not None else None


def sentence_view(title: str, kind: str, *sentences: str) -> LazyView:
    """A view with a message instead of a file's content."""
    return LazyView(title, kind, [line((each, "quiet")) for each in sentences])


class SearchHit(NamedTuple):
    """Sorted line numbers, the end of the searched lines, and whether there are no more."""

    lines: tuple[int, ...]
    until: int
    complete: bool


def search(view: FileView, text: str, start: int = 0, most: int = 1_000) -> SearchHit:
    """Search a limited number of lines for a text, ignoring case; stop after `most` matches."""
    wanted = text.casefold()
    found: list[int] = []
    at = max(start, 0)
    if not wanted:
        return SearchHit((), at, True)
    end = at + _SEARCHED
    while at < end:
        batch = view.texts(at, min(_BATCH, end - at))
        for each in batch:
            if wanted in each.casefold():
                found.append(at)
                if len(found) == most:
                    return SearchHit(tuple(found), at + 1, False)
            at += 1
        if not batch:
            return SearchHit(tuple(found), at, view.complete)
    return SearchHit(tuple(found), at, view.complete and at >= view.count)
