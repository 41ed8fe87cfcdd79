"""Check whether changes can be applied: nothing changed since the run began is overwritten."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple
from unicodedata import normalize

from skillstudio.dryrun.applying.changes import ApplyChange, Conflict, with_real_roots
from skillstudio.files.changeset import FileState, state_of
from skillstudio.files.paths import below, make_relative
from skillstudio.files.temporary import is_temporary
from skillstudio.files.tree import kind_of_mode
from skillstudio.resources import is_installed

_REPOSITORY = re.compile(r"\.git|git~[0-9]+")
_IGNORED_CHARACTERS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that macOS ignores when it compares names."""
_OWNER_BITS = stat.S_ISUID | stat.S_ISGID
_LEAVE = "leave this path out"
_AGAIN = f"run it again, or {_LEAVE}"
_KINDS = {"file": "a file", "folder": "a folder", "link": "a link", "other": "a special file"}
_SHAPES = (frozenset({"head", "objects", "refs"}), frozenset({"head", "commondir"}))
"""Entries by which git recognises its folder, case-folded."""
_NAMES = frozenset().union(*_SHAPES)


class ApplyJudgement(NamedTuple):
    """The changes still to make, and their conflicts."""

    pending: tuple[ApplyChange, ...]
    already: tuple[ApplyChange, ...]  # Changes whose targets are already as the run left them.
    conflicts: tuple[Conflict, ...]

    @property
    def free(self) -> tuple[ApplyChange, ...]:
        """The pending changes without a conflict, which can be applied together."""
        conflict_keys = {(conflict.root, conflict.path) for conflict in self.conflicts}
        return tuple(
            change for change in self.pending if (change.root, change.path) not in conflict_keys
        )


def judge(changes: Sequence[ApplyChange]) -> ApplyJudgement:
    """Split off the changes already applied, and find all conflicts. Reads each file to change."""
    changes = with_real_roots(changes)
    plain = {change.target: change for change in changes if not path_fault(change.path)}
    states = {target: _read_state(change) for target, change in plain.items()}
    applied_targets = {
        target for target, change in plain.items() if _is_applied(change, states[target])
    }
    changes_by_target = {
        target: change for target, change in plain.items() if target not in applied_targets
    }
    pending = tuple(change for change in changes if change.target not in applied_targets)
    already = tuple(change for change in changes if change.target in applied_targets)
    ground = _CheckContext(
        changes_by_target, states, cache(_listing), Repositories(changes_by_target.values())
    )
    conflicts: list[Conflict] = []
    seen_targets: set[str] = set()
    for change in pending:
        fault = path_fault(change.path) or _fault(change, ground)
        if not fault and change.target in seen_targets:
            fault = "is listed twice; leave one of them out"
        if fault:
            conflicts.append(Conflict(change.root, change.path, fault))
        else:
            seen_targets.add(change.target)
    conflicts += _find_collisions(pending)
    return ApplyJudgement(pending, already, tuple(conflicts))


class _CheckContext(NamedTuple):
    """What all changes are checked against."""

    changes: Mapping[str, ApplyChange]
    states: Mapping[str, FileState | OSError | None]
    """The current state of each target, links not followed; None when it does not exist."""
    listing: Callable[[str], Mapping[str, str]]
    repositories: Repositories


def _read_state(change: ApplyChange) -> FileState | OSError | None:
    """The current state of a target, None without one; an error when the root is not a folder."""
    if not os.path.isdir(change.folder):
        return NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), change.folder)
    try:
        if not all(stat.S_ISDIR(os.lstat(step).st_mode) for step in change.parents):
            return None
        return state_of(change.target)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return error


def _is_applied(change: ApplyChange, state: FileState | OSError | None) -> bool:
    if state is None:
        # Through a link in place of a parent, the target may have been moved.
        is_led_away = any(map(os.path.islink, change.parents))
        return change.after is None and change.before is not None and not is_led_away
    if isinstance(state, OSError) or change.after is None:
        return False
    return state.same(change.after) and (state.kind != "file" or bool(state.digest))


def path_fault(path: str) -> str:
    """Why a path is never written, whatever is on disk; "" when it may be."""
    parts = path.split("/")
    if os.sep != "/" and (os.sep in path or ":" in path):
        return "is not written as plain names with /; leave this path out"
    if not path or "\0" in path or path.startswith("/") or any(p in ("", ".") for p in parts):
        return "is not a plain path inside its folder; leave this path out"
    if ".." in parts:
        return "leads out of its folder; leave this path out"
    if any(map(is_temporary, parts)):
        return "has a name reserved for skillstudio's temporary files; leave this path out"
    if any(_is_repository(part) for part in parts):
        return "is in .git, which skillstudio never changes; leave this path out"
    return ""


def _is_repository(name: str) -> bool:
    """Whether some system treats a name as `.git`, or as its short name on Windows."""
    plain = _IGNORED_CHARACTERS.sub("", name).split(":")[0].rstrip(". ").casefold()
    return bool(_REPOSITORY.fullmatch(plain))


def _fault(change: ApplyChange, ground: _CheckContext) -> str:
    after, changes = change.after, ground.changes
    root = change.folder
    if not os.path.isdir(root):
        return f"its folder {change.folder} does not exist; create it, or leave this path out"
    if after is None and change.before is None:
        return "exists neither before nor after the run; leave this path out"
    above = _above(change, changes)
    if isinstance(above, str):
        return above
    folder, is_free = above
    real = None if is_free else ground.states[change.target]
    if isinstance(real, OSError):
        return f"cannot be read ({real.strerror}); make it readable, or leave this path out"
    return (
        ground.repositories.fault(change)
        or _difference(change.before, real)
        or _explain_protection(change, real, folder)
        or (_unfit(change, root) if after else "")
        or (_find_uncovered(change, changes) if change.is_moved and real else "")
        or (_collision(change, folder, ground) if change.before is None else "")
    )


def _above(change: ApplyChange, changes: Mapping[str, ApplyChange]) -> tuple[str, bool] | str:
    """The nearest existing folder, and whether folders below it must be created; or a sentence."""
    folder = change.folder
    parts = change.path.split("/")[:-1]
    for depth, part in enumerate(parts, 1):
        step = os.path.join(folder, part)
        inner_path = "/".join(parts[:depth])
        other = changes.get(step)
        if other and other.is_moved:
            if change.after and not (other.after and other.after.kind == "folder"):
                return (
                    f"would be in {inner_path}, which is no longer a folder; apply only one of them"
                )
            return (folder, True) if change.before is None else (step, False)
        try:
            kind = kind_of_mode(os.lstat(step).st_mode)
        except FileNotFoundError:
            return folder, True
        except OSError as error:
            return f"{inner_path} cannot be read ({error.strerror})"
        if kind == "link":
            was = f"is a link to {os.path.realpath(step)} and was a folder in the run"
            why = "as skillstudio never writes through links"
            return f"{inner_path} {was}; restore the folder, or {_LEAVE}, {why}"
        if kind != "folder":
            return f"{inner_path} is {_KINDS[kind]} and was a folder in the run; {_AGAIN}"
        folder = step
    return folder, False


def _difference(before: FileState | None, real: FileState | None) -> str:
    """How the current state differs from the expected one; "" when it does not."""
    if before is None or real is None:
        if before is None and real is None:
            return ""
        if real is None and before is not None:
            return f"no longer exists and was {_KINDS[before.kind]} when the run began; {_AGAIN}"
        kind = _KINDS[real.kind] if real else ""
        return f"is {kind} now and did not exist when the run began; {_AGAIN}"
    if real.kind != before.kind:
        was = _KINDS[before.kind]
        return f"is {_KINDS[real.kind]} now and was {was} when the run began; {_AGAIN}"
    if real.target != before.target:
        return f"leads to {real.target} now and led to {before.target} before; {_AGAIN}"
    if real.kind == "file" and not (real.digest and before.digest):
        return "cannot be read, so it may have changed; make it readable and run it again"
    if real.digest != before.digest:
        new, old = f"{real.digest[:12]}…", f"{before.digest[:12]}…"
        how = f"{real.size} bytes, SHA-256 {new}, instead of {before.size}, {old}"
        return f"has changed since the run began ({how}); {_AGAIN}"
    if real.mode != before.mode:
        return f"has mode {real.mode:04o} now and had {before.mode:04o} before; {_AGAIN}"
    return ""


def _explain_protection(change: ApplyChange, real: FileState | None, folder: str) -> str:
    if is_installed(change.target):
        return "belongs to the installed skillstudio; leave this path out"
    if hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY:
        return f"is on a read-only file system, below {folder}; leave this path out"
    if real and real.kind == "file" and (how := _shut(change.target, real.mode)):
        return f"is read-only; {how}, or leave this path out"
    if real and real.kind == "file" and change.after and os.lstat(change.target).st_nlink > 1:
        why = "has another hard link, which would keep the old content"
        return f"{why}; replace it with a copy, or {_LEAVE}"
    if real and real.kind == "folder" and not change.is_moved:
        return ""
    if how := _shut(folder, os.stat(folder).st_mode):
        return f"its folder {folder} is read-only; {how}"
    return ""


def _shut(path: str, mode: int) -> str:
    """How to make something writable; "" when it is."""
    if not mode & 0o222:
        return "use chmod u+w"
    # The mode is not everything: it may have another owner or be immutable (chattr +i).
    return "" if os.access(path, os.W_OK) else "check its owner (ls -l) and attributes (lsattr)"


def _unfit(change: ApplyChange, root: str) -> str:
    """Why the result of the run cannot be put into a real folder; "" when it can."""
    after, before = change.after, change.before
    assert after is not None  # noqa: S101  (for the type checker: checked by the caller)
    if after.kind == "other":
        return "is not a file, folder or link after the run; leave this path out"
    if after.kind == "link":
        return _leading_out(change, root)
    if after.kind == "folder":
        return ""
    is_same = before is not None and before.kind == "file" and before.digest == after.digest
    # These bits were given to other content.
    if after.mode & _OWNER_BITS & ~(before.mode if before and is_same else 0):
        why = f"would run as its owner or group (mode {after.mode:04o})"
        return f"{why}, which skillstudio never sets; {_LEAVE} and use chmod yourself"
    if is_same:
        return ""
    try:
        about = os.lstat(change.source)
    except OSError:
        about = None
    if not after.digest or about is None or not stat.S_ISREG(about.st_mode):
        return "has no recorded content; run it again"
    if about.st_size != after.size:
        return "has recorded content that is not what the run left; run it again"
    return ""


def _leading_out(change: ApplyChange, root: str) -> str:
    """Why a link leads out, by its wording: other links on its way are not followed."""
    target = change.after.target if change.after else ""
    resolved_target = os.path.normpath(os.path.join(os.path.dirname(change.target), target))
    inside = below(resolved_target, root)
    if not os.path.isabs(target) and inside is not None:
        fault = path_fault(inside.replace(os.sep, "/")) if inside else ""
        return f"is a link into .git ({target}); leave this path out" if fault else ""
    why = f"is a link to {target}, which is absolute or outside the folder"
    return f"{why}; {_LEAVE} and create the link yourself"


def _find_uncovered(change: ApplyChange, changes: Mapping[str, ApplyChange]) -> str:
    """An entry that would be removed with a folder although the run did not remove it."""
    if change.before is None or change.before.kind != "folder":
        return ""
    for where, folders, files in os.walk(change.target):
        links = [name for name in folders if os.path.islink(os.path.join(where, name))]
        paths = [os.path.join(where, name) for name in (*files, *links)]
        if not folders and not files:
            paths = [where]
        for path in paths:
            other = changes.get(path)
            is_removed = other is not None and (other.after is None or path == change.target)
            if not is_removed and path != change.target:
                inside = make_relative(path, change.target)
                return f"would be removed with {inside}, which the run did not remove; {_AGAIN}"
    return ""


def _listing(folder: str) -> dict[str, str]:
    """The names in a folder by how macOS and Windows compare them. Raises OSError."""
    return {_fold_case(name): name for name in sorted(os.listdir(folder))}


def _collision(change: ApplyChange, folder: str, ground: _CheckContext) -> str:
    """Why a name collides with another one on macOS or Windows; "" when it does not."""
    name = make_relative(change.target, folder).split(os.sep)[0]
    try:
        other = ground.listing(folder).get(_fold_case(name), name)
    except OSError as error:
        return f"its folder {folder} cannot be listed ({error.strerror})"
    other_change = ground.changes.get(os.path.join(folder, other))
    if other == name or (other_change is not None and other_change.after is None):
        return ""
    return f"differs only in case from {other}, which exists; {_AGAIN}"


def _find_collisions(changes: Iterable[ApplyChange]) -> Iterator[Conflict]:
    names: dict[tuple[str, str], str] = {}
    for change in changes:
        if change.after is None:
            continue
        other = names.setdefault((change.folder, _fold_case(change.path)), change.path)
        if other != change.path:
            message = f"and {other} are the same name on some systems; leave one of them out"
            yield Conflict(change.root, change.path, message)


def _fold_case(name: str) -> str:
    return normalize("NFC", name).casefold()


class Repositories:
    """Which folders are repositories before or after some changes."""

    def __init__(self, changes: Iterable[ApplyChange]) -> None:
        self._new_names: dict[str, set[str]] = {}
        self._known_folders: dict[str, bool] = {}
        for change in changes:
            if change.after is not None:
                folder = change.folder
                for part in change.path.split("/"):
                    if part.casefold() in _NAMES:
                        self._new_names.setdefault(folder, set()).add(part.casefold())
                    folder = os.path.join(folder, part)

    def fault(self, change: ApplyChange) -> str:
        """Why a change must not be made; "" when no parent is a repository."""
        for folder in (change.folder, *change.parents):
            if self._is_one(folder):
                inside = make_relative(folder, change.folder)
                folder_text = "its folder" if folder == change.folder else inside
                never = "which skillstudio never changes; leave this path out"
                return f"is in a Git repository ({folder_text}), {never}"
        return ""

    def _is_one(self, folder: str) -> bool:
        if folder not in self._known_folders:
            names = self._new_names.get(folder, set()) | {
                name
                for name in _NAMES
                if os.path.lexists(os.path.join(folder, name.replace("head", "HEAD")))
            }
            self._known_folders[folder] = any(shape <= names for shape in _SHAPES)
        return self._known_folders[folder]
