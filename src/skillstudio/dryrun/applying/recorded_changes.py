"""Changes of a run that is over, kept with the bytes that they need.

Beside a trace, which tells and hides, lies what can still be applied: `changes.json` with paths,
modes and digests, and the new bytes by root and path in `files`. What holds a sensitive value is
not kept, nor is its digest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.files.changeset import FileState

CHANGES = "changes.json"
"""The list of changes, in the folder of a recorded run."""
FILES = "files"
"""What holds the new bytes there."""
MAX_SIZE = 64 << 20
"""Bytes of new files that are kept of one run; what does not fit is left out."""
MAX_CHANGES = 20_000
"""Changes of one run that are kept."""

SENSITIVE = "sensitive value"
"""In every reason for which a change is not kept for what it holds, or may hold."""
_NAMED = 10
_VERSION = 1
_KINDS = ("file", "folder", "link", "other")
_ROOTS = ("workspace", "skill")
_LONGEST = 2000
"""Bytes of a path: in the folder of a recorded run it lies deeper than it did."""
_UNFOLLOWED = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


class RecordedUnusable(Exception):
    """Nothing of a recorded run can be applied: a sentence that says why."""


class ExcludedChange(NamedTuple):
    """A change that is not kept."""

    root: str
    path: str
    """"" for several, or where the path itself may not be told."""
    why: str


class RecordedChanges(NamedTuple):
    """What is kept of the changes of a run."""

    wanted: tuple[ApplyChange, ...]
    left: tuple[ExcludedChange, ...]


def select_changes(
    wanted: Sequence[ApplyChange],
    why_sensitive: Callable[[bytes], str],
    is_given: Callable[[bytes], bool] = lambda _data: False,
) -> RecordedChanges:
    """What of the changes may be kept, and what is left out for which reason.

    `why_sensitive` says why some bytes are not kept, as a phrase about them; "" where they can
    be. It is asked for paths, where links lead, and contents. `is_given` says whether old bytes
    hold a sensitive value that the run was given.
    """
    kept: list[ApplyChange] = []
    left: list[ExcludedChange] = []
    room = MAX_SIZE
    hidden = 0
    for each in wanted[:MAX_CHANGES]:
        states = [state for state in (each.before, each.after) if state]
        words = [each.path, *(state.target for state in states)]
        if any(why_sensitive(os.fsencode(word)) for word in words):
            hidden += 1
            continue
        size = each.after.size if each.after and each.after.kind == "file" else 0
        if size > room:
            left.append(
                ExcludedChange(each.root, each.path, f"is too large to be kept ({size:,} bytes)")
            )
        elif len(os.fsencode(each.path)) > _LONGEST:
            left.append(ExcludedChange(each.root, each.path, "has too long a path to be kept"))
        elif why := _unkept(each, why_sensitive):
            left.append(ExcludedChange(each.root, each.path, why))
        else:
            room -= size
            kept.append(each._replace(is_private=_was_private(each, is_given)))
    if hidden:
        left.append(ExcludedChange("", "", f"paths that hold a {SENSITIVE} ({hidden})"))
    if len(wanted) > MAX_CHANGES:
        left.append(
            ExcludedChange("", "", f"{len(wanted) - MAX_CHANGES} changes, more than are kept")
        )
    return RecordedChanges(tuple(kept), tuple(left))


def listing(keeping: RecordedChanges) -> bytes:
    """The bytes of `changes.json`."""
    value = {
        "version": _VERSION,
        "changes": [
            {
                "root": each.root,
                "folder": each.folder,
                "path": each.path,
                "before": _value(each.before),
                "after": _value(each.after),
                "private": each.is_private,
            }
            for each in keeping.wanted
        ],
        "left": [each._asdict() for each in keeping.left],
    }
    # In escapes: a name of a file may be no text in any encoding.
    return json.dumps(value, ensure_ascii=True, indent=1).encode("ascii")


def sources(keeping: RecordedChanges) -> dict[str, str]:
    """The new files by their place in the folder of the recorded run."""
    return {
        f"{FILES}/{each.root}/{each.path}": each.source
        for each in keeping.wanted
        if each.after and each.after.kind == "file"
    }


def read_recorded_changes(folder: str) -> RecordedChanges:
    """The changes of a recorded run in a folder. Raises RecordedUnusable."""
    try:
        with open(os.path.join(folder, CHANGES), "rb") as file:
            value = json.loads(file.read())
    except FileNotFoundError:
        raise RecordedUnusable(
            "no files of this run are kept, as with --trace aggressive; run --apply applies "
            "what a run left at once"
        ) from None
    except (OSError, ValueError) as error:
        raise RecordedUnusable(f"{CHANGES} of this run cannot be read: {error}") from None
    try:
        if value["version"] != _VERSION:
            raise RecordedUnusable(f"another version of skillstudio kept this run ({CHANGES})")
        wanted = tuple(_wanted(each, folder) for each in value["changes"])
        left = tuple(
            ExcludedChange(str(each["root"]), str(each["path"]), str(each["why"]))
            for each in value["left"]
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise RecordedUnusable(f"{CHANGES} of this run is not what skillstudio writes") from None
    return RecordedChanges(wanted, left)


def not_kept(folder: str) -> tuple[str, ...]:
    """What of a run is not kept for what it holds, or may hold, a sentence each."""
    try:
        left = [each for each in read_recorded_changes(folder).left if SENSITIVE in each.why]
    except RecordedUnusable:
        return ()
    told = [f"not kept: {each.path} {each.why}".replace("  ", " ") for each in left[:_NAMED]]
    more = len(left) - _NAMED
    return (*told, f"not kept: {more:,} files more") if more > 0 else tuple(told)


def of_paths(wanted: Iterable[ApplyChange], path: str, cwd: str) -> list[ApplyChange]:
    """The changes that a path means: one, or all in a folder.

    It is told as reports tell it, from the root, or as any path is, from the current folder.
    """
    found = list(wanted)
    told = path.rstrip("/")
    by_root = [each for each in found if each.path == told or each.path.startswith(told + "/")]
    if by_root:
        return by_root
    meant = os.path.normpath(os.path.join(cwd, path))
    # The last name may be a link itself, so what is above it alone is followed.
    meant = os.path.join(os.path.realpath(os.path.dirname(meant)), os.path.basename(meant))
    inside = meant.rstrip(os.sep) + os.sep
    return [each for each in found if each.target == meant or each.target.startswith(inside)]


def _was_private(each: ApplyChange, is_given: Callable[[bytes], bool]) -> bool:
    """Whether the old bytes of a file hold a sensitive value, as they lie in the real folder."""
    if each.before is None or each.before.kind != "file":
        return False
    try:
        with open(os.open(each.target, _UNFOLLOWED), "rb") as file:
            return is_given(file.read(MAX_SIZE))
    except OSError:
        # What cannot be read now is in no patch either.
        return False


def _unkept(each: ApplyChange, why_sensitive: Callable[[bytes], str]) -> str:
    if each.after is None or each.after.kind != "file":
        return ""
    try:
        with open(os.open(each.source, _UNFOLLOWED), "rb") as file:
            data = file.read(MAX_SIZE + 1)
    except OSError as error:
        return f"cannot be read, so it is not kept: {error.strerror}"
    why = why_sensitive(data)
    return f"{why}, so it is not kept" if why else ""


def _value(state: FileState | None) -> dict[str, Any] | None:
    if state is None:
        return None
    value = state._asdict()
    value.pop("stamp")
    return value


def _wanted(value: Any, folder: str) -> ApplyChange:
    root, path, real = value["root"], value["path"], value["folder"]
    if root not in _ROOTS or not isinstance(path, str) or not os.path.isabs(real):
        raise ValueError(value)
    after = _state(value["after"])
    source = os.path.join(folder, FILES, root, *path.split("/")) if after else ""
    is_private = value.get("private") is True
    return ApplyChange(root, real, path, _state(value["before"]), after, source, is_private)


def _state(value: Any) -> FileState | None:
    if value is None:
        return None
    kind, target = value["kind"], value["target"]
    if kind not in _KINDS or not isinstance(target, str):
        raise ValueError(value)
    return FileState(kind, int(value["mode"]), int(value["size"]), str(value["digest"]), target)
