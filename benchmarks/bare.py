"""A bare Textual app with the widgets that the workbench shows: what its frame costs at least.

`bare.py FILE alone` is only a text area.
"""

from __future__ import annotations

import sys
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, OptionList, Static, TextArea, Tree


class Bare(App[None]):
    """Tree, text, list, status and footer."""

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Tree("skills")
            with Vertical():
                yield Static("status")
                yield TextArea(Path(sys.argv[1]).read_text(encoding="utf-8"))
                yield OptionList("one", "two")
        yield Footer()


class Alone(App[None]):
    """A text area with soft wrap."""

    def compose(self) -> ComposeResult:
        text = Path(sys.argv[1]).read_text(encoding="utf-8")
        yield TextArea(text, soft_wrap=True, show_line_numbers=True)


if __name__ == "__main__":
    app: App[None] = Alone() if sys.argv[2:] == ["alone"] else Bare()
    app.run()
