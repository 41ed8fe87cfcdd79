"""Comparisons for people: changes by level, each with its reason, its proof and who is hit."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.compared import ComparedVersions, notes
from skillstudio.cli.formats.changes_words import (
    MOST,
    flags,
    left_out,
    proof,
    said,
    summary,
    title,
    verdict,
    where,
)
from skillstudio.cli.output import Colour, Paint
from skillstudio.interface.change import LEVELS, Change

COLOURS: dict[str, Colour] = {
    "major": "error",
    "minor": "warning",
    "patch": "info",
    "none": "quiet",
}
SEVERITIES = ("error", "warning", "info")
SAID = frozenset(
    ("version-unchanged-with-changes", "version-bump-too-small", "content-changed-interface-same")
)
"""Findings that the sentence about the bump says already."""


def lines(
    rows: list[ComparedVersions], paint: Paint, plain: bool = False, texts: bool = False
) -> Iterator[str]:
    """The report line by line.

    `plain` writes places and arrows as words; `texts` adds what files changed.
    """
    arrow = "to" if plain else "→"
    for row in rows:
        yield paint(said(title(row, arrow)), "place")
        yield from _changes(row, paint, plain)
        yield from _bump(row, paint, arrow)
        if texts:
            from skillstudio.cli.formats.changes_files import unified_lines

            yield from (said(line) for line in unified_lines(row))
        yield ""
    for note in notes(rows):
        yield f"{paint('note', 'info')}: {said(note)}"
    if not rows:
        yield "no skill changed"
        return
    skills = f"{len(rows)} skills: " if len(rows) > 1 else ""
    yield skills + summary(rows)


def _changes(row: ComparedVersions, paint: Paint, plain: bool) -> Iterator[str]:
    groups: dict[str, list[Change]] = {level: [] for level in (*LEVELS, "waived")}
    for change in row.comparison.changes:
        groups["waived" if change.waived else change.level].append(change)
    left = MOST
    for level, changes in groups.items():
        if changes:
            yield ""
            name = "without a bump" if level == "none" else level
            yield paint(f"{name} ({len(changes)})", COLOURS.get(level, "quiet"))
        for change in changes[:left]:
            yield from _change(row, change, paint, plain)
        if len(changes) > left:
            yield f"  {left_out(len(changes) - left)}"
        left = max(left - len(changes), 0)


def _change(row: ComparedVersions, change: Change, paint: Paint, plain: bool) -> Iterator[str]:
    asked = f" [{flags(change)}]" if flags(change) else ""
    kind = paint(change.kind, COLOURS[change.level])
    operation = f"{said(change.operation)}: " if change.operation else ""
    message = change.message.replace(" → ", " to ") if plain else change.message
    yield f"  {kind}{asked}  {operation}{said(message)}"
    place = where(row, change, plain)
    if place:
        yield f"      at {paint(said(place), 'place')}"
    told = proof(change)
    if told:
        yield f"      witness {said(told)}"
    for hit in change.hits:
        yield f"      hits {said(hit)}"
    yield paint(f"      source {said(change.source)}", "quiet")
    if change.waived:
        yield f"      waived: {said(change.waived)}"
    if change.waived or change.level == "major" or change.review:
        yield paint(f"      fingerprint {change.fingerprint}", "quiet")


def _bump(row: ComparedVersions, paint: Paint, arrow: str) -> Iterator[str]:
    told = verdict(row, arrow)
    if told:
        yield ""
        yield paint(said(told), "good" if row.comparison.bump.ok else "error")
    for finding in row.comparison.bump.findings:
        if finding.kind in SAID:
            continue
        severity = finding.severity if finding.severity in SEVERITIES else "info"
        yield f"  {paint(severity, severity)} {finding.kind}: {said(finding.message)}"
