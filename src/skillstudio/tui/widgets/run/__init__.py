"""An operation of the open skill, run in copies."""

from skillstudio.tui.widgets.run.view import RunView

__all__ = ["RunView"]
