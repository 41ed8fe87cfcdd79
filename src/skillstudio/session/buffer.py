"""The text of an open file, changed by splices, with its undo history and its state on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.resources import INSTALLED_REASON, is_installed
from skillstudio.text.diagnostic import Splice
from skillstudio.text.source import Source, decode

LARGEST = 1 << 20
_WAIT = 5.0  # Seconds that a save waits for another process.


class BufferChange(NamedTuple):
    """A change for subscribers; `splices` are sorted offsets into the text before it."""

    splices: tuple[Splice, ...]
    version: int
    origin: object | None


class DiskChanged(Exception):
    """The file on disk changed; `data` is its new content, None if it was deleted."""

    def __init__(self, path: str, data: bytes | None) -> None:
        super().__init__(f"{path} was {'deleted from' if data is None else 'changed on'} disk")
        self.data = data


@dataclass(slots=True)
class _Step:
    forth: tuple[Splice, ...]
    back: tuple[Splice, ...]
    label: str
    open: bool  # Whether further typing is joined with it.


class Buffer:
    """The text of one file, with its undo history and its state on disk."""

    def __init__(self, path: str, data: bytes | None, read_only: str = "") -> None:
        """A buffer of `data`, the bytes on disk; None if the file does not exist yet."""
        text, bad = decode(data or b"")
        self.path = path
        self.text = text
        self.version = 0
        self.read_only = read_only
        """Why it cannot be changed; empty if it can."""
        if bad is not None and not read_only:
            self.read_only = f"not UTF-8 at line {Source(text).position(bad).line}"
        self._saved_text: str | None = None if data is None else text
        self._digest = _digest(data)
        self._done_steps: list[_Step] = []
        self._undone: list[_Step] = []
        self._subscribers: list[Callable[[BufferChange], None]] = []

    @classmethod
    def open(cls, path: str, within: str | None = None) -> Buffer:
        """Read a file. Raises OSError."""
        path = os.path.abspath(path)
        data = _read(path, LARGEST + 1)
        from skillstudio.files.saving.writer import is_protected

        reason = ""
        if len(data) > LARGEST:
            data, reason = data[:LARGEST], "larger than 1 MiB; only its start is shown"
        elif within is not None and DiskTree(within).resolve(_inside(path, within)) is None:
            reason = "a link that leaves the skill"
        elif is_installed(path):
            reason = INSTALLED_REASON
        elif is_protected(path):
            reason = "read-only on disk"
        return cls(path, data, reason)

    @property
    def dirty(self) -> bool:
        """Whether the text has unsaved changes."""
        return self.text != self._saved_text

    @property
    def base_text(self) -> str | None:
        """The text as it was last read or saved; None if there is no file."""
        return self._saved_text

    @property
    def undo_label(self) -> str:
        """The label of the step that `undo` would undo; empty if there is none."""
        return self._done_steps[-1].label if self._done_steps else ""

    @property
    def redo_label(self) -> str:
        """The label of the step that `redo` would redo; empty if there is none."""
        return self._undone[-1].label if self._undone else ""

    def subscribe(self, callback: Callable[[BufferChange], None]) -> Callable[[], None]:
        """Call a function after every change; return a function that unsubscribes it."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def replace(
        self,
        splices: Sequence[Splice],
        label: str,
        merge: bool = False,
        origin: object | None = None,
    ) -> None:
        """Change the text in one undo step, or with `merge` in that of the typing before it."""
        if self.read_only:
            raise PermissionError(self.read_only)
        forth = _in_order(splices, len(self.text))
        if all(self.text[s.start : s.end] == s.text for s in forth):
            return
        last = self._done_steps[-1] if self._done_steps else None
        joined_splices = (
            _join_steps(last, forth, self.text) if merge and last and last.open else None
        )
        if joined_splices and last:
            last.forth, last.back = joined_splices
        else:
            self._done_steps.append(_Step(forth, _inverse(forth, self.text), label, merge))
        self._undone.clear()
        self._apply(forth, origin)

    def undo(self, origin: object | None = None) -> tuple[Splice, ...] | None:
        """Undo the last step; return the applied splices, None if there is no step."""
        return self._step(self._done_steps, self._undone, "back", origin)

    def redo(self, origin: object | None = None) -> tuple[Splice, ...] | None:
        """Redo the step that was undone last; return the applied splices."""
        return self._step(self._undone, self._done_steps, "forth", origin)

    def forget_redo(self) -> None:
        """Let nothing be redone: what was undone belongs to a change of files."""
        self._undone.clear()

    def seal(self) -> None:
        """Let further typing start a new step."""
        if self._done_steps:
            self._done_steps[-1].open = False

    @property
    def undo_depth(self) -> int:
        """The number of steps that can be undone."""
        return len(self._done_steps)

    def combine(self, depth: int, label: str) -> None:
        """Make one step of those after the first `depth` ones."""
        from skillstudio.text.splicing import Rounds, apply

        steps = self._done_steps[depth:]
        if len(steps) < 2:
            return
        first = self.text
        for step in reversed(steps):
            first = apply(first, step.back)
        rounds = Rounds(first)
        for step in steps:
            rounds.apply(list(step.forth))
        forth = tuple(rounds.splices())
        self._done_steps[depth:] = (
            [_Step(forth, _inverse(forth, first), label, False)] if forth else []
        )

    def on_disk(self) -> bytes | None:
        """The file's current bytes, None if it does not exist. Raises OSError."""
        try:
            return _read(self.path, LARGEST + 1)
        except FileNotFoundError:
            return None

    def differs(self, data: bytes | None) -> bool:
        """Whether some bytes (None for no file) differ from those last read or saved."""
        if data is not None and len(data) > LARGEST and self.read_only:
            data = data[:LARGEST]
        return _digest(data) != self._digest

    def rebase(self, data: bytes | None) -> None:
        """Compare with new bytes on disk from now on; the text stays. Raises UnicodeDecodeError."""
        self._saved_text = None if data is None else data.decode("utf-8")
        self._digest = _digest(data)

    def save(self, force: bool = False, within: str = "") -> None:
        """Write the text to disk atomically. Raises DiskChanged unless `force`, OSError."""
        if self.read_only:
            raise PermissionError(self.read_only)
        from skillstudio.files.saving.writer import prepare_save

        data = self.text.encode("utf-8")
        with prepare_save([self.path], within, wait=_WAIT) as write:
            there = None if force else self.on_disk()
            if not force and there != data and self.differs(there):
                raise DiskChanged(self.path, there)
            if there != data:
                write(self.path, data)
        self._saved_text, self._digest = self.text, _digest(data)
        self.seal()

    def _step(
        self, source: list[_Step], target: list[_Step], way: str, origin: object | None
    ) -> tuple[Splice, ...] | None:
        if not source:
            return None
        step = source.pop()
        step.open = False
        target.append(step)
        splices = step.back if way == "back" else step.forth
        self._apply(splices, origin)
        return splices

    def _apply(self, splices: tuple[Splice, ...], origin: object | None) -> None:
        pieces, at = [], 0
        for splice in splices:
            pieces += [self.text[at : splice.start], splice.text]
            at = splice.end
        self.text = "".join([*pieces, self.text[at:]])
        self.version += 1
        change = BufferChange(splices, self.version, origin)
        for callback in tuple(self._subscribers):
            callback(change)


def _read(path: str, limit: int) -> bytes:
    return DiskTree(os.path.dirname(path)).read(os.path.basename(path), limit)


def _inside(path: str, folder: str) -> str:
    return make_relative(path, os.path.abspath(folder)).replace(os.sep, "/")


def _digest(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _in_order(splices: Sequence[Splice], length: int) -> tuple[Splice, ...]:
    ordered_splices = tuple(sorted((Splice(*splice) for splice in splices), key=lambda s: s[:2]))
    at = 0
    for splice in ordered_splices:
        if not at <= splice.start <= splice.end <= length:
            raise ValueError(f"splice {splice.start}:{splice.end} overlaps or is outside the text")
        splice.text.encode("utf-8")
        at = splice.end
    return ordered_splices


def _inverse(splices: tuple[Splice, ...], text: str) -> tuple[Splice, ...]:
    back, shift = [], 0
    for start, end, new in splices:
        back.append(Splice(start + shift, start + shift + len(new), text[start:end]))
        shift += len(new) - (end - start)
    return tuple(back)


def _join_steps(
    last: _Step, forth: tuple[Splice, ...], text: str
) -> tuple[tuple[Splice, ...], tuple[Splice, ...]] | None:
    if len(last.forth) != 1 or len(forth) != 1:
        return None
    (first,), (undone,), (then,) = last.forth, last.back, forth
    end = first.start + len(first.text)
    if then.start > end or then.end < first.start or _new_word(first, then):
        return None
    low, high = min(first.start, then.start), max(end, then.end)
    old = text[low : first.start] + undone.text + text[end:high]
    new = text[low : then.start] + then.text + text[then.end : high]
    return (Splice(low, low + len(old), new),), (Splice(low, low + len(new), old),)


def _new_word(first: Splice, then: Splice) -> bool:
    """Whether typing starts a new step: a line, a word after a space, or deleting."""
    if "\n" in first.text + then.text or "\r" in first.text + then.text:
        return True
    if bool(first.text) != bool(then.text):
        return True
    return first.text[-1:].isspace() and not then.text[:1].isspace() and bool(then.text)
