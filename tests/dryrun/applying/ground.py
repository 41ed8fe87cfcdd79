"""Folders, and the changes that make of one what another is."""

from __future__ import annotations

import os
from pathlib import Path

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.files.changeset import FileState, compare, snapshot

Tree = dict[str, "bytes | str | tuple[bytes, int] | None"]
"""Path to bytes (mode 0644), bytes with a mode, where a link leads, or None for a folder."""


def make(folder: Path, tree: Tree) -> Path:
    """A folder with these in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, what in tree.items():
        target = os.path.join(folder, path)
        if what is None:
            os.makedirs(target, exist_ok=True)
            os.chmod(target, 0o755)
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if isinstance(what, str):
            os.symlink(what, target)
            continue
        data, mode = what if isinstance(what, tuple) else (what, 0o644)
        with open(target, "xb") as file:
            file.write(data)
        os.chmod(target, mode)
    return folder


def changes(real: Path, copy: Path) -> list[ApplyChange]:
    """What makes of the real folder what the copy is."""
    found = compare(snapshot(str(real)), snapshot(str(copy)))
    return [
        ApplyChange(
            "workspace", str(real), each.path, each.before, each.after, str(copy / each.path)
        )
        for each in (*found.added, *found.modified, *found.removed)
    ]


def seen(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that lies in a folder, apart from stamps; folders that hold something by name alone."""
    return {path: state[:5] for path, state in snapshot(str(folder)).items()}


def leftovers(folder: Path) -> list[str]:
    """The temporary files in a folder."""
    return [path for path in seen(folder) if ".skillstudio-" in path]


def exactly(folder: Path) -> dict[str, tuple[FileState, int]]:
    """The same with the times at which contents were written."""
    return {
        path: (state._replace(stamp=None), os.lstat(folder / path).st_mtime_ns)
        for path, state in snapshot(str(folder)).items()
        if state.kind != "folder"
    }


BEFORE: Tree = {
    "edited.txt": b"old\n",
    "mode.sh": b"#!/bin/sh\n",
    "gone/file.txt": b"bye\n",
    "gone.txt": b"bye\n",
    "link": "edited.txt",
    "to-link": b"file\n",
    "from-link": "edited.txt",
    "to-folder": b"file\n",
    "to-file/a": b"a",
    "to-file/b/c": b"c",
    "kept/same.txt": b"same\n",
    "kept/edited.bin": bytes(range(256)),
}
AFTER: Tree = {
    "edited.txt": b"new\n",
    "mode.sh": (b"#!/bin/sh\n", 0o755),
    "gone": None,
    "link": "kept/same.txt",
    "to-link": "kept",
    "from-link": b"file\n",
    "to-folder/in/it": b"x",
    "to-file": b"y",
    "kept/same.txt": b"same\n",
    "kept/edited.bin": bytes(range(255, -1, -1)),
    "made/deep/er/file": b"made\n",
    "made/empty": None,
    "made/link": "deep",
    "new.txt": b"new",
}
"""Every way in which one thing can become another."""
