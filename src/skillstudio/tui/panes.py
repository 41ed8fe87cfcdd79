"""The panes of the workbench: their sizes, which one is zoomed, and those beside the text.

Sizes are kept by the width of the screen, because what suits one width does not suit another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.containers import Horizontal
from textual.screen import Screen
from textual.widget import Widget

from skillstudio.session.layout import (
    WIDER,
    WIDEST,
    pane_sizes,
    remember_sizes,
    size_class,
)
from skillstudio.tui.widgets.skills_pane import SkillTree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.timer import Timer

    from skillstudio.tui.widgets.side import Reading

PANES = ("skills", "view", "problems", "side", "card")
"""In the order in which a key goes through them; the last two where there is room."""
_COLUMNS = ("skills", "side", "card")
RESIZABLE_PANES = (*_COLUMNS, "problems")
"""The panes with a width or a height of their own; the text has the rest."""
_SIDES = {"side": ("side",), "both": ("side", "card")}
_NARROWEST_TREE, _WIDEST_TREE = 22, 30  # Columns of the tree of one skill.
_LEAST, _LOWEST = 16, 4  # Columns and lines of a pane.
_PAUSE = 0.5  # Seconds after the last change until sizes are written.


class Panes:
    """The sizes of the panes, and the panes beside the text."""

    def __init__(
        self, workbench: Screen[Any], state: str, get_reading: Callable[[], Reading | None]
    ) -> None:
        """`state` is the user's folder for the sizes; `get_reading` is what the panes beside the
        text show."""
        self._workbench = workbench
        self._state = state
        self._get_reading = get_reading
        self._sizes = pane_sizes(state)
        self._timer: Timer | None = None
        self._tree_width = _NARROWEST_TREE
        self._has_sizes = False
        """Whether panes have other sizes than those of the style sheet."""

    @property
    def _class(self) -> str:
        return size_class(self._workbench.size.width)

    @property
    def here(self) -> str:
        """The pane that has the focus, or had it last."""
        classes = self._workbench.classes
        return next((pane for pane in PANES if f"-pane-{pane}" in classes), "skills")

    def widget(self, pane: str) -> Widget | None:
        """The widget of a pane, if it is on the screen."""
        return next(iter(self._workbench.query(f"#{pane}-pane")), None)

    def pane_of(self, widget: Widget) -> str | None:
        """The pane that a widget is in."""
        ids = {node.id for node in widget.ancestors_with_self}
        return next((pane for pane in PANES if f"{pane}-pane" in ids), None)

    # Sizes.

    def set_size(self, pane: str, size: int) -> None:
        """Set the width of a pane, or the height of the problems, and keep it."""
        name = self._class
        if not name or pane not in RESIZABLE_PANES:
            return
        self._sizes.setdefault(name, {})[pane] = size
        self._apply_and_keep()

    def move_edge(self, columns: int = 0, lines: int = 0) -> None:
        """Move an edge of the focused pane to the right, or the upper edge of the problems down."""
        pane = self.here if self.here in ("side", "card") else "skills"
        way = 1
        if lines:
            pane, columns, way = "problems", lines, -1
        elif pane != "skills":
            way = -1
        widget = self.widget(pane)
        if widget is not None and widget.region:
            size = widget.region.height if lines else widget.region.width
            self.set_size(pane, size + way * columns)

    def grow(self, by: int) -> None:
        """Make the focused pane larger or smaller."""
        match self.here:
            case "problems":
                self.move_edge(lines=-by)
            case "view" | "side" | "card":
                self.move_edge(columns=-by)
            case _:
                self.move_edge(columns=by)

    def reset(self) -> None:
        """Give every pane its usual size at this width."""
        self._sizes.pop(self._class, None)
        self._apply_and_keep()

    def _apply_and_keep(self) -> None:
        self.apply()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._workbench.set_timer(_PAUSE, self.keep)

    def keep(self) -> None:
        """Write the sizes, if they were changed since."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            remember_sizes(self._state, self._sizes)

    def apply(self) -> None:
        """Give the panes the sizes that were chosen, so that every pane stays usable.

        One pane alone has the whole screen.
        """
        workbench = self._workbench
        sizes, widest = self._sizes.get(self._class, {}), workbench.query_one(SkillTree).widest
        if not sizes and not widest and not self._has_sizes:
            return  # Setting a style causes a layout.
        self._has_sizes = bool(sizes or widest)
        # It only grows: each change of its width moves the text.
        self._tree_width = min(max(widest, self._tree_width), _WIDEST_TREE)
        several = bool(self._class) and not self.is_zoomed
        requested_sizes = sizes if several else {}
        if several and widest and "skills" not in requested_sizes:
            requested_sizes = {**requested_sizes, "skills": self._tree_width}
        fitted_sizes = self._fit_sizes(requested_sizes)
        for pane in RESIZABLE_PANES:
            widget, size = self.widget(pane), fitted_sizes.get(pane)
            if widget is None:
                continue
            if pane == "problems":
                widget.styles.height, widget.styles.max_height = size, size
            elif pane == "skills":
                widget.styles.width = size
            else:
                widget.styles.width, widget.styles.max_width = size, size

    def _fit_sizes(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Sizes that leave the text a third of the columns and half of the lines; the largest pane
        gives way first."""
        columns, lines = self._workbench.size
        fitted_sizes = {
            pane: max(size, _LEAST)
            for pane, size in sizes.items()
            if pane != "problems" and self.widget(pane) is not None
        }
        other_widgets = [self.widget(pane) for pane in _COLUMNS if pane not in fitted_sizes]
        taken_width = sum(widget.region.width for widget in other_widgets if widget is not None)
        excess = sum(fitted_sizes.values()) + taken_width - (columns - columns // 3)
        for pane in sorted(fitted_sizes, key=fitted_sizes.__getitem__, reverse=True):
            cut = min(max(excess, 0), fitted_sizes[pane] - _LEAST)
            fitted_sizes[pane] -= cut
            excess -= cut
        if "problems" in sizes:
            fitted_sizes["problems"] = min(max(sizes["problems"], _LOWEST), lines // 2)
        return fitted_sizes

    # Zoom.

    @property
    def is_zoomed(self) -> bool:
        """Whether one pane has the screen for itself."""
        return self._workbench.has_class("-zoomed")

    def zoom(self) -> None:
        """Show only the focused pane, or all of them again."""
        self._workbench.set_class(not self.is_zoomed, "-zoomed")
        self.apply()

    # The panes beside the text.

    @property
    def sides(self) -> tuple[str, ...]:
        """The panes beside the text for which there is room."""
        columns = self._workbench.size.width
        return _SIDES["both"] if columns >= WIDEST else _SIDES["side"] if columns >= WIDER else ()

    @property
    def _mounted_sides(self) -> tuple[str, ...]:
        return tuple(pane for pane in _SIDES["both"] if self.widget(pane) is not None)

    @property
    def are_sides_wrong(self) -> bool:
        """Whether the width of the screen calls for other panes beside the text."""
        return self.sides != self._mounted_sides

    async def show_sides(self) -> None:
        """Mount the panes beside the text for which there is room, and remove the others."""
        from skillstudio.tui.widgets.side import CARD, SIDE, WHOLE, SidePane

        workbench, sides = self._workbench, self.sides
        for pane in self._mounted_sides:
            if pane not in sides and (widget := self.widget(pane)) is not None:
                await widget.remove()
        topics = {"side": SIDE if "card" in sides else WHOLE, "card": CARD}
        for pane in sides:
            widget = self.widget(pane)
            if isinstance(widget, SidePane):
                widget.use(topics[pane])
            else:
                body = workbench.query_one("#body", Horizontal)
                await body.mount(SidePane(topics[pane], id=f"{pane}-pane"))
        self.apply()
        self.follow()

    def follow(self) -> None:
        """Let the panes beside the text show the open skill as it is now."""
        if not self._mounted_sides:
            return
        from skillstudio.tui.widgets.side import SidePane

        for widget in self._workbench.query(SidePane):
            widget.follow(self._get_reading)
