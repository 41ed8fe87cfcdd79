"""How a field looks: one line in the form, and what is said of it below."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual.content import Content

from skillstudio.session.form.fields import FormField
from skillstudio.session.form.filling import locked
from skillstudio.text.diagnostic import SEVERITIES, Diagnostic
from skillstudio.tui.widgets.form.sheet import FormRow
from skillstudio.tui.words import SEVERITY, joined, plain

WORDS = {"error": "error", "warning": "warning", "info": "note"}
_LABELS = 26
_VALUE_WIDTH = 60
"""Columns that a value may take where something is said beside it."""
_KINDS = {
    "text": "text",
    "multiline": "text of several lines",
    "number": "number",
    "switch": "yes or no",
    "choice": "one of a few",
    "json": "any value: JSON, or plain text",
    "list": "list",
    "map": "keys of your own",
    "group": "group",
    "raw": "not edited here",
}


def label_width(rows: Sequence[FormRow], width: int) -> int:
    """The columns that labels get: the usual ones, or what the longest needs up to two fifths."""
    widest = max((cell_len(_label(row).plain) for row in rows if row.field.pointer), default=0)
    return max(min(max(widest + 2, _LABELS), width * 2 // 5), 14)


def line(row: FormRow, labels: int) -> Content:
    """A field with its value and the worst that is said of it."""
    label = _label(row)
    if not row.field.pointer:
        return joined(label, "  ", _said(row))
    value, said = _value(row.field), _said(row)
    if said and cell_len(value.plain) > _VALUE_WIDTH:
        value = value.truncate(_VALUE_WIDTH, ellipsis=True)
    label = label.truncate(labels - 1, ellipsis=True)
    gap = " " * (labels - cell_len(label.plain))
    return joined(label, gap, value, "  " if said else "", said)


def _label(row: FormRow) -> Content:
    field = row.field
    mark = ("▾ " if row.open else "▸ ") if field.is_container else "  "
    style = "bold" if not field.pointer else "" if field.present else "dim"
    star = "*" if field.required and field.place == "key" else ""
    return joined(" " + "  " * field.depth + mark, plain(name_of(field), style), star)


def name_of(field: FormField) -> str:
    """What a field is called."""
    return f"item {field.label}" if field.place == "item" else field.label


def _value(field: FormField) -> Content:
    if field.is_container:
        return _contents(field)
    if not field.present:
        shown = "not set" if field.default is None else f"not set: {_json(field.default)}"
        return plain(shown, "dim italic")
    if field.kind == "switch" and isinstance(field.value, bool):
        return Content("● yes" if field.value else "○ no")
    if field.kind == "raw":
        return joined(plain(field.literal, "dim"), Content.styled("  read-only", "dim italic"))
    if isinstance(field.value, str):
        if not field.value:
            return Content.styled("empty", "dim italic")
        return plain(" ↵ ".join(field.value.splitlines()))
    return plain(field.literal)


def _contents(field: FormField) -> Content:
    if not field.present:
        return Content.styled("not set", "dim italic")
    if field.kind == "group":
        return plain(field.summary, "dim") if field.place != "key" else Content("")
    word = "item" if field.kind == "list" else "key"
    amount = f"{field.size or 'no'} {word}{'' if field.size == 1 else 's'}"
    return Content.styled(amount, "dim")


def _said(row: FormRow) -> Content:
    """The worst diagnostic of a field, or how many there are below a closed one."""
    if row.found:
        worst = worst_first(row.found)[0]
        severity = worst.severity or "error"
        glyph, _, style = SEVERITY[severity]
        return joined(
            Content.styled(f"{glyph} {WORDS[severity]} ", style), plain(worst.message, style)
        )
    counted = Counter(each.severity or "error" for each in row.inside)
    parts = []
    for severity in SEVERITIES:
        if counted[severity]:
            glyph, _, style = SEVERITY[severity]
            word = WORDS[severity] + ("" if counted[severity] == 1 else "s")
            parts.append(Content.styled(f"{glyph} {counted[severity]} {word} inside", style))
    return Content(" ").join(parts)


def worst_first(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics, errors before warnings before notes."""
    return sorted(found, key=lambda each: SEVERITIES.index(each.severity or "error"))


def about(row: FormRow) -> Content:
    """What a field is for: its schema's words, its kind, what is peculiar in the text."""
    field = row.field
    parts = [plain(name_of(field), "bold")]
    if field.description:
        parts.append(plain(field.description))
    facts = [_KINDS[field.kind]] if field.pointer else []
    facts += ["required"] if field.required and field.place == "key" else []
    facts += [field.note] if field.note else []
    if not field.note and locked(field):
        facts.append(locked(field))
    if field.example and not field.present:
        facts.append(f"such as {field.example}")
    if facts:
        parts.append(plain(f"({'; '.join(facts)})", "dim"))
    return Content(" ").join(parts)


def problems(row: FormRow) -> Content:
    """Everything that is said of a field, in full."""
    lines = []
    for each in worst_first(row.found):
        severity = each.severity or "error"
        glyph, _, style = SEVERITY[severity]
        fix = "  +fix: f2" if each.fixes else ""
        text = f"{each.message} ({each.rule})"
        lines.append(joined(Content.styled(f"{glyph} {WORDS[severity]} ", style), plain(text), fix))
    return Content("\n").join(lines)


def keys(row: FormRow, inside: FormField | None) -> Content:
    """The keys that do something with a field; `inside` is the list or map around it."""
    field = row.field
    told = []
    if field.is_container:
        told.append("enter closes" if row.open else "enter opens")
    elif field.kind == "switch":
        told.append("enter switches")
    elif not locked(field):
        told.append("enter changes")
    if field.item is not None or inside is not None:
        told.append("a adds")
    if field.present and field.pointer and (field.place != "key" or not field.required):
        told.append("d removes")
    if field.place == "entry":
        told.append("r renames")
    if field.place == "item":
        told.append("J K move")
    return Content.styled(" · ".join(told), "dim")


def _json(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
