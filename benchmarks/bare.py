"""A bare Textual app with the widgets that the workbench shows: what its frame costs at least."""

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


if __name__ == "__main__":
    Bare().run()
