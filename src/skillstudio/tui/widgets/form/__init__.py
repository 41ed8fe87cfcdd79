"""The manifest as a form."""

from skillstudio.tui.widgets.form.view import FormView

__all__ = ["FormView"]
