"""`skillstudio apply`: what a recorded run changed, brought into the real folders."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from skillstudio.cli.applying import (
    AppliedRun,
    ground_value,
    outcome_lines,
    outcome_value,
    parted,
    perform,
    say_notes,
    write_patch,
)
from skillstudio.cli.output import Paint, Parser, UsageError, colours_wanted, print_json
from skillstudio.cli.trace import recorded
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
from skillstudio.dryrun.traces.scope import refusal, scope_of


def parser() -> Parser:
    made = Parser(
        "apply",
        "Bring what a recorded run changed into the workspace and the skill: all that is named, or "
        "nothing. What is not as it was when the run began is a conflict and is never written "
        "over; nothing is written in .git. What an earlier apply left unfinished is made good "
        "first.",
    )
    add = made.add_argument
    add("run", metavar="RUN", help="a recorded run: its id, the start of its id, or last "
        "(the newest run of the current skill, else of the current workspace)")  # fmt: skip
    add("paths", metavar="PATH", nargs="*", help="a file that it changed, or a folder of them; "
        "by itself everything")  # fmt: skip
    add("--anyway", action="store_true",
        help="apply a run of another workspace; needs its full id")  # fmt: skip
    add("--check", action="store_true", help="only say what would be applied, and the conflicts")
    add("--patch", metavar="FILE", help="apply nothing; write a patch for git apply, relative to "
        "the git root; with several roots, one FILE-NAME each")  # fmt: skip
    add("--skip-sensitive", action="store_true",
        help="leave files that hold a sensitive value out of the patch")  # fmt: skip
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Apply. Exit status 1 where there is a conflict or the disk refuses; nothing is done then."""
    from skillstudio.cli.run import ended_by_signals

    # Whoever ends it by a signal has all put back at once; after SIGKILL the next start does so.
    with ended_by_signals():
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    options = parser().parse_intermixed_args(arguments)
    if options.check and options.patch:
        raise UsageError("--check and --patch do not go together")
    found = recorded(options.run)
    run, report = found.kept.run, found.trace.report
    scope = scope_of(os.getcwd())
    is_elsewhere = not scope.is_of_workspace(report.plan.roots)
    if is_elsewhere and not (options.anyway and options.run == run):
        raise UsageError(refusal(scope, report, "apply"))
    try:
        keeping = read_recorded_changes(found.kept.folder)
    except RecordedUnusable as error:
        raise UsageError(str(error)) from None
    wanted = _chosen(keeping.wanted, keeping.left, options.paths)
    if options.check:
        outcome = _checked(wanted)
    elif options.patch:
        outcome = _patched(wanted, keeping.left, report, options)
    else:
        outcome = perform(wanted, report)
    left = () if options.paths else keeping.left
    outcome = outcome._replace(left=(*outcome.left, *left))
    if options.format == "json":
        print_json({"run": run, **ground_value(report), **outcome_value(outcome)})
    else:
        for line in outcome_lines(outcome, Paint(colours_wanted(sys.stdout))):
            print(line)
        say_notes(outcome)
    return outcome.status


def _patched(
    wanted: Sequence[ApplyChange],
    left: Sequence[ExcludedChange],
    report: RunReport,
    options: Namespace,
) -> AppliedRun:
    """Write a patch, or refuse it where sensitive files of the run were not recorded."""
    from skillstudio.dryrun.redaction.searching import why_sensitive

    sensitive = [f"{each.path} {each.why}".strip() for each in left if SENSITIVE in each.why]
    if sensitive and not options.paths and not options.skip_sensitive:
        why = f"{'; '.join(sensitive)}; leave such files out with --skip-sensitive"
        error = f"no patch is written to {options.patch}: {why}"
        return AppliedRun(error=error, is_applied=False)
    return write_patch(wanted, options.patch, report, why_sensitive, options.skip_sensitive)


def _checked(wanted: Sequence[ApplyChange]) -> AppliedRun:
    judged = judge(wanted)
    applied, already = parted(wanted, judged.already)
    if judged.conflicts:
        return AppliedRun(conflicts=judged.conflicts, is_checked_only=True)
    return AppliedRun(applied, already, is_checked_only=True)


def _chosen(
    wanted: Sequence[ApplyChange], left: Sequence[ExcludedChange], paths: Sequence[str]
) -> tuple[ApplyChange, ...]:
    """The changes that paths mean, each once. Raises UsageError for a path that means none."""
    if not paths:
        return tuple(wanted)
    chosen: set[str] = set()
    for path in paths:
        found = of_paths(wanted, path, os.getcwd())
        if not found:
            why = next((f"it {each.why}" for each in left if each.path == path), "")
            raise UsageError(f"{path}: {why or 'the run changed no such file'}")
        chosen |= {each.target for each in found}
    return tuple(each for each in wanted if each.target in chosen)
