"""Store unsaved texts outside their files, so that they survive a crash."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from skillstudio.files.saving.writer import write_file
from skillstudio.files.state import make_private

_OWN = 0o600


class BufferDraft(NamedTuple):
    """The unsaved text of one file."""

    path: str
    text: str
    base: str | None  # The file's text before editing; None if there was no file.
    when: float  # Seconds since the epoch.


class Drafts:
    """The drafts in one folder, one file each."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def keep(self, draft: BufferDraft) -> None:
        """Write a draft, replacing an earlier one of the same file. Raises OSError."""
        make_private(self.folder)
        data = json.dumps(draft._asdict(), ensure_ascii=True).encode("ascii")
        write_file(self._file(draft.path), data, _OWN)

    def drop(self, path: str) -> None:
        """Delete the draft of a file, if there is one."""
        with suppress(FileNotFoundError):
            os.unlink(self._file(path))

    def all(self) -> list[BufferDraft]:
        """Every draft, the newest first; invalid files are skipped."""
        try:
            names = sorted(os.listdir(self.folder))
        except FileNotFoundError:
            return []
        drafts = [_read(os.path.join(self.folder, n)) for n in names if n.endswith(".json")]
        return sorted(filter(None, drafts), key=lambda draft: -draft.when)

    def _file(self, path: str) -> str:
        name = sha256(os.path.abspath(path).encode("utf-8", "surrogateescape")).hexdigest()
        return os.path.join(self.folder, f"{name[:32]}.json")


def _read(path: str) -> BufferDraft | None:
    try:
        with open(path, encoding="ascii") as file:
            values = json.load(file)
        draft = BufferDraft(**values)
    except (OSError, ValueError, TypeError):
        return None
    right = isinstance(draft.path, str) and isinstance(draft.text, str)
    right = right and isinstance(draft.base, str | None) and isinstance(draft.when, int | float)
    return draft if right else None
