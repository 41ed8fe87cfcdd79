"""The text of one file while it is worked on: one owner, one undo history, one idea of dirty.

Editor, form, fixes and merges all change it by splices and all hear of every change, so none of
them keeps a text of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.resources import INSTALLED, is_installed
from skillstudio.text.diagnostic import Splice
from skillstudio.text.source import Source, decode

LARGEST = 1 << 20
"""Bytes of a file that can be edited; of a larger one the beginning is shown."""


_WAIT = 5.0
"""Seconds that a save waits for another process, while a screen waits for the save."""


class BufferChange(NamedTuple):
    """What subscribers hear: `splices` hold offsets into the text before, sorted, apart."""

    splices: tuple[Splice, ...]
    version: int
    origin: object | None
    """Who made the change, so that it does not answer to its own."""


class DiskChanged(Exception):
    """The file on disk is not the one that was read. `data` is what it is now, None if gone."""

    def __init__(self, path: str, data: bytes | None) -> None:
        super().__init__(f"{path} {'is gone from' if data is None else 'changed on'} disk")
        self.path = path
        self.data = data


class _Step:
    """One step of undo: splices that do it and splices that undo it."""

    __slots__ = ("back", "forth", "label", "open")

    def __init__(
        self, forth: tuple[Splice, ...], back: tuple[Splice, ...], label: str, open_: bool
    ) -> None:
        self.forth = forth
        self.back = back
        self.label = label
        self.open = open_
        """Typing may still join it."""


class Buffer:
    """One file's text, what is known of it on disk, and the way back through its changes."""

    def __init__(self, path: str, data: bytes | None, read_only: str = "") -> None:
        """A buffer over `data`, the bytes on disk; None when there is no file yet."""
        text, bad = decode(data or b"")
        self.path = path
        self.text = text
        self.version = 0
        self.read_only = read_only
        """Why it cannot be changed; empty when it can."""
        if bad is not None and not read_only:
            self.read_only = f"not UTF-8 at line {Source(text).position(bad).line}"
        self._saved: str | None = None if data is None else text
        self._digest = _digest(data)
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self._subscribers: list[Callable[[BufferChange], None]] = []

    @classmethod
    def open(cls, path: str, within: str | None = None) -> Buffer:
        """Read a file. Raises OSError, also for what is not a regular file.

        Opens it read-only where it is not UTF-8, is larger than `LARGEST`, is protected from
        writing, belongs to the installed skillstudio, or is a link that leaves the folder `within`.
        """
        path = os.path.abspath(path)
        data = _read(path, LARGEST + 1)
        from skillstudio.files.saving.writer import is_protected

        reason = ""
        if len(data) > LARGEST:
            data, reason = data[:LARGEST], "larger than 1 MiB: only its beginning is shown"
        elif within is not None and DiskTree(within).resolve(_inside(path, within)) is None:
            reason = "a link that leaves the skill"
        elif is_installed(path):
            reason = INSTALLED
        elif is_protected(path):
            reason = "protected from writing"
        return cls(path, data, reason)

    @property
    def dirty(self) -> bool:
        """Whether the text differs from the one last read or saved."""
        return self.text != self._saved

    @property
    def base_text(self) -> str | None:
        """The text as it was last read or saved; None where there is no file."""
        return self._saved

    @property
    def undo_label(self) -> str:
        """What `undo` would take back; empty when there is nothing."""
        return self._done[-1].label if self._done else ""

    @property
    def redo_label(self) -> str:
        """What `redo` would do again; empty when there is nothing."""
        return self._undone[-1].label if self._undone else ""

    def subscribe(self, callback: Callable[[BufferChange], None]) -> Callable[[], None]:
        """Hear of every change from now on; the function returned ends it."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def replace(
        self,
        splices: Sequence[Splice],
        label: str,
        merge: bool = False,
        origin: object | None = None,
    ) -> None:
        """Change the text in one step of undo; with `merge`, joined to the typing before it.

        Raises ValueError when the splices overlap, lie outside the text, or cannot be UTF-8, and
        PermissionError in a read-only buffer.
        """
        if self.read_only:
            raise PermissionError(self.read_only)
        forth = _in_order(splices, len(self.text))
        if all(self.text[s.start : s.end] == s.text for s in forth):
            return
        last = self._done[-1] if self._done else None
        joined = _joined(last, forth, self.text) if merge and last and last.open else None
        if joined and last:
            last.forth, last.back = joined
        else:
            self._done.append(_Step(forth, _inverse(forth, self.text), label, merge))
        self._undone.clear()
        self._apply(forth, origin)

    def undo(self, origin: object | None = None) -> tuple[Splice, ...] | None:
        """Take back the last step; the splices that did it, or None when there was none."""
        return self._step(self._done, self._undone, "back", origin)

    def redo(self, origin: object | None = None) -> tuple[Splice, ...] | None:
        """Do again what was undone last."""
        return self._step(self._undone, self._done, "forth", origin)

    def seal(self) -> None:
        """End the step that typing joins, as when the cursor moves elsewhere."""
        if self._done:
            self._done[-1].open = False

    def on_disk(self) -> bytes | None:
        """The file's bytes now, None when it is gone. Raises OSError when it cannot be read."""
        try:
            return _read(self.path, LARGEST + 1)
        except FileNotFoundError:
            return None

    def differs(self, data: bytes | None) -> bool:
        """Whether some bytes (None for no file) are other than those read or saved last."""
        return not self._knows(data)

    def changed_on_disk(self) -> bool:
        """Whether the file is another than the one read or saved last."""
        return self.differs(self.on_disk())

    def rebase(self, data: bytes | None) -> None:
        """Take note of what is on disk now: the text stays, dirty and `save` compare with it.

        Raises UnicodeDecodeError when it is not UTF-8.
        """
        self._saved = None if data is None else data.decode("utf-8")
        self._digest = _digest(data)

    def save(self, force: bool = False, within: str = "") -> None:
        """Write the text to disk, whole or not at all; the undo history stays.

        `within` is the folder of its skill, from which the save removes what killed writers left.
        Raises DiskChanged when the file is not the one read, unless `force`; OSError when it
        cannot be written; PermissionError in a read-only buffer.
        """
        if self.read_only:
            raise PermissionError(self.read_only)
        from skillstudio.files.saving.writer import saving

        data = self.text.encode("utf-8")
        with saving([self.path], within, wait=_WAIT) as write:
            there = None if force else self.on_disk()
            if not force and there != data and not self._knows(there):
                raise DiskChanged(self.path, there)
            if there != data:
                write(self.path, data)
        self._saved, self._digest = self.text, _digest(data)
        self.seal()

    def _knows(self, data: bytes | None) -> bool:
        if data is not None and len(data) > LARGEST and self.read_only:
            data = data[:LARGEST]
        return _digest(data) == self._digest

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
    return os.path.relpath(path, os.path.abspath(folder)).replace(os.sep, "/")


def _digest(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _in_order(splices: Sequence[Splice], length: int) -> tuple[Splice, ...]:
    ordered = tuple(sorted((Splice(*splice) for splice in splices), key=lambda s: s[:2]))
    at = 0
    for splice in ordered:
        if not at <= splice.start <= splice.end <= length:
            raise ValueError(f"splice {splice.start}:{splice.end} overlaps or leaves the text")
        splice.text.encode("utf-8")
        at = splice.end
    return ordered


def _inverse(splices: tuple[Splice, ...], text: str) -> tuple[Splice, ...]:
    """The splices that lead from the new text back to `text`."""
    back, shift = [], 0
    for start, end, new in splices:
        back.append(Splice(start + shift, start + shift + len(new), text[start:end]))
        shift += len(new) - (end - start)
    return tuple(back)


def _joined(
    last: _Step, forth: tuple[Splice, ...], text: str
) -> tuple[tuple[Splice, ...], tuple[Splice, ...]] | None:
    """The last step and the next as one, when both are one piece of the same typing."""
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
    """Whether a new step of undo begins: a line, a word after space, deleting after typing."""
    if "\n" in first.text + then.text or "\r" in first.text + then.text:
        return True
    if bool(first.text) != bool(then.text):
        return True
    return first.text[-1:].isspace() and not then.text[:1].isspace() and bool(then.text)
