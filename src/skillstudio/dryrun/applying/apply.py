"""Apply changes to real folders. Everything is written under temporary names beside its targets,
then renamed; what was there is kept until all is in place, so that an error restores it. A killed
apply leaves no half file, and the next apply of the same changes finishes it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from skillstudio.dryrun.applying.changes import (
    ApplyChange,
    ApplyConflicts,
    ApplyFailed,
    Conflict,
    with_real_roots,
)
from skillstudio.dryrun.applying.checking import judge, path_fault
from skillstudio.dryrun.applying.items import ApplyItem, group
from skillstudio.dryrun.applying.steps import (
    Stamp,
    clear_new,
    clear_old,
    go,
    prepare,
    tidy,
    undo,
)
from skillstudio.files.durability import MANY, can_sync_disks, sync_disks, sync_folder
from skillstudio.files.saving.locks import hold_locks
from skillstudio.files.state import state_folder
from skillstudio.files.temporary import PREFIX

Steps = Callable[[str], None]
"""Called before each step with its name; what it raises counts as an error of that step."""
_JOURNAL = re.compile(r"[0-9a-f]{16}\.(?:preparing|committed|applied|undoing|undone)")
"""The name of the journal that earlier versions kept of an apply."""


class ApplyResult(NamedTuple):
    """Every change is in its real folder."""

    applied_changes: tuple[ApplyChange, ...]
    already: tuple[ApplyChange, ...] = ()
    """Changes whose targets were already as the run left them; not touched."""
    notes: tuple[str, ...] = ()


def apply(
    changes: Sequence[ApplyChange], steps: Steps = lambda _: None, last: Sequence[str] = ()
) -> ApplyResult:
    """Make all of the changes, or none; the paths of `last` after all others, in their order, which
    matters if the program is killed. Raises Conflicting when something changed since the run
    began, and ApplyFailed with what could not be restored. Other exceptions of `steps` are raised
    again after everything is restored."""
    try:
        changes = with_real_roots(changes)
        with hold_locks(change.target for change in changes):
            for item in group([change for change in changes if not path_fault(change.path)]):
                tidy(item)
            judgement = judge(changes)
            if judgement.conflicts:
                raise ApplyConflicts(tuple(_with_previous(judgement.conflicts, changes)))
            notes = _apply(judgement.pending, steps, last) if judgement.pending else ()
        return ApplyResult(judgement.pending, judgement.already, notes)
    except OSError as error:
        raise ApplyFailed(f"nothing was applied: {_message(error)}") from None


def _with_previous(
    conflicts: Iterable[Conflict], changes: Sequence[ApplyChange]
) -> Iterator[Conflict]:
    """The conflicts, with the previous version that a killed apply left of the path, if any."""
    items = {item.target: item for item in group(changes)}
    targets = {(change.root, change.path): change.target for change in changes}
    for conflict in conflicts:
        item = items.get(targets[conflict.root, conflict.path])
        if item is not None and item.old and os.path.lexists(item.old):
            message = f"{conflict.message}; an interrupted apply kept its old content: {item.old}"
            conflict = conflict._replace(message=message)
        yield conflict


def find_interrupted_apply() -> str:
    """Why nothing can be applied: an apply of an earlier version was interrupted. "" if none was.

    Those kept a journal; its name is a part of the names of their temporary files.
    """
    folder = os.path.join(state_folder(), "applies")
    try:
        names = sorted(filter(_JOURNAL.fullmatch, os.listdir(folder)))
    except OSError:
        return ""
    if not names:
        return ""
    run = names[0].partition(".")[0]
    return (
        f"an earlier version of skillstudio was interrupted while it applied a run; look for files "
        f"named {PREFIX}{run}-….old in your folders, which are what it replaced, rename those that "
        f"you need, and remove {os.path.join(folder, names[0])}"
    )


def _apply(changes: Sequence[ApplyChange], steps: Steps, last: Sequence[str]) -> tuple[str, ...]:
    """Make checked changes; return a sentence for each file that was kept."""
    changes_by_target = {change.target: change for change in changes}
    order = {change.target: last.index(change.path) for change in changes if change.path in last}
    items = sorted(group(changes), key=lambda item: order.get(item.target, -1))
    begun_items: list[ApplyItem] = []
    stamps: dict[str, Stamp] = {}
    try:
        steps("begin")
        new_items = [item for item in items if item.new]
        is_many = len(new_items) >= MANY and can_sync_disks()
        for item in new_items:
            steps(f"make {item.target}")
            prepare(item, changes_by_target, is_synced=not is_many)
        steps("wait")
        _sync(items)
        for item in items:
            steps(f"put {item.target}")
            begun_items.append(item)
            if stamp := go(item):
                stamps[item.target] = stamp
        _sync(items)
        steps("applied")
    except BaseException as error:
        notes = _restore(items, begun_items, error)
        if isinstance(error, OSError):
            message = "; ".join((f"nothing was applied: {_message(error)}", *notes))
            raise ApplyFailed(message) from None
        raise
    try:
        return _clear_old(items, stamps, steps)
    except KeyboardInterrupt:
        # Too late to restore anything: report it as applied.
        return _clear_old(items, stamps, steps)
    except OSError as error:
        return (f"some temporary files could not be removed: {_message(error)}",)


def _restore(
    items: Sequence[ApplyItem], begun_items: Sequence[ApplyItem], error: BaseException
) -> tuple[str, ...]:
    """Restore everything after an error. Raises ApplyFailed when that fails, too."""
    notes: list[str] = []
    try:
        for item in reversed(begun_items):
            notes += filter(None, [undo(item)])
        for item in items:
            clear_new(item)
        _sync(items)
    except OSError as second:
        why = f" ({_message(error)})" if isinstance(error, OSError) else ""
        raise ApplyFailed(
            f"applying failed{why}, and so did restoring: {_message(second)}; some changes may be "
            "applied, and applying them again finishes or restores each"
        ) from None
    return tuple(notes)


def _clear_old(
    items: Sequence[ApplyItem], stamps: Mapping[str, Stamp], steps: Steps
) -> tuple[str, ...]:
    """Remove what was replaced; return a sentence for each file that was written to meanwhile."""
    notes: list[str] = []
    for item in items:
        if item.old:
            steps(f"clear {item.target}")
            notes += filter(None, [clear_old(item, stamps.get(item.target))])
    return tuple(notes)


def _sync(items: Sequence[ApplyItem]) -> None:
    folders = sorted({os.path.dirname(item.target) for item in items})
    if len(items) >= MANY and can_sync_disks():
        sync_disks(folders)
        return
    for folder in folders:
        sync_folder(folder)


def _message(error: OSError) -> str:
    # Of the two names of a rename, show the one the user knows.
    names = [name for name in (error.filename2, error.filename) if name]
    path = next((name for name in names if PREFIX not in str(name)), names[0] if names else "")
    return f"{path}: {error.strerror}" if path else error.strerror or str(error)
