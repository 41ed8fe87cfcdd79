"""How a comparison looks: its head, one line a change, and everything about the selected one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from textual.content import Content

from skillstudio.present.comparison import GROUPS, bump_line, change_lines, flags_text, group_line
from skillstudio.present.lines import StyledLine
from skillstudio.session.comparing.comparing import ComparedSide, ComparisonResult, SideFailure
from skillstudio.session.comparing.rows import CompareRow
from skillstudio.tui.widgets.line_styles import STYLES, line_content, lines_content
from skillstudio.tui.words import joined, plain

SHORT_HASH = 8


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
    """One side of a comparison: its label, its version, the first digits of its hash."""
    digest = seen.content_hash.removeprefix("sha256:")[:SHORT_HASH]
    parts = [Content.styled(f"{side:<5}", "dim"), plain(seen.label or "none", "bold")]
    if seen.version or digest:
        version = seen.version or "no version"
        parts += [Content("  "), plain(version, "" if seen.version else "dim italic")]
    if digest:
        parts.append(Content.styled(f"  {digest}", "dim"))
    return joined(*parts)


def bump_content(outcome: ComparisonResult, hint: str) -> Content:
    """The required bump, and the key that makes it."""
    if outcome.bump is None:
        return Content.styled("bump  not known", "dim")
    line = bump_line(outcome.bump, outcome.old.version, outcome.changes, outcome.bump_to)
    remark = hint if outcome.bump_to else ""
    return joined(Content.styled("bump ", "dim"), line_content(line._replace(remark=remark)))


def line(row: CompareRow, closed: bool) -> Content:
    """A heading, a change, or a note."""
    glyph, _, _, style = GROUPS[row.group]
    if row.heading:
        heading = line_content(group_line(row.group, row.size))
        return joined("▸ " if closed else "▾ ", heading)
    if row.change is None:
        text = row.note if row.failure is None else f"{row.failure.side}: {row.failure.message}"
        return joined("  ", Content.styled(f"{glyph} ", STYLES[style]), plain(text))
    change = row.change
    glyph, _, _, style = GROUPS[change.level]
    flags = f"{flags_text(change)}  " if flags_text(change) else ""
    return joined(
        "  ", Content.styled(f"{glyph} ", STYLES[style]), plain(flags, "$text-warning"),
        plain(change.message),
    )  # fmt: skip


def nothing(outcome: ComparisonResult, text_key: str) -> Content:
    """What to show instead of an empty list."""
    if outcome.missing:
        return Content("there is no old version to compare with")
    if outcome.content_differs:
        key = f"; {text_key} shows the texts" if text_key else ""
        return Content(f"no interface changes; files differ{key}")
    return Content("no changes")


def missing(outcome: ComparisonResult, old_key: str) -> Content:
    """Why there is nothing to compare with, and what to do."""
    if not outcome.missing:
        return Content("")
    advice = f"{old_key} chooses a tag, a folder or an archive" if old_key else ""
    return joined(plain(outcome.missing), Content.styled(f"\n{advice}", "dim"))


def row_content(row: CompareRow) -> Content:
    """What is known of a row."""
    if row.change is not None:
        return lines_content(change_lines(row.change, full=True))
    if row.failure is not None:
        return lines_content(_failure(row.failure))
    return plain(row.note) if row.note else line_content(group_line(row.group, row.size))


def _failure(failure: SideFailure) -> Iterable[StyledLine]:
    yield StyledLine(f"✗ the {failure.side} version cannot be compared", "error")
    yield StyledLine(failure.message)
    if failure.place is not None:
        place = failure.place
        yield StyledLine(f"at {place.path}:{place.line}:{place.column}", "quiet")
