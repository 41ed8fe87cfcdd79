"""The changes of a recorded run: `changes.json` has paths, modes and digests, `files` the new
content. Content with a sensitive value is not recorded, nor is its digest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.traces.store import FILES
from skillstudio.files.changeset import FileState

if TYPE_CHECKING:
    from skillstudio.dryrun.run import CompletedRun

CHANGES = "changes.json"  # The list of changes, in the folder of a recorded run.
MAX_SIZE = 64 << 20  # Bytes of new content recorded per run; what does not fit is left out.
MAX_CHANGES = 20_000

SENSITIVE = "sensitive value"  # Part of every reason that excludes a change because of its content.
_SO = ", so it is not recorded"
_MAX_NAMES = 10
_VERSION = 1
_KINDS = ("file", "folder", "link", "other")
_ROOTS = ("workspace", "skill")
_LONGEST = 2000  # Bytes of a path, which is longer in the folder of a recorded run.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


class RecordedUnusable(Exception):
    """Nothing of a recorded run can be applied: a sentence with the reason."""


class ExcludedChange(NamedTuple):
    """A change that is not recorded."""

    root: str
    path: str  # "" for several changes, or when the path itself is sensitive.
    why: str


class RecordedChanges(NamedTuple):
    """The changes of a run that can be applied, and those left out."""

    applicable_changes: tuple[ApplyChange, ...]
    exclusions: tuple[ExcludedChange, ...]


def changes_of_run(completed_run: CompletedRun) -> RecordedChanges:
    """The changes of a run whose copies still exist, without those in left-out folders."""
    from skillstudio.dryrun.staging.survey import caches

    left_out = caches()
    roots = completed_run.staged_copies.original
    changes: list[ApplyChange] = []
    in_git = in_left_out = 0
    for change in completed_run.result.changes:
        parts = change.path.split("/")
        if ".git" in parts:
            in_git += 1
        elif not left_out.isdisjoint(parts):
            in_left_out += 1
        else:
            folder = roots.skill if change.root == "skill" else roots.workspace
            before, after = change.entry_change.before, change.entry_change.after
            changes.append(
                ApplyChange(change.root, folder, change.path, before, after, change.copy)
            )
    at_home = sum(1 for change in completed_run.report.changes if change.root == "home")
    counts = {
        "files in .git": in_git,
        "files in folders that are not copied": in_left_out,
        "files in the home folder": at_home,
    }
    exclusions = (
        ExcludedChange("", "", f"{what} ({number} changed)")
        for what, number in counts.items()
        if number
    )
    return RecordedChanges(tuple(changes), tuple(exclusions))


def files_to_record(completed_run: CompletedRun, folder: str) -> dict[str, str]:
    """The files to record, by their path there; creates the list of changes. Raises OSError."""
    from skillstudio.dryrun.redaction.searching import why_sensitive

    redactor = completed_run.redactor
    changes = changes_of_run(completed_run)
    selection = select_changes(
        changes.applicable_changes, partial(why_sensitive, redactor=redactor), redactor.finds
    )
    selection = selection._replace(exclusions=(*selection.exclusions, *changes.exclusions))
    path = os.path.join(folder, CHANGES)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(listing(selection))
    return {CHANGES: path, **sources(selection)}


def select_changes(
    changes: Sequence[ApplyChange],
    why_sensitive: Callable[[bytes], str],
    is_given: Callable[[bytes], bool] = lambda _data: False,
) -> RecordedChanges:
    """Select changes to record. `why_sensitive` returns why content must not be recorded, else "";
    `is_given` whether old content has a value given to the run."""
    kept_changes: list[ApplyChange] = []
    exclusions: list[ExcludedChange] = []
    room = MAX_SIZE
    hidden_count = 0
    for change in changes[:MAX_CHANGES]:
        states = [state for state in (change.before, change.after) if state]
        words = [change.path, *(state.target for state in states)]
        if any(why_sensitive(os.fsencode(word)) for word in words):
            hidden_count += 1
            continue
        size = change.after.size if change.after and change.after.kind == "file" else 0
        if size > room:
            why = f"is too large to record ({size:,} bytes)"
            exclusions.append(ExcludedChange(change.root, change.path, why))
        elif len(os.fsencode(change.path)) > _LONGEST:
            exclusions.append(
                ExcludedChange(change.root, change.path, "has too long a path to record")
            )
        elif why := _unkept(change, why_sensitive):
            exclusions.append(ExcludedChange(change.root, change.path, why))
        else:
            room -= size
            kept_changes.append(change._replace(is_private=_was_private(change, is_given)))
    if hidden_count:
        exclusions.append(
            ExcludedChange("", "", f"paths that contain a {SENSITIVE} ({hidden_count})")
        )
    if len(changes) > MAX_CHANGES:
        excess = len(changes) - MAX_CHANGES
        exclusions.append(
            ExcludedChange("", "", f"changes over the limit of {MAX_CHANGES:,} ({excess:,})")
        )
    return RecordedChanges(tuple(kept_changes), tuple(exclusions))


def listing(selection: RecordedChanges) -> bytes:
    """The content of `changes.json`."""
    value = {
        "version": _VERSION,
        "changes": [
            {
                "root": change.root,
                "folder": change.folder,
                "path": change.path,
                "before": _value(change.before),
                "after": _value(change.after),
                "private": change.is_private,
            }
            for change in selection.applicable_changes
        ],
        "left": [exclusion._asdict() for exclusion in selection.exclusions],
    }
    # Escaped, because file names may not be valid text.
    return json.dumps(value, ensure_ascii=True, indent=1).encode("ascii")


def sources(selection: RecordedChanges) -> dict[str, str]:
    """The files with new content, by their path in the folder of the recorded run."""
    return {
        f"{FILES}/{change.root}/{change.path}": change.source
        for change in selection.applicable_changes
        if change.after and change.after.kind == "file"
    }


def read_recorded_changes(folder: str) -> RecordedChanges:
    """Read the changes of a recorded run. Raises RecordedUnusable."""
    try:
        with open(os.path.join(folder, CHANGES), "rb") as file:
            value = json.loads(file.read())
    except FileNotFoundError:
        raise RecordedUnusable(
            "no files of this run are recorded, as with --trace aggressive; use run --apply to "
            "apply changes at once"
        ) from None
    except (OSError, ValueError) as error:
        raise RecordedUnusable(f"{CHANGES} of this run cannot be read: {error}") from None
    try:
        if value["version"] != _VERSION:
            raise RecordedUnusable(f"another version of skillstudio wrote {CHANGES} of this run")
        changes = tuple(_parse_change(change, folder) for change in value["changes"])
        exclusions = tuple(
            ExcludedChange(str(exclusion["root"]), str(exclusion["path"]), str(exclusion["why"]))
            for exclusion in value["left"]
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise RecordedUnusable(f"{CHANGES} of this run is damaged") from None
    return RecordedChanges(changes, exclusions)


def not_kept(folder: str) -> tuple[str, ...]:
    """The files that were not recorded because of their content, a sentence each."""
    try:
        exclusions = [
            exclusion
            for exclusion in read_recorded_changes(folder).exclusions
            if SENSITIVE in exclusion.why
        ]
    except RecordedUnusable:
        return ()
    lines = [
        f"not recorded: {exclusion.path} {exclusion.why.removesuffix(_SO)}".replace("  ", " ")
        for exclusion in exclusions[:_MAX_NAMES]
    ]
    excess = len(exclusions) - _MAX_NAMES
    return (*lines, f"not recorded: {excess:,} more files") if excess > 0 else tuple(lines)


def of_paths(changes: Iterable[ApplyChange], path: str, cwd: str) -> list[ApplyChange]:
    """The change at a path relative to the root or to `cwd`, or all changes below it."""
    candidates = list(changes)
    name = path.rstrip("/")
    by_root = [
        change for change in candidates if change.path == name or change.path.startswith(name + "/")
    ]
    if by_root:
        return by_root
    target = os.path.normpath(os.path.join(cwd, path))
    # The last name may be a link itself, so what is above it alone is followed.
    target = os.path.join(os.path.realpath(os.path.dirname(target)), os.path.basename(target))
    inside = target.rstrip(os.sep) + os.sep
    return [
        change
        for change in candidates
        if change.target == target or change.target.startswith(inside)
    ]


def _was_private(change: ApplyChange, is_given: Callable[[bytes], bool]) -> bool:
    """Whether the old content in the real folder contains a sensitive value given to the run."""
    if change.before is None or change.before.kind != "file":
        return False
    try:
        with open(os.open(change.target, _READ_FLAGS), "rb") as file:
            return is_given(file.read(MAX_SIZE))
    except OSError:
        # What cannot be read now is in no patch either.
        return False


def _unkept(change: ApplyChange, why_sensitive: Callable[[bytes], str]) -> str:
    if change.after is None or change.after.kind != "file":
        return ""
    try:
        with open(os.open(change.source, _READ_FLAGS), "rb") as file:
            data = file.read(MAX_SIZE + 1)
    except OSError as error:
        return f"cannot be read ({error.strerror}){_SO}"
    why = why_sensitive(data)
    return f"{why}{_SO}" if why else ""


def _value(state: FileState | None) -> dict[str, Any] | None:
    if state is None:
        return None
    value = state._asdict()
    value.pop("stamp")
    return value


def _parse_change(value: Any, folder: str) -> ApplyChange:
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
