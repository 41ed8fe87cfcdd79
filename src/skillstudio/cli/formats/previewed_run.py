"""What a run changed as a table for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from skillstudio.cli.output import Colour, Paint
from skillstudio.dryrun.report import RunReport
from skillstudio.present.outputs import UNDECLARED
from skillstudio.present.run_report import GLYPHS, ended_text
from skillstudio.session.previewing.files import PreviewFileRow
from skillstudio.text.safe import safe_text

_CHANGES = {glyph: word for word, glyph in GLYPHS.items()}
_COLOURS: dict[str, Colour] = {"+": "good", "~": "warning", "-": "error"}
_WIDEST = 60
"""Columns that the paths of a table are set to; a longer one sticks out."""


def run_value(run: str, report: RunReport, rows: Sequence[PreviewFileRow], notes: list[str]) -> Any:
    """The changes of a run as JSON."""
    return {
        "run": report.run or run,
        "skill": report.plan.skill,
        "operation": report.plan.operation,
        "ended": ended_text(report),
        "ok": report.ok,
        "counts": {word: sum(each.glyph == glyph for each in rows)
                   for word, glyph in GLYPHS.items()},
        "undeclared": sum(each.declared == UNDECLARED for each in rows),
        "verdict": report.verdict,
        "files": [
            {
                "change": _CHANGES[each.glyph],
                "path": each.path,
                "root": each.root,
                "size": each.size,
                "kind": each.about,
                "pattern": each.declared if each.declared not in ("", UNDECLARED) else None,
                "kept": each.wanted is not None and not each.told,
                "why": "; ".join(each.told) or None,
                "file": each.old or None,
            }
            for each in rows
        ],
        "notes": notes,
    }  # fmt: skip


def table_lines(rows: Sequence[PreviewFileRow], paint: Paint) -> Iterator[str]:
    """Sign, path, size, kind, declared pattern, root, and why a file cannot be looked at."""
    paths = [safe_text(each.path) for each in rows]
    sizes = ["" if each.size is None else f"{each.size:,}" for each in rows]
    kinds = [safe_text(each.about) for each in rows]
    rooms = [max(map(len, column), default=0) for column in (paths, sizes, kinds)]
    rooms[0] = min(rooms[0], _WIDEST)
    for each, path, size, kind in zip(rows, paths, sizes, kinds, strict=True):
        declared = safe_text(each.declared)
        if each.declared == UNDECLARED:
            declared = paint(declared, "error")
        yield (
            f"{paint(each.glyph, _COLOURS[each.glyph])} {path:<{rooms[0]}}  {size:>{rooms[1]}}  "
            f"{kind:<{rooms[2]}}  {declared}  {paint(each.root, 'quiet')}"
        )
        yield from (f"    {paint(safe_text(why), 'quiet')}" for why in each.told)
