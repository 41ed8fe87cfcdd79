"""The result of a recorded run, put into new copies: for runs on it, and to explore it."""

from __future__ import annotations

from functools import partial

from skillstudio.dryrun.applying.apply import apply
from skillstudio.dryrun.applying.changes import ApplyChange, ApplyConflicts, ApplyFailed
from skillstudio.dryrun.applying.recorded_changes import RecordedUnusable, read_recorded_changes
from skillstudio.dryrun.passes import StartingPoint
from skillstudio.dryrun.staging.staged import Staging, rebase_copies
from skillstudio.dryrun.traces.reading import TraceRefused, read_trace
from skillstudio.dryrun.traces.scope import ScopedRun
from skillstudio.dryrun.traces.store import RunStore, RunUnknown

MOST = 50  # Runs on one another.
_MOST_PARTS = 5


class BaseRefused(Exception):
    """Why the result of a run cannot be rebuilt: a sentence for the user."""


def base_of(scoped_run: ScopedRun, store: RunStore, is_partial: bool = False) -> StartingPoint:
    """The result of a recorded run. `is_partial` accepts one with parts that are not recorded.
    Raises BaseRefused."""
    layers: list[tuple[ApplyChange, ...]] = []
    missing_parts: list[str] = []
    at = scoped_run
    while True:
        try:
            recorded_changes = read_recorded_changes(at.recorded_run.folder)
        except RecordedUnusable as error:
            raise BaseRefused(
                f"the result of run {at.recorded_run.run} cannot be rebuilt: {error}"
            ) from None
        layers.append(recorded_changes.applicable_changes)
        missing_parts += [
            f"{change.path} {change.why}".strip() for change in recorded_changes.exclusions
        ]
        earlier = at.trace.report.on
        if not earlier:
            break
        if len(layers) >= MOST:
            raise BaseRefused(
                f"run {scoped_run.recorded_run.run} is based on more than {MOST} runs"
            )
        try:
            recorded_run = store.find(earlier)
            at = ScopedRun(recorded_run, read_trace(recorded_run.folder))
        except (RunUnknown, TraceRefused) as error:
            raise BaseRefused(
                f"run {at.recorded_run.run} started on the result of run {earlier}: {error}"
            ) from None
    if missing_parts and not is_partial:
        suffix = (
            f" and {len(missing_parts) - _MOST_PARTS} more"
            if len(missing_parts) > _MOST_PARTS
            else ""
        )
        raise BaseRefused(
            f"these parts of the result of run {scoped_run.recorded_run.run} are not recorded: "
            f"{', '.join(missing_parts[:_MOST_PARTS])}{suffix}; --anyway continues without them"
        )
    lay = partial(_lay, scoped_run.recorded_run.run, tuple(reversed(layers)))
    return StartingPoint(scoped_run.recorded_run.run, tuple(missing_parts), lay)


def _lay(run: str, layers: tuple[tuple[ApplyChange, ...], ...], staging: Staging) -> Staging:
    """Put layers of changes into copies, the oldest first, and make them the new baseline. Raises
    BaseRefused when a file is no longer what the run began with, and OSError."""
    for layer in layers:
        moved_changes = []
        for change in layer:
            folder = staging.copy_of(change.folder)
            if folder is None:
                raise BaseRefused(
                    f"run {run} changed {change.target}, which is in no folder of this run; "
                    f"name the folder with --workspace {change.folder}"
                )
            moved_changes.append(change._replace(folder=folder))
        try:
            apply(moved_changes)
        except ApplyConflicts as error:
            first = error.conflicts[0]
            raise BaseRefused(
                f"the result of run {run} cannot be rebuilt, because the folders have "
                f"changed since: {first.path} {first.message.partition(';')[0]}"
            ) from None
        except ApplyFailed as error:
            raise BaseRefused(f"the result of run {run} cannot be rebuilt: {error}") from None
    return rebase_copies(staging)
