"""Create, rename and delete the files of a skill, and undo that; deleted files go to a trash."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.kind import HEAD
from skillstudio.files.placing import NotPlaced, move, path_fault, place, place_file
from skillstudio.files.state import make_private
from skillstudio.files.tree import FileTree
from skillstudio.resources import INSTALLED_REASON, is_installed
from skillstudio.session.buffer import LARGEST, Buffer
from skillstudio.session.session import Session
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.links import linking_files, moved_links
from skillstudio.text.diagnostic import Splice
from skillstudio.text.source import decode

KEPT_DAYS = 30  # How long the trash of an ended session is kept.


class FilesRefused(Exception):
    """Nothing was changed; the message says why."""


class LinkEdits(NamedTuple):
    """The edits of the files that name a moved file, with the texts that they are for."""

    splices: Mapping[str, Sequence[Splice]]  # By path in the skill.
    texts: Mapping[str, str]

    @property
    def number(self) -> int:
        """How many paths there are."""
        return sum(map(len, self.splices.values()))


class _FileStep(NamedTuple):
    """One change of files, as it is undone."""

    skill: str
    title: str
    path: str  # In the skill, after the change.
    old: str = ""  # Its path before it was renamed.
    trash: str = ""  # Where its bytes are after it was deleted.
    buffers: tuple[Buffer, ...] = ()
    """The buffers of a deleted file, or those whose paths a renamed file changed."""
    added_folders: tuple[str, ...] = ()


class UndoneStep(NamedTuple):
    """A change of files that was undone, and the file to select."""

    skill: str
    path: str  # Where the file is now; where it was, if it was removed.
    text: str
    before: str = ""  # Where it was, if it was renamed or removed.


class SkillFiles:
    """Changes the files of the skills of a session, one undo step each."""

    def __init__(self, session: Session, now: float) -> None:
        """`now` is in seconds since the epoch: old trash is removed."""
        self._session = session
        self._all_trash = os.path.join(os.path.dirname(session.drafts.folder), "trash")
        self._trash = ""
        self._now = now
        self._steps: list[_FileStep] = []

    @property
    def undo_title(self) -> str:
        """What `undo` would undo; empty if there is nothing."""
        return self._steps[-1].title if self._steps else ""

    def undoes(self, buffer: Buffer) -> bool:
        """Whether the last step of a text is a part of the last change of files."""
        step = self._steps[-1] if self._steps else None
        return step is not None and buffer in step.buffers and buffer.undo_label == step.title

    def why_not(self, skill: str, path: str, old: str = "") -> str:
        """Why a file cannot be created at a path, or `old` be renamed to it; empty if it can."""
        try:
            same = path.casefold() == old.casefold()
            self._check_new(skill, path if old else path.removesuffix("/"), exists=same)
        except FilesRefused as error:
            return str(error)
        return ""

    def create(self, skill: str, path: str) -> str:
        """Create an empty file, or a folder if the path ends with `/`; its path in the skill.

        Raises FilesRefused.
        """
        is_folder, inside = path.endswith("/"), path.removesuffix("/")
        self._check_new(skill, inside)
        target = self._path(skill, inside)
        tree = DiskTree(self._path(skill))
        folders = _missing_folders(tree, inside)
        try:
            place({}, target) if is_folder else place_file(b"", target)
        except NotPlaced as error:
            raise FilesRefused(_short(error, target, inside)) from None
        title = f"Create {inside}{'/' * is_folder}"
        self._steps.append(_FileStep(skill, title, inside, added_folders=folders))
        return inside

    def rename(self, skill: str, old: str, new: str, links: LinkEdits | None = None) -> None:
        """Rename a file or folder within the skill, and edit the paths that name it, unsaved.

        Raises FilesRefused.
        """
        if old == new:
            return
        if new.startswith(f"{old}/"):
            raise FilesRefused(f"{new} is inside {old}")
        self.check_removable(skill, old)
        self._check_new(skill, new, exists=True)
        title = f"Rename {old} to {new}"
        buffers = []
        if links is not None:
            for path in links.splices:
                buffer = self._session.open(skill, path)
                if buffer.read_only or buffer.text != links.texts[path]:
                    why = buffer.read_only or "its text has changed meanwhile"
                    raise FilesRefused(f"the paths in {path} cannot be updated: {why}")
                buffers.append(buffer)
        folders = _missing_folders(DiskTree(self._path(skill)), new)
        self._move(skill, old, new)
        if links is not None:
            for buffer, splices in zip(buffers, links.splices.values(), strict=True):
                buffer.replace(splices, title)
            self._session.join(buffers, title)
        self._steps.append(_FileStep(skill, title, new, old, "", tuple(buffers), folders))

    def delete(self, skill: str, path: str) -> None:
        """Move a file or folder to the trash of the session. Raises FilesRefused."""
        self.check_removable(skill, path)
        target = self._path(skill, path)
        buffers = tuple(
            buffer for buffer in self._session.buffers.values() if _is_in(buffer.path, target)
        )
        trash = self._to_trash(target)
        for buffer in buffers:
            self._session.discard(buffer)
        self._steps.append(_FileStep(skill, f"Delete {path}", path, "", trash, buffers))

    def undo(self) -> UndoneStep | None:
        """Undo the last change of files; None if there is none. Raises FilesRefused."""
        if not self._steps:
            return None
        step = self._steps[-1]
        skill, path = step.skill, step.path
        if step.trash:
            self._restore(step)
            text = f"restored {path}"
        elif step.old:
            self._check_new(skill, step.old, exists=True)
            self._move(skill, path, step.old)
            edited_buffers = [buffer for buffer in step.buffers if buffer.undo_label != step.title]
            for buffer in step.buffers:
                if buffer.undo_label == step.title:
                    self._session.undo(buffer)
                if buffer.redo_label == step.title:
                    buffer.forget_redo()
            text = f"renamed {path} back to {step.old}"
            if edited_buffers:
                names = ", ".join(os.path.basename(buffer.path) for buffer in edited_buffers)
                text += f"; {names} was edited since: check its paths"
        else:
            target = self._path(skill, path)
            if os.path.lexists(target):
                for buffer in list(self._session.buffers.values()):
                    if _is_in(buffer.path, target):
                        self._session.discard(buffer)
                self._to_trash(target)
            text = f"removed {path}"
        for folder in step.added_folders:
            _remove_if_empty(self._path(skill, folder))
        self._steps.pop()
        return UndoneStep(skill, step.old or path, text, "" if step.trash else path)

    def has_unsaved(self, skill: str, path: str) -> bool:
        """Whether a file, or one in a folder, has unsaved changes."""
        target = self._path(skill, path)
        return any(_is_in(buffer.path, target) for buffer in self._session.dirty())

    def _path(self, skill: str, path: str = "") -> str:
        return self._session.workspace.path(skill, path)

    def _move(self, skill: str, old: str, new: str) -> None:
        source, target = self._path(skill, old), self._path(skill, new)
        try:
            move(source, target)
        except NotPlaced as error:
            raise FilesRefused(_short(error, target, new)) from None
        self._session.follow_rename(source, target)

    def _check_new(self, skill: str, path: str, exists: bool = False) -> None:
        """Check that a path can be created; with `exists`, it may exist. Raises FilesRefused."""
        if is_installed(self._path(skill)):
            raise FilesRefused(INSTALLED_REASON)
        if fault := path_fault(path):
            raise FilesRefused(f"the name {fault}" if path else "enter a name")
        tree = DiskTree(self._path(skill))
        parts = path.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            kind = tree.kind(above)
            if kind == "link":
                raise FilesRefused(f"{above} is a link; links are not followed")
            if kind not in (None, "folder"):
                raise FilesRefused(f"{above} is a file, not a folder")
        if not exists and os.path.lexists(tree.path(path)):
            raise FilesRefused(f"{path} already exists; nothing is overwritten")

    def check_removable(self, skill: str, path: str) -> None:
        """Check that a file can be removed from its place. Raises FilesRefused."""
        if is_installed(self._path(skill)):
            raise FilesRefused(INSTALLED_REASON)
        if not path or not os.path.lexists(self._path(skill, path)):
            raise FilesRefused(f"{path or 'the skill'} does not exist on disk")
        entry = self._session.workspace.skills.get(skill)
        manifests = entry.files if entry is not None else ()
        if manifests and all(_is_in(manifest, path, "/") for manifest in manifests):
            raise FilesRefused(f"a skill needs its manifest, {' and '.join(manifests)}")

    def _to_trash(self, path: str) -> str:
        """Move a file or folder to the trash; its path there. Raises FilesRefused."""
        try:
            if not self._trash:
                make_private(self._all_trash)
                _remove_old(self._all_trash, self._now - KEPT_DAYS * 86400)
                self._trash = tempfile.mkdtemp(dir=self._all_trash)
            folder = tempfile.mkdtemp(dir=self._trash)
            return str(shutil.move(path, os.path.join(folder, os.path.basename(path))))
        except OSError as error:
            reason = error.strerror or str(error)
            raise FilesRefused(f"{os.path.basename(path)} cannot be deleted: {reason}") from None

    def _restore(self, step: _FileStep) -> None:
        target = self._path(step.skill, step.path)
        self._check_new(step.skill, step.path)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.move(step.trash, target)
        except OSError as error:
            reason = error.strerror or str(error)
            raise FilesRefused(f"{step.path} cannot be restored: {reason}") from None
        for buffer in step.buffers:
            self._session.take_back(buffer)


def link_edits(analysis: Analysis, texts: Mapping[str, str], old: str, new: str) -> LinkEdits:
    """The edits of paths that name a file or folder that is renamed within the skill.

    `texts` are those of open files, by path in the skill.
    """
    splices, before = {}, {}
    for path in linking_files(analysis.skill):
        text = texts.get(path)
        if text is None:
            with suppress(OSError):
                text, bad = decode(analysis.skill.tree.read(path))
                text = text if bad is None else None
        if text is None:
            continue
        if link_splices := moved_links(analysis.skill, path, text, old, new):
            splices[path], before[path] = link_splices, text
    return LinkEdits(splices, before)


class FileToOpen(NamedTuple):
    """A file of a skill, and whether the editor opens it; `note` says why not, if it is text."""

    path: str
    is_editable: bool
    note: str = ""


def file_to_open(tree: FileTree, path: str) -> FileToOpen:
    """The file to open, which is the target of a link. Raises FilesRefused, OSError."""
    from skillstudio.preview.files import is_editable

    kind = tree.kind(path)
    if kind == "link":
        target = tree.resolve(path)
        if target is None:
            why = f"{path} is a link to {tree.target(path)}, which is not in the skill"
            raise FilesRefused(f"{why}; it is not followed")
        path, kind = target, tree.kind(target)
    if kind != "file":
        words = {None: "does not exist", "folder": "is a folder"}
        raise FilesRefused(f"{path} {words.get(kind, 'is not a file')}")
    if not is_editable(path, tree.read(path, HEAD)):
        return FileToOpen(path, False)
    note = "read-only: larger than 1 MiB" if tree.size(path) > LARGEST else ""
    return FileToOpen(path, not note, note)


def _missing_folders(tree: FileTree, path: str) -> tuple[str, ...]:
    """The folders above a path that do not exist, the innermost first."""
    above, missing = path.rpartition("/")[0], []
    while above and tree.kind(above) is None:
        missing.append(above)
        above = above.rpartition("/")[0]
    return tuple(missing)


def _remove_if_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        return  # Something was added to it since.


def _is_in(path: str, folder: str, separator: str = os.sep) -> bool:
    """Whether a path is another one, or below it."""
    return path == folder or path.startswith(folder + separator)


def _remove_old(folder: str, before: float) -> None:
    """Remove the trash of sessions that ended before a time."""
    with os.scandir(folder) as entries:
        old = [
            entry.path for entry in entries if entry.stat(follow_symlinks=False).st_mtime < before
        ]
    for path in old:
        shutil.rmtree(path, ignore_errors=True)


def _short(error: NotPlaced, target: str, inside: str) -> str:
    """The message of an error with the path in the skill instead of the one on disk."""
    return str(error).replace(target, inside)
