"""Single lines of the workbench: title, views, panes, hover, banner."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget


class Line(Widget):
    """One line of `Content`."""

    DEFAULT_CSS = """
    Line { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, content: Content | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self.content = content or Content("")

    def render(self) -> Content:
        return self.content

    def show(self, content: Content) -> None:
        """Show another text."""
        if not self.content.is_same(content):
            self.content = content
            self.refresh(layout=self.styles.height is not None and self.styles.height.is_auto)


def tabs(choices: list[tuple[str, str, str]], here: str) -> Content:
    """Names with their keys in a row, the one that is shown marked: (id, key, name)."""
    parts = []
    for id_, key, name in choices:
        text = f"[{key} {name}]" if id_ == here else f" {key} {name} "
        parts.append(Content.styled(text, "bold $text-primary" if id_ == here else "dim"))
    return Content(" ").join(parts)
