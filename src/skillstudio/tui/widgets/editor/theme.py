"""The editor's style: every colour is a variable of the application's theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from textual._text_area_theme import TextAreaTheme

from skillstudio.tui.widgets.editor.highlight import KINDS

if TYPE_CHECKING:
    from textual.widgets import TextArea

THEME = "manifest"
MARKS = ("error", "warning", "info", "changed", "picture", "match")
COMPONENTS = {f"editor--{name}" for name in (*KINDS, *MARKS)}

CSS = """
ManifestEditor {
    border: none;
    padding: 0;
    scrollbar-size: 0 1;
    &:focus { border: none; }
    & .text-area--gutter { color: $foreground 65%; }
    & .text-area--cursor-gutter { color: $foreground; text-style: bold; }
    & .editor--key { color: $text-primary; }
    & .editor--string { color: $text-success; }
    & .editor--number { color: $text-warning; }
    & .editor--word { color: $text-accent; text-style: bold; }
    & .editor--comment { color: $foreground 60%; text-style: italic; }
    & .editor--punctuation { color: $foreground 80%; }
    & .editor--heading { color: $text-primary; text-style: bold; }
    & .editor--strong { text-style: bold; }
    & .editor--emphasis { text-style: italic; }
    & .editor--code { color: $text-secondary; }
    & .editor--link { color: $text-accent; }
    & .editor--marker { color: $text-warning; text-style: bold; }
    & .editor--error { color: $text-error; text-style: underline; }
    & .editor--warning { color: $text-warning; text-style: underline; }
    & .editor--info { color: $text-primary; text-style: underline; }
    & .editor--changed { color: $text-accent; }
    & .editor--picture { color: $text-error; text-style: reverse; }
    & .editor--match { text-style: reverse; }
}
"""


class EditorTheme(TextAreaTheme):
    """A theme from CSS in which the cursor's line keeps the colours of its text."""

    def apply_css(self, text_area: TextArea) -> None:
        super().apply_css(text_area)
        style = text_area.get_component_rich_style("text-area--cursor-line")
        self.cursor_line_style = Style(bgcolor=style.bgcolor)


def foreground(area: TextArea, name: str) -> Style:
    """Return the style of a component without its background."""
    style = area.get_component_rich_style(f"editor--{name}")
    return Style(
        color=None if name in ("strong", "emphasis", "match") else style.color,
        bold=style.bold,
        italic=style.italic,
        underline=style.underline,
        reverse=style.reverse,
    )
