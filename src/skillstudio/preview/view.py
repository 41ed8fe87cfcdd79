"""What a view of a file is, and the view whose lines come one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, Protocol

from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, line, plain
from skillstudio.text.safe import safe_text

MOST_LINES = 400
"""Lines that are given at once."""
_KEPT = 20_000
"""Lines that a view of made lines has at most."""
_SEARCHED = 20_000
"""Lines that one search looks through."""
_BATCH = 200


class FileView(Protocol):
    """A file as it is shown. Nothing of it is read before a line is asked for."""

    title: str
    """The file's name, safe to show."""
    kind: str
    """What the file holds, as `files.kind` calls it."""

    @property
    def note(self) -> str:
        """What is to be known of the view: what was cut, what is broken, what changed since."""
        ...

    @property
    def count(self) -> int:
        """How many lines are known; all of them where `complete` says so."""
        ...

    @property
    def complete(self) -> bool: ...

    def lines(self, start: int, count: int) -> list[Line]:
        """Lines from `start` on, from 0; at most MOST_LINES. Of a long text so many bytes are
        read at once that a call stays short: where none come and `complete` is False, ask again."""
        ...

    def texts(self, start: int, count: int) -> list[str]:
        """The same lines without styles."""
        ...

    def more(self) -> FileView | None:
        """The view with more of the file in it; None where all of it that can be shown is."""
        ...


class LazyView:
    """A view whose lines are made one after the other, as far as they are asked for."""

    def __init__(
        self,
        title: str,
        kind: str,
        lines: Iterable[Line],
        notes: Iterable[str] = (),
        source: ByteSource | None = None,
        more: Callable[[], FileView] | None = None,
    ) -> None:
        self.title = safe_text(title)
        self.kind = kind
        self.notes = list(notes)
        """Sentences; what makes the lines may add to them."""
        self._waiting: Iterator[Line] = iter(lines)
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
        # One line beyond those that are asked for tells whether there is any.
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
    """A view that says something in place of a file's content."""
    return LazyView(title, kind, [line((each, "quiet")) for each in sentences])


class SearchHit(NamedTuple):
    """What a search found."""

    lines: tuple[int, ...]
    """Numbers of lines, from 0, in order."""
    until: int
    """The line before which it looked; a further search begins there."""
    complete: bool
    """Whether it came to the end."""


def search(view: FileView, text: str, start: int = 0, most: int = 1_000) -> SearchHit:
    """The lines from `start` on that hold a text, in either case, as it is shown.

    Looks through so many lines and no more, and ends at `most` that are found.
    """
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
