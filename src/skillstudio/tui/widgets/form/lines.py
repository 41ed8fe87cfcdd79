"""The line of a field in the form, and its description below the list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.content import Content

from skillstudio.session.fields import FieldState
from skillstudio.session.form import filling
from skillstudio.text.diagnostic import SEVERITIES, Diagnostic
from skillstudio.tui.widgets.fields.drawing import (
    draw_choices,
    draw_label,
    draw_state,
    draw_unset,
)
from skillstudio.tui.widgets.form.sheet import FormRow
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.words import join, plain

_LABELS = 26
_VALUE_WIDTH = 20  # Columns of a value that a diagnostic after it leaves.


def label_width(rows: Sequence[FormRow], width: int) -> int:
    """The columns of the labels: a minimum, or those of the longest up to two fifths of `width`."""
    widest = max((cell_len(_label(row).plain) for row in rows if row.field.pointer), default=0)
    return max(min(max(widest + 2, _LABELS), width * 2 // 5), 14)


def line(row: FormRow, labels: int, width: int) -> Content:
    """A field with its value, which is cut first, and its worst diagnostic."""
    label, problem = _label(row), _problem(row)
    if not row.field.pointer:
        return join(label, "  ", problem)
    value = _value(row)
    room = max(width - labels - problem.cell_length - 2, _VALUE_WIDTH)
    if problem and value.cell_length > room:
        value = value.truncate(room, ellipsis=True)
    label = label.truncate(labels - 1, ellipsis=True)
    gap = " " * (labels - label.cell_length)
    return join(label, gap, value, "  " if problem else "", problem)


def _label(row: FormRow) -> Content:
    field = row.field
    mark = ("▾ " if row.open else "▸ ") if field.is_container else "  "
    style = "bold" if not field.pointer else "" if field.present else "dim"
    label = draw_label(field.name, field.required and field.place == "key", style)
    return join(" " + "  " * field.depth + mark, label)


def _value(row: FormRow) -> Content:
    field = row.field
    if field.kind == "switch" and (not field.present or isinstance(field.value, bool)):
        return draw_choices(filling.entry(field, "value"))
    if not field.present:
        return draw_unset(filling.unset_text(field))
    if field.is_container:
        return _contents(row)
    if field.kind == "raw":
        return join(plain(field.literal, "dim"), draw_unset("  read-only"))
    if isinstance(field.value, str):
        return plain(" ↵ ".join(field.value.splitlines())) if field.value else draw_unset("empty")
    return plain(field.literal)


def _contents(row: FormRow) -> Content:
    field = row.field
    if field.kind == "group":
        return plain(field.summary if field.place != "key" else "", "dim")
    if field.kind == "list" and field.summary and not row.open:
        return plain(field.summary)
    word = "item" if field.kind == "list" else "key"
    return plain(f"{field.size or 'no'} {word}{'' if field.size == 1 else 's'}", "dim")


def _problem(row: FormRow) -> Content:
    """The worst diagnostic of a field, or the counts of those in a closed one."""
    if row.diagnostics:
        return _message(row.diagnostics[0], row.diagnostics[0].message)
    counts = Counter(diagnostic.severity or "error" for diagnostic in row.inside)
    states = [
        FieldState(severity, (f"{counts[severity]} inside",))
        for severity in SEVERITIES
        if counts[severity]
    ]
    return Content(" ").join(map(draw_state, states))


def _message(diagnostic: Diagnostic, text: str) -> Content:
    return draw_state(FieldState(diagnostic.severity or "error", (text,)))


def about(row: FormRow) -> Content:
    """The description of a field from its schema, and notes about its text."""
    field = row.field
    note = field.note or filling.explain_lock(field)
    words = [plain(field.description), plain(f"({note})" if note else "", "dim")]
    return Content(" ").join([plain(field.name, "bold"), *filter(None, words)])


def problems(row: FormRow) -> Content:
    """All diagnostics of a field, in full."""
    lines = []
    for diagnostic in row.diagnostics:
        fix = "  +fix: f2" if diagnostic.fixes else ""
        lines.append(join(_message(diagnostic, f"{diagnostic.message} ({diagnostic.rule})"), fix))
    return Content("\n").join(lines)


def keys(row: FormRow, is_inside: bool) -> Iterator[KeyHint]:
    """The keys for a field; `is_inside`: whether it is in a list or map."""
    field = row.field
    if field.is_container:
        yield KeyHint("enter", "close" if row.open else "open")
    elif field.kind == "switch":
        yield KeyHint("space", "switch")
    elif not filling.explain_lock(field):
        yield KeyHint("enter", "change")
    if field.item is not None or is_inside:
        yield KeyHint("a", "add")
    if field.present and field.pointer and (field.place != "key" or not field.required):
        yield KeyHint("d", "remove")
    if field.place == "entry":
        yield KeyHint("r", "rename")
    if field.place == "item":
        yield KeyHint("J", "move down")
        yield KeyHint("K", "move up")
