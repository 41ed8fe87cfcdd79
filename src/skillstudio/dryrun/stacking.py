"""The result of a recorded run, put into new copies: for runs on it, and to explore it."""

from __future__ import annotations

from functools import partial

from skillstudio.dryrun.applying.apply import apply
from skillstudio.dryrun.applying.changes import ApplyChange, ApplyFailed, Conflicting
from skillstudio.dryrun.applying.recorded_changes import RecordedUnusable, read_recorded_changes
from skillstudio.dryrun.passes import StartingPoint
from skillstudio.dryrun.staging.staged import Staged, rebased
from skillstudio.dryrun.traces.reading import TraceRefused, read_trace
from skillstudio.dryrun.traces.scope import ScopedRun
from skillstudio.dryrun.traces.store import RunStore, RunUnknown

MOST = 50  # Runs on one another.
_NAMED = 5


class BaseRefused(Exception):
    """Why the result of a run cannot be rebuilt: a sentence for the user."""


def base_of(found: ScopedRun, store: RunStore, is_partial: bool = False) -> StartingPoint:
    """The result of a recorded run. `is_partial` accepts one with parts that are not recorded.
    Raises BaseRefused."""
    layers: list[tuple[ApplyChange, ...]] = []
    left: list[str] = []
    at = found
    while True:
        try:
            keeping = read_recorded_changes(at.kept.folder)
        except RecordedUnusable as error:
            raise BaseRefused(
                f"the result of run {at.kept.run} cannot be rebuilt: {error}"
            ) from None
        layers.append(keeping.wanted)
        left += [f"{change.path} {change.why}".strip() for change in keeping.left]
        earlier = at.trace.report.on
        if not earlier:
            break
        if len(layers) >= MOST:
            raise BaseRefused(f"run {found.kept.run} is based on more than {MOST} runs")
        try:
            kept = store.find(earlier)
            at = ScopedRun(kept, read_trace(kept.folder))
        except (RunUnknown, TraceRefused) as error:
            raise BaseRefused(
                f"run {at.kept.run} started on the result of run {earlier}: {error}"
            ) from None
    if left and not is_partial:
        more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        raise BaseRefused(
            f"these parts of the result of run {found.kept.run} are not recorded: "
            f"{', '.join(left[:_NAMED])}{more}; --anyway continues without them"
        )
    lay = partial(_lay, found.kept.run, tuple(reversed(layers)))
    return StartingPoint(found.kept.run, tuple(left), lay)


def _lay(run: str, layers: tuple[tuple[ApplyChange, ...], ...], staged: Staged) -> Staged:
    """Put layers of changes into copies, the oldest first, and make them the new baseline. Raises
    BaseRefused when a file is no longer what the run began with, and OSError."""
    for layer in layers:
        moved = []
        for change in layer:
            folder = staged.copy_of(change.folder)
            if folder is None:
                raise BaseRefused(
                    f"run {run} changed {change.target}, which is in no folder of this run; "
                    f"name the folder with --workspace {change.folder}"
                )
            moved.append(change._replace(folder=folder))
        try:
            apply(moved)
        except Conflicting as error:
            first = error.conflicts[0]
            raise BaseRefused(
                f"the result of run {run} cannot be rebuilt, because the folders have "
                f"changed since: {first.path} {first.message.partition(';')[0]}"
            ) from None
        except ApplyFailed as error:
            raise BaseRefused(f"the result of run {run} cannot be rebuilt: {error}") from None
    return rebased(staged)
