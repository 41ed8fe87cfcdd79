"""Digests of what a run wrote and printed, the same in whatever folder the copies are."""

from __future__ import annotations

import os
from hashlib import sha256

from skillstudio.dryrun.staging.staged import Staging
from skillstudio.files.beneath import open_beneath
from skillstudio.files.changeset import FileState

_LARGEST = 1 << 20  # Bytes of a file in which paths of copies are searched.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def content_digest(state: FileState, copy: str, staging: Staging) -> str:
    """The SHA-256 of the content of a changed file, or of the target of a link, with the paths of a
    real run; "" for what has none, and for what cannot be read."""
    if state.kind == "link":
        return sha256(os.fsencode(staging.restore_paths(state.target))).hexdigest()
    if state.kind != "file" or not state.digest or state.size > _LARGEST:
        return state.digest
    folder, name = os.path.split(copy)
    try:
        with open(open_beneath(folder, name, _READ_FLAGS, links=False), "rb") as file:
            data = file.read(_LARGEST)
    except OSError:
        return state.digest
    return output_digest(data, staging) if os.fsencode(staging.folder) in data else state.digest


def output_digest(data: bytes, staging: Staging) -> str:
    """The SHA-256 of what a program wrote, with the paths of a real run."""
    text = data.decode("utf-8", "surrogateescape")
    return sha256(staging.restore_paths(text).encode("utf-8", "surrogateescape")).hexdigest()
