"""The expected outputs and the changed files of a run as rows, read when they are viewed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.checking import judge, path_fault
from skillstudio.dryrun.applying.recorded_changes import ExcludedChange, RecordedChanges
from skillstudio.dryrun.plan import Plan, Roots
from skillstudio.dryrun.report import RunFileChange, RunReport
from skillstudio.files.changeset import FileState
from skillstudio.present.lines import LineStyle, Part, laid_out
from skillstudio.present.outputs import (
    UNDECLARED_LABEL,
    declared_outputs,
    output_notes,
    output_state,
)
from skillstudio.present.run_report import GLYPHS, undeclared_files
from skillstudio.preview import ahead
from skillstudio.preview.files import view_of
from skillstudio.preview.source import ByteSource, Special, What, open_source
from skillstudio.preview.spans import Line, line, plain, wrap_line
from skillstudio.preview.view import FileView, LazyView, first_line
from skillstudio.preview.views.difference import Side, difference, line_counts

How = Literal["preview", "diff", "raw", "hex"]
HOWS: tuple[How, ...] = ("preview", "diff", "raw", "hex")
APPLIED_STATUS = "applied"
_INDENT = 2
_MAX_JUDGED = 200  # The most changes that are compared with the real folders for a list.
_MAX_COUNTED = 50  # The most changed files whose lines are counted for it.
_STYLES: Mapping[str, LineStyle] = {"added": "good", "modified": "warning", "removed": "error"}
_SPANS: Mapping[LineStyle, str] = {
    "title": "heading",
    "heading": "heading",
    "error": "error",
    "warning": "warning",
    "good": "added",
    "quiet": "quiet",
}
_HOME = "changes in the run's temporary home folder are not recorded"
_SPECIALS: Mapping[str, What] = {"pipe": "pipe", "socket": "socket", "device": "device"}
_NO_FILE = "{}: it has no content to show and is never applied"
_NO_OTHER = "there is no file to compare with"
_NOT_RECORDED = "the content of this file was not recorded"
_DELETED_NOTE = "the recorded files of this run were deleted, so this cannot be shown or applied"


class PreviewFileRow(NamedTuple):
    """A line of the table. Its texts may be unsafe for a terminal."""

    glyph: str
    path: str
    about: str  # Its kind, or its expected change.
    size: int | None = None
    declared: str = ""
    root: str = ""
    style: LineStyle = ""
    new: str = ""  # The absolute path of the shown content; "" for none.
    old: str = ""  # The absolute path in the real folder; "" for none.
    notes: tuple[str, ...] = ()  # Notes shown instead of the content.
    after: FileState | None = None  # The state after the run, if it is known.
    change: ApplyChange | None = None  # The change that can be applied.
    lines_changed: tuple[int, int] | None = None  # Added and removed lines, if they were counted.
    status: str = ""  # APPLIED, or why the change cannot be applied.
    lines: tuple[Line, ...] | None = None
    source: ByteSource | None = None


def rows_ahead(plan: Plan, workspace: str = "") -> Iterator[PreviewFileRow]:
    """The expected outputs of a plan, with the files that exist already. `workspace` describes the
    workspace, if its path says nothing."""
    for output in ahead.look_ahead(declared_outputs(plan)):
        yield from _ahead(output, workspace if output.folder == plan.roots.workspace else "")


def _ahead(output: ahead.ExpectedOutput, folder: str) -> Iterator[PreviewFileRow]:
    glyph, about, style = output_state(output)
    size = output.existing[0].size if output.state == "exists" and output.existing else None
    path = os.path.join(output.folder, *output.path.split("/")) if output.path else ""
    new = path if output.state in ("exists", "link", "taken") else ""
    label = output.path or output.pattern
    notes = tuple(output_notes(output, folder))
    yield PreviewFileRow(
        glyph, label, about, size, output.pattern, output.base, style, new, notes=notes
    )
    if output.state == "pattern":
        for file in output.existing:
            at = os.path.join(output.folder, *file.path.split("/"))
            yield PreviewFileRow(
                "·", file.path, "exists now", file.size, output.pattern, output.base, "quiet", at
            )


def rows_of_run(report: RunReport, recorded_changes: RecordedChanges) -> Iterator[PreviewFileRow]:
    """The changes of a run, with the recorded content."""
    all_wanted: dict[tuple[str, str], ApplyChange] = {
        (change.root, change.path): change for change in recorded_changes.applicable_changes
    }
    all_left = {(change.root, change.path): change for change in recorded_changes.exclusions}
    undeclared_keys = undeclared_files(report)
    for change in report.changes:
        key = (change.root, change.path)
        pattern = UNDECLARED_LABEL if key in undeclared_keys else change.pattern
        yield _make_row(report.plan.roots, change, pattern, all_wanted.get(key), all_left.get(key))


def _make_row(
    roots: Roots,
    change: RunFileChange,
    pattern: str,
    apply_change: ApplyChange | None,
    exclusion: ExcludedChange | None,
) -> PreviewFileRow:
    folder = {"workspace": roots.workspace, "skill": roots.skill}.get(change.root, "")
    is_plain = not path_fault(change.path)
    old = os.path.join(folder, *change.path.split("/")) if folder and is_plain else ""
    if apply_change is not None and is_plain:
        old = apply_change.target
    notes: tuple[str, ...] = ()
    if apply_change is None and change.change != "removed":
        notes = (
            f"it {exclusion.why}"
            if exclusion
            else _HOME
            if change.root == "home"
            else _NOT_RECORDED,
        )
    after = apply_change.after if apply_change is not None else None
    if after is not None and after.kind == "other":
        what = _SPECIALS.get(change.kind)
        notes = (
            _NO_FILE.format(
                Special("", what).description if what else "not a file, folder or link"
            ),
        )
    has_bytes = apply_change is not None and is_plain and after is not None and after.kind == "file"
    return PreviewFileRow(
        GLYPHS[change.change],
        change.path,
        change.kind,
        change.size,
        pattern,
        change.root,
        _STYLES[change.change],
        apply_change.source if apply_change is not None and has_bytes else "",
        old,
        notes,
        after,
        apply_change,
    )


def undeclared_first(rows: Iterable[PreviewFileRow]) -> list[PreviewFileRow]:
    """The changes of a run in the order in which a report lists them."""
    return sorted(rows, key=lambda row: row.declared != UNDECLARED_LABEL)


def compare_rows(rows: Sequence[PreviewFileRow]) -> Iterator[PreviewFileRow]:
    """The changes of a run with their state in the real folders, and how many lines they change.

    Of a run with very many changes neither is known.
    """
    changes = [row.change for row in rows if row.change is not None]
    status: dict[tuple[str, str], str] = {}
    if len(changes) <= _MAX_JUDGED:
        judgement = judge(changes)
        status |= {(change.root, change.path): APPLIED_STATUS for change in judgement.already}
        status |= {(fault.root, fault.path): fault.message for fault in judgement.conflicts}
    counted_rows = 0
    for row in rows:
        lines = None
        state = status.get((row.root, row.path), "")
        is_change = row.glyph == GLYPHS["modified"] and row.change is not None
        if is_change and state != APPLIED_STATUS and counted_rows < _MAX_COUNTED:
            counted_rows += 1
            lines = line_counts(open_source(row.old, row.path), _new(row))
        if row.change is None:
            state = next(iter(row.notes), "")
        yield row._replace(lines_changed=lines, status=state)


def view_of_row(row: PreviewFileRow, how: How, width: int, on_screen: bool = False) -> FileView:
    """The view of a row; `width` is the maximum width of wrapped text.

    `on_screen`: with folds, pictures, and differences side by side where there is room.
    """
    if row.lines is not None:
        return LazyView(row.path, "card", set_lines(row.lines, width))
    if row.source is not None:
        return view_of(row.source, "preview" if how == "diff" else how, width, on_screen)
    if _is_deleted(row):
        return _notes_view(row._replace(notes=(_DELETED_NOTE,)), "nothing", width)
    if how == "diff":
        return _difference(row, width, width if on_screen else 0)
    content = _open_content(row)
    if content is not None:
        return view_of(content, how, width, on_screen)
    return _notes_view(row, "nothing", width)


def ways_of_row(row: PreviewFileRow) -> tuple[How, ...]:
    """The ways in which a row has something to show; none for one that has only notes."""
    if row.lines is not None or _is_deleted(row):
        return ()
    has_bytes = bytes_of(row) is not None
    has_new = row.glyph == "-" or _new(row) is not None
    has_diff = row.source is None and bool(row.old) and has_new
    has_way = {"preview": has_diff or has_bytes, "diff": has_diff, "raw": has_bytes}
    return tuple(how for how in HOWS if has_way.get(how, has_bytes))


def _is_deleted(row: PreviewFileRow) -> bool:
    """Whether the recorded content of a row was deleted since."""
    return row.change is not None and bool(row.new) and not os.path.lexists(row.new)


def _notes_view(row: PreviewFileRow, kind: str, width: int, instead: str = "") -> FileView:
    notes = row.notes or ((instead,) if instead else ())
    return LazyView(row.path, kind, set_lines([line((note, "quiet")) for note in notes], width))


def set_lines(lines: Iterable[Line], width: int) -> Iterator[Line]:
    """Lines wrapped to a width."""
    for row in lines:
        yield from wrap_line(row, max(width - 1, 20), _INDENT if plain(row)[:1] != " " else 0)


def span_lines(parts: Iterable[Part]) -> Iterator[Line]:
    """Styled lines as lines of a view."""
    for styled_line in laid_out(parts):
        style = _SPANS.get(styled_line.style, "")
        lead = f"{styled_line.lead} " if styled_line.lead else ""
        remark = f"  {styled_line.remark}" if styled_line.remark else ""
        text = (styled_line.text, "" if styled_line.lead else style)
        yield line("  " * styled_line.indent, (lead, style), text, (remark, "quiet"))


def bytes_of(row: PreviewFileRow) -> ByteSource | None:
    """The content of a row; None if there is no readable file."""
    if row.lines is not None or row.source is not None:
        return row.source
    content = _open_content(row)
    return None if isinstance(content, Special) else content


def _open_content(row: PreviewFileRow) -> Side:
    content = _new(row)
    if content is None and row.glyph == "-" and row.old:
        # A file that the run removed is still in the real folder.
        return open_source(row.old, row.path)
    return content


def _difference(row: PreviewFileRow, width: int, beside: int) -> FileView:
    is_removed = row.glyph == "-"
    new = None if is_removed else _new(row)
    if not row.old or (new is None and not is_removed):
        return _notes_view(row, "diff", width, _NO_OTHER)
    real = open_source(row.old, row.path)
    is_missing = isinstance(real, Special) and real.what == "missing"
    return difference(None if is_missing else real, new, beside)


def _new(row: PreviewFileRow) -> Side:
    after = row.after
    if after is not None and after.kind == "link":
        return Special(row.path, "link", after.target)
    if after is not None and after.kind == "folder":
        return Special(row.path, "folder")
    if not row.new:
        return None
    content = open_source(row.new, row.path)
    if after is not None and not isinstance(content, Special):
        # The recorded copy has another mode.
        content.mode = after.mode
    return content


def find_line(view: FileView, text: str, start: int, is_wanted: Callable[[], bool]) -> int:
    """The first line with a text from `start` on, else from the first; -1 for none."""
    last, load_more = view, view.load_more
    line = first_line(view, text, start, is_wanted)
    while line < 0 and is_wanted() and (wider := load_more()) is not None:
        last, load_more = wider, wider.load_more
        line = first_line(wider, text, start, is_wanted)
    return line if line >= 0 or not start else first_line(last, text, 0, is_wanted)
