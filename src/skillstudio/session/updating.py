"""Write an update of a template: all of its files, or none."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Any

from skillstudio.dryrun.applying.apply import apply
from skillstudio.dryrun.applying.changes import ApplyChange, ApplyConflicts, ApplyFailed
from skillstudio.files.changeset import FileState, state_of
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import below
from skillstudio.files.placing import path_fault
from skillstudio.files.saving.locks import hold_locks
from skillstudio.files.temporary import NEW, OLD, beside
from skillstudio.present.lines import count
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.record import FILE, RecordRefused, parse_record, read_record
from skillstudio.scaffold.new.renderer import Confinement
from skillstudio.scaffold.new.template import MISSING
from skillstudio.scaffold.new.updating import (
    TemplateUpdate,
    UpdatedFile,
    UpdateRefused,
    is_merged,
    known_answers,
    open_source,
    plan_update,
    rendered_before,
)
from skillstudio.session.moving import MoveRow, diff_rows
from skillstudio.text.hunks import unified_diff
from skillstudio.text.source import decode

_NEW = 0o644
_MOST_PLACES = 3


class NotUpdated(Exception):
    """Nothing was written; the message has a line for each reason."""


def write_update(update: TemplateUpdate, folder: str) -> None:
    """Write an update to a skill, and remove what a killed one left.

    Raises NotUpdated, also if a file changed since it was read.
    """
    with TemporaryDirectory(prefix="skillstudio-") as place:
        try:
            changes = [
                _change(file, folder, os.path.join(place, str(number)))
                for number, file in enumerate(update.written_files)
            ]
            # After a kill, another update finishes what the old record still names.
            removed_paths = [file.path for file in update.written_files if file.new is None]
            if changes:
                apply(changes, last=[*removed_paths, update.record.path])
        except ApplyConflicts as error:
            lines = [f"{conflict.path}: {conflict.message}" for conflict in error.conflicts]
            raise NotUpdated("\n".join(lines)) from None
        except ApplyFailed as error:
            raise NotUpdated(str(error)) from None
        except OSError as error:
            raise NotUpdated(f"nothing was written: {error.strerror or error}") from None
    # What cannot be removed is no part of the skill, and `doctor --clean` names it.
    with suppress(OSError):
        _clear_previous(update, folder)


def _change(updated_file: UpdatedFile, folder: str, source: str) -> ApplyChange:
    before = None
    mode = _NEW
    if updated_file.old is not None:
        state = state_of(os.path.join(folder, *updated_file.path.split("/")))
        mode = state.mode
        # Nothing is written if the bytes are no longer those that were merged.
        before = state._replace(
            size=len(updated_file.old), digest=_digest(updated_file.old), stamp=None
        )
    if updated_file.executable is not None:
        mode = mode | 0o111 if updated_file.executable else mode & ~0o111
    after = None
    if updated_file.new is not None:
        with open(source, "wb") as file:
            file.write(updated_file.new)
        after = FileState("file", mode, len(updated_file.new), _digest(updated_file.new))
    return ApplyChange("skill", folder, updated_file.path, before, after, source)


def _clear_previous(update: TemplateUpdate, folder: str) -> None:
    """Remove the previous versions, kept by a killed update, of files that it had merged.

    One that another merge does not turn into the present file stays. Raises OSError.
    """
    disk = DiskTree(folder)
    old_record = beside(disk.path(FILE)) + OLD
    try:
        # The record is replaced last, and its previous version is removed last.
        before = parse_record(_read(old_record) or update.record.old or b"")
        after = parse_record(update.record.new or b"")
    except RecordRefused:
        return
    paths = sorted({*(before.files or {}), *(after.files or {})})
    targets = {path: disk.path(path) for path in paths if not path_fault(path)}
    real_folder = os.path.realpath(folder)
    targets = {
        path: target
        for path, target in targets.items()
        if any(os.path.isfile(beside(target) + suffix) for suffix in (NEW, OLD))
        and below(os.path.realpath(os.path.dirname(target)), real_folder) is not None
    }
    if not targets and not os.path.isfile(old_record):
        return
    with hold_locks([*targets.values(), disk.path(FILE)]):
        for path, target in targets.items():
            _unlink(beside(target) + NEW)
            previous = _read(beside(target) + OLD)
            if previous is not None and is_merged(path, before, previous, after, _read(target)):
                _unlink(beside(target) + OLD)
        _unlink(old_record)


def _unlink(path: str) -> None:
    if os.path.isfile(path):
        os.unlink(path)


def _read(path: str) -> bytes | None:
    """The bytes of a file; None if there is none. Raises OSError."""
    if not os.path.isfile(path) or os.path.islink(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def update_text(update: TemplateUpdate) -> str:
    """An update in one line."""
    if update.is_current:
        return f"up to date with the template {update.template}"
    versions = " → ".join(version[:12] for version in (update.old, update.new) if version)
    words = []
    for outcome in ("added", "changed", "merged", "removed", "kept"):
        number = sum(file.outcome == outcome for file in update.files)
        words += [f"{number} {outcome}"] if number else []
    if update.conflicts:
        words.append(count(update.conflicts, "conflict"))
    version_range = f" ({versions})" if versions else ""
    return (
        f"template {update.template}{version_range}: "
        f"{', '.join(words) or 'only the answers changed'}"
    )


def conflicts_text(update: TemplateUpdate) -> str:
    """The first places of conflicts, as `path:line`; "" without conflicts."""
    places = update.conflict_places
    more = len(places) - _MOST_PLACES
    return ", ".join(places[:_MOST_PLACES]) + (f" and {more} more" if more > 0 else "")


def update_rows(update: TemplateUpdate) -> list[MoveRow]:
    """An update for a preview: each file with its diff."""
    dropped_notes = [
        f"the template no longer asks for {name}, so its answer is dropped"
        for name in update.dropped_names
    ]
    rows = [MoveRow("head", note) for note in (*dropped_notes, *update.notes)]
    for file in update.files:
        note = f": {file.note}" if file.note else ""
        lines = ", ".join(map(str, file.conflict_lines))
        conflicts = f" at {'lines' if ',' in lines else 'line'} {lines}" if lines else ""
        rows.append(MoveRow("head", f"{file.path} ({file.outcome}{conflicts}{note})"))
        if file.is_written and not _is_binary(file) and not _is_moved_away(file, update):
            rows += diff_rows(file.path, *_texts(file))
    return rows


def update_diff(update: TemplateUpdate) -> str:
    """The diffs of all files; one that the template renamed is compared with its former path."""
    return "".join(file_diff(file) for file in update.files if not _is_moved_away(file, update))


def _is_moved_away(updated_file: UpdatedFile, update: TemplateUpdate) -> bool:
    return any(file.origin == updated_file.path for file in update.files)


Ask = Callable[[Interview, dict[str, Any]], list[AskedQuestion]]
"""Returns all questions with answers, given the recorded answers to them."""


def look_for_update(
    folder: str,
    confinement: Confinement | None,
    which: str = "",
    ref: str = "",
    ask: Ask | None = None,
) -> TemplateUpdate:
    """Plan an update to the recorded template, or to `which`, at a branch or tag.

    Without `ask`, new questions have their defaults. Raises RecordRefused, UpdateRefused,
    TemplateNotFound, TemplateFault, RendererMissing.
    """
    tree = DiskTree(folder)
    record = rendered_before(read_record(tree), confinement)
    with (
        open_source(record, folder, which, ref) as template,
        Interview(template, record.folder, confinement) as interview,
    ):
        questions = (ask or default_answers)(interview, known_answers(interview, record))
        return plan_update(interview, questions, record, tree)


def default_answers(interview: Interview, recorded_answers: dict[str, Any]) -> list[AskedQuestion]:
    """The recorded answers, and the defaults of new questions. Raises UpdateRefused."""
    questions = interview.walk(recorded_answers)
    wrong = [sentence for question in questions for sentence in question.sentences]
    wrong += [
        f"{question.name} needs an answer: skillstudio update -D {question.name}=VALUE"
        for question in questions
        if question.is_shown and question.answer is MISSING
    ]
    if wrong:
        raise UpdateRefused("; ".join(wrong))
    return questions


def _is_binary(updated_file: UpdatedFile) -> bool:
    return any(data is not None and b"\0" in data for data in (updated_file.old, updated_file.new))


def _texts(updated_file: UpdatedFile) -> tuple[str, str]:
    before = updated_file.origin_bytes if updated_file.origin else updated_file.old
    old, new = ("" if data is None else decode(data)[0] for data in (before, updated_file.new))
    return old, new


def file_diff(updated_file: UpdatedFile) -> str:
    """The unified diff of a file; a sentence if there is none but the file changes."""
    path, origin = updated_file.path, updated_file.origin
    note = f": {updated_file.note}" if updated_file.note else ""
    if updated_file.old == updated_file.new:
        return f"{path} ({updated_file.outcome}{note})\n"
    if _is_binary(updated_file):
        return f"{path}: not a text file\n"
    old_name, new_name = f"a/{origin or path}", f"b/{path}"
    if updated_file.old is None and not origin:
        old_name = "/dev/null"
    if updated_file.new is None:
        new_name = "/dev/null"
    start = f"{path}{note}\n" if origin else ""
    return start + unified_diff(*_texts(updated_file), old_name, new_name)
