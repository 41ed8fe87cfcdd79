"""The changes of a skill since its last version: the bump they need, and waivers of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from skillstudio.lsp.edits import EditSupport, settings_edit
from skillstudio.lsp.skills import SkillPlace, Skills
from skillstudio.text.editing import EditRefused
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.interface.change import Change
    from skillstudio.session.comparing.comparing import ComparisonResult

REASON = "TODO: why is this acceptable?"
_MOST_CHANGES = 12
_LONGEST_TITLE = 100


def compare(place: SkillPlace, skills: Skills) -> ComparisonResult:
    """Compare a skill with its last version, unless nothing changed since. It starts git."""
    return skills.compare(place.check.folder, place.documents)


def bump_title(result: ComparisonResult) -> str:
    """The bump that the changes since the last version need."""
    from skillstudio.present.comparison import absent_line, bump_line

    if result.bump is None:
        why = result.missing or next(
            (failure.message for failure in result.failures), "not compared"
        )
        if result.absent_in:
            why = absent_line(result.absent_in).text.removeprefix("? ")
        return safe_text(why)
    line = bump_line(result.bump, result.old.version, result.changes, result.bump_to)
    return safe_text(f"since {result.old.label}: {line.text.lstrip('✓✗i? ')}")


def change_lines(place: SkillPlace, skills: Skills) -> list[str]:
    """The bump that the changes need, and the changes."""
    from skillstudio.present.comparison import short_change_lines
    from skillstudio.present.lines import count

    result = compare(place, skills)
    lines = [bump_title(result)]
    for change in result.changes[:_MOST_CHANGES]:
        where = change.new_place or change.old_place
        at = f"{where.path}:{where.line}:{where.column}" if where else ""
        lines += [
            "  ".join(filter(None, (line.text, line.remark)))
            for line in short_change_lines(change, at)
        ]
    if (excess := len(result.changes) - _MOST_CHANGES) > 0:
        lines.append(f"… {count(excess, 'more change')}")
    return lines


def offer_waivers(
    place: SkillPlace, params: types.CodeActionParams, support: EditSupport, skills: Skills
) -> Iterator[types.CodeAction]:
    """A waiver for each breaking change at a range; one that removed something is at the top.

    An editor asks at each move of the cursor, too: then only a known comparison is used.
    """
    is_invoked = params.context.trigger_kind == types.CodeActionTriggerKind.Invoked
    folder, documents = place.check.folder, place.documents
    result = skills.compared(folder, documents)
    if result is None and is_invoked:
        result = skills.compare(folder, documents)
    if result is None or result.bump is None:
        return
    lines = range(params.range.start.line, params.range.end.line + 1)
    for change in result.changes:
        if change.level == "major" and not change.waived and _line(place, change) in lines:
            try:
                file = skills.settings_file(folder, documents).path
                entry = {"fingerprint": change.fingerprint, "reason": REASON}
                edit = settings_edit(place, support, file, "waive", entry)
            except EditRefused:
                continue
            if edit is not None:
                title = safe_text(f"Waive this breaking change: {change.message}")
                if len(title) > _LONGEST_TITLE:
                    title = f"{title[: _LONGEST_TITLE - 1]}…"
                yield types.CodeAction(title, types.CodeActionKind.QuickFix, edit=edit)


def _line(place: SkillPlace, change: Change) -> int | None:
    """The line of a change in this document; that of the manifest's start for a removal."""
    where = change.new_place
    if where is not None:
        path = os.path.normpath(where.path).replace(os.sep, "/")
        return where.line - 1 if path == place.inside else None
    main = place.check.analysis.main if place.check.analysis else None
    if main is None or main.path != place.inside:
        return None
    return place.text.position(main.document.opening_line.start).line
