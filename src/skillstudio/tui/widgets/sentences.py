"""Words that change while somebody types: the screen is laid out anew only where it must be."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Sentences(Static):
    """One or more lines of `Content`, broken where they are too long."""

    DEFAULT_CSS = "Sentences { height: auto; min-height: 1; }"

    def __init__(self, content: Content | None = None, id: str | None = None) -> None:
        self._told = content or Content("")
        super().__init__(self._told, id=id, markup=False)

    def say(self, content: Content) -> None:
        """Say something else."""
        before = self._told
        if not before.is_same(content):
            self._told = content
            self.update(content, layout=self._may_break(before) or self._may_break(content))

    def _may_break(self, content: Content) -> bool:
        return "\n" in content.plain or content.cell_length > self.content_size.width
