"""Views of files, and one with generated lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, line, plain
from skillstudio.text.safe import safe_text

MOST_LINES = 400  # Lines returned at once.
_MAX_GENERATED_LINES = 20_000  # The most lines of a view with generated lines.
_BATCH = 200  # Lines that a search reads at once.


class FileView(ABC):
    """A view of a file, read on demand."""

    def __init__(self, title: str, kind: str, notes: list[str], source: ByteSource | None) -> None:
        """`kind` is that of the file by `files.kind`; a `source` that changes is noted."""
        self.title = safe_text(title)
        self.kind = kind
        self.notes = notes
        self._source = source

    @property
    def note(self) -> str:
        """Remarks about the view: truncation, damage, changes since it was opened."""
        state = self._source.state if self._source is not None else ""
        return "; ".join(remark for remark in (*self._remarks(), state) if remark)

    def _remarks(self) -> Iterable[str]:
        return self.notes

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of known lines; all of them if `complete`."""

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether all lines are known."""

    @abstractmethod
    def lines(self, start: int, count: int) -> list[Line]:
        """At most MOST_LINES lines from `start`; if none and not `complete`, call it again."""

    def texts(self, start: int, count: int) -> list[str]:
        """The same lines without styles."""
        return [plain(row) for row in self.lines(start, count)]

    def load_more(self) -> FileView | None:
        """A view with more of the file; None if there is no more to show."""
        return None

    def header(self, top: int) -> list[Line]:  # noqa: ARG002  (only some views have tables)
        """The header of the table that the line `top` is in, if it is above that line."""
        return []


class LazyView(FileView):
    """A view whose lines are generated on demand."""

    complete = False

    def __init__(
        self,
        title: str,
        kind: str,
        lines: Iterable[Line],
        notes: list[str] | None = None,
        source: ByteSource | None = None,
        load_more: Callable[[], FileView] | None = None,
    ) -> None:
        """The generator of `lines` can extend `notes`."""
        super().__init__(title, kind, [] if notes is None else notes, source)
        self._pending_lines = iter(lines)
        self._ready_lines: list[Line] = []
        self._rules: list[int] = []  # The lines of `_ready_lines` below a table's header.
        self._load_more = load_more

    @property
    def count(self) -> int:
        return len(self._ready_lines)

    def lines(self, start: int, count: int) -> list[Line]:
        end = max(start, 0) + min(max(count, 0), MOST_LINES)
        # Generate one extra line to know whether there are more.
        missing = min(end + 1, _MAX_GENERATED_LINES) - len(self._ready_lines)
        if missing > 0 and not self.complete:
            got = list(islice(self._pending_lines, missing))
            first = len(self._ready_lines)
            self._rules += [at for at, row in enumerate(got, first) if _is_rule(row)]
            self._ready_lines += got
            self.complete = len(got) < missing
            if not self.complete and len(self._ready_lines) >= _MAX_GENERATED_LINES:
                self.complete = True
                self.notes.append(f"only the first {_MAX_GENERATED_LINES:,} lines are shown")
        return self._ready_lines[max(start, 0) : end]

    def load_more(self) -> FileView | None:
        return self._load_more() if self._load_more is not None else None

    def header(self, top: int) -> list[Line]:
        at = bisect_right(self._rules, top) - 1
        rule = self._rules[at] if at >= 0 else 0
        # A table ends with an empty line.
        if 0 < rule <= top and all(self._ready_lines[rule : top + 1]):
            return self._ready_lines[rule - 1 : rule + 1]
        return []


class ViewRequest(NamedTuple):
    """What a function of `views.toml` gets: a file and how it will be shown."""

    source: ByteSource
    kind: str
    note: str = ""
    """What is known about the file already, such as that its text is damaged."""
    width: int = 80
    """The width of rendered text in cells."""
    on_screen: bool = False
    """Whether the lines are painted in full colour by something that can fold them."""

    def lazy_view(self, lines: Callable[[ByteSource, list[str]], Iterable[Line]]) -> LazyView:
        """A view of generated lines; their generator can extend the notes."""
        notes = [self.note]
        return LazyView(self.source.name, self.kind, lines(self.source, notes), notes, self.source)


def join_notes(*notes: str) -> str:
    return "; ".join(filter(None, notes))


def _is_rule(line: Line) -> bool:
    return bool(line) and line[-1].style == "rule"


def sentence_view(title: str, kind: str, *sentences: str) -> LazyView:
    """A view with a message instead of a file's content."""
    return LazyView(title, kind, [line((sentence, "quiet")) for sentence in sentences])


def first_line(view: FileView, text: str, start: int, is_wanted: Callable[[], bool]) -> int:
    """The first line with a text from `start` on, ignoring case; -1 for none, or once the search
    is not wanted."""
    needle, at = text.casefold(), max(start, 0)
    while needle and is_wanted():
        batch = view.texts(at, _BATCH)
        for number, text_line in enumerate(batch, at):
            if needle in text_line.casefold():
                return number
        at += len(batch)
        if view.complete and at >= view.count:
            break
    return -1
