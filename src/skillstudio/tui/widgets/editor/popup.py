"""The list of completions at the cursor; the editor keeps the focus and moves through it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Offset
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from skillstudio.manifest.completion import Completion
from skillstudio.tui.widgets.editor.text_document import add_pictures

_SIGNS = {"key": "k", "value": "v", "input": "i", "path": "f"}
_WIDEST_LABEL = 32
_WIDEST = 76
_NARROWEST = 24


class CompletionPopup(OptionList, can_focus=False):
    """Completions, each with its kind and description."""

    DEFAULT_CSS = """
    CompletionPopup {
        overlay: screen;
        constrain: inside inflect;
        position: absolute;
        display: none;
        height: auto;
        max-height: 9;
        min-width: 24;
        max-width: 100%;
        border: none;
        padding: 0;
        background: $panel;
        scrollbar-size-vertical: 1;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        &.-open { display: block; }
        & > .option-list--option-highlighted { text-style: bold; }
        &:ansi > .option-list--option-highlighted { text-style: bold underline; }
        &:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.completions: Sequence[Completion] = ()

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    @property
    def selected_completion(self) -> Completion | None:
        """The completion that enter accepts."""
        at = self.highlighted
        return self.completions[at] if self.is_open and at is not None else None

    def open(self, completions: Sequence[Completion], below: Offset) -> None:
        """Show completions below a place of the screen, or above it if there is no room."""
        self.completions = completions
        labels = [_cut(add_pictures(completion.label), _WIDEST_LABEL) for completion in completions]
        column = max(cell_len(label) for label in labels)
        lines = [
            _line(completion, label, column)
            for completion, label in zip(completions, labels, strict=True)
        ]
        self.clear_options()
        self.add_options([Option(line) for line in lines])
        widest = max(line.cell_length for line in lines) + 2
        self.styles.width = min(max(widest, _NARROWEST), _WIDEST)
        self.absolute_offset = below
        self.add_class("-open")
        self.highlighted = 0
        self.refresh(layout=True)

    def close(self) -> None:
        self.remove_class("-open")

    def move(self, rows: int) -> None:
        """Move the highlight, wrapping around."""
        if self.completions and self.highlighted is not None:
            self.highlighted = (self.highlighted + rows) % len(self.completions)


def _line(completion: Completion, label: str, column: int) -> Content:
    detail = add_pictures(" ".join(completion.detail.split()))
    gap = " " * (column - cell_len(label) + 2)
    return Content.assemble(
        (_SIGNS[completion.kind], "dim"), " ", label, gap, (_cut(detail, 60), "dim")
    )


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
