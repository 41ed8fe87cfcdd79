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
from skillstudio.cli.output import Result, UsageError, refusing, say
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
    found = recorded_here(options, "apply", is_of_skill_enough=False)
    run, report = found.kept.run, found.trace.report
    with refusing(RecordedUnusable):
        keeping = read_recorded_changes(found.kept.folder)
    wanted = _chosen(keeping.wanted, keeping.left, options.paths)
    if options.check:
        outcome = _checked(wanted)
    elif options.patch:
        outcome = _patched(wanted, keeping.left, report, options)
    else:
        outcome = perform(wanted, report)
    if outcome.conflicts and report.on:
        say(f"this run started on the result of run {report.on}; apply that one first")
    left = () if options.paths else keeping.left
    outcome = outcome._replace(left=(*outcome.left, *left))
    if options.format != "json":
        say_notes(outcome)
    return Result(
        lambda: {"run": run, **ground_value(report), **outcome_value(outcome)},
        lambda paint: outcome_lines(outcome, paint),
        outcome.status,
    )


def _patched(
    wanted: Sequence[ApplyChange],
    left: Sequence[ExcludedChange],
    report: RunReport,
    options: CommandOptions,
) -> AppliedRun:
    """Write a patch, unless sensitive files of the run were not recorded."""
    from skillstudio.dryrun.redaction.searching import why_sensitive

    sensitive = [
        f"{change.path} {change.why}".strip() for change in left if SENSITIVE in change.why
    ]
    if sensitive and not options.paths and not options.skip_sensitive:
        why = f"{'; '.join(sensitive)}; --skip-sensitive leaves such files out"
        return AppliedRun(error=f"no patch is written to {options.patch}: {why}", is_applied=False)
    return write_patch(wanted, options.patch, report, why_sensitive, options.skip_sensitive)


def _checked(wanted: Sequence[ApplyChange]) -> AppliedRun:
    judged = judge(wanted)
    if judged.conflicts:
        return AppliedRun(conflicts=judged.conflicts, is_checked_only=True)
    return AppliedRun(judged.pending, judged.already, is_checked_only=True)


def _chosen(
    wanted: Sequence[ApplyChange], left: Sequence[ExcludedChange], paths: Sequence[str]
) -> tuple[ApplyChange, ...]:
    """The changes that paths name, each once. Raises UsageError for a path that names none."""
    if not paths:
        return tuple(wanted)
    chosen: set[str] = set()
    for path in paths:
        found = of_paths(wanted, path, os.getcwd())
        if not found:
            why = next((f"it {change.why}" for change in left if change.path == path), "")
            raise UsageError(f"{path}: {why or 'the run did not change it'}")
        chosen |= {change.target for change in found}
    return tuple(change for change in wanted if change.target in chosen)
