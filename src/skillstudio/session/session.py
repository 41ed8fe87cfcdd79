"""The open files of a workspace: buffers, drafts, and fixes that change them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.files.saving.writer import write_file
from skillstudio.resources import INSTALLED_REASON, is_installed
from skillstudio.session.buffer import Buffer
from skillstudio.session.drafts import BufferDraft, Drafts
from skillstudio.session.workspace import Workspace
from skillstudio.text.diagnostic import CreateFile, Diagnostic, Fix, RenameFile, Splice

if TYPE_CHECKING:
    from skillstudio.skill.analysis import Analysis


class FixPlan(NamedTuple):
    """The effects of a fix: splices in the open text, and created and renamed files."""

    title: str
    splices: tuple[Splice, ...]
    new_files: tuple[CreateFile, ...]
    renames: tuple[RenameFile, ...]


class Disagreement(NamedTuple):
    """A file with unsaved changes that changed on disk; `theirs` is None if it was deleted."""

    path: str
    base: str
    mine: str
    theirs: str | None


class Session:
    """The open files of one workspace."""

    def __init__(self, workspace: Workspace, drafts: Drafts) -> None:
        self.workspace = workspace
        self.drafts = drafts
        self.buffers: dict[str, Buffer] = {}
        self._draft_versions: dict[str, int] = {}
        """The version of each buffer whose draft was written, by path."""
        self._step_groups: list[tuple[str, tuple[Buffer, ...]]] = []

    def open(self, skill: str, file: str) -> Buffer:
        """The buffer of a file of a skill, opened if necessary. Raises OSError."""
        path = self.workspace.path(skill, file)
        if path not in self.buffers:
            self.buffers[path] = Buffer.open(path, within=self.workspace.path(skill))
        return self.buffers[path]

    def skill_of(self, path: str) -> str | None:
        """The innermost skill that contains a path on disk."""
        relative = make_relative(path, self.workspace.root).replace(os.sep, "/")
        inside = [s for s in self.workspace.skills if not s or relative.startswith(s + "/")]
        return max(inside, key=len, default=None)

    def dirty(self) -> list[Buffer]:
        """The buffers with unsaved changes."""
        return [buffer for buffer in self.buffers.values() if buffer.dirty]

    def find_unsaved_texts(self) -> dict[str, str]:
        """The unsaved texts, by path on disk."""
        return {buffer.path: buffer.text for buffer in self.dirty()}

    def unsaved_skills(self) -> frozenset[str]:
        """The skills with unsaved files."""
        skills = {self.skill_of(buffer.path) for buffer in self.dirty()}
        return frozenset(skill for skill in skills if skill is not None)

    def save(self, buffer: Buffer, force: bool = False) -> None:
        """Save a buffer and delete its draft. Raises what `Buffer.save` raises."""
        skill = self.skill_of(buffer.path)
        buffer.save(force, "" if skill is None else self.workspace.path(skill))
        self.forget_draft(buffer.path)

    def discard(self, buffer: Buffer) -> None:
        """Close a buffer, and delete its changes and its draft."""
        self.buffers.pop(buffer.path, None)
        self.forget_draft(buffer.path)

    def take_back(self, buffer: Buffer) -> None:
        """Open a discarded buffer again, with its changes; its draft is written next time."""
        self.buffers[buffer.path] = buffer
        self._draft_versions.pop(buffer.path, None)

    def follow_rename(self, old: str, new: str) -> None:
        """Let the buffers and drafts of a file or folder that was renamed on disk follow it."""
        for path, buffer in list(self.buffers.items()):
            if path == old or path.startswith(old + os.sep):
                self.discard(buffer)
                buffer.path = new + path[len(old) :]
                self.take_back(buffer)

    def keep_drafts(self, now: float) -> None:
        """Write the drafts of buffers that changed since the last call. Raises OSError."""
        for buffer in self.buffers.values():
            if self._draft_versions.get(buffer.path, 0) == buffer.version:
                continue
            self._keep_draft(buffer, now)

    def _keep_draft(self, buffer: Buffer, now: float) -> None:
        self._draft_versions[buffer.path] = buffer.version
        if buffer.dirty:
            self.drafts.keep(BufferDraft(buffer.path, buffer.text, buffer.base_text, now))
        else:
            self.drafts.drop(buffer.path)

    def forget_draft(self, path: str) -> None:
        """Delete the draft of a file that was saved or discarded."""
        self.drafts.drop(path)
        if path in self.buffers:
            self._draft_versions[path] = self.buffers[path].version

    def found_drafts(self, path: str = "") -> list[BufferDraft]:
        """The abandoned drafts of files in this workspace that differ from the disk, newest first.

        With a path, only those of that file.
        """
        drafts = []
        for draft in self.drafts.find_abandoned():
            inside = draft.path.startswith(self.workspace.root.rstrip(os.sep) + os.sep)
            if inside and path in ("", draft.path):
                try:
                    is_same = Buffer.open(draft.path).text == draft.text
                except OSError:
                    is_same = False
                if is_same:
                    self.drafts.discard(draft)
                else:
                    drafts.append(draft)
        return drafts

    def recover(self, draft: BufferDraft) -> tuple[Buffer, Disagreement | None]:
        """Put a draft into its buffer; return a conflict with the disk, too. Raises OSError.

        The draft is this session's own from then on.
        """
        buffer = self.buffers.get(draft.path)
        if buffer is None:
            try:
                buffer = Buffer.open(draft.path)
            except FileNotFoundError:
                buffer = Buffer(draft.path, None)
            self.buffers[draft.path] = buffer
        theirs = buffer.base_text
        from skillstudio.text.merging import splices_between

        buffer.replace(splices_between(buffer.text, draft.text), "Recover the draft")
        self._keep_draft(buffer, draft.when)
        self.drafts.discard(draft)
        if theirs == draft.base:
            return buffer, None
        return buffer, Disagreement(draft.path, draft.base or "", draft.text, theirs)

    def reload(self, buffer: Buffer, data: bytes) -> tuple[Splice, ...]:
        """Update an unchanged buffer from disk in one undo step. Raises UnicodeDecodeError."""
        from skillstudio.text.merging import splices_between

        splices = tuple(splices_between(buffer.text, data.decode("utf-8")))
        buffer.replace(splices, "Changed on disk")
        buffer.rebase(data)
        return splices

    def join(self, buffers: Sequence[Buffer], label: str) -> None:
        """Join the last steps of some buffers, all with this label, into one."""
        self._step_groups.append((label, tuple(buffers)))

    def undo(self, buffer: Buffer) -> tuple[Splice, ...] | None:
        """Undo the last step of a buffer, and the joined steps of other files."""
        return self._step(buffer, Buffer.undo, lambda any_buffer: any_buffer.undo_label)

    def redo(self, buffer: Buffer) -> tuple[Splice, ...] | None:
        """Redo the last undone step of a buffer, and the joined steps of other files."""
        return self._step(buffer, Buffer.redo, lambda any_buffer: any_buffer.redo_label)

    def changed_with(self, buffer: Buffer) -> list[Buffer]:
        """The other unsaved files that the last step of a buffer changed, such as a changelog."""
        label = buffer.undo_label
        groups = [group for name, group in self._step_groups if name == label and buffer in group]
        return [
            other
            for other in (groups[-1] if groups else ())
            if other is not buffer and other.dirty and other.undo_label == label
        ]

    def _step(
        self,
        buffer: Buffer,
        step: Callable[[Buffer], tuple[Splice, ...] | None],
        label_of: Callable[[Buffer], str],
    ) -> tuple[Splice, ...] | None:
        label = label_of(buffer)
        splices = step(buffer)
        groups = [group for name, group in self._step_groups if name == label and buffer in group]
        for other in groups[-1] if groups else ():
            if other is buffer or label_of(other) != label:
                continue
            step(other)
            if other.base_text is None and not other.text:
                # The step created the file.
                self.discard(other)
            else:
                self.buffers[other.path] = other
        return splices

    def plan(self, analysis: Analysis, diagnostic: Diagnostic, fix: Fix) -> FixPlan:
        """The effects of a fix. Raises `text.edit.EditRefused` if it cannot be applied safely."""
        from skillstudio.skill.fixing import fix_edits

        return FixPlan(
            fix.title,
            tuple(fix_edits(analysis, diagnostic, fix)),
            tuple(edit for edit in fix.edits if isinstance(edit, CreateFile)),
            tuple(edit for edit in fix.edits if isinstance(edit, RenameFile)),
        )

    def carry_out(self, skill: str, plan: FixPlan, buffer: Buffer | None) -> None:
        """Apply the plan of a fix. Raises FileExistsError if a target exists, OSError."""
        tree = DiskTree(self.workspace.path(skill))
        paths = [file.path for file in plan.new_files] + [rename.old for rename in plan.renames]
        if any(is_installed(tree.path(path)) for path in paths):
            raise PermissionError(INSTALLED_REASON)
        targets = [file.path for file in plan.new_files]
        targets += [move.new for move in plan.renames if move.new.lower() != move.old.lower()]
        for target in targets:
            if tree.kind(target) is not None:
                raise FileExistsError(f"{target} already exists")
        for file in plan.new_files:
            path = tree.path(file.path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_file(path, file.text.encode("utf-8"))
        for rename in plan.renames:
            old, new = tree.path(rename.old), tree.path(rename.new)
            os.makedirs(os.path.dirname(new), exist_ok=True)
            os.rename(old, new)
            self.follow_rename(old, new)
        if plan.splices and buffer is not None:
            buffer.replace(plan.splices, plan.title)
