"""Write an update of a template: all of its files, or none."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from skillstudio.dryrun.applying.apply import apply
from skillstudio.dryrun.applying.changes import ApplyChange, ApplyConflicts, ApplyFailed
from skillstudio.files.changeset import FileState, state_of
from skillstudio.files.disk import DiskTree
from skillstudio.files.saving.leftovers import kept_beside
from skillstudio.files.saving.locks import hold_locks
from skillstudio.files.temporary import NEW
from skillstudio.present.lines import count
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.record import FILE, read_record
from skillstudio.scaffold.new.renderer import Confinement
from skillstudio.scaffold.new.template import MISSING
from skillstudio.scaffold.new.updating import (
    TemplateUpdate,
    UpdatedFile,
    UpdateRefused,
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
            _clear_kept(update, folder)
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


def _clear_kept(update: TemplateUpdate, folder: str) -> None:
    """Remove what a killed update kept of files that are finished.

    Raises NotUpdated if it kept a former text of a file to write that is in no file, OSError.
    """
    disk = DiskTree(folder)
    merged_texts = dict(update.merged_texts)
    written_files = {file.path: file for file in update.written_files}
    kept_paths = kept_beside(folder, (*merged_texts, *written_files))
    with hold_locks(map(disk.path, kept_paths)):
        for path, kept_path in kept_paths.items():
            text = Path(kept_path).read_bytes()
            file = written_files.get(path)
            # The record is replaced last, so the former one tells no more.
            if path == FILE or merged_texts.get(path) == text:
                os.unlink(kept_path)
            elif file is not None and text not in (file.old, file.new):
                raise NotUpdated(
                    f"{path}: a killed update kept its former text in "
                    f"{os.path.basename(kept_path)}; keep what you need of it, delete it, and "
                    "update again"
                )
    for path, kept_path in kept_beside(folder, suffix=NEW).items():
        with hold_locks([disk.path(path)]):
            if Path(kept_path).read_bytes() == Path(disk.path(path)).read_bytes():
                os.unlink(kept_path)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def update_text(update: TemplateUpdate) -> str:
    """An update in one line."""
    if update.is_current and not update.conflicts:
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
