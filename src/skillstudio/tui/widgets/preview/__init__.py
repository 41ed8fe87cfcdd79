"""The view of what comes out: outputs before a run, files after it, the skill as others see it."""

from skillstudio.tui.widgets.preview.view import PreviewView

__all__ = ["PreviewView"]
