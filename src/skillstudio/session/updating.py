"""Write an update of a template: all of its files, or none."""

from __future__ import annotations

import hashlib
import os
from tempfile import TemporaryDirectory

from skillstudio.dryrun.applying.apply import apply
from skillstudio.dryrun.applying.changes import ApplyChange, ApplyFailed, Conflicting
from skillstudio.files.changeset import FileState, state_of
from skillstudio.files.disk import DiskTree
from skillstudio.present.lines import count
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.record import read_record
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
from skillstudio.text.hunks import unified
from skillstudio.text.source import decode

_NEW = 0o644


class NotUpdated(Exception):
    """Nothing was written; the message has a line for each reason."""


def write_update(update: TemplateUpdate, folder: str) -> None:
    """Write an update to a skill. Raises NotUpdated, also if a file changed since it was read."""
    with TemporaryDirectory(prefix="skillstudio-") as place:
        try:
            changes = [
                _change(file, folder, os.path.join(place, str(number)))
                for number, file in enumerate(update.written)
            ]
            apply(changes)
        except Conflicting as error:
            lines = [f"{conflict.path}: {conflict.message}" for conflict in error.conflicts]
            raise NotUpdated("\n".join(lines)) from None
        except ApplyFailed as error:
            raise NotUpdated(str(error)) from None
        except OSError as error:
            raise NotUpdated(f"nothing was written: {error.strerror or error}") from None


def _change(each: UpdatedFile, folder: str, source: str) -> ApplyChange:
    before = None
    mode = _NEW
    if each.old is not None:
        state = state_of(os.path.join(folder, *each.path.split("/")))
        mode = state.mode
        # Nothing is written if the bytes are no longer those that were merged.
        before = state._replace(size=len(each.old), digest=_digest(each.old), stamp=None)
    if each.executable is not None:
        mode = mode | 0o111 if each.executable else mode & ~0o111
    after = None
    if each.new is not None:
        with open(source, "wb") as file:
            file.write(each.new)
        after = FileState("file", mode, len(each.new), _digest(each.new))
    return ApplyChange("skill", folder, each.path, before, after, source)


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
    shown = f" ({versions})" if versions else ""
    return f"template {update.template}{shown}: {', '.join(words) or 'only the answers changed'}"


def update_rows(update: TemplateUpdate) -> list[MoveRow]:
    """An update for a preview: each file with its diff."""
    found: list[MoveRow] = []
    for file in update.files:
        note = f": {file.note}" if file.note else ""
        found.append(MoveRow("head", f"{file.path} ({file.outcome}{note})"))
        if file.is_written and not _is_binary(file):
            found += diff_rows(file.path, *_texts(file))
    return found


def look_for_update(folder: str, confinement: Confinement | None) -> TemplateUpdate:
    """Plan an update with the recorded answers, and the defaults of new questions.

    Raises RecordRefused, UpdateRefused, TemplateNotFound, TemplateFault, RendererMissing.
    """
    tree = DiskTree(folder)
    record = rendered_before(read_record(tree), confinement)
    with (
        open_source(record, folder, "", "") as template,
        Interview(template, record.folder, confinement) as interview,
    ):
        asked = interview.walk(known_answers(interview, record))
        wrong = [sentence for question in asked for sentence in question.sentences]
        wrong += [
            f"{question.name} needs an answer: skillstudio update -D {question.name}=VALUE"
            for question in asked
            if question.shown and question.answer is MISSING
        ]
        if wrong:
            raise UpdateRefused("; ".join(wrong))
        return plan_update(interview, asked, record, tree)


def _is_binary(each: UpdatedFile) -> bool:
    return any(data is not None and b"\0" in data for data in (each.old, each.new))


def _texts(each: UpdatedFile) -> tuple[str, str]:
    old, new = ("" if data is None else decode(data)[0] for data in (each.old, each.new))
    return old, new


def file_diff(each: UpdatedFile) -> str:
    """The unified diff of a file; a sentence if it is not a text."""
    if _is_binary(each):
        return f"{each.path}: not a text file\n"
    names = [
        "/dev/null" if data is None else f"{side}/{each.path}"
        for side, data in (("a", each.old), ("b", each.new))
    ]
    return unified(*_texts(each), names[0], names[1])
