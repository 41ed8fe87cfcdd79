"""Two versions of a skill, compared."""

from skillstudio.tui.widgets.compare.view import CompareView

__all__ = ["CompareView"]
