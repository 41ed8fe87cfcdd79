"""The line of a field in the form, and its description below the list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.content import Content

from skillstudio.session.fields import shown_value
from skillstudio.session.form.fields import FormField
from skillstudio.session.form.filling import locked
from skillstudio.text.diagnostic import SEVERITIES, Diagnostic
from skillstudio.tui.widgets.form.sheet import FormRow
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.words import SEVERITY, joined, plain

WORDS = {"error": "error", "warning": "warning", "info": "note"}
_LABELS = 26
_VALUE_WIDTH = 60  # The most columns of a value followed by a diagnostic.
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
    """The columns of the labels: a minimum, or those of the longest up to two fifths of `width`."""
    widest = max((cell_len(_label(row).plain) for row in rows if row.field.pointer), default=0)
    return max(min(max(widest + 2, _LABELS), width * 2 // 5), 14)


def line(row: FormRow, labels: int) -> Content:
    """A field with its value and its worst diagnostic."""
    label, problem = _label(row), _problem(row)
    if not row.field.pointer:
        return joined(label, "  ", problem)
    value = _value(row.field)
    if problem and cell_len(value.plain) > _VALUE_WIDTH:
        value = value.truncate(_VALUE_WIDTH, ellipsis=True)
    label = label.truncate(labels - 1, ellipsis=True)
    gap = " " * (labels - cell_len(label.plain))
    return joined(label, gap, value, "  " if problem else "", problem)


def _label(row: FormRow) -> Content:
    field = row.field
    mark = ("▾ " if row.open else "▸ ") if field.is_container else "  "
    style = "bold" if not field.pointer else "" if field.present else "dim"
    star = "*" if field.required and field.place == "key" else ""
    return joined(" " + "  " * field.depth + mark, plain(_name(field), style), star)


def _name(field: FormField) -> str:
    return f"item {field.label}" if field.place == "item" else field.label


def _value(field: FormField) -> Content:
    if field.is_container:
        return _contents(field)
    if not field.present:
        shown = "not set" if field.default is None else f"not set: {shown_value(field.default)}"
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
    return Content.styled(f"{field.size or 'no'} {word}{'' if field.size == 1 else 's'}", "dim")


def _problem(row: FormRow) -> Content:
    """The worst diagnostic of a field, or the counts of those in a closed one."""
    if row.found:
        worst = worst_first(row.found)[0]
        return joined(
            _severity(worst), plain(worst.message, SEVERITY[worst.severity or "error"][1])
        )
    counted = Counter(each.severity or "error" for each in row.inside)
    parts = []
    for severity in SEVERITIES:
        if counted[severity]:
            glyph, style = SEVERITY[severity]
            word = WORDS[severity] + ("" if counted[severity] == 1 else "s")
            parts.append(Content.styled(f"{glyph} {counted[severity]} {word} inside", style))
    return Content(" ").join(parts)


def _severity(diagnostic: Diagnostic) -> Content:
    severity = diagnostic.severity or "error"
    glyph, style = SEVERITY[severity]
    return Content.styled(f"{glyph} {WORDS[severity]} ", style)


def worst_first(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics, errors before warnings before notes."""
    return sorted(found, key=lambda each: SEVERITIES.index(each.severity or "error"))


def about(row: FormRow) -> Content:
    """The description of a field: from its schema, its kind, and notes about its text."""
    field = row.field
    parts = [plain(_name(field), "bold")]
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
    """All diagnostics of a field, in full."""
    lines = []
    for each in worst_first(row.found):
        fix = "  +fix: f2" if each.fixes else ""
        lines.append(joined(_severity(each), plain(f"{each.message} ({each.rule})"), fix))
    return Content("\n").join(lines)


def keys(row: FormRow, is_inside: bool) -> Iterator[KeyHint]:
    """The keys for a field; `is_inside`: whether it is in a list or map."""
    field = row.field
    if field.is_container:
        yield KeyHint("enter", "close" if row.open else "open")
    elif field.kind == "switch":
        yield KeyHint("enter", "switch")
    elif not locked(field):
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
