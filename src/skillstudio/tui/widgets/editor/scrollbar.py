"""The scrollbar of the editor, which shows where the problems are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget


class MarkedScrollBar(ScrollBar):
    """A scrollbar with signs at the places of problems."""

    def __init__(
        self, signs: Callable[[], Mapping[int, Segment]], vertical: bool, name: str
    ) -> None:
        super().__init__(vertical=vertical, name=name)
        self._signs = signs

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        sign = self._signs().get(y)
        if sign is None or not strip.cell_length:
            return strip
        under = next(iter(strip)).style or Style()
        ground = under.bgcolor
        if under.reverse:  # The bar may have a colour like that of the sign.
            ground = self._track().rich_color
        if self.app.native_ansi_color:
            ground = None
        style = Style(bgcolor=ground, meta=under.meta) + (sign.style or Style())
        return Strip([Segment(sign.text, style)], 1)

    def _track(self) -> Color:
        """The colour beside the bar."""
        colour: Color = self.background_colors[0]
        if isinstance(self.parent, Widget):
            colour += self.parent.styles.scrollbar_background
        return colour
