"""The editor for a manifest's text."""

from skillstudio.tui.widgets.editor.editor import ManifestEditor

__all__ = ["ManifestEditor"]
