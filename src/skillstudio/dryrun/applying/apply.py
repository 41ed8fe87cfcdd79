"""Apply changes to real folders, all or nothing, even if the process is killed. Everything is
written under temporary names, then the journal is marked as committed and everything is renamed.
After a kill, the next start rolls back before that mark and finishes after it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from skillstudio.dryrun.applying.changes import (
    ApplyChange,
    ApplyFailed,
    Conflicting,
    with_real_roots,
)
from skillstudio.dryrun.applying.checking import judge
from skillstudio.dryrun.applying.journal import (
    ApplyItem,
    ApplyJournal,
    JournalUnreadable,
    State,
    group,
    locked,
    make_folder,
    pending_journals,
    read,
    remove_unfinished,
)
from skillstudio.dryrun.applying.steps import Stamp, clear_new, clear_old, go, prepare, undo
from skillstudio.files.durability import MANY, can_sync_disks, sync_disks, sync_folder
from skillstudio.files.saving.locks import locked as files_locked
from skillstudio.files.state import state_folder
from skillstudio.files.temporary import PREFIX

Steps = Callable[[str], None]
"""Called before each step with its name; what it raises counts as an error of that step."""


class Recovered(NamedTuple):
    """The outcome of recovering an interrupted apply."""

    outcome: Literal["finished", "rolled back", "stuck"]
    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()  # Why it is stuck, or what could not be restored, a sentence each.


class Applied(NamedTuple):
    """Every change is in its real folder."""

    applied: tuple[ApplyChange, ...]
    already: tuple[ApplyChange, ...] = ()
    """Changes whose targets were already as the run left them; not touched."""
    recovered: tuple[Recovered, ...] = ()
    notes: tuple[str, ...] = ()


def default_folder() -> str:
    """The folder of this user's journals."""
    return os.path.join(state_folder(), "applies")


def apply(
    changes: Sequence[ApplyChange], journal_folder: str, steps: Steps = lambda _: None
) -> Applied:
    """Make all of the changes, or none, after recovering earlier interrupted applies. Raises
    Conflicting when something changed since the run began, ApplyBusy, and ApplyFailed with what
    could not be restored. Other exceptions of `steps` are raised again after a rollback."""
    try:
        make_folder(journal_folder)
        with locked(journal_folder):
            recovered = _recover(journal_folder, steps)
            changes = with_real_roots(changes)
            with files_locked(each.target for each in changes):
                judged = judge(changes)
                if judged.conflicts:
                    raise Conflicting(judged.conflicts)
                notes = _apply(judged.pending, journal_folder, steps) if judged.pending else ()
            return Applied(judged.pending, judged.already, recovered, notes)
    except OSError as error:
        raise ApplyFailed(f"nothing was applied: {_message(error)}") from None


def recover(journal_folder: str, steps: Steps = lambda _: None) -> tuple[Recovered, ...]:
    """Finish or roll back interrupted applies; may itself be interrupted. Raises ApplyBusy,
    ApplyFailed."""
    if not os.path.isdir(journal_folder):
        return ()
    try:
        with locked(journal_folder):
            return _recover(journal_folder, steps)
    except OSError as error:
        raise ApplyFailed(f"an interrupted apply cannot be recovered: {_message(error)}") from None


def is_cut_off(journal_folder: str) -> bool:
    """Whether an apply is in progress or was interrupted; cheap."""
    return bool(pending_journals(journal_folder))


def _apply(changes: Sequence[ApplyChange], folder: str, steps: Steps) -> tuple[str, ...]:
    """Make checked changes; return a sentence for each file that was kept."""
    run = os.urandom(8).hex()
    journal = ApplyJournal(folder, run, "preparing", tuple(group(changes, run)))
    wanted = {each.target: each for each in changes}
    stamps: dict[str, Stamp] = {}
    try:
        steps("begin")
        journal.begin()
        coming = [each for each in journal.items if each.new]
        is_many = len(coming) >= MANY and can_sync_disks()
        for each in coming:
            steps(f"make {each.target}")
            prepare(each, wanted, is_synced=not is_many)
        if is_many:
            steps("wait")
            sync_disks(_folders(journal))
        else:
            _sync(journal)
        steps("commit")
        journal = journal.mark("committed")
        journal = _put_all(journal, steps, stamps)
    except BaseException as error:
        notes = _abort(journal, error, steps)
        if isinstance(error, OSError):
            message = "; ".join((f"nothing was applied: {_message(error)}", *notes))
            raise ApplyFailed(message) from None
        raise
    try:
        try:
            return _end(journal, steps, stamps)
        except KeyboardInterrupt:
            # Too late to roll back: report it as applied.
            return _end(journal, steps, stamps)
    except OSError as error:
        note = f"some temporary files could not be removed: {_message(error)}"
        return (f"{note}; the next start tries again",)


def _abort(journal: ApplyJournal, error: BaseException, steps: Steps) -> tuple[str, ...]:
    """Roll back after an error. Raises ApplyFailed when that fails too."""
    try:
        if not os.path.isdir(journal.folder):
            return _roll_back_unwritten(journal)
        remove_unfinished(journal.folder)
        # The state on disk counts: an interrupt may have come right after a mark was written.
        state = next(
            (name for name in pending_journals(journal.folder) if name.startswith(journal.run)), ""
        )
        found = read(journal.folder, state) if state else None
        return _roll_back(found, steps) if isinstance(found, ApplyJournal) else ()
    except OSError as second:
        why = f" ({_message(error)})" if isinstance(error, OSError) else ""
        raise ApplyFailed(
            f"applying failed{why}, and so did rolling back: {_message(second)}; "
            "the next start rolls back the rest"
        ) from None


def _recover(folder: str, steps: Steps) -> tuple[Recovered, ...]:
    remove_unfinished(folder)
    found = []
    for name in pending_journals(folder):
        journal = read(folder, name)
        if isinstance(journal, JournalUnreadable):
            names = f"{PREFIX}{name.partition('.')[0]}-…"
            note = (
                f"{journal.file} is not a readable journal; remove it, and files named {names} "
                "in your folders"
            )
            found.append(Recovered("stuck", (), (note,)))
            continue
        paths = tuple(path for item in journal.items for path in item.paths)
        try:
            with files_locked(item.target for item in journal.items):
                found.append(_finish_or_roll_back(journal, paths, steps))
        except OSError as error:
            note = (
                f"{_message(error)}; the next start tries again, unless you remove {journal.file}"
            )
            found.append(Recovered("stuck", paths, (note,)))
    return tuple(found)


def _finish_or_roll_back(journal: ApplyJournal, paths: tuple[str, ...], steps: Steps) -> Recovered:
    _require_present(journal)
    why = ""
    if journal.state == "committed":
        try:
            journal = _put_all(journal, steps)
        except OSError as error:
            why = f"it could not be finished: {_message(error)}"
    if journal.state == "applied":
        return Recovered("finished", paths, _end(journal, steps))
    notes = _roll_back(journal, steps)
    return Recovered("rolled back", paths, (why, *notes) if why else notes)


def _require_present(journal: ApplyJournal) -> None:
    """Raise OSError when a disk seems missing, which would look as if everything were removed."""
    filled = {
        os.path.dirname(each.target)
        for each in journal.items
        if _exists_during(each, journal.state)
    }
    for folder in _folders(journal):
        # A missing disk leaves no folder, or an empty one.
        if not os.path.isdir(folder) or (folder in filled and not os.listdir(folder)):
            raise FileNotFoundError(
                2, "the folder is missing or empty; is its disk mounted?", folder
            )


def _put_all(
    journal: ApplyJournal, steps: Steps, stamps: dict[str, Stamp] | None = None
) -> ApplyJournal:
    """Put every item in place; `stamps` collects stamps on a first attempt, None on a retry."""
    for item in journal.items:
        steps(f"put {item.target}")
        stamp = go(item, again=stamps is None)
        if stamps is not None and stamp:
            stamps[item.target] = stamp
    _sync(journal)
    steps("applied")
    return journal.mark("applied")


def _roll_back(journal: ApplyJournal, steps: Steps) -> tuple[str, ...]:
    notes: list[str] = []
    if journal.state == "committed":
        steps("undo")
        journal = journal.mark("undoing")
    if journal.state == "undoing":
        for item in reversed(journal.items):
            steps(f"undo {item.target}")
            notes += filter(None, [undo(item)])
        _sync(journal)
        steps("undone")
        journal = journal.mark("undone")
    notes += _end(journal, steps)
    return tuple(notes)


def _roll_back_unwritten(journal: ApplyJournal) -> tuple[str, ...]:
    notes: list[str] = []
    for item in reversed(journal.items):
        if journal.state == "committed":
            notes += filter(None, [undo(item)])
        if item.new:
            clear_new(item)
    return tuple(notes)


def _end(
    journal: ApplyJournal, steps: Steps, stamps: Mapping[str, Stamp] = MappingProxyType({})
) -> tuple[str, ...]:
    """Remove unneeded temporary files and the journal; return a sentence for each file kept."""
    notes: list[str] = []
    is_applied = journal.state == "applied"
    for item in journal.items:
        leftover = item.old if is_applied else item.new
        if leftover:
            steps(f"clear {item.target}")
            if is_applied:
                notes += filter(None, [clear_old(item, stamps.get(item.target))])
            else:
                clear_new(item)
    steps("end")
    journal.end()
    return tuple(notes)


def _exists_during(item: ApplyItem, state: State) -> bool:
    """Whether one of an item's names exists while an apply is in a state."""
    if state in ("preparing", "undone"):
        return bool(item.before)
    return bool(item.after) or state != "applied"


def _sync(journal: ApplyJournal) -> None:
    folders = _folders(journal)
    if len(folders) >= MANY and can_sync_disks():
        sync_disks(folders)
        return
    for folder in folders:
        sync_folder(folder)


def _folders(journal: ApplyJournal) -> list[str]:
    return sorted({os.path.dirname(item.target) for item in journal.items})


def _message(error: OSError) -> str:
    # Of the two names of a rename, show the one the user knows.
    names = [name for name in (error.filename2, error.filename) if name]
    path = next((name for name in names if PREFIX not in str(name)), names[0] if names else "")
    return f"{path}: {error.strerror}" if path else error.strerror or str(error)
