"""Update a skill to a newer version of its template: merge each file in three ways."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import below
from skillstudio.files.placing import path_fault
from skillstudio.files.saving.leftovers import kept_beside
from skillstudio.files.workspace import workspace_of
from skillstudio.scaffold.new.catalogue import (
    included_template,
    is_address,
    is_older,
    open_template,
)
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.record import (
    FILE,
    IGNORE_FILE,
    INCLUDED_PREFIX,
    TemplateRecord,
    parse_record,
    record_of,
    with_secrets,
    write_record,
)
from skillstudio.scaffold.new.renames import match_files, own_files
from skillstudio.scaffold.new.renderer import Confinement
from skillstudio.scaffold.new.rendering import render
from skillstudio.scaffold.new.template import MISSING, Template
from skillstudio.text.merging import has_markers, merge_with_markers

Outcome = Literal["added", "changed", "merged", "removed", "conflict", "kept"]
_NOTES = {
    "deleted": "you deleted it; the template changed it",
    "removed": "the template removed it; you changed it",
    "binary": "not UTF-8 text; the template's version is in {}",
    "link": "not a file; the template's version is in {}",
    "blocked": "not a folder; the template's version of {} is in {}",
    "left": "the template leaves it to you (_skip_if_exists)",
    "renamed": "renamed by the template from {}",
    "moved": "the template renamed it to {}, with your changes",
    "yours": "you renamed it from {}",
    "executable": "made executable",
    "not executable": "no longer executable",
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
    origin: str = ""  # The former path of a file that the template renamed,
    origin_bytes: bytes | None = None  # and what the author had there.

    @property
    def conflict_lines(self) -> list[int]:
        """The lines, from 1, of the markers at which conflicts start."""
        if self.outcome != "conflict" or self.new is None:
            return []
        start = f"<<<<<<< {_LABELS[0]}".encode()
        lines = self.new.split(b"\n")
        return [number for number, line in enumerate(lines, 1) if line.rstrip(b"\r") == start]

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
    notes: tuple[str, ...] = ()  # What of the template was not used, and why.
    merged_texts: tuple[tuple[str, bytes], ...] = ()
    """The paths and former texts that a killed update kept of files that it had merged."""

    @property
    def conflicts(self) -> int:
        return sum(file.conflicts for file in self.files)

    @property
    def conflict_places(self) -> list[str]:
        """Each conflict as `path:line`, or as a path if the file cannot have markers."""
        return [
            place
            for file in self.files
            if file.conflicts
            for place in [f"{file.path}:{line}" for line in file.conflict_lines] or [file.path]
        ]

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

    Without `ref`, a git repository is opened at the recorded branch, else at its newest version.
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
    is_followed = is_address(source) and not which
    with open_template(source, ref or (record.ref if is_followed else "")) as template:
        if is_followed and not ref and is_older(template.commit, record.version):
            raise UpdateRefused(
                f"its newest tag {template.commit} is older than {record.version}, its version; "
                f"--ref {template.commit} goes back to it"
            )
        yield template


def rendered_before(record: TemplateRecord, confinement: Confinement | None) -> TemplateRecord:
    """The record with the files that the old version rendered: those in it, else those that a git
    repository still renders. Raises UpdateRefused, TemplateNotFound, TemplateFault."""
    for path in record.files or ():
        if fault := path_fault(path):
            raise UpdateRefused(f"{FILE} names a file whose path {fault}: {path!r}")
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
    merged_texts = tuple(find_merged_texts(record, after, tree))
    files = tuple(
        file._replace(new=with_secrets(file.new, questions))
        if file.new is not None and file.new != file.old
        else file
        for file in merged_files(
            record,
            after,
            tree,
            rendered_skill.left_paths,
            rendered_skill.links,
            [path for path, _ in merged_texts],
        )
    )
    is_same = (after.answers, after.files, after.executable, after.source, after.ref) == (
        record.answers, record.files, record.executable, record.source, record.ref,
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
        (*interview.template.update_notes, *_link_notes(rendered_skill.links, tree)),
        merged_texts,
    )


def _link_notes(links: Mapping[str, str], tree: DiskTree) -> Iterator[str]:
    """A sentence for each link of the template that the skill does not have."""
    for path, target in sorted(links.items()):
        if tree.kind(path) != "link" or tree.target(path) != target:
            yield f"{path} is a link to {target} in the template; update leaves links alone"


def merged_files(
    before: TemplateRecord,
    after: TemplateRecord,
    tree: DiskTree,
    left_paths: Collection[str] = (),
    links: Collection[str] = (),
    merged_paths: Collection[str] = (),
) -> Iterator[UpdatedFile]:
    """Every file that the template changed, merged with the one on disk. Raises UpdateRefused.

    Existing files at `left_paths` belong to the author. Files that the template replaces with
    `links` stay. A killed update has merged those at `merged_paths`.
    """
    return _FileMerge(before, after, tree, left_paths, links, merged_paths).run()


def find_merged_texts(
    record: TemplateRecord, after: TemplateRecord, tree: DiskTree
) -> Iterator[tuple[str, bytes]]:
    """The paths and former texts that a killed update kept of files that it had merged.

    A text counts only if merging it again results in the present file, so that nobody needs it.
    Raises UpdateRefused.
    """
    # The record is replaced last, and its former text is removed last.
    record_path = kept_beside(tree.root, [FILE]).get(FILE, "")
    before = parse_record(Path(record_path).read_bytes()) if record_path else record
    kept_paths = kept_beside(tree.root, (*(before.files or ()), *(after.files or ())))
    base, new = before.files or {}, after.files or {}
    missing_paths = [path for path in base if tree.kind(path) is None]
    added_paths = [path for path in new if path not in base]
    for path, kept_path in kept_paths.items():
        if path == FILE:
            continue
        text = Path(kept_path).read_bytes()
        # In its place; moved by the author, from what is missing; renamed by the template.
        merges = [(path, path, path)] if path in base or path in new else []
        merges += [(missing, missing, path) for missing in missing_paths]
        merges += [(path, added, added) for added in added_paths if path in base]
        for old_path, new_path, place in merges:
            if tree.kind(place) not in ("file", None):
                continue
            merge = _merge(place, base.get(old_path), text, new.get(new_path), after.version)
            if merge.new == _read(tree, place):
                yield path, text
                break


class _FileMerge:
    """The merge of all files of a skill."""

    def __init__(
        self,
        before: TemplateRecord,
        after: TemplateRecord,
        tree: DiskTree,
        left_paths: Collection[str],
        links: Collection[str],
        merged_paths: Collection[str],
    ) -> None:
        self.tree = tree
        self.new_files = after.files or {}
        self.base = {path: data for path, data in (before.files or {}).items() if path not in links}
        self.was, self.becomes = before.executable, after.executable
        self.version = after.version
        self.left_paths = left_paths
        self.merged_paths = merged_paths
        self.taken_paths = self.base.keys() | self.new_files.keys()
        self.aside_folders: dict[str, str] = {}

    def run(self) -> Iterator[UpdatedFile]:
        renames = self._template_renames()
        new_paths = set(renames.values())
        done_paths = {*new_paths, *self.merged_paths}
        moves = self._author_renames(new_paths)
        for path in sorted({*moves.values(), *self.taken_paths} - done_paths):
            self._refuse_markers(path)
        for path in sorted(self.taken_paths):
            if path in self.merged_paths and self.tree.kind(path) == "file":
                yield from self._done(path)
            elif path in renames:
                yield from self._renamed(path, renames[path])
            elif path in moves:
                yield from self._moved(path, moves[path])
            elif path not in new_paths and not self._is_same(path):
                yield from self._file(path)

    def _is_same(self, path: str) -> bool:
        is_same_mode = (path in self.was) == (path in self.becomes)
        return is_same_mode and self.base.get(path) == self.new_files.get(path)

    def _template_renames(self) -> dict[str, str]:
        """Files that the template renamed and the author changed, old path to new path."""
        renames = match_files(
            {path: data for path, data in self.base.items() if path not in self.new_files},
            {path: data for path, data in self.new_files.items() if path not in self.base},
        )
        return {
            old: new
            for old, new in renames.items()
            if self.tree.kind(old) == "file"
            and not self._blocking_path(new)
            and _read(self.tree, old) not in (self.base[old], self.new_files[new])
            and self._is_free(old, new)
        }

    def _is_free(self, old_path: str, path: str) -> bool:
        """Whether a new path has no file, or the one that a killed update has merged."""
        if self.tree.kind(path) != "file":
            return self.tree.kind(path) is None
        mine, new = _read(self.tree, old_path), self.new_files[path]
        merge = _merge(path, self.base[old_path], mine, new, self.version)
        return merge.new == _read(self.tree, path)

    def _author_renames(self, new_paths: Collection[str]) -> dict[str, str]:
        """Files that the template changed and the author renamed, old path to new path."""
        missing_files = {
            path: data
            for path, data in self.base.items()
            if path in self.new_files and not self._is_same(path) and self.tree.kind(path) is None
        }
        if not missing_files:
            return {}
        candidates = own_files(self.tree, (*self.taken_paths, *new_paths, FILE, IGNORE_FILE))
        return match_files(missing_files, candidates)

    def _renamed(self, old_path: str, path: str) -> Iterator[UpdatedFile]:
        """A file that the template renamed, with the changes of the author."""
        old, mine, new = self.base[old_path], _read(self.tree, old_path), self.new_files[path]
        merge = _merge(path, old, mine, new, self.version)
        if merge.new is None:
            # Contents that cannot be merged stay at their paths.
            yield from self._file(old_path)
            yield from self._file(path)
            return
        is_changed = (old_path in self.was) != (path in self.becomes)
        yield UpdatedFile(old_path, "removed", mine, None, note=_NOTES["moved"].format(path))
        yield UpdatedFile(
            path,
            merge.outcome if merge.conflicts else "merged",
            _read(self.tree, path),
            merge.new,
            path in self.becomes if is_changed else _is_executable(self.tree, old_path),
            _NOTES["renamed"].format(old_path),
            merge.conflicts,
            old_path,
            mine,
        )

    def _done(self, path: str) -> Iterator[UpdatedFile]:
        """A file that a killed update has merged, if that left conflicts."""
        data = _read(self.tree, path)
        file = UpdatedFile(path, "conflict", data, data)
        if lines := file.conflict_lines:
            yield file._replace(conflicts=len(lines))

    def _moved(self, old_path: str, path: str) -> Iterator[UpdatedFile]:
        """A file that the author renamed, with the changes of the template."""
        mine = _read(self.tree, path)
        merge = _merge(path, self.base[old_path], mine, self.new_files[old_path], self.version)
        if merge.outcome == "conflict" and merge.new is None:
            yield from self._file(old_path)
            return
        note = _NOTES["yours"].format(old_path)
        mode = self._mode(path, old_path in self.was, old_path in self.becomes)
        updated_file = merge._replace(note=note, executable=mode)
        if updated_file.is_written or updated_file.conflicts:
            yield updated_file

    def _file(self, path: str) -> Iterator[UpdatedFile]:
        old, new = self.base.get(path), self.new_files.get(path)
        was, becomes = path in self.was, path in self.becomes
        if new is not None and (blocking_path := self._blocking_path(path)):
            yield from self._beside(blocking_path, path, new, becomes)
            return
        kind = self.tree.kind(path)
        if kind is not None and new is not None and path in self.left_paths:
            yield UpdatedFile(path, "kept", note=_NOTES["left"])
            return
        if kind not in ("file", None):
            if new is not None:
                aside = self._aside(path)
                note = _NOTES["link"].format(aside)
                yield UpdatedFile(path, "conflict", note=note, conflicts=1)
                yield UpdatedFile(aside, "added", None, new, becomes)
            return
        mine = _read(self.tree, path)
        merge = _merge(path, old, mine, new, self.version)
        if merge.outcome == "conflict" and merge.new is None:
            aside = self._aside(path)
            yield merge._replace(new=mine, note=_NOTES["binary"].format(aside))
            yield UpdatedFile(aside, "added", None, new, becomes)
        elif merge.new is None or mine is None:
            executable = becomes if merge.new is not None else None
            updated_file = merge._replace(executable=executable)
            if updated_file.is_written or updated_file.note:
                yield updated_file
        else:
            mode = self._mode(path, was, becomes)
            updated_file = merge._replace(executable=mode)
            if mode is not None and merge.old == merge.new:
                note = _NOTES["executable" if mode else "not executable"]
                updated_file = updated_file._replace(outcome="changed", note=note)
            if updated_file.is_written or updated_file.conflicts or updated_file.note:
                yield updated_file

    def _mode(self, path: str, was: bool, becomes: bool) -> bool | None:
        """Whether to make a file executable; None if the template or the author left it so."""
        return becomes if was != becomes and _is_executable(self.tree, path) == was else None

    def _blocking_path(self, path: str) -> str:
        """The first part of a path that is something other than a folder, or ""."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            kind = self.tree.kind(above)
            if kind is None:
                break
            if kind != "folder":
                return above
        return ""

    def _beside(
        self, blocking_path: str, path: str, new: bytes, becomes: bool
    ) -> Iterator[UpdatedFile]:
        """A file below something that is no folder: written to a folder beside it."""
        if blocking_path not in self.aside_folders:
            self.aside_folders[blocking_path] = self._aside(blocking_path)
        aside = self.aside_folders[blocking_path] + path[len(blocking_path) :]
        note = _NOTES["blocked"].format(path, aside)
        yield UpdatedFile(blocking_path, "conflict", note=note, conflicts=1)
        yield UpdatedFile(aside, "added", None, new, becomes)

    def _refuse_markers(self, path: str) -> None:
        """Raise ConflictsLeft if an earlier update left conflicts in a file."""
        data = _read(self.tree, path) if self.tree.kind(path) == "file" else None
        text = (_text(data) or "").replace("\r\n", "\n") if data else ""
        if has_markers(text, _LABELS):
            lines = text.split("\n")
            start = next(i for i, line in enumerate(lines, 1) if line.startswith("<<<<<<< "))
            raise ConflictsLeft(
                f"{path} has conflicts of an earlier update; resolve them first, from line {start}"
            )

    def _aside(self, path: str) -> str:
        """A free name for the template's version of a file that cannot be merged."""
        number = 1
        while (name := f"{path}.new{number if number > 1 else ''}") in self.taken_paths or (
            self.tree.kind(name)
        ):
            number += 1
        self.taken_paths = self.taken_paths | {name}
        return name


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
