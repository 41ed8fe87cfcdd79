"""What lies open: the buffers of a workspace, their drafts, and fixes that change them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.saving.writer import write_file
from skillstudio.resources import INSTALLED, is_installed
from skillstudio.session.buffer import Buffer
from skillstudio.session.conflict import splices_between
from skillstudio.session.drafts import BufferDraft, Drafts
from skillstudio.session.workspace import Workspace
from skillstudio.text.diagnostic import CreateFile, Diagnostic, Fix, RenameFile, Splice

if TYPE_CHECKING:
    from skillstudio.skill.analysis import Analysis


class FixPlan(NamedTuple):
    """What applying a fix would do: splices in the open text, and files made or moved."""

    title: str
    splices: tuple[Splice, ...]
    created: tuple[CreateFile, ...]
    renamed: tuple[RenameFile, ...]

    @property
    def touches_disk(self) -> bool:
        """Whether it does what undo does not take back."""
        return bool(self.created or self.renamed)


class Disagreement(NamedTuple):
    """A file whose two sides grew from one text; `theirs` None when the file is gone."""

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
        """By path on disk."""
        self._kept: dict[str, int] = {}
        """The version of each buffer whose draft was written."""
        self._joined: list[tuple[str, tuple[Buffer, ...]]] = []
        """Steps of several files that are one, by their label."""

    def open(self, skill: str, file: str) -> Buffer:
        """The buffer of a file of a skill, read when it is not open yet. Raises OSError."""
        path = self.workspace.path(skill, file)
        if path not in self.buffers:
            self.buffers[path] = Buffer.open(path, within=self.workspace.path(skill))
        return self.buffers[path]

    def skill_of(self, path: str) -> str | None:
        """The skill that a path on disk lies in: the innermost one."""
        relative = os.path.relpath(path, self.workspace.root).replace(os.sep, "/")
        inside = [s for s in self.workspace.skills if not s or relative.startswith(s + "/")]
        return max(inside, key=len, default=None)

    def dirty(self) -> list[Buffer]:
        """The buffers with unsaved changes."""
        return [buffer for buffer in self.buffers.values() if buffer.dirty]

    def unsaved(self) -> dict[str, str]:
        """The unsaved texts by path on disk."""
        return {buffer.path: buffer.text for buffer in self.dirty()}

    def unsaved_skills(self) -> frozenset[str]:
        """The skills with unsaved files."""
        found = {self.skill_of(buffer.path) for buffer in self.dirty()}
        return frozenset(skill for skill in found if skill is not None)

    def save(self, buffer: Buffer, force: bool = False) -> None:
        """Save a buffer and forget its draft. Raises what `Buffer.save` raises."""
        skill = self.skill_of(buffer.path)
        buffer.save(force, "" if skill is None else self.workspace.path(skill))
        self.forget_draft(buffer.path)

    def discard(self, buffer: Buffer) -> None:
        """Let go of a buffer with its changes and its draft."""
        self.buffers.pop(buffer.path, None)
        self.forget_draft(buffer.path)

    def keep_drafts(self, now: float) -> None:
        """Write the drafts of what changed since the last time. Raises OSError."""
        for buffer in self.buffers.values():
            if self._kept.get(buffer.path, 0) == buffer.version:
                continue
            self._kept[buffer.path] = buffer.version
            if buffer.dirty:
                self.drafts.keep(BufferDraft(buffer.path, buffer.text, buffer.base_text, now))
            else:
                self.drafts.drop(buffer.path)

    def forget_draft(self, path: str) -> None:
        """Drop the draft of a file that was saved or discarded."""
        self.drafts.drop(path)
        if path in self.buffers:
            self._kept[path] = self.buffers[path].version

    def found_drafts(self) -> list[BufferDraft]:
        """The drafts of files in this workspace that say other than the disk does."""
        found = []
        for draft in self.drafts.all()[0]:
            inside = draft.path.startswith(self.workspace.root.rstrip(os.sep) + os.sep)
            buffer = self.buffers.get(draft.path)
            if inside and not (buffer and buffer.dirty):
                if _text_on_disk(draft.path) == draft.text:
                    self.drafts.drop(draft.path)
                else:
                    found.append(draft)
        return found

    def recover(self, draft: BufferDraft) -> tuple[Buffer, Disagreement | None]:
        """Put a draft's text into its buffer as one step of undo.

        Where the file changed since the draft was begun, the disagreement comes with it: nothing
        is written before it is settled. Raises OSError when the file cannot be read.
        """
        buffer = self.buffers.get(draft.path)
        if buffer is None:
            try:
                buffer = Buffer.open(draft.path)
            except FileNotFoundError:
                buffer = Buffer(draft.path, None)
            self.buffers[draft.path] = buffer
        theirs = buffer.base_text
        buffer.replace(splices_between(buffer.text, draft.text), "Recover the draft")
        if theirs == draft.base:
            return buffer, None
        return buffer, Disagreement(draft.path, draft.base or "", draft.text, theirs)

    def reload(self, buffer: Buffer, data: bytes) -> tuple[Splice, ...]:
        """Take a clean buffer's new text from disk, as one step of undo; what changed.

        Raises UnicodeDecodeError when it is not UTF-8 any more.
        """
        text = data.decode("utf-8")
        splices = tuple(splices_between(buffer.text, text))
        buffer.replace(splices, "Changed on disk")
        buffer.rebase(data)
        return splices

    def join(self, buffers: Sequence[Buffer], label: str) -> None:
        """Let the last steps of some buffers, which have one label, be undone as one."""
        self._joined.append((label, tuple(buffers)))

    def undo(self, buffer: Buffer) -> tuple[Splice, ...] | None:
        """Take back the last step of a buffer, and those of other files that belong to it."""
        label = buffer.undo_label
        done = buffer.undo()
        for other in self._with(buffer, label):
            if other.undo_label == label:
                other.undo()
                self._settle(other)
        return done

    def redo(self, buffer: Buffer) -> tuple[Splice, ...] | None:
        """Do again what was undone last, in every file that it belongs to."""
        label = buffer.redo_label
        done = buffer.redo()
        for other in self._with(buffer, label):
            if other.redo_label == label:
                other.redo()
                self._settle(other)
        return done

    def _with(self, buffer: Buffer, label: str) -> list[Buffer]:
        """The other buffers with a step that belongs to one of `buffer`."""
        groups = [each for name, each in self._joined if name == label and buffer in each]
        return [other for other in (groups[-1] if groups else ()) if other is not buffer]

    def _settle(self, buffer: Buffer) -> None:
        """A file that never was and has no text is not open; else it is."""
        if buffer.base_text is None and not buffer.text:
            self.discard(buffer)
        else:
            self.buffers[buffer.path] = buffer

    def plan(self, analysis: Analysis, diagnostic: Diagnostic, fix: Fix) -> FixPlan:
        """What a fix would do. Raises `text.edit.EditRefused` where it cannot be done safely."""
        from skillstudio.skill.fixing import fix_edits

        return FixPlan(
            fix.title,
            tuple(fix_edits(analysis, diagnostic, fix)),
            tuple(edit for edit in fix.edits if isinstance(edit, CreateFile)),
            tuple(edit for edit in fix.edits if isinstance(edit, RenameFile)),
        )

    def carry_out(self, skill: str, plan: FixPlan, buffer: Buffer | None) -> None:
        """Do what a plan says. Files that are there are never replaced.

        Raises FileExistsError where a file would be, OSError where one cannot be written.
        """
        tree = DiskTree(self.workspace.path(skill))
        changed = [each.path for each in plan.created] + [each.old for each in plan.renamed]
        if any(is_installed(tree.path(each)) for each in changed):
            raise PermissionError(INSTALLED)
        targets = [created.path for created in plan.created]
        targets += [move.new for move in plan.renamed if move.new.lower() != move.old.lower()]
        for target in targets:
            if tree.kind(target) is not None:
                raise FileExistsError(f"{target} is there already")
        for created in plan.created:
            path = tree.path(created.path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_file(path, created.text.encode("utf-8"))
        for renamed in plan.renamed:
            self._rename(tree.path(renamed.old), tree.path(renamed.new))
        if plan.splices and buffer is not None:
            buffer.replace(plan.splices, plan.title)

    def _rename(self, old: str, new: str) -> None:
        os.makedirs(os.path.dirname(new), exist_ok=True)
        os.rename(old, new)
        buffer = self.buffers.pop(old, None)
        if buffer is not None:
            buffer.path = new
            self.buffers[new] = buffer
            self.drafts.drop(old)


def _text_on_disk(path: str) -> str | None:
    try:
        return Buffer.open(path).text
    except OSError:
        return None
