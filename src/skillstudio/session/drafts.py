"""Unsaved text kept outside the file, so that a crash or a kill loses nothing."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import NamedTuple

from skillstudio.files.saving.writer import write_file
from skillstudio.files.state import make_private

_OWN = 0o600


class BufferDraft(NamedTuple):
    """The unsaved text of one file."""

    path: str
    """The file it belongs to, absolute."""
    text: str
    base: str | None
    """The file's text as it was when the editing began; None when there was no file."""
    when: float
    """Seconds since the epoch."""


class Drafts:
    """The drafts in one folder, one file each."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def keep(self, draft: BufferDraft) -> None:
        """Write a draft in the place of an earlier one of the same file. Raises OSError."""
        make_private(self.folder)
        data = json.dumps(draft._asdict(), ensure_ascii=True).encode("ascii")
        write_file(self._file(draft.path), data, _OWN)

    def drop(self, path: str) -> None:
        """Forget the draft of a file, if there is one: it was saved or discarded."""
        try:
            os.unlink(self._file(path))
        except FileNotFoundError:
            return

    def all(self) -> tuple[list[BufferDraft], list[str]]:
        """Every draft, the newest first, and the files in the folder that are none."""
        try:
            names = sorted(os.listdir(self.folder))
        except FileNotFoundError:
            return [], []
        found: list[BufferDraft] = []
        broken: list[str] = []
        for name in names:
            if name.endswith(".json"):
                path = os.path.join(self.folder, name)
                draft = _read(path)
                if draft is None:
                    broken.append(path)
                else:
                    found.append(draft)
        return sorted(found, key=lambda draft: -draft.when), broken

    def _file(self, path: str) -> str:
        name = sha256(os.path.abspath(path).encode("utf-8", "surrogateescape")).hexdigest()
        return os.path.join(self.folder, f"{name[:32]}.json")


def config_folder() -> str:
    """Where this user's keymap and themes lie."""
    from platformdirs import user_config_path

    return str(user_config_path("skillstudio", appauthor=False))


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
