"""How far a command is, for the line at the terminal (`progress_line.py`), if there is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_Item = TypeVar("_Item")


class Progress:
    """How many items of how many are done; `total` is 0 while nothing is counted."""

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self.noun = ""
        self.is_hidden = False

    def erase(self) -> None:
        """Remove what is written of it."""


current: list[Progress] = []
"""That of the command that is carried out, if anybody sees it."""


@contextmanager
def hidden_progress() -> Iterator[None]:
    """Write nothing while something else uses the terminal, such as a question or a shell."""
    if not current:
        yield
        return
    progress = current[-1]
    progress.is_hidden = True
    progress.erase()
    try:
        yield
    finally:
        progress.is_hidden = False


def count_items(items: Iterable[_Item], total: int, noun: str) -> Iterator[_Item]:
    """The items, which count as done when the next one is taken."""
    if not current:
        yield from items
        return
    progress = current[-1]
    progress.done, progress.total, progress.noun = 0, total, noun
    for item in items:
        yield item
        progress.done += 1
    progress.total = 0
