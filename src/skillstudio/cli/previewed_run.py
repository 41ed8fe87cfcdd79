"""`skillstudio preview --run`: preview what a recorded run changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Paint, Result, UsageError, say
from skillstudio.cli.trace import find_trace
from skillstudio.cli.view_output import read_lines, say_rest, view_result, width
from skillstudio.dryrun.applying.recorded_changes import (
    RecordedChanges,
    RecordedUnusable,
    read_recorded_changes,
)
from skillstudio.dryrun.report import RunReport
from skillstudio.present.lines import StyledLine
from skillstudio.present.outputs import changes_text, run_title
from skillstudio.session.previewing.files import How, PreviewFileRow, rows_of_run, view_of_row


def preview_run(options: CommandOptions) -> Result:
    """Show the changes of a run, or one of its files. Raises UsageError."""
    trace, folder = find_trace(options.run)
    keeping, notes = _keeping(folder)
    rows = list(rows_of_run(trace.report, keeping))
    notes += [f"not recorded: {each.why}" for each in keeping.left if not each.path]
    if options.path is not None:
        exact, found = _of_path(rows, options.path)
        if exact and len(found) == 1:
            return _file(options, found[0])
        rows, notes = found, []
    if options.view:
        named = "diff" if options.view == "diff" else "view"
        raise UsageError(f"--{named} is for a file of the run; name one PATH")
    return _table(options, trace.report, rows, notes)


def _keeping(folder: str) -> tuple[RecordedChanges, list[str]]:
    """The recorded files, and why there are none."""
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
    wanted = path.rstrip("/") or path
    meant = os.path.abspath(path)
    # The file may be a link itself, so only links above it are followed.
    meant = os.path.join(os.path.realpath(os.path.dirname(meant)), os.path.basename(meant))
    inside = meant.rstrip(os.sep) + os.sep
    ways: tuple[tuple[bool, list[PreviewFileRow]], ...] = (
        (True, [each for each in rows if each.path == wanted]),
        (False, [each for each in rows if each.path.startswith(f"{wanted}/")]),
        (True, [each for each in rows if each.old == meant]),
        (False, [each for each in rows if each.old.startswith(inside)]),
    )
    for exact, found in ways:
        if found:
            return exact, found
    raise UsageError(
        f"the run did not change {path}; skillstudio preview --run RUN lists what it changed"
    )


def _file(options: CommandOptions, row: PreviewFileRow) -> Result:
    lines = read_lines(options.lines)
    how: How = options.view or "preview"
    return view_result(row.path, view_of_row(row, how, max(width(), 20)), how, lines)


def _table(
    options: CommandOptions, report: RunReport, rows: list[PreviewFileRow], notes: list[str]
) -> Result:
    from skillstudio.cli.formats.painting import painted
    from skillstudio.cli.formats.previewed_run import run_value, table_lines

    lines = read_lines(options.lines)
    is_part = len(rows) != len(report.changes)
    counts = (
        f"{len(rows):,} of {len(report.changes):,} changes" if is_part else changes_text(report)
    )

    def text(paint: Paint) -> Iterator[str]:
        yield from painted([run_title(report), StyledLine(counts)], paint)
        shown = rows[lines.start : lines.end]
        yield from table_lines(shown, paint)
        for note in notes:
            say(note)
        say_rest(len(rows), lines.start + len(shown), lines, len(rows))

    return Result(lambda: run_value(options.run, report, rows, notes), text)
