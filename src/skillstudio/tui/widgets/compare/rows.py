"""The list of changes: headings close and open, a change leads to its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, overload

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from skillstudio.tui.widgets.rows import Rows


class LazyLines(Sequence[Content]):
    """Lines that are made as they are drawn."""

    def __init__(self, count: int, line: Callable[[int], Content]) -> None:
        self._count = count
        self._line = line

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Content: ...
    @overload
    def __getitem__(self, index: slice) -> list[Content]: ...
    def __getitem__(self, index: int | slice) -> Content | list[Content]:
        if isinstance(index, slice):
            return [self._line(each) for each in range(self._count)[index]]
        return self._line(range(self._count)[index])


class ChangeRows(Rows):
    """One line for each change, below the heading of its level."""

    HELP = """The changes between the two versions, by the bump that they need: ✗ major, + minor,
· patch, ~ waived. "review" lets the skill do more; "routing" is text that agents select by. The
details are below: the counterexample is a value that one version accepts and the other rejects.
Enter goes to the source, or closes and opens a level; o and n choose the versions, t shows the
texts, W waives the change, b makes the bump, tab goes to the details."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "fold(False)", "Open", show=False),
        Binding("left,h", "fold(True)", "Close", show=False),
    ]

    @dataclass
    class Folded(Message):
        """The level of the selected row is to be closed, or opened."""

        closed: bool

    def action_fold(self, closed: bool) -> None:
        if self.lines:
            self.post_message(self.Folded(closed))
