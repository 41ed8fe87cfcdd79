"""`skillstudio apply`: apply a run's changes to the real folders."""

from __future__ import annotations

import os
from collections.abc import Sequence

from skillstudio.cli.applying import (
    AppliedRun,
    ground_value,
    outcome_lines,
    outcome_value,
    perform,
    say_notes,
    write_patch,
)
from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Result, UsageError, refuse_on, say
from skillstudio.cli.recorded import recorded_here
from skillstudio.cli.run import ended_by_signals
from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.checking import judge
from skillstudio.dryrun.applying.recorded_changes import (
    SENSITIVE,
    ExcludedChange,
    RecordedUnusable,
    of_paths,
    read_recorded_changes,
)
from skillstudio.dryrun.report import RunReport


# A signal that ends this program restores everything at once; after SIGKILL the next start does.
@ended_by_signals()
def run(options: CommandOptions) -> Result:
    """Apply. Exit status 1 if there is a conflict or a write fails; nothing is done then."""
    if options.check and options.patch:
        raise UsageError("--check and --patch cannot be combined")
    scoped_run = recorded_here(options, "apply", is_of_skill_enough=False)
    run, report = scoped_run.recorded_run.run, scoped_run.trace.report
    with refuse_on(RecordedUnusable):
        recorded_changes = read_recorded_changes(scoped_run.recorded_run.folder)
    changes = _select_changes(
        recorded_changes.applicable_changes, recorded_changes.exclusions, options.paths
    )
    if options.check:
        outcome = _check_changes(changes)
    elif options.patch:
        outcome = _write_run_patch(changes, recorded_changes.exclusions, report, options)
    else:
        outcome = perform(changes, report)
    if outcome.conflicts and report.on:
        say(f"this run started on the result of run {report.on}; apply that one first")
    exclusions = () if options.paths else recorded_changes.exclusions
    outcome = outcome._replace(exclusions=(*outcome.exclusions, *exclusions))
    if options.format != "json":
        say_notes(outcome)
    return Result(
        lambda: {"run": run, **ground_value(report), **outcome_value(outcome)},
        lambda paint: outcome_lines(outcome, paint),
        outcome.status,
    )


def _write_run_patch(
    changes: Sequence[ApplyChange],
    exclusions: Sequence[ExcludedChange],
    report: RunReport,
    options: CommandOptions,
) -> AppliedRun:
    """Write a patch, unless sensitive files of the run were not recorded."""
    from skillstudio.dryrun.redaction.searching import why_sensitive

    sensitive = [
        f"{change.path} {change.why}".strip() for change in exclusions if SENSITIVE in change.why
    ]
    if sensitive and not options.paths and not options.skip_sensitive:
        why = f"{'; '.join(sensitive)}; --skip-sensitive leaves such files out"
        return AppliedRun(error=f"no patch is written to {options.patch}: {why}", is_applied=False)
    return write_patch(changes, options.patch, report, why_sensitive, options.skip_sensitive)


def _check_changes(changes: Sequence[ApplyChange]) -> AppliedRun:
    judgement = judge(changes)
    if judgement.conflicts:
        return AppliedRun(conflicts=judgement.conflicts, is_checked_only=True)
    return AppliedRun(judgement.pending, judgement.already, is_checked_only=True)


def _select_changes(
    changes: Sequence[ApplyChange], exclusions: Sequence[ExcludedChange], paths: Sequence[str]
) -> tuple[ApplyChange, ...]:
    """The changes that paths name, each once. Raises UsageError for a path that names none."""
    if not paths:
        return tuple(changes)
    targets: set[str] = set()
    for path in paths:
        matches = of_paths(changes, path, os.getcwd())
        if not matches:
            why = next((f"it {change.why}" for change in exclusions if change.path == path), "")
            raise UsageError(f"{path}: {why or 'the run did not change it'}")
        targets |= {change.target for change in matches}
    return tuple(change for change in changes if change.target in targets)
