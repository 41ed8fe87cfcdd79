"""Remove temporary files of killed processes that are not in use."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillstudio.files.durability import open_handle
from skillstudio.files.folders import remove
from skillstudio.files.paths import below
from skillstudio.files.saving.locks import take
from skillstudio.files.temporary import FILE, FOLDER, NEW, OLD, beside, is_temporary

MOST = 20_000  # Entries that a save inspects; `doctor --clean` inspects all.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Removal(NamedTuple):
    """A temporary file or folder, and why it was not removed, or ""."""

    path: str
    why: str = ""


def remove_leftovers(folder: str, most: int | None = None, deep: bool = True) -> list[Removal]:
    """Remove unused temporary files below a folder, of the `most` nearest entries."""
    removals = (_remove_leftover(path) for path in list(_temporary(folder, most, deep)))
    return [removal for removal in removals if removal is not None]


def kept_beside(folder: str, paths: Iterable[str] = (), suffix: str = OLD) -> dict[str, str]:
    """What a killed apply left beside files below a folder: their paths, and those on disk.

    Names are only recognised of files that exist, or are among `paths`. Follows no links.
    """
    names: dict[str, set[str]] = {}
    for path in paths:
        above, _, name = path.rpartition("/")
        names.setdefault(above, set()).add(name)
    kept_paths: dict[str, str] = {}
    for where, inner_folders, files in os.walk(folder):
        inner_folders[:] = [name for name in inner_folders if name != ".git"]
        kept_names = {name for name in files if is_temporary(name) and name.endswith(suffix)}
        if not kept_names:
            continue
        inside = below(where, folder) or ""
        above = inside.replace(os.sep, "/")
        for name in {*files, *names.get(above, ())}:
            kept_path = beside(os.path.join(where, name)) + suffix
            if os.path.basename(kept_path) in kept_names and not os.path.islink(kept_path):
                kept_paths[f"{above}/{name}".lstrip("/")] = kept_path
    return kept_paths


def is_ours(path: str, handle: int) -> bool:
    """Whether an open file still has its name."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(handle))
    except FileNotFoundError:
        return False


def _temporary(folder: str, most: int | None, deep: bool) -> Iterator[str]:
    folders = [folder]
    entry_count = 0
    for where in folders:
        try:
            with os.scandir(where) as scan:
                entries = list(scan)
        except OSError:
            continue
        entry_count += len(entries)
        for entry in entries:
            if is_temporary(entry.name):
                yield entry.path
            elif deep and entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
        if most is not None and entry_count >= most:
            return


def _part_of_apply(path: str) -> str:
    """What a temporary file of an apply is, and what to do with it."""
    folder, name = os.path.split(path)
    try:
        names = [other for other in os.listdir(folder) if name.startswith(f"{beside(other)}.")]
    except OSError:
        names = []
    which = "new" if name.endswith(NEW) else "old"
    content = f"the {which} content of {names[0]}" if names else f"the {which} content of a file"
    return (
        f"it is {content}, from an apply or update that is running or was killed; if none is "
        "running, repeat it, or keep what you need of this and delete it"
    )


def _remove_leftover(path: str) -> Removal | None:
    """None if it is in use or does not exist."""
    if not path.endswith((FILE, FOLDER)):
        return Removal(path, _part_of_apply(path))
    is_file = path.endswith(FILE)
    try:
        if not (stat.S_ISREG if is_file else stat.S_ISDIR)(os.lstat(path).st_mode):
            return Removal(
                path,
                "it has the name of a temporary file, but skillstudio did not make it; check it, "
                "then delete it",
            )
        if os.name == "nt":
            # A file in use cannot be deleted on Windows.
            os.unlink(path) if is_file else remove(path)
            return Removal(path)
        with open_handle(path, os.O_RDONLY | _NO_LINK) as handle:
            take(handle)
            if is_ours(path, handle):
                os.unlink(path) if is_file else remove(path)
    except (BlockingIOError, FileNotFoundError):
        return None
    except OSError as error:
        return Removal(path, error.strerror or str(error))
    return Removal(path)
