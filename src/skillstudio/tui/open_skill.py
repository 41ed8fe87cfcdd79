"""The open skill and file, and the last analysis of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from skillstudio.files.paths import make_relative
from skillstudio.session.buffer import Buffer, BufferChange
from skillstudio.session.session import Session
from skillstudio.skill.discover import has_template
from skillstudio.text.source import Source

if TYPE_CHECKING:
    from textual.screen import Screen

    from skillstudio.skill.analysis import Analysis
    from skillstudio.text.diagnostic import Splice

INLINE_LINES = 500
"""The longest text that is analysed between two keystrokes; a longer one is in a thread."""
Stamp = tuple[tuple[str, int], ...]


class OpenSkill:
    """The open file and its analysis, which `screen` runs."""

    def __init__(
        self,
        screen: Screen[Any],
        session: Session,
        on_text: Callable[[], None],
        on_analysis: Callable[[bool], None],
    ) -> None:
        """`on_text` is called after each edit; `on_analysis` after each analysis, with whether
        the skill's row in the list changed."""
        self._screen = screen
        self._session = session
        self._on_text = on_text
        self._on_analysis = on_analysis
        self.skill: str | None = None
        self.file = ""
        self.buffer: Buffer | None = None
        self.analysis: Analysis | None = None
        self.failure = ""
        """Why the skill could not be analysed."""
        self.on_disk: dict[str, bytes | None] = {}
        """Files that changed on disk under unsaved changes: their new bytes, None if deleted."""
        self._stamp: Stamp | None = None
        self._due = False
        self._busy = False
        self._unsubscribe: Callable[[], None] | None = None

    def load(self, skill: str, file: str = "") -> None:
        """Open a file of a skill, by default its first manifest. Raises OSError with a text."""
        analysis = self.analysis
        workspace = self._session.workspace
        if skill != self.skill or analysis is None:
            try:
                analysis = workspace.analyse(skill, self._session.find_unsaved_texts())
            except OSError as error:
                raise OSError(f"{skill or workspace.tree.name}: {_reason(error)}") from error
            workspace.note(skill, analysis)
        paths = [manifest.path for manifest in analysis.manifests]
        paths += [diagnostic.path for diagnostic in analysis.diagnostics if diagnostic.path]
        file = file or next(iter(paths), "SKILL.md")
        try:
            buffer = self._session.open(skill, file)
        except OSError as error:
            raise OSError(f"{file}: {_reason(error)}") from error
        self.skill, self.file, self.buffer, self.failure = skill, file, buffer, ""
        self.analysis, self._stamp = analysis, None
        if self._unsubscribe:
            self._unsubscribe()
        self._unsubscribe = buffer.subscribe(self._handle_change)

    def close(self) -> None:
        """Open no skill; unsaved text stays in the session."""
        if self._unsubscribe:
            self._unsubscribe()
        self._unsubscribe = None
        self.skill, self.file, self.buffer, self.failure = None, "", None, ""
        self.analysis, self._stamp = None, None

    def dialect(self) -> str:
        """The id of the last manifest in the open file: the most specific one."""
        manifests = self.analysis.manifests if self.analysis else ()
        dialect_ids = [m.dialect.id for m in manifests if m.path == self.file]
        return dialect_ids[-1] if dialect_ids else ""

    @property
    def path(self) -> str:
        """The absolute path of the open file, "" while none is open."""
        return "" if self.buffer is None else self.buffer.path

    @property
    def folder(self) -> str:
        """The skill's folder on disk, "" while no skill is open."""
        return "" if self.skill is None else self._session.workspace.path(self.skill)

    @property
    def unsaved_buffers(self) -> list[Buffer]:
        """The skill's files with unsaved text."""
        within = f"{self.folder}{os.sep}"
        dirty = self._session.dirty() if self.folder else []
        return [buffer for buffer in dirty if buffer.path.startswith(within)]

    @property
    def unsaved_files(self) -> list[str]:
        """The paths of `unsaved`, relative to the skill's folder."""
        return [make_relative(buffer.path, self.folder) for buffer in self.unsaved_buffers]

    def _handle_change(self, _change: BufferChange) -> None:
        self.analyse_soon()
        self._on_text()

    def _now(self) -> Stamp:
        """The versions of all texts that an analysis would read now."""
        return tuple((path, buffer.version) for path, buffer in self._session.buffers.items())

    @property
    def is_current(self) -> bool:
        """Whether the analysis is of the current texts."""
        return self._stamp == self._now()

    def fresh(self) -> Analysis | None:
        """An analysis of the current texts; None where they cannot be analysed."""
        self.analyse_now()
        return self.analysis if self.is_current and not self.failure else None

    def analyse_soon(self) -> None:
        """Analyse after the pending keys; only the last text is analysed."""
        if not self._due:
            self._due = True
            self._screen.call_later(self._analyse)

    def analyse_now(self) -> None:
        """Analyse now, unless the analysis is current."""
        if self.skill is None or self.is_current:
            return
        self._take(
            self.skill,
            self._analyse_texts(self.skill, self._session.find_unsaved_texts()),
            self._now(),
        )

    def disk_changed(self) -> None:
        """Analyse again although the texts are the same."""
        self._stamp = None
        self.analyse_soon()

    def analysis_stopped(self) -> None:
        """Allow the next analysis after a fault in the thread."""
        self._busy = False

    def _analyse(self) -> None:
        self._due = False
        if self.skill is None or self.is_current:
            return
        if self.buffer is None or self.buffer.text.count("\n") <= INLINE_LINES:
            self.analyse_now()
        elif not self._busy:
            self._busy = True
            skill, unsaved_texts, stamp = (
                self.skill,
                self._session.find_unsaved_texts(),
                self._now(),
            )

            def analyse() -> None:
                result = self._analyse_texts(skill, unsaved_texts)
                self._screen.call_later(self._finish_analysis, skill, result, stamp)

            self._screen.run_worker(analyse, thread=True, group="analysis", exit_on_error=False)

    def _analyse_texts(self, skill: str, unsaved_texts: dict[str, str]) -> Analysis | str:
        """An analysis, or why there is none."""
        try:
            return self._session.workspace.analyse(skill, unsaved_texts)
        except OSError as error:
            return _reason(error)

    def _finish_analysis(self, skill: str, result: Analysis | str, stamp: Stamp) -> None:
        self._busy = False
        self._take(skill, result, stamp)
        self.analyse_soon()

    def _take(self, skill: str, result: Analysis | str, stamp: Stamp) -> None:
        if skill != self.skill:
            return
        self._stamp = stamp
        if isinstance(result, str):
            self.failure = result
            self._on_analysis(False)
            return
        self.analysis, self.failure = result, ""
        workspace = self._session.workspace
        before = workspace.skills.get(skill)
        self._on_analysis(workspace.note(skill, result) != before)

    def follow_disk(self, buffer: Buffer) -> Sequence[Splice] | None:
        """Reload a clean buffer that changed on disk; note a conflict with a buffer that cannot
        be reloaded. Return what was reloaded, None for nothing. Raises OSError."""
        data = buffer.on_disk()
        self.on_disk.pop(buffer.path, None)
        if not buffer.differs(data):
            return None
        if not (buffer.dirty or buffer.read_only or data is None):
            with suppress(UnicodeDecodeError):
                return self._session.reload(buffer, data)
        self.on_disk[buffer.path] = data
        return None

    def facts(self) -> frozenset[str]:
        """The facts about the file that commands need; see `session.commands.REASONS`."""
        buffer = self.buffer
        is_changed = buffer is not None and buffer.path in self.on_disk
        is_deleted = buffer is not None and is_changed and self.on_disk[buffer.path] is None
        conditions = {
            "file": buffer is not None,
            "writable": buffer is not None and not buffer.read_only,
            "skill-unsaved": bool(self.unsaved_buffers),
            "dirty": is_deleted or (buffer is not None and buffer.dirty),
            "undo": buffer is not None and bool(buffer.undo_label),
            "redo": buffer is not None and bool(buffer.redo_label),
            "template": bool(self.folder) and has_template(self.folder),
            "problem": self.analysis is not None and bool(self.analysis.diagnostics),
            "changed-on-disk": is_changed,
        }
        return frozenset(name for name, holds in conditions.items() if holds)


def changed_lines(splices: Sequence[Splice], text: str) -> set[int]:
    """The lines of the new text that splices made; for a deletion, the next line."""
    source = Source(text)
    lines: set[int] = set()
    shift = 0
    for start, end, new in splices:
        first = source.position(start + shift).line
        last = source.position(max(start + shift + len(new) - 1, start + shift)).line
        lines |= set(range(first, last + 1))
        shift += len(new) - (end - start)
    return lines


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
