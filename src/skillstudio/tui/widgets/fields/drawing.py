"""How fields look in the form, the wizard and a run: label, choices, default and state."""

from __future__ import annotations

from rich.style import Style as RichStyle
from textual.content import Content
from textual.style import Style

from skillstudio.session.fields import Field, FieldChoice, FieldState
from skillstudio.tui.words import SEVERITY, join, plain

_SIGNS = {**SEVERITY, "missing": ("○", "$text-warning"), "ok": ("✓", "$text-success")}
_CHOICE = "choice"
_MARKS = ("○", "●"), ("[ ]", "[x]")


def draw_label(label: str, is_required: bool = False, style: str = "") -> Content:
    """A label with the mark of a required field."""
    return join(plain(label, style), "*" if is_required else "")


def draw_state(state: FieldState) -> Content:
    """Each message of a state with its sign, one a line."""
    glyph, style = _SIGNS.get(state.status, ("·", "dim"))
    return Content("\n").join([plain(f"{glyph} {message}", style) for message in state.sentences])


def draw_unset(text: str) -> Content:
    """What a field without an answer has."""
    return plain(text, "dim italic")


def draw_choice(choice: FieldChoice, is_chosen: bool, has_several: bool = False) -> Content:
    """A choice in a row of its own; with `has_several`, others may be chosen, too."""
    mark = f"{_MARKS[has_several][is_chosen]} "
    return join(mark, plain(choice.label), "  ", plain(choice.description, "dim"))


def draw_choices(field: Field, width: int = 0) -> Content:
    """The choices of a field side by side, then no answer if that is possible; see `choice_at`.

    Where they are wider than a `width`, only the chosen one.
    """
    chosen_index = field.chosen_index
    pieces = [
        _segment(
            choice.label, index, index == chosen_index, "bold" if index == chosen_index else ""
        )
        for index, choice in enumerate(field.choices)
    ]
    if field.unset:
        label = (
            field.unset if chosen_index < 0 else "not set"
        )  # The default matters without a value.
        pieces.append(_segment(label, -1, chosen_index < 0, "dim italic"))
    line = Content("  ").join(pieces)
    if not width or line.cell_length <= width:
        return line
    return join("‹", pieces[chosen_index] if chosen_index >= 0 or field.unset else "choose", "›")


def choice_at(style: RichStyle) -> int | None:
    """The index of the choice at a click, -1 for no answer, None beside the choices."""
    index = style.meta.get(_CHOICE)
    return index if isinstance(index, int) else None


def _segment(label: str, index: int, is_chosen: bool, style: str) -> Content:
    text = plain(f"{_MARKS[0][is_chosen]} {label}", style)
    return text.stylize(Style.from_meta({_CHOICE: index}))
