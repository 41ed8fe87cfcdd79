"""The steps of an apply on disk. A file's name always has the old or the new content, and what was
set aside is compared, so that no later change goes unnoticed."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.items import ANY_MODE, ApplyItem, EntryState, matches
from skillstudio.files.durability import open_handle, sync_folder
from skillstudio.files.folders import remove
from skillstudio.files.saving.attributes import attributes_of, give

Stamp = tuple[int, int]  # Size and modification time: while they are equal, so is the content.
_REMOVAL_SUFFIX = ".going"
_CHUNK = 1 << 20
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_OPEN = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0)
_HANDLES = "/proc/self/fd"


def prepare(real_item: ApplyItem, changes: Mapping[str, ApplyChange], is_synced: bool) -> None:
    """Create the new entry under its temporary name, synced if `is_synced`. Raises OSError.
    `changes` are the changes of all items by target."""
    with anchor_item(real_item) as item:
        folders = [inside for inside, state in item.after.items() if state.kind == "folder"]
        for inside in sorted(item.after):
            path = _at(item.new, inside)
            if item.after[inside].kind == "folder":
                os.mkdir(path)
            else:
                change = changes[_at(real_item.target, inside)]
                _make(change, item.after[inside], item.target, path, is_synced)
        for inside in sorted(folders, reverse=True):
            path = _at(item.new, inside)
            if item.after[inside].mode != ANY_MODE:
                os.chmod(path, item.after[inside].mode)
            if is_synced:
                sync_folder(path)


def go(real_item: ApplyItem) -> Stamp | None:
    """Replace the old entry, and return its stamp for `clear_old`. Raises OSError; MovedSinceCheck
    when something else has its name."""
    if real_item.is_mode_only:
        with pinned_folder(real_item.target) as folder:
            os.chmod(folder, real_item.after[""].mode)
        return None
    with anchor_item(real_item) as item:
        if not item.old:
            _put_new(item)
            return None
        if item.new:
            _set_aside(item)
        else:
            os.rename(item.target, item.old)
        before = _stamp(item.old)
        if not matches(item.old, item.before):
            raise MovedSinceCheck(item.target)
        if not item.new:
            return before
        if os.path.lexists(item.target):
            if not _is_same(item.old, item.target):
                raise MovedSinceCheck(item.target)
            os.replace(item.new, item.target)
        else:
            os.rename(item.new, item.target)
        if _stamp(item.old) != before:
            raise MovedSinceCheck(item.target)
        return before


def tidy(real_item: ApplyItem) -> None:
    """Remove what a killed apply left: the entry gets its old or its new content, unless it has
    another one by now. Raises OSError."""
    names = (real_item.new, real_item.old, real_item.old and real_item.old + _REMOVAL_SUFFIX)
    if not any(map(os.path.lexists, names)):
        return
    with anchor_item(real_item) as item:
        _clear(item.new)
        _clear(item.old and item.old + _REMOVAL_SUFFIX)
        if not item.old or not os.path.lexists(item.old) or not matches(item.old, item.before):
            return
        if not os.path.lexists(item.target) and item.after:
            os.rename(item.old, item.target)
        elif os.path.lexists(item.target) and _is_same(item.old, item.target):
            os.unlink(item.old)
        elif matches(item.target, item.after):
            _discard(item)


def undo(real_item: ApplyItem) -> str:
    """Restore the old entry, if needed; keep anything else with its name and return a sentence."""
    if real_item.is_mode_only:
        fault = _undo_mode(real_item)
        return f"{real_item.target} {fault}" if fault else ""
    with anchor_item(real_item) as item:
        if _undo(item):
            return ""
        is_kept = bool(item.old) and os.path.lexists(item.old)
    note = f"; its previous version is {real_item.old}" if is_kept else ""
    return f"{real_item.target} was changed since, so it is kept as it is now{note}"


def clear_new(real_item: ApplyItem) -> None:
    """Remove the new entry, even if protected. Raises OSError."""
    with anchor_item(real_item) as item:
        _clear(item.new)


def clear_old(real_item: ApplyItem, stamp: Stamp | None) -> str:
    """Remove the old entry, even if protected; keep it and return a sentence if it was written to
    since `stamp`, or without one if its content changed. Raises OSError."""
    with anchor_item(real_item) as item:
        if not os.path.lexists(item.old):
            return ""
        if item.before[""].kind == "file" and stamp:
            is_same = _stamp(item.old) == stamp
        else:
            is_same = matches(item.old, item.before)
        if is_same:
            _discard(item)
    if is_same:
        return ""
    return (
        f"{real_item.target} was written to while it was replaced: that version is {real_item.old}"
    )


def _discard(item: ApplyItem) -> None:
    """Remove the old entry; a folder that is partly removed has another name."""
    if item.before[""].kind == "folder":
        os.rename(item.old, item.old + _REMOVAL_SUFFIX)
        _clear(item.old + _REMOVAL_SUFFIX)
    else:
        os.unlink(item.old)


def _clear(path: str) -> None:
    """Remove an entry, even if protected; nothing for "" or a path without one."""
    if path and os.path.lexists(path):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            remove(path)
        else:
            os.unlink(path)


def _put_new(item: ApplyItem) -> None:
    """Give the new entry a name that did not exist, without overwriting anything."""
    if item.after[""].kind != "folder":
        try:
            os.link(item.new, item.target, follow_symlinks=False)
        except FileExistsError:
            raise MovedSinceCheck(item.target) from None
        except (OSError, NotImplementedError):
            # The system or file system has no hard links.
            pass
        else:
            os.unlink(item.new)
            return
    if os.path.lexists(item.target):
        raise MovedSinceCheck(item.target)
    os.rename(item.new, item.target)


def _set_aside(item: ApplyItem) -> None:
    """Give the old entry its temporary name, as a second one if possible."""
    if not {"folder"} & {item.before[""].kind, item.after[""].kind}:
        try:
            os.link(item.target, item.old, follow_symlinks=False)
            return
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            # The system or file system has no hard links: for a moment the name is free.
            pass
    os.rename(item.target, item.old)


def _undo(item: ApplyItem) -> bool:
    """Restore an item; return whether everything is as before."""
    if item.new and not os.path.lexists(item.new):
        if item.old and not os.path.lexists(item.old):
            return True
        if os.path.lexists(item.target):
            if not matches(item.target, item.after):
                return False
            if item.old and not {"folder"} & {item.before[""].kind, item.after[""].kind}:
                os.replace(item.old, item.target)
                return True
            os.rename(item.target, item.new)
    if not item.old:
        return _undo_new(item)
    if not os.path.lexists(item.old):
        return True
    if not os.path.lexists(item.target):
        os.rename(item.old, item.target)
    elif _is_same(item.old, item.target):
        os.unlink(item.old)
    else:
        return False
    return True


def _undo_new(item: ApplyItem) -> bool:
    """Remove the final name of the new entry, when an error left it both."""
    if not (os.path.lexists(item.new) and os.path.lexists(item.target)):
        return True
    if not _is_same(item.new, item.target):
        # It existed before and is reported as the obstacle.
        return True
    if not matches(item.target, item.after):
        return False
    os.unlink(item.target)
    return True


def _undo_mode(item: ApplyItem) -> str:
    try:
        with pinned_folder(item.target) as folder:
            mode = stat.S_IMODE(os.stat(folder).st_mode)
            if mode == item.after[""].mode:
                os.chmod(folder, item.before[""].mode)
                return ""
    except (FileNotFoundError, NotADirectoryError, MovedSinceCheck):
        return "no longer exists, so its mode is not restored"
    if mode != item.before[""].mode:
        return f"was given mode {mode:04o} since, which is kept"
    return ""


def _make(change: ApplyChange, after: EntryState, target: str, path: str, is_synced: bool) -> None:
    if after.kind == "link":
        os.symlink(change.after.target if change.after else "", path)
        return
    before = change.before
    is_same = before is not None and before.kind == "file" and before.digest == after.digest
    source = target if is_same else change.source
    content_hash = hashlib.sha256()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    with open(handle, "wb") as new_file:
        has_old = before is not None and before.kind == "file"
        if has_old and not give(handle, attributes_of(target)):
            # Under another owner its mode would grant more.
            why = "a new file cannot get its owner, ACL or extended attributes"
            raise PermissionError(errno.EPERM, why, target)
        _set_mode(handle, path, after.mode)
        with open(os.open(source, os.O_RDONLY | _NO_FOLLOW | _BINARY), "rb") as source_file:
            about = os.fstat(source_file.fileno())
            while piece := source_file.read(_CHUNK):
                content_hash.update(piece)
                new_file.write(piece)
        new_file.flush()
        if content_hash.hexdigest() != after.digest:
            raise MovedSinceCheck(source)
        if is_same:
            # The system clears set-user-ID bits of a file that is written.
            _set_mode(handle, path, after.mode)
            os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        if is_synced:
            os.fsync(new_file.fileno())


def _set_mode(handle: int, path: str, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode)
    else:
        os.chmod(path, mode)


def _at(path: str, inside: str) -> str:
    return os.path.join(path, *inside.split("/")) if inside else path


def _is_same(path: str, other: str) -> bool:
    """Whether both names are of the same file, links not followed."""
    return os.path.samestat(os.lstat(path), os.lstat(other))


def _stamp(path: str) -> Stamp:
    about = os.lstat(path)
    return about.st_size, about.st_mtime_ns


class MovedSinceCheck(OSError):
    """A path is no longer what was checked."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ESTALE, "it was changed meanwhile", path)


@contextmanager
def pinned_folder(folder: str) -> Iterator[str]:
    """A name for exactly this folder. Raises MovedSinceCheck when a link leads to it, and OSError.
    Only Linux has names by descriptor; elsewhere it is checked right before the change."""
    if not (hasattr(os, "O_PATH") and os.path.isdir(_HANDLES)):
        if os.path.realpath(folder) != folder:
            raise MovedSinceCheck(folder)
        yield folder
        return
    with open_handle(folder, _OPEN) as handle:
        name = f"{_HANDLES}/{handle}"
        if os.readlink(name) != folder:
            raise MovedSinceCheck(folder)
        yield name


@contextmanager
def anchor_item(item: ApplyItem) -> Iterator[ApplyItem]:
    """An item under names that nobody can redirect; OSErrors report the real names. Raises
    MovedSinceCheck when a parent folder is now a link, and OSError."""
    folder = os.path.dirname(item.target)
    with pinned_folder(folder) as base:
        names = (item.target, item.new, item.old)
        target, new, old = (name and os.path.join(base, os.path.basename(name)) for name in names)
        try:
            yield item._replace(target=target, new=new, old=old)
        except OSError as error:
            error.filename = _real(error.filename, base, folder)
            error.filename2 = _real(error.filename2, base, folder)
            raise


def _real(name: object, base: str, folder: str) -> object:
    is_below = isinstance(name, str) and name.startswith(base + os.sep)
    return folder + str(name)[len(base) :] if is_below else name
