"""Create new folders and files atomically."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from unicodedata import normalize

from skillstudio.files.durability import MANY, can_sync_disks, open_handle, sync_disks, sync_folder
from skillstudio.files.saving.leftovers import remove_leftovers
from skillstudio.files.saving.locks import take
from skillstudio.files.saving.writer import write_file
from skillstudio.files.temporary import FOLDER, has_temporary, temporary_name
from skillstudio.resources import is_installed

MAX_NAME = 255  # Bytes of one name in UTF-8, the limit of common file systems.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10))]
    + [f"lpt{n}" for n in range(1, 10)]
)
_NONE: Mapping[str, str] = {}
_FORBIDDEN = frozenset('\\:*?"<>|')
_REPOSITORY = re.compile(r"\.git|git~[0-9]+|\.hg|\.svn", re.IGNORECASE)
"""Folders whose hooks version control runs; git~1 is .git on Windows."""


class NotPlaced(Exception):
    """Nothing was created; the message says why."""


def path_fault(path: str) -> str:
    """Why a relative path with `/` must not be written, or "": it must suit every system."""
    if not path:
        return "is empty"
    if path.startswith("/"):
        return "is absolute"
    for part in path.split("/"):
        if part in ("", "."):
            return "has an empty part"
        if part == "..":
            return "points outside of the folder"
        if _FORBIDDEN & set(part) or not part.isprintable():
            return "contains a character that some systems do not allow in file names"
        if part != part.strip(" ") or part.endswith("."):
            return "has a part that starts or ends with a space, or ends with a dot"
        if part.partition(".")[0].lower() in _DEVICES:
            return f"has the part {part}, which is a device on Windows"
        if has_temporary(part):
            return f"has the part {part}, a name of skillstudio's temporary files"
        if _REPOSITORY.fullmatch(part):
            return f"has the part {part}, whose files version control can run"
        try:
            size = len(part.encode("utf-8"))
        except UnicodeEncodeError:
            return "contains a lone surrogate"
        if size > MAX_NAME:
            return f"has a part longer than {MAX_NAME} bytes"
    return ""


def tree_fault(paths: Collection[str]) -> str:
    """Why some paths cannot be the files of one folder, or ""."""
    return next(tree_faults(paths), "")


def tree_faults(paths: Collection[str]) -> Iterator[str]:
    """Each reason why some paths cannot be the files of one folder."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for path in sorted(paths):
        if fault := path_fault(path):
            yield f"the path {path!r} {fault}"
        # macOS and Windows ignore case in names.
        other = files.setdefault(_fold_path(path), path)
        if other != path:
            yield f"{other!r} and {path!r} are the same file on some systems"
    reported_folders: set[str] = set()
    for path in sorted(paths):
        parts = path.split("/")
        for above in ("/".join(parts[:depth]) for depth in range(1, len(parts))):
            other = folders.setdefault(_fold_path(above), above)
            if above in reported_folders:
                continue
            if _fold_path(above) in files:
                yield f"{above!r} would be both a file and a folder"
            elif other != above:
                yield f"{other!r} and {above!r} are the same folder on some systems"
            else:
                continue
            reported_folders.add(above)


def destination_fault(destination: str) -> str:
    """Why a new folder cannot be created there, or ""."""
    if not destination:
        return "enter a folder"
    if is_installed(destination):
        return "it is in the folders of the installed skillstudio; choose another folder"
    if os.path.lexists(destination):
        return "it already exists; skillstudio never overwrites files"
    if not os.path.basename(os.path.abspath(destination)):
        return "it has no name"
    above = os.path.dirname(os.path.abspath(destination))
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        return f"{above} is a file, not a folder"
    if not os.access(above, os.W_OK | os.X_OK):
        return f"{above} is read-only"
    return ""


def place(
    files: Mapping[str, bytes],
    destination: str,
    executable: Collection[str] = (),
    links: Mapping[str, str] = _NONE,
) -> None:
    """Create a folder of files (`path: bytes`, with `/`) and links (`path: target`).

    They are written to a sibling folder that is then renamed: no partial state is visible, and a
    full disk leaves nothing. Links come last: nothing is written through them. Raises NotPlaced.
    """
    if fault := destination_fault(destination) or tree_fault([*files, *links]):
        raise NotPlaced(f"{destination}: {fault}")
    target = os.path.abspath(destination)
    above = os.path.dirname(target)
    aside = os.path.join(above, temporary_name(FOLDER))
    with _all_or_nothing(destination, "nothing was created", aside):
        remove_leftovers(above, deep=False)
        with _marked_as_used(aside):
            for path, data in files.items():
                _write(os.path.join(aside, *path.split("/")), data, path in executable)
            for path, leads_to in links.items():
                link = os.path.join(aside, *path.split("/"))
                os.makedirs(os.path.dirname(link), exist_ok=True)
                os.symlink(leads_to, link)
            _sync(aside, files)
            # A rename would replace an empty folder created since.
            if os.path.lexists(target):
                raise FileExistsError(errno.EEXIST, "it was created in the meantime", target)
            os.rename(aside, target)
        sync_folder(above)


def place_file(data: bytes, destination: str, replace: bool = False) -> None:
    """Write a new file atomically, or with `replace` overwrite one. Raises NotPlaced."""
    if os.path.isdir(destination):
        raise NotPlaced(f"{destination}: it is a folder; choose a file")
    is_replaced = replace and os.path.lexists(destination)
    fault = "" if is_replaced else destination_fault(destination)
    if fault:
        raise NotPlaced(f"{destination}: {fault}")
    with _all_or_nothing(destination, "nothing was written"):
        write_file(destination, data)


def move(source: str, destination: str) -> None:
    """Rename a file or folder within a file system; nothing is overwritten. Raises NotPlaced."""
    is_same = (
        _fold_path(source) == _fold_path(destination)
        and os.path.lexists(destination)
        and os.path.samestat(os.lstat(source), os.lstat(destination))
    )  # Only the case of the name changes, on a system that ignores case.
    if not is_same and (fault := destination_fault(destination)):
        raise NotPlaced(f"{destination}: {fault}")
    with _all_or_nothing(destination, "nothing was moved"):
        if is_same or not _moved_as_link(source, destination):
            os.rename(source, destination)
    sync_folder(os.path.dirname(os.path.abspath(destination)))


def _moved_as_link(source: str, destination: str) -> bool:
    """Move a file by a second name, which fails if the new name was created in the meantime."""
    if not os.path.isfile(source) or os.path.islink(source):
        return False
    try:
        os.link(source, destination)
    except FileExistsError:
        raise
    except OSError:
        return False  # The file system has no hard links.
    os.unlink(source)
    return True


@contextmanager
def _all_or_nothing(destination: str, outcome: str, aside: str = "") -> Iterator[None]:
    """Create the parent folders; on failure, remove the new ones and `aside`. Raises NotPlaced."""
    above = os.path.dirname(os.path.abspath(destination))
    new_folders = []
    while not os.path.lexists(above):
        new_folders.append(above)
        above = os.path.dirname(above)
    try:
        os.makedirs(os.path.dirname(os.path.abspath(destination)), exist_ok=True)
        yield
    except BaseException as error:
        if aside:
            shutil.rmtree(aside, ignore_errors=True)
        # Stop at a folder that is not empty or was never created.
        with suppress(OSError):
            for folder in new_folders:
                os.rmdir(folder)
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            raise NotPlaced(f"{destination}: {reason}; {outcome}") from None
        raise


def _fold_path(path: str) -> str:
    return normalize("NFC", normalize("NFC", path).casefold())


@contextmanager
def _marked_as_used(folder: str) -> Iterator[None]:
    """Create a folder and hold its lock while it is filled, so that nobody removes it."""
    os.mkdir(folder)
    if not hasattr(os, "O_DIRECTORY"):
        yield
        return
    with open_handle(folder, os.O_RDONLY | os.O_DIRECTORY) as handle:
        # Without file locks nobody removes it either. If it is removed before it is locked, it
        # is empty and is created again with its first file.
        with suppress(OSError):
            take(handle)
        yield


def _write(path: str, data: bytes, executable: bool) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "xb") as file:
        file.write(data)
    if executable:
        # Executable for everyone who can read it by the umask.
        mode = os.stat(path).st_mode
        os.chmod(path, mode | (mode & 0o444) >> 2)


def _sync(folder: str, files: Collection[str]) -> None:
    if len(files) >= MANY and can_sync_disks():
        sync_disks([folder])
        return
    for path in files:
        with open_handle(os.path.join(folder, *path.split("/")), os.O_RDWR) as handle:
            os.fsync(handle)
