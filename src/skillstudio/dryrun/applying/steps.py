"""The steps of an apply on the disk, each of which can be done again after a kill.

A file that is replaced is linked under its temporary name first, so that at every moment its
name holds the old bytes or the new ones. What is looked at is what was put aside: nobody can
change it unseen afterwards.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat

from skillstudio.dryrun.applying.anchoring import MovedSinceCheck, anchored, held_fast
from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.exchanging import exchange
from skillstudio.dryrun.applying.items import ANY_MODE, ApplyItem, EntryState, SourcedItem, holds
from skillstudio.files.durability import sync_folder
from skillstudio.files.folders import remove
from skillstudio.files.saving.attributes import attributes_of, give

Stamp = tuple[int, int]
"""Size and time of the content: while they are the same, so are the bytes."""

_GOING = ".going"
"""What the name of a folder ends with that is being removed."""
_CHUNK = 1 << 20
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def prepare(made: SourcedItem, is_synced: bool) -> None:
    """Make what comes under its temporary name. Raises OSError.

    Where `is_synced`, it is on the disk for good then; else the whole disk is to be waited for.
    """
    with anchored(made.item) as item:
        folders = [inside for inside, each in item.after.items() if each.kind == "folder"]
        for inside in sorted(item.after):
            path = _at(item.new, inside)
            if item.after[inside].kind == "folder":
                os.mkdir(path)
            else:
                _make(made.wanted[inside], item.after[inside], item.target, path, is_synced)
        for inside in sorted(folders, reverse=True):
            path = _at(item.new, inside)
            if item.after[inside].mode != ANY_MODE:
                os.chmod(path, item.after[inside].mode)
            if is_synced:
                sync_folder(path)


def go(named: ApplyItem, again: bool = False) -> Stamp | None:
    """Put what comes in the place of what was there; `again`, if that is not done yet.

    What was put aside bears the stamp for `clear_old`. Raises OSError, of which Moved where
    something else is there.
    """
    if named.is_mode_only:
        with held_fast(named.target) as folder:
            os.chmod(folder, named.after[""].mode)
        return None
    with anchored(named) as item:
        if not item.new:
            return _put_aside(item, again)
        if os.path.lexists(item.new):
            return _put(item)
        if not (again and _is_put(item)):
            raise MovedSinceCheck(item.new)
        return None


def undo(named: ApplyItem) -> str:
    """Put back what was there, if that is not done yet.

    Where something else has come meanwhile it stays, and a sentence says where the other lies.
    Raises OSError.
    """
    if named.is_mode_only:
        fault = _undo_mode(named)
        return f"{named.target} {fault}" if fault else ""
    with anchored(named) as item:
        if _undo(item):
            return ""
        is_kept = bool(item.old) and os.path.lexists(item.old)
    kept = f"; what was there before lies in {named.old}" if is_kept else ""
    return f"{named.target} was changed since, so it stays as it is now{kept}"


def clear_new(named: ApplyItem) -> None:
    """Remove what was to come, also what is protected. Raises OSError."""
    with anchored(named) as item:
        _clear(item.new)


def clear_old(named: ApplyItem, stamp: Stamp | None) -> str:
    """Remove what was there before, also what is protected.

    Unless somebody wrote into it since its `stamp`, who had it open: then a sentence says where
    it lies. Without a stamp its bytes tell. Raises OSError.
    """
    with anchored(named) as item:
        # A kill may leave a part of a folder, which is no longer what it was: its name tells.
        going = item.old + _GOING
        _clear(going)
        if not os.path.lexists(item.old):
            return ""
        if item.before[""].kind == "file" and stamp:
            is_same = _stamp(item.old) == stamp
        else:
            is_same = holds(item.old, item.before)
        if is_same and item.before[""].kind == "folder":
            os.rename(item.old, going)
            _clear(going)
        elif is_same:
            os.unlink(item.old)
    if is_same:
        return ""
    return f"{named.target} was written to while it was replaced: that version is {named.old}"


def _clear(path: str) -> None:
    if os.path.lexists(path):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            remove(path)
        else:
            os.unlink(path)


def _put(item: ApplyItem) -> Stamp | None:
    if not item.old:
        _come(item)
        return None
    if not os.path.lexists(item.old):
        _keep(item)
    before = _stamp(item.old)
    if not holds(item.old, item.before):
        raise MovedSinceCheck(item.target)
    if not os.path.lexists(item.target):
        os.rename(item.new, item.target)
        return before
    if not _is_same(item.new, item.old):
        _replace(item)
    else:
        # They were exchanged before a kill.
        os.unlink(item.new)
    if _stamp(item.old) != before:
        raise MovedSinceCheck(item.target)
    return before


def _replace(item: ApplyItem) -> None:
    """Give what comes the name of what was put aside, unless something else has it by now."""
    if not _is_same(item.old, item.target):
        raise MovedSinceCheck(item.target)
    if not exchange(item.new, item.target):
        os.replace(item.new, item.target)
        return
    if not _is_same(item.new, item.old):
        # Somebody was quicker, and gets it back.
        exchange(item.new, item.target)
        raise MovedSinceCheck(item.target)
    os.unlink(item.new)


def _put_aside(item: ApplyItem, again: bool) -> Stamp | None:
    if again and (os.path.lexists(item.old) or not os.path.lexists(item.target)):
        return None
    os.rename(item.target, item.old)
    before = _stamp(item.old)
    if not holds(item.old, item.before):
        raise MovedSinceCheck(item.target)
    return before


def _come(item: ApplyItem) -> None:
    """Let something have a name that nothing had; never is anything written over."""
    if item.after[""].kind != "folder":
        try:
            os.link(item.new, item.target, follow_symlinks=False)
        except FileExistsError:
            if not _is_same(item.new, item.target):
                raise MovedSinceCheck(item.target) from None
            # It was linked before a kill.
        except (OSError, NotImplementedError):
            # This file system or system has no such links.
            pass
        else:
            os.unlink(item.new)
            return
    if os.path.lexists(item.target):
        if not _is_same(item.new, item.target):
            raise MovedSinceCheck(item.target)
        os.unlink(item.new)
        return
    os.rename(item.new, item.target)


def _is_put(item: ApplyItem) -> bool:
    """Whether what came under its temporary name has its own by now, as far as one can see."""
    if not os.path.lexists(item.target):
        return False
    if not item.old:
        return True
    return os.path.lexists(item.old) and not _is_same(item.old, item.target)


def _keep(item: ApplyItem) -> None:
    """Give what is there its temporary name, if it can be beside its own."""
    if not {"folder"} & {item.before[""].kind, item.after[""].kind}:
        try:
            os.link(item.target, item.old, follow_symlinks=False)
            return
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            # This file system or system has no such links: for a moment the name is free.
            pass
    os.rename(item.target, item.old)


def _undo(item: ApplyItem) -> bool:
    """Whether all is as it was; else something has come that stays."""
    names = (item.new, item.old)
    if all(name and os.path.lexists(name) for name in names) and _is_same(*names):
        # They were exchanged before a kill, so what came has its name.
        os.unlink(item.new)
    if item.new and not os.path.lexists(item.new):
        if item.old and not os.path.lexists(item.old):
            return True
        if os.path.lexists(item.target):
            if not holds(item.target, item.after):
                return False
            if item.old and not {"folder"} & {item.before[""].kind, item.after[""].kind}:
                os.replace(item.old, item.target)
                return True
            os.rename(item.target, item.new)
    if not item.old:
        return _undo_come(item)
    if not os.path.lexists(item.old):
        return True
    if not os.path.lexists(item.target):
        os.rename(item.old, item.target)
    elif _is_same(item.old, item.target):
        os.unlink(item.old)
    else:
        return False
    return True


def _undo_come(item: ApplyItem) -> bool:
    """Take back the second name of what came, where a kill left it both."""
    if not (os.path.lexists(item.new) and os.path.lexists(item.target)):
        return True
    if not _is_same(item.new, item.target):
        # It was there before this came to it, and is told as what hindered it.
        return True
    if not holds(item.target, item.after):
        return False
    os.unlink(item.target)
    return True


def _undo_mode(item: ApplyItem) -> str:
    try:
        with held_fast(item.target) as folder:
            mode = stat.S_IMODE(os.stat(folder).st_mode)
            if mode == item.after[""].mode:
                os.chmod(folder, item.before[""].mode)
                return ""
    except (FileNotFoundError, NotADirectoryError, MovedSinceCheck):
        return "is gone, so its mode is not put back"
    if mode != item.before[""].mode:
        return f"got the mode {mode:04o} since, which stays"
    return ""


def _make(wanted: ApplyChange, after: EntryState, target: str, path: str, is_synced: bool) -> None:
    if after.kind == "link":
        os.symlink(wanted.after.target if wanted.after else "", path)
        return
    before = wanted.before
    is_same = before is not None and before.kind == "file" and before.digest == after.digest
    source = target if is_same else wanted.source
    seen = hashlib.sha256()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    with open(handle, "wb") as made:
        if before is not None and before.kind == "file":
            _be_like(target, handle)
        _set_mode(handle, path, after.mode)
        with open(os.open(source, os.O_RDONLY | _NO_FOLLOW | _BINARY), "rb") as kept:
            about = os.fstat(kept.fileno())
            while piece := kept.read(_CHUNK):
                seen.update(piece)
                made.write(piece)
        made.flush()
        if seen.hexdigest() != after.digest:
            raise MovedSinceCheck(source)
        if is_same:
            # The system takes the right to run as somebody else off a file that is written.
            _set_mode(handle, path, after.mode)
            os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        if is_synced:
            os.fsync(made.fileno())


def _be_like(target: str, handle: int) -> None:
    """Give a new file the owner, ACL and extended attributes of the one that it replaces.

    Raises PermissionError where this user may not: with another owner its mode would be wider.
    """
    if not give(handle, attributes_of(target)):
        why = "a new file cannot get its owner, ACL or extended attributes"
        raise PermissionError(errno.EPERM, why, target)


def _set_mode(handle: int, path: str, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode)
    else:
        os.chmod(path, mode)


def _at(path: str, inside: str) -> str:
    return os.path.join(path, *inside.split("/")) if inside else path


def _is_same(one: str, other: str) -> bool:
    """Whether both names are of the same file, no link followed."""
    return os.path.samestat(os.lstat(one), os.lstat(other))


def _stamp(path: str) -> Stamp:
    about = os.lstat(path)
    return about.st_size, about.st_mtime_ns
