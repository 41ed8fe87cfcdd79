"""Whether changes can be applied: what changed since a run began is never written over."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from unicodedata import normalize

from skillstudio.dryrun.applying.changes import ApplyChange, Conflict, settled
from skillstudio.dryrun.applying.repositories import Repositories
from skillstudio.files.changeset import FileState, kind_of_mode, state_of
from skillstudio.files.paths import below
from skillstudio.files.temporary import is_temporary
from skillstudio.resources import is_installed

_REPOSITORY = re.compile(r"\.git|git~[0-9]+")
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that a Mac leaves out where it compares names."""
_OWNER_BITS = stat.S_ISUID | stat.S_ISGID
_AGAIN = "run it again on what is there now, or leave this path out"
_KINDS = {"file": "a file", "folder": "a folder", "link": "a link", "other": "no regular file"}


class Judged(NamedTuple):
    """What is to be done of some changes, and what stands against it."""

    pending: tuple[ApplyChange, ...]
    already: tuple[str, ...]
    """The targets that are as the run left them."""
    conflicts: tuple[Conflict, ...]


def check(changes: Sequence[ApplyChange]) -> tuple[Conflict, ...]:
    """Every reason why the changes cannot be applied; none where they can.

    The files are compared by their bytes, so this reads each that is to be changed.
    """
    return judge(changes).conflicts


def judge(changes: Sequence[ApplyChange]) -> Judged:
    """The changes without those that are there already, and every conflict of the others."""
    changes = settled(changes)
    plain = {each.target: each for each in changes if not path_fault(each.path)}
    found = {target: _found(each) for target, each in plain.items()}
    already = {target for target, each in plain.items() if _is_there(each, found[target])}
    wanted = {target: each for target, each in plain.items() if target not in already}
    pending = tuple(each for each in changes if each.target not in already)
    ground = _CheckContext(wanted, found, _Listings(), Repositories(wanted.values()))
    conflicts: list[Conflict] = []
    seen: set[str] = set()
    for each in pending:
        fault = path_fault(each.path) or _fault(each, ground)
        if not fault and each.target in seen:
            fault = "is named twice; leave one of both out"
        if fault:
            conflicts.append(Conflict(each.root, each.path, fault))
        else:
            seen.add(each.target)
    conflicts += _colliding(pending)
    return Judged(pending, tuple(sorted(already)), tuple(conflicts))


class _CheckContext(NamedTuple):
    """What all of the changes are judged by."""

    wanted: Mapping[str, ApplyChange]
    found: Mapping[str, FileState | OSError | None]
    """What lies at each target, no link followed on the way; None where nothing does."""
    listings: _Listings
    repositories: Repositories


def _found(each: ApplyChange) -> FileState | OSError | None:
    """What lies at a target; None also where a folder above it is no folder, or a link.

    An error where the root itself is none: its disk may be away.
    """
    step = each.folder
    if not os.path.isdir(step):
        return NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), step)
    for part in each.path.split("/")[:-1]:
        step = os.path.join(step, part)
        try:
            if not stat.S_ISDIR(os.lstat(step).st_mode):
                return None
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return error
    try:
        return state_of(each.target)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return error


def _is_there(each: ApplyChange, found: FileState | OSError | None) -> bool:
    """Whether a change was made before, whoever made it."""
    if found is None:
        return each.after is None and each.before is not None and not _is_led_away(each)
    if isinstance(found, OSError) or each.after is None:
        return False
    return found.same(each.after) and (found.kind != "file" or bool(found.digest))


def _is_led_away(each: ApplyChange) -> bool:
    """Whether a folder above is a link, so that what is gone may lie where it leads."""
    step = each.folder
    for part in each.path.split("/")[:-1]:
        step = os.path.join(step, part)
        if os.path.islink(step):
            return True
    return False


def path_fault(path: str) -> str:
    """Why nothing is written to a path whatever the disk says; "" where something may be."""
    parts = path.split("/")
    if os.sep != "/" and (os.sep in path or ":" in path):
        return "is not written with / between plain names; leave this path out"
    if not path or "\0" in path or path.startswith("/") or any(p in ("", ".") for p in parts):
        return "is no plain path inside its folder; leave this path out"
    if ".." in parts:
        return "leads out of its folder, where nothing is written; leave this path out"
    if any(map(is_temporary, parts)):
        return "has a name that skillstudio gives its temporary files; leave this path out"
    if any(_is_repository(part) for part in parts):
        return "lies in .git, where nothing is ever written; leave this path out and let git do it"
    return ""


def _is_repository(name: str) -> bool:
    """Whether some system takes a name for `.git`, or for the short name it has on Windows."""
    plain = _IGNORED.sub("", name).split(":")[0].rstrip(". ").casefold()
    return bool(_REPOSITORY.fullmatch(plain))


def _fault(each: ApplyChange, ground: _CheckContext) -> str:
    after, wanted = each.after, ground.wanted
    root = each.folder
    if not os.path.isdir(root):
        return f"its folder {each.folder} is not there; make it, or leave this path out"
    if after is None and each.before is None:
        return "is neither there before nor after; leave this path out"
    above = _above(each, wanted)
    if isinstance(above, str):
        return above
    folder, is_free = above
    real = None if is_free else ground.found[each.target]
    if isinstance(real, OSError):
        return f"cannot be looked at ({real.strerror}); see to it that it can be read"
    return (
        ground.repositories.fault(each)
        or _difference(each.before, real)
        or _protected(each, real, folder)
        or (_unfit(each, root) if after else "")
        or (_uncovered(each, wanted) if each.is_moved and real else "")
        or (ground.listings.collision(each, folder, wanted) if each.before is None else "")
    )


def _above(each: ApplyChange, wanted: Mapping[str, ApplyChange]) -> tuple[str, bool] | str:
    """The nearest real folder, and whether a folder between it and the path is yet to be made.

    A sentence where what is there is no folder and does not become one.
    """
    folder = each.folder
    parts = each.path.split("/")[:-1]
    for depth, part in enumerate(parts, 1):
        step = os.path.join(folder, part)
        shown = "/".join(parts[:depth])
        other = wanted.get(step)
        if other and other.is_moved:
            if each.after and not (other.after and other.after.kind == "folder"):
                return f"would lie in {shown}, which is no folder afterwards; choose one of both"
            return (folder, True) if each.before is None else (step, False)
        try:
            kind = kind_of_mode(os.lstat(step).st_mode)
        except FileNotFoundError:
            return folder, True
        except OSError as error:
            return f"{shown} cannot be looked at ({error.strerror})"
        if kind == "link":
            leads = os.path.realpath(step)
            return (
                f"{shown} is a link to {leads} and was a folder in the run; nothing is written "
                "through links: put the folder back, or leave this path out"
            )
        if kind != "folder":
            return f"{shown} is {_KINDS[kind]} and was a folder in the run; {_AGAIN}"
        folder = step
    return folder, False


def _difference(before: FileState | None, real: FileState | None) -> str:
    """What is there beside what should be; "" where that is the same."""
    if before is None or real is None:
        if before is None and real is None:
            return ""
        if real is None and before is not None:
            return f"is gone, and was {_KINDS[before.kind]} when the run began; {_AGAIN}"
        kind = _KINDS[real.kind] if real else ""
        return f"is {kind} now, and was not there when the run began; {_AGAIN}"
    if real.kind != before.kind:
        was = _KINDS[before.kind]
        return f"is {_KINDS[real.kind]} now, and was {was} when the run began; {_AGAIN}"
    if real.target != before.target:
        return f"leads to {real.target} now, and led to {before.target} before; {_AGAIN}"
    if real.kind == "file" and not (real.digest and before.digest):
        return "cannot be read, so nobody knows whether it changed; make it readable and run again"
    if real.digest != before.digest:
        return (
            f"holds other bytes than when the run began ({real.size} bytes, SHA-256 "
            f"{real.digest[:12]}…, in the place of {before.size}, {before.digest[:12]}…); {_AGAIN}"
        )
    if real.mode != before.mode:
        return f"has the mode {real.mode:04o} now, and had {before.mode:04o} before; {_AGAIN}"
    return ""


def _protected(each: ApplyChange, real: FileState | None, folder: str) -> str:
    if is_installed(each.target):
        return "belongs to the installed skillstudio; leave this path out"
    if hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY:
        return f"lies on a file system that is read-only, below {folder}; leave this path out"
    if real and real.kind == "file" and (how := _shut(each.target, real.mode)):
        return f"is protected from writing; {how}, or leave this path out"
    if real and real.kind == "file" and each.after and os.lstat(each.target).st_nlink > 1:
        return (
            "has a second name (a hard link), which would keep the old content; make it a copy of "
            "its own, or leave this path out"
        )
    if real and real.kind == "folder" and not each.is_moved:
        return ""
    if how := _shut(folder, os.stat(folder).st_mode):
        return f"its folder {folder} is protected from writing; {how}"
    return ""


def _shut(path: str, mode: int) -> str:
    """How what is protected from writing is opened; "" of what is not."""
    if not mode & 0o222:
        return "chmod u+w takes that off"
    # A mode that allows it is not all: it may be another user's, or be sealed (chattr +i).
    return "" if os.access(path, os.W_OK) else "see whose it is (ls -l) and whether it is sealed"


def _unfit(each: ApplyChange, root: str) -> str:
    """Why what the run left is nothing to be put into a real folder."""
    after, before = each.after, each.before
    assert after is not None  # noqa: S101  (for the type checker: asked for by the caller)
    if after.kind == "other":
        return "is no file, folder or link after the run; leave this path out"
    if after.kind == "link":
        return _leading_out(each, root)
    if after.kind == "folder":
        return ""
    is_same = before is not None and before.kind == "file" and before.digest == after.digest
    # Bits that were given to some bytes were not given to others.
    if after.mode & _OWNER_BITS & ~(before.mode if before and is_same else 0):
        return (
            f"would run as its owner or group (mode {after.mode:04o}), which is never set here; "
            "leave this path out, and use chmod if that is wanted"
        )
    if is_same:
        return ""
    try:
        about = os.lstat(each.source)
    except OSError:
        about = None
    if not after.digest or about is None or not stat.S_ISREG(about.st_mode):
        return "what the run left of it is not kept; run it again"
    if about.st_size != after.size:
        return "what is kept of it is not what the run left; run it again"
    return ""


def _leading_out(each: ApplyChange, root: str) -> str:
    """A link leads where its words say: what it would meet on the way is not followed."""
    target = each.after.target if each.after else ""
    meant = os.path.normpath(os.path.join(os.path.dirname(each.target), target))
    inside = below(meant, root)
    if not os.path.isabs(target) and inside is not None:
        fault = path_fault(inside.replace(os.sep, "/")) if inside else ""
        return f"is a link into .git ({target}); leave this path out" if fault else ""
    return (
        f"is a link to {target}, which is absolute or outside the folder; leave this path out, "
        "and make the link yourself if it is wanted"
    )


def _uncovered(each: ApplyChange, wanted: Mapping[str, ApplyChange]) -> str:
    """What lies in a folder that goes, and is not itself removed."""
    if each.before is None or each.before.kind != "folder":
        return ""
    for where, folders, files in os.walk(each.target):
        links = [name for name in folders if os.path.islink(os.path.join(where, name))]
        listed = [os.path.join(where, name) for name in (*files, *links)]
        if not folders and not files:
            listed = [where]
        for path in listed:
            other = wanted.get(path)
            goes = other is not None and (other.after is None or path == each.target)
            if not goes and path != each.target:
                inside = os.path.relpath(path, each.target)
                return f"would go with {inside} in it, which the run did not remove; {_AGAIN}"
    return ""


class _Listings:
    """The names in folders, each listed once."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, str]] = {}

    def collision(self, each: ApplyChange, folder: str, wanted: Mapping[str, ApplyChange]) -> str:
        """Another name in the folder that is the same on a Mac or on Windows."""
        if folder not in self._known:
            try:
                names = os.listdir(folder)
            except OSError as error:
                return f"its folder {folder} cannot be listed ({error.strerror})"
            self._known[folder] = {_folded(name): name for name in sorted(names)}
        name = os.path.relpath(each.target, folder).split(os.sep)[0]
        other = self._known[folder].get(_folded(name), name)
        going = wanted.get(os.path.join(folder, other))
        if other == name or (going is not None and going.after is None):
            return ""
        return f"differs from {other}, which is there, in case only; {_AGAIN}"


def _colliding(changes: Iterable[ApplyChange]) -> Iterator[Conflict]:
    names: dict[tuple[str, str], str] = {}
    for each in changes:
        if each.after is None:
            continue
        other = names.setdefault((each.folder, _folded(each.path)), each.path)
        if other != each.path:
            message = f"and {other} are one name on some systems; leave one of both out"
            yield Conflict(each.root, each.path, message)


def _folded(name: str) -> str:
    return normalize("NFC", name).casefold()
