"""A new folder, made aside and moved into place in one step: all of it appears, or nothing."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from unicodedata import normalize

from skillstudio.files.durability import MANY, can_sync_disks, sync_disks, sync_folder
from skillstudio.files.saving.leftovers import remove_leftovers
from skillstudio.files.saving.locks import take
from skillstudio.files.saving.writer import write_file
from skillstudio.files.temporary import FOLDER, has_temporary, temporary_name
from skillstudio.resources import is_installed

MAX_NAME = 255
"""Bytes of one name in UTF-8: what the usual file systems hold."""

_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10))]
    + [f"lpt{n}" for n in range(1, 10)]
)
_NONE: Mapping[str, str] = {}
_FORBIDDEN = frozenset('\\:*?"<>|')
_REPOSITORY = re.compile(r"\.git|git~[0-9]+|\.hg|\.svn", re.IGNORECASE)
"""Folders whose hooks and settings a version control runs; Windows knows .git as git~1, too."""


class NotPlaced(Exception):
    """Nothing was made: a sentence for the user that says why."""


def path_fault(path: str) -> str:
    """Why a relative path with `/` may not be written, "" where it may.

    A path must mean the same file on every system: so no drive, no device, no backslash.
    """
    if not path:
        return "is empty"
    if path.startswith("/"):
        return "is absolute"
    for part in path.split("/"):
        if part in ("", "."):
            return "has an empty part"
        if part == "..":
            return "leads out of the folder"
        if _FORBIDDEN & set(part) or not part.isprintable():
            return "holds a character that file names of some systems may not have"
        if part != part.strip(" ") or part.endswith("."):
            return "has a part with a blank at its edge or a dot at its end"
        if part.partition(".")[0].lower() in _DEVICES:
            return f"has the part {part}, which is a device on Windows"
        if has_temporary(part):
            return f"has the part {part}, a name that skillstudio gives its temporary files"
        if _REPOSITORY.fullmatch(part):
            return f"has the part {part}, whose files a version control may run"
        try:
            size = len(part.encode("utf-8"))
        except UnicodeEncodeError:
            return "holds half a surrogate pair"
        if size > MAX_NAME:
            return f"has a part longer than {MAX_NAME} bytes"
    return ""


def tree_fault(paths: Collection[str]) -> str:
    """Why some paths cannot be the files of one folder, "" where they can."""
    return next(tree_faults(paths), "")


def tree_faults(paths: Collection[str]) -> Iterator[str]:
    """Each reason why some paths cannot be the files of one folder."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for path in sorted(paths):
        fault = path_fault(path)
        if fault:
            yield f"the path {path!r} {fault}"
        # Two names that differ in case only are one file on a Mac and on Windows.
        other = files.setdefault(_folded(path), path)
        if other != path:
            yield f"{other!r} and {path!r} are one file on some systems"
    told: set[str] = set()
    for path in sorted(paths):
        for above in _above(path):
            other = folders.setdefault(_folded(above), above)
            if above in told:
                continue
            if _folded(above) in files:
                yield f"{above!r} would be both a file and a folder"
            elif other != above:
                yield f"{other!r} and {above!r} are one folder on some systems"
            else:
                continue
            told.add(above)


def destination_fault(destination: str) -> str:
    """Why a new folder cannot be made there, as far as that can be seen before; "" if it can."""
    if not destination:
        return "no folder is named"
    if is_installed(destination):
        return "it is in the folders of the installed skillstudio; choose another folder"
    if os.path.lexists(destination):
        what = "folder" if os.path.isdir(destination) else "file"
        return f"a {what} is there already; nothing that exists is overwritten"
    if not os.path.basename(os.path.abspath(destination)):
        return "it has no name"
    above = os.path.dirname(os.path.abspath(destination))
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        return f"{above} is a file, so nothing can lie in it"
    if not os.access(above, os.W_OK | os.X_OK):
        return f"{above} is protected from writing"
    return ""


def place(
    files: Mapping[str, bytes],
    destination: str,
    executable: Collection[str] = (),
    links: Mapping[str, str] = _NONE,
) -> None:
    """Make a folder of files (`path: bytes`, `/` between parts) where nothing is yet.

    Folders above it are made. The files are written in a folder beside it, which then takes its
    name: nobody sees half of it, and a full disk leaves nothing behind. `links` are made as they
    are given (`path: target`), after all files, so that none is written through. Raises NotPlaced.
    """
    fault = destination_fault(destination) or tree_fault([*files, *links])
    if fault:
        raise NotPlaced(f"{destination}: {fault}")
    target = os.path.abspath(destination)
    above = os.path.dirname(target)
    made = _missing(above)
    aside = os.path.join(above, temporary_name(FOLDER))
    try:
        os.makedirs(above, exist_ok=True)
        remove_leftovers(above, deep=False)
        with _marked_as_used(aside):
            for path, data in files.items():
                _write(os.path.join(aside, *path.split("/")), data, path in executable)
            for path, leads_to in links.items():
                _link(os.path.join(aside, *path.split("/")), leads_to)
            _make_last(aside, files)
            _move(aside, target)
        sync_folder(above)
    except BaseException as error:
        _clean(aside, made)
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            raise NotPlaced(f"{destination}: {reason}; nothing was made") from None
        raise


def place_file(data: bytes, destination: str, replace: bool = False) -> None:
    """Write a file where nothing is yet, or with `replace` in the place of one, in one step.

    Folders above it are made, and go again where it fails. Raises NotPlaced.
    """
    if os.path.isdir(destination):
        raise NotPlaced(f"{destination}: a folder is there already; name a file")
    there = os.path.lexists(destination)
    fault = "" if there and replace else destination_fault(destination)
    if fault:
        raise NotPlaced(f"{destination}: {fault}")
    above = os.path.dirname(os.path.abspath(destination))
    made = _missing(above)
    try:
        os.makedirs(above, exist_ok=True)
        write_file(destination, data)
    except BaseException as error:
        _clean("", made)
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            raise NotPlaced(f"{destination}: {reason}; nothing was written") from None
        raise


def _above(path: str) -> Iterator[str]:
    """The folders that a path lies in, the outermost first."""
    parts = path.split("/")[:-1]
    return ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))


def _folded(path: str) -> str:
    return normalize("NFC", normalize("NFC", path).casefold())


def _missing(folder: str) -> list[str]:
    """The folders on the way to one that are not there yet, the deepest first."""
    found = []
    while not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


@contextmanager
def _marked_as_used(folder: str) -> Iterator[None]:
    """Make a folder whose lock is held while it is filled, so that nobody takes it away."""
    os.mkdir(folder)
    if not hasattr(os, "O_DIRECTORY"):
        yield
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Where the file system knows no locks, nobody removes it either; who removes it before
        # it has its lock finds it empty, and it is made again with its first file.
        with suppress(OSError):
            take(handle)
        yield
    finally:
        os.close(handle)


def _write(path: str, data: bytes, executable: bool) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "xb") as file:
        file.write(data)
    if executable:
        # Whoever may read it may run it, as the user's umask has it.
        mode = os.stat(path).st_mode
        os.chmod(path, mode | (mode & 0o444) >> 2)


def _make_last(folder: str, files: Collection[str]) -> None:
    """Wait until the bytes of new files are on the disk."""
    if len(files) >= MANY and can_sync_disks():
        sync_disks([folder])
        return
    for path in files:
        handle = os.open(os.path.join(folder, *path.split("/")), os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _link(path: str, leads_to: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(leads_to, path)


def _move(aside: str, target: str) -> None:
    # A rename would replace an empty folder that has come up since.
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "it came into being meanwhile", target)
    os.rename(aside, target)


def _clean(aside: str, made: list[str]) -> None:
    if aside:
        shutil.rmtree(aside, ignore_errors=True)
    for folder in made:
        try:
            os.rmdir(folder)
        except OSError:
            # Someone else has put something there, or it was never made.
            return
