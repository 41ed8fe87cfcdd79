"""How a comparison looks: its head, one line a change, and everything about the one at hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content

from skillstudio.interface.change import Change
from skillstudio.interface.model import ABSENT, Place
from skillstudio.session.comparing.comparing import ComparedSide, ComparisonResult, SideFailure
from skillstudio.session.comparing.rows import (
    CompareRow,
    proof_of,
    reason_of,
    value_text,
    why_not_waived,
)
from skillstudio.tui.words import joined, plain

if TYPE_CHECKING:
    from skillstudio.interface.bump import Bump

__all__ = [
    "KeyHint",
    "bump_line",
    "keys_line",
    "line",
    "missing",
    "nothing",
    "row_content",
    "side_line",
    "why_not_waived",
]  # fmt: skip

LEVEL = {
    "failed": ("✗", "cannot be compared", "$text-error"),
    "major": ("✗", "major", "$text-error"),
    "minor": ("+", "minor", "$text-warning"),
    "patch": ("·", "patch", "$text-primary"),
    "none": ("○", "asks for nothing", "dim"),
    "waived": ("~", "waived", "dim"),
    "notes": ("i", "notes", "$text-primary"),
}
"""Glyph, word and colour of each group."""
MEANING = {
    "major": "what worked may stop working",
    "minor": "what worked still works, and more does",
    "patch": "nothing that is called or read",
    "waived": "taken on with a reason",
}
REVIEW = ("⚑ review", "$text-warning")
ROUTING = ("↪ routing", "$text-accent")
SHORT_HASH = 8
_NAME_WIDTH = len("fingerprint ")


class KeyHint(NamedTuple):
    """A key as it is shown, and what it does here."""

    key: str
    does: str
    off: bool = False
    """Whether it does nothing now."""


def keys_line(keys: Iterable[KeyHint]) -> Content:
    """The keys in a row, what cannot be done dim; a command without a key is left out."""
    parts = [
        Content.assemble(
            (f" {each.key} ", "dim" if each.off else "bold $footer-key-foreground"),
            (f"{each.does} ", "dim" if each.off else ""),
        )
        for each in keys
        if each.key
    ]
    return joined(*parts)


def side_line(side: str, seen: ComparedSide) -> Content:
    """One side of a comparison: what it is called, its version, the beginning of its hash."""
    digest = seen.content_hash.removeprefix("sha256:")[:SHORT_HASH]
    parts = [Content.styled(f"{side:<5}", "dim"), plain(seen.label or "none", "bold")]
    if seen.version or digest:
        version = seen.version or "no version"
        parts += [Content("  "), plain(version, "" if seen.version else "dim italic")]
    if digest:
        parts.append(Content.styled(f"  {digest}", "dim"))
    return joined(*parts)


def bump_line(bump: Bump, level: str, version: str, keys: str) -> Content:
    """Which bump the changes ask for, which was made, and the `version` to take."""
    asked = bump.required
    glyph, style = ("✓", "$text-success") if bump.ok else ("✗", "$text-error")
    if bump.ok and asked != "none" and bump.declared == "unknown":
        glyph, style = "i", "$text-primary"
    said = _made(bump) if asked == "none" else f"{asked} is asked for{_made(bump)}"
    parts = [Content.styled("bump ", "dim"), Content.styled(f"{glyph} {said}", f"bold {style}")]
    if version:
        parts += [Content(" → "), plain(version, "bold")]
        if keys:
            parts.append(Content.styled(f"  {keys}", "dim"))
    if level not in (asked, "none", ""):
        parts.append(Content.styled(f"  (below 1.0.0, not {level})", "dim"))
    return joined(*parts)


def _made(bump: Bump) -> str:
    """Which step was made, behind the one that is asked for where one is."""
    declared, asked = bump.declared, bump.required
    if asked == "none":
        if declared == "decreased":
            return "the version went down"
        ends = "" if declared in ("none", "unknown") else f", {declared} was made"
        return f"no bump is asked for{ends}"
    if bump.ok and declared == asked:
        return " and made"
    if bump.ok and declared == "none":
        return ": the skill is in one of the two alone"
    told = {
        "none": "none was made", "unknown": "which was made is not known",
        "decreased": "the version went down",
    }  # fmt: skip
    return f", {told.get(declared, f'{declared} was made')}"


def line(row: CompareRow, closed: bool) -> Content:
    """A heading, a change, or a note."""
    glyph, word, style = LEVEL[row.group]
    if row.heading:
        meaning = MEANING.get(row.group, "")
        return joined(
            Content("▸ " if closed else "▾ "),
            Content.styled(f"{word} {row.size}", f"bold {style}"),
            Content.styled(f"  {meaning}", "dim") if meaning else "",
        )
    if row.change is None:
        text = row.note if row.failure is None else f"{row.failure.side}: {row.failure.message}"
        return joined("  ", Content.styled(f"{glyph} ", style), plain(text))
    return joined("  ", _glyph(row.change), " ", flags(row.change), plain(row.change.message))


def _glyph(change: Change) -> Content:
    glyph, _, style = LEVEL[change.level]
    return Content.styled(glyph, style)


def flags(change: Change) -> Content:
    """Whether it asks for a review, and whether agents choose by it; with a space behind."""
    found = [REVIEW] if change.review else []
    found += [ROUTING] if change.routing else []
    return joined(*[Content.styled(f"{word}  ", style) for word, style in found])


def nothing(outcome: ComparisonResult, text_key: str) -> Content:
    """What to say in the place of an empty list."""
    if outcome.missing:
        return Content("there is no old version to compare with")
    if outcome.content_differs:
        key = f"; {text_key} shows the texts" if text_key else ""
        return Content(f"nothing changed in the interface, though files differ{key}")
    return Content("nothing changed")


def missing(outcome: ComparisonResult, old_key: str) -> Content:
    """Why there is nothing to compare with, and how to have something."""
    if not outcome.missing:
        return Content("")
    advice = f"{old_key} chooses a tag, a folder or an archive" if old_key else ""
    return joined(plain(outcome.missing), Content.styled(f"\n{advice}", "dim"))


def row_content(row: CompareRow) -> Content:
    """What is known of a row."""
    if row.change is not None:
        return details(row.change)
    if row.failure is not None:
        return _failure(row.failure)
    if row.note:
        return plain(row.note)
    _, word, style = LEVEL[row.group]
    meaning = MEANING.get(row.group, "")
    return joined(Content.styled(word, f"bold {style}"), f"  {meaning}")


def _failure(failure: SideFailure) -> Content:
    head = Content.styled(f"✗ the {failure.side} version cannot be compared\n", "$text-error")
    parts: list[Content | str] = [head, plain(failure.message)]
    if failure.place is not None:
        place = failure.place
        parts += ["\n", plain(f"at {place.path}:{place.line}:{place.column}", "dim")]
    return joined(*parts)


def details(change: Change) -> Content:
    """Everything about one change, the witness first."""
    glyph, word, style = LEVEL[change.level]
    head: list[Content | str] = [
        Content.styled(f"{glyph} {word}", f"bold {style}"), plain(f"  {change.kind}", "bold"),
        "  ", flags(change), plain(change.pointer or "/", "dim"),
    ]  # fmt: skip
    lines = [joined(*head), plain(change.message)]
    if change.waived:
        lines.append(_item("waived", plain(change.waived)))
    if change.witness is not None:
        value = plain(value_text(change.witness.value), "bold $text-accent")
        lines.append(_item("witness", value))
        lines.append(_item("", plain(proof_of(change))))
    lines.append(_item("old", _side(change.old, change.old_place)))
    lines.append(_item("new", _side(change.new, change.new_place)))
    if change.hits:
        lines.append(_item("hits", plain(", ".join(change.hits), "$text-warning")))
    if change.review:
        lines.append(_item("review", Content("it lets the skill do more: a person should look")))
    if change.routing:
        lines.append(_item("routing", Content("agents choose the skill by this text")))
    if reason := reason_of(change):
        lines.append(_item("why", plain(reason)))
    lines.append(_item("source", plain(change.source, "dim")))
    lines.append(_item("fingerprint", plain(change.fingerprint, "dim")))
    return Content("\n").join(lines)


def _item(name: str, content: Content) -> Content:
    return joined(Content.styled(f"{name:<{_NAME_WIDTH}}", "dim"), content)


def _side(value: object, place: Place | None) -> Content:
    shown = "—" if value is ABSENT else value_text(value)
    where = f"  {place.path}:{place.line}:{place.column}" if place is not None else ""
    return joined(plain(shown), plain(where, "dim"))
