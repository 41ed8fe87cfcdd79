"""`skillstudio preview --run`: preview what a recorded run changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.help import columns
from skillstudio.cli.output import Colour, Paint, Result, UsageError, say
from skillstudio.cli.painting import paint_lines
from skillstudio.cli.trace import find_trace
from skillstudio.cli.view_output import read_lines, say_rest, view_result
from skillstudio.dryrun.applying.recorded_changes import (
    RecordedChanges,
    RecordedUnusable,
    read_recorded_changes,
)
from skillstudio.dryrun.report import RunReport
from skillstudio.files.paths import below
from skillstudio.present.lines import StyledLine
from skillstudio.present.outputs import UNDECLARED_LABEL, changes_text, run_title, unwritten_note
from skillstudio.present.run_report import GLYPHS, ended_text
from skillstudio.session.previewing.files import (
    How,
    PreviewFileRow,
    rows_of_run,
    undeclared_first,
    view_of_row,
)
from skillstudio.text.safe import safe_text

_CHANGES = {glyph: word for word, glyph in GLYPHS.items()}
_COLOURS: dict[str, Colour] = {"+": "good", "~": "warning", "-": "error"}
_WIDEST = 60  # Columns of a path; a longer one is not aligned.


def preview_run(options: CommandOptions) -> Result:
    """Show the changes of a run, or one of its files. Raises UsageError."""
    trace, folder = find_trace(options.run)
    recorded_changes, notes = _read_changes(folder)
    rows = list(rows_of_run(trace.report, recorded_changes))
    notes += [
        f"not recorded: {change.why}" for change in recorded_changes.exclusions if not change.path
    ]
    if options.path is not None:
        exact, matching_rows = _of_path(rows, options.path)
        if exact and len(matching_rows) == 1:
            how: How = options.view or "preview"
            view = view_of_row(matching_rows[0], how, max(columns(), 20))
            return view_result(matching_rows[0].path, view, how, read_lines(options.lines))
        rows, notes = matching_rows, []
    if options.view:
        option_name = "diff" if options.view == "diff" else "view"
        raise UsageError(f"--{option_name} is for a file of the run; name one PATH")
    return _table(options, trace.report, rows, notes)


def _read_changes(folder: str) -> tuple[RecordedChanges, list[str]]:
    if not folder:
        return RecordedChanges((), ()), ["a trace file contains no files, only their descriptions"]
    try:
        return read_recorded_changes(folder), []
    except RecordedUnusable as error:
        return RecordedChanges((), ()), [str(error)]


def _of_path(rows: Sequence[PreviewFileRow], path: str) -> tuple[bool, list[PreviewFileRow]]:
    """The rows that a path names, and whether they have that very path or are below it.

    The path is one of the table, or any path on disk. Both roots may have it. Raises UsageError.
    """
    plain_path = path.rstrip("/") or path
    absolute_path = os.path.abspath(path)
    # The file may be a link itself, so only links above it are followed.
    absolute_path = os.path.join(
        os.path.realpath(os.path.dirname(absolute_path)), os.path.basename(absolute_path)
    )
    ways: tuple[tuple[bool, list[PreviewFileRow]], ...] = (
        (True, [row for row in rows if row.path == plain_path]),
        (False, [row for row in rows if row.path.startswith(f"{plain_path}/")]),
        (True, [row for row in rows if row.old == absolute_path]),
        (False, [row for row in rows if below(row.old, absolute_path)]),
    )
    for exact, matching_rows in ways:
        if matching_rows:
            return exact, matching_rows
    raise UsageError(
        f"the run did not change {path}; skillstudio preview --run RUN lists what it changed"
    )


def _table(
    options: CommandOptions, report: RunReport, rows: list[PreviewFileRow], notes: list[str]
) -> Result:
    lines = read_lines(options.lines)
    is_part = len(rows) != len(report.changes)
    counts = (
        f"{len(rows):,} of {len(report.changes):,} changes" if is_part else changes_text(report)
    )

    def text(paint: Paint) -> Iterator[str]:
        yield from paint_lines([run_title(report), StyledLine(counts)], paint)
        if warning := unwritten_note(report):
            yield from paint_lines([StyledLine(f"! {warning}", "warning")], paint)
        visible_rows = undeclared_first(rows)[lines.start : lines.end]
        yield from _table_lines(visible_rows, paint)
        say(*notes)
        say_rest(len(rows), lines.start + len(visible_rows), lines, len(rows))

    return Result(lambda: _value(options.run, report, rows, notes), text)


def _value(run: str, report: RunReport, rows: Sequence[PreviewFileRow], notes: list[str]) -> Any:
    return {
        "run": report.run or run,
        "skill": report.plan.skill,
        "operation": report.plan.operation,
        "ended": ended_text(report),
        "ok": report.ok,
        "counts": {word: sum(row.glyph == glyph for row in rows)
                   for word, glyph in GLYPHS.items()},
        "undeclared": sum(row.declared == UNDECLARED_LABEL for row in rows),
        "verdict": report.verdict,
        "files": [
            {
                "change": _CHANGES[row.glyph],
                "path": row.path,
                "root": row.root,
                "size": row.size,
                "kind": row.about,
                "pattern": row.declared if row.declared not in ("", UNDECLARED_LABEL) else None,
                "kept": row.change is not None and not row.notes,
                "why": "; ".join(row.notes) or None,
                "file": row.old or None,
            }
            for row in rows
        ],
        "notes": notes,
    }  # fmt: skip


def _table_lines(rows: Sequence[PreviewFileRow], paint: Paint) -> Iterator[str]:
    paths = [safe_text(row.path) for row in rows]
    sizes = ["" if row.size is None else f"{row.size:,}" for row in rows]
    kinds = [safe_text(row.about) for row in rows]
    widths = [max(map(len, column), default=0) for column in (paths, sizes, kinds)]
    widths[0] = min(widths[0], _WIDEST)
    for row, path, size, kind in zip(rows, paths, sizes, kinds, strict=True):
        declared_text = safe_text(row.declared)
        if row.declared == UNDECLARED_LABEL:
            declared_text = paint(declared_text, "error")
        yield (
            f"{paint(row.glyph, _COLOURS[row.glyph])} {path:<{widths[0]}}  {size:>{widths[1]}}  "
            f"{kind:<{widths[2]}}  {declared_text}  {paint(row.root, 'quiet')}"
        )
        yield from (f"    {paint(safe_text(why), 'quiet')}" for why in row.notes)
