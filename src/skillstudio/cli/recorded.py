"""Recorded runs that the command line names, and their results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import UsageError, refuse_on, warn
from skillstudio.dryrun.traces.reading import TraceRefused
from skillstudio.dryrun.traces.scope import ScopedRun, find_run, refusal, scope_of
from skillstudio.dryrun.traces.store import RunStore, RunUnknown, default_folder

if TYPE_CHECKING:
    from skillstudio.dryrun.passes import StartingPoint

_MAX_NAMED = 5


def find_recorded_run(run: str) -> ScopedRun:
    """A recorded run; `last` is one of the current skill or workspace. Raises UsageError."""
    with refuse_on(RunUnknown, TraceRefused):
        return find_run(RunStore(default_folder()), run, scope_of(os.getcwd()))


def recorded_here(options: CommandOptions, verb: str, is_of_skill_enough: bool) -> ScopedRun:
    """The run to apply or adopt, of another workspace only with `--anyway` and its full id.

    Raises UsageError.
    """
    scoped_run = find_recorded_run(options.run)
    report, scope = scoped_run.trace.report, scope_of(os.getcwd())
    is_here = scope.is_of_workspace(report.plan.roots)
    if is_of_skill_enough:
        is_here = is_here or scope.is_of_skill(report.plan.roots)
    if not is_here and not (options.anyway and options.run == scoped_run.recorded_run.run):
        raise UsageError(refusal(scope, report, verb))
    return scoped_run


def recorded_base(scoped_run: ScopedRun, is_partial: bool) -> StartingPoint:
    """The result of a recorded run, to start on. Raises UsageError."""
    from skillstudio.dryrun.stacking import BaseRefused, base_of

    with refuse_on(BaseRefused):
        base = base_of(scoped_run, RunStore(default_folder()), is_partial)
    if base.unrecorded_parts:
        warn(
            f"not recorded of run {base.run}, so missing here: "
            f"{', '.join(base.unrecorded_parts[:_MAX_NAMED])}"
        )
    return base
