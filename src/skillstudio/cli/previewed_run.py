"""`skillstudio preview --run`: what a recorded run changed, and each of its files."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import UsageError, print_json, say
from skillstudio.cli.trace import find_trace
from skillstudio.cli.view_output import paint, print_view, read_lines, say_rest, width
from skillstudio.dryrun.applying.recorded_changes import (
    ExcludedChange,
    RecordedChanges,
    RecordedUnusable,
    read_recorded_changes,
)
from skillstudio.dryrun.report import RunReport
from skillstudio.present.lines import StyledLine
from skillstudio.present.outputs import changes_text, run_title
from skillstudio.session.previewing.files import How, PreviewFileRow, rows_of_run, view_of_row
from skillstudio.text.safe import safe_text


def preview_run(options: Namespace) -> int:
    """Show the changes of a run, or one of its files. Raises UsageError."""
    trace, folder = find_trace(options.run)
    keeping, notes = _keeping(folder)
    rows = list(rows_of_run(trace.report, keeping))
    notes += [_told(each) for each in keeping.left if not each.path]
    if options.path is not None:
        exact, found = _of_path(rows, options.path)
        if exact and len(found) == 1:
            return _file(options, found[0])
        rows, notes = found, []
    if options.view:
        raise UsageError(f"--{_word(options.view)} is for a file of the run: name one PATH")
    return _table(options, trace.report, rows, notes)


def _keeping(folder: str) -> tuple[RecordedChanges, list[str]]:
    """What is kept of the files, and why it is nothing."""
    if not folder:
        return RecordedChanges((), ()), ["a trace file has no files in it, only what they were"]
    try:
        return read_recorded_changes(folder), []
    except RecordedUnusable as error:
        return RecordedChanges((), ()), [str(error)]


def _told(left: ExcludedChange) -> str:
    return f"not kept: {left.why}"


def _word(view: str) -> str:
    return "diff" if view == "diff" else "view"


def _of_path(rows: Sequence[PreviewFileRow], path: str) -> tuple[bool, list[PreviewFileRow]]:
    """The rows that a path means, and whether they are of that very path and not below it.

    It is told as the table tells it, or as any path is, from the current folder. Of two roots
    both may have it. Raises UsageError.
    """
    told = path.rstrip("/") or path
    meant = os.path.abspath(path)
    # The last name may be a link itself, so what is above it alone is followed.
    meant = os.path.join(os.path.realpath(os.path.dirname(meant)), os.path.basename(meant))
    inside = meant.rstrip(os.sep) + os.sep
    ways: tuple[tuple[bool, list[PreviewFileRow]], ...] = (
        (True, [each for each in rows if each.path == told]),
        (False, [each for each in rows if each.path.startswith(f"{told}/")]),
        (True, [each for each in rows if each.old == meant]),
        (False, [each for each in rows if each.old.startswith(inside)]),
    )
    for exact, found in ways:
        if found:
            return exact, found
    raise UsageError(
        f"the run did not change {path}; skillstudio preview --run RUN lists what it changed"
    )


def _file(options: Namespace, row: PreviewFileRow) -> int:
    lines = read_lines(options.lines)
    how: How = options.view or "preview"
    view = view_of_row(row, how, max(width(), 20))
    print_view(row.path, view, how, lines, options.format)
    return OK


def _table(
    options: Namespace, report: RunReport, rows: list[PreviewFileRow], notes: list[str]
) -> int:
    from skillstudio.cli.formats.painting import print_parts
    from skillstudio.cli.formats.previewed_run import run_value, table_lines

    lines = read_lines(options.lines)
    if options.format == "json":
        print_json(run_value(options.run, report, rows, notes))
        return OK
    colours = paint()
    is_part = len(rows) != len(report.changes)
    counts = (
        f"{len(rows):,} of {len(report.changes):,} changes" if is_part else changes_text(report)
    )
    print_parts([run_title(report), StyledLine(counts)], "preview")
    shown = rows[lines.start : lines.end]
    for line in table_lines(shown, colours):
        print(line)
    for note in notes:
        say(safe_text(note))
    say_rest(len(rows), lines.start + len(shown), lines, len(rows))
    return OK
