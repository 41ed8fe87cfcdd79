"""Update a skill to a newer version of its template: merge each file in three ways."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import below
from skillstudio.scaffold.new.catalogue import (
    included_template,
    is_address,
    open_template,
)
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.record import (
    FILE,
    INCLUDED_PREFIX,
    TemplateRecord,
    record_of,
    with_secrets,
    write_record,
)
from skillstudio.scaffold.new.renderer import Confinement
from skillstudio.scaffold.new.rendering import render
from skillstudio.scaffold.new.template import MISSING, Template
from skillstudio.skill.lookup import workspace_of
from skillstudio.text.merging import has_markers, merge_with_markers

Outcome = Literal["added", "changed", "merged", "removed", "conflict", "kept"]
_NOTES = {
    "deleted": "you deleted it; the template changed it",
    "removed": "the template removed it; you changed it",
    "binary": "not UTF-8 text; the template's version is in {}",
    "link": "not a file; the template's version is in {}",
}
_LABELS = ("yours", "template")
_CRLF = b"\r\n"


class UpdateRefused(Exception):
    """A skill that cannot be updated; the message says why."""


class ConflictsLeft(UpdateRefused):
    """Conflicts of an earlier update that are not resolved."""


class UpdatedFile(NamedTuple):
    """One file that the template or both sides changed; None where there is no file."""

    path: str
    outcome: Outcome
    old: bytes | None = None
    new: bytes | None = None
    executable: bool | None = None  # None: as it is.
    note: str = ""
    conflicts: int = 0

    @property
    def is_written(self) -> bool:
        return self.old != self.new or self.executable is not None


class TemplateUpdate(NamedTuple):
    """An update before it is written."""

    template: str
    old: str  # The versions, "" if unknown.
    new: str
    files: tuple[UpdatedFile, ...]
    answers: dict[str, Any]
    dropped_names: tuple[str, ...]  # Recorded answers to questions that the template no longer has.
    record: UpdatedFile

    @property
    def conflicts(self) -> int:
        return sum(file.conflicts for file in self.files)

    @property
    def written_files(self) -> list[UpdatedFile]:
        """The files to write: also the record, if something in it changed."""
        return [file for file in (*self.files, self.record) if file.is_written]

    @property
    def is_current(self) -> bool:
        """Whether nothing is to be done; another version alone is no change."""
        return not self.written_files


@contextmanager
def open_source(record: TemplateRecord, folder: str, which: str, ref: str) -> Iterator[Template]:
    """The template of a skill, as it is now; `which` replaces the recorded one.

    Raises UpdateRefused, TemplateNotFound, TemplateFault.
    """
    source = which or record.source
    if not source:
        raise UpdateRefused("its template was a folder outside of its repository; name it with "
                            "--template DIR")  # fmt: skip
    if not which and source.startswith(INCLUDED_PREFIX):
        name = source.removeprefix(INCLUDED_PREFIX)
        if ref:
            raise UpdateRefused(f"{name} is an included template; --ref needs a git repository")
        package_template = included_template(name) if os.path.basename(name) == name else None
        if package_template is None:
            raise UpdateRefused(f"this version of skillstudio has no template {name}; name another "
                                "with --template")  # fmt: skip
        yield package_template
        return
    if not which and not is_address(source) and source[:1] == ".":
        path = os.path.realpath(os.path.join(folder, source))
        if below(path, os.path.realpath(workspace_of(folder))) is None:
            raise UpdateRefused(f"its template {source} is outside of its repository; name it with "
                                "--template DIR")  # fmt: skip
        source = path
    elif not which and not is_address(source) and os.path.basename(source) != source:
        raise UpdateRefused(f"its template {source} is a path on another machine; name it with "
                            "--template DIR")  # fmt: skip
    with open_template(source, ref) as template:
        yield template


def rendered_before(record: TemplateRecord, confinement: Confinement | None) -> TemplateRecord:
    """The record with the files that the old version rendered: those in it, else those that a git
    repository still renders. Raises UpdateRefused, TemplateNotFound, TemplateFault."""
    if record.files is not None:
        return record
    if not (is_address(record.source) and record.version):
        raise UpdateRefused(
            f"{FILE} was not written by skillstudio and names no git repository with a commit, so "
            "the old version of the template is unknown"
        )
    with (
        open_template(record.source, record.version) as template,
        Interview(template, record.folder, confinement) as interview,
    ):
        answers = answers_of(interview.walk(known_answers(interview, record)))
        rendered_skill = render(interview, answers)
    return record._replace(files=rendered_skill.files, executable=rendered_skill.executable)


def known_answers(interview: Interview, record: TemplateRecord) -> dict[str, Any]:
    """The recorded answers to questions that the template still has."""
    names = {question.name for question in interview.template.questions}
    return {name: answer for name, answer in record.answers.items() if name in names}


def answers_of(questions: list[AskedQuestion]) -> dict[str, Any]:
    """The usable answers by name."""
    return {
        question.name: question.answer for question in questions if question.answer is not MISSING
    }


def plan_update(
    interview: Interview, questions: list[AskedQuestion], record: TemplateRecord, tree: DiskTree
) -> TemplateUpdate:
    """Merge the new version with the skill; writes nothing.

    `record` has the files of the old version. Raises UpdateRefused, TemplateFault.
    """
    rendered_skill = render(interview, answers_of(questions))
    after = record_of(interview, questions, rendered_skill, tree.root)
    if record.source and interview.template.origin == "path":
        after = after._replace(source=after.source or record.source)
    # Files are compared as they are recorded, so that a sensitive answer need not be given again.
    files = tuple(
        file._replace(new=with_secrets(file.new, questions))
        if file.new is not None and file.new != file.old
        else file
        for file in merged_files(record, after, tree)
    )
    is_same = (after.answers, after.files, after.executable, after.source) == (
        record.answers, record.files, record.executable, record.source,
    )  # fmt: skip
    old = _read(tree, FILE)
    new = old if is_same and not files else write_record(after)
    names = {question.name for question in questions}
    return TemplateUpdate(
        interview.template.name,
        record.version,
        after.version,
        files,
        after.answers,
        tuple(name for name in record.answers if name not in names),
        UpdatedFile(FILE, "changed", old, new),
    )


def merged_files(
    before: TemplateRecord, after: TemplateRecord, tree: DiskTree
) -> Iterator[UpdatedFile]:
    """Every file that the template changed, merged with the one on disk. Raises UpdateRefused."""
    base, new_files, version = before.files or {}, after.files or {}, after.version
    taken_paths = base.keys() | new_files.keys()
    for path in sorted(taken_paths):
        _refuse_markers(tree, path)
        old, new = base.get(path), new_files.get(path)
        was, becomes = path in before.executable, path in after.executable
        if old == new and was == becomes:
            continue
        if tree.kind(path) not in ("file", None):
            aside = _aside(tree, path, taken_paths)
            if new is not None:
                note = _NOTES["link"].format(aside)
                yield UpdatedFile(path, "conflict", note=note, conflicts=1)
                yield UpdatedFile(aside, "added", None, new, becomes)
            continue
        mine = _read(tree, path)
        merge = _merge(path, old, mine, new, version)
        if merge.outcome == "conflict" and merge.new is None:
            aside = _aside(tree, path, taken_paths)
            yield merge._replace(new=mine, note=_NOTES["binary"].format(aside))
            yield UpdatedFile(aside, "added", None, new, becomes)
        elif merge.new is None or mine is None:
            executable = becomes if merge.new is not None else None
            updated_file = merge._replace(executable=executable)
            if updated_file.is_written or updated_file.note:
                yield updated_file
        else:
            mode = becomes if was != becomes and _is_executable(tree, path) == was else None
            updated_file = merge._replace(executable=mode)
            if updated_file.is_written or updated_file.conflicts or updated_file.note:
                yield updated_file


def _refuse_markers(tree: DiskTree, path: str) -> None:
    """Raise ConflictsLeft if an earlier update left conflicts in a file."""
    data = _read(tree, path) if tree.kind(path) == "file" else None
    if data and has_markers((_text(data) or "").replace("\r\n", "\n"), _LABELS):
        raise ConflictsLeft(f"{path} has conflicts of an earlier update; resolve them first")


def _merge(
    path: str, old: bytes | None, mine: bytes | None, new: bytes | None, version: str
) -> UpdatedFile:
    """One file in three ways; a conflict without `new` is one of files that are not texts."""
    if mine is not None and _CRLF in mine and _CRLF not in (old or b"") + (new or b""):
        # git on Windows writes other line ends than the template has.
        updated_file = _merge(path, old, mine.replace(_CRLF, b"\n"), new, version)
        new_bytes = None if updated_file.new is None else updated_file.new.replace(b"\n", _CRLF)
        return updated_file._replace(old=mine, new=new_bytes)
    if new == old or mine == new:
        return UpdatedFile(path, "kept", mine, mine)
    if mine == old:
        outcome: Outcome = "added" if old is None else "removed" if new is None else "changed"
        return UpdatedFile(path, outcome, mine, new)
    if mine is None:
        return UpdatedFile(path, "kept", None, None, note=_NOTES["deleted"])
    if new is None:
        return UpdatedFile(path, "kept", mine, mine, note=_NOTES["removed"])
    texts = [_text(content) for content in (old or b"", mine, new)]
    if None in texts:
        return UpdatedFile(path, "conflict", mine, None, conflicts=1)
    labels = (_LABELS[0], f"{_LABELS[1]} {version[:12]}".rstrip())
    text, conflicts = merge_with_markers(str(texts[0]), str(texts[1]), str(texts[2]), labels)
    outcome = "conflict" if conflicts else "merged"
    return UpdatedFile(path, outcome, mine, text.encode(), conflicts=conflicts)


def _text(data: bytes) -> str | None:
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _read(tree: DiskTree, path: str) -> bytes | None:
    """The bytes of a file on disk, None if there is none. Raises UpdateRefused."""
    try:
        return tree.read(path) if tree.kind(path) is not None else None
    except OSError as error:
        raise UpdateRefused(f"{path}: {error.strerror or error}") from None


def _is_executable(tree: DiskTree, path: str) -> bool:
    return bool(tree.mode(path) & 0o111)


def _aside(tree: DiskTree, path: str, taken_paths: set[str]) -> str:
    """A free name for the template's version of a file that cannot be merged."""
    number = 1
    while (name := f"{path}.new{number if number > 1 else ''}") in taken_paths or tree.kind(name):
        number += 1
    taken_paths.add(name)
    return name
