"""`skillstudio test`: run the committed samples and compare the results."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import CANCELLED, OK, PROBLEMS
from skillstudio.cli.formats.painting import parts_result
from skillstudio.cli.output import Result, UsageError
from skillstudio.cli.run import cancelled_by_signals
from skillstudio.cli.run_arguments import LocalSkill, choose_isolation, open_skill, read_faults
from skillstudio.cli.skill_paths import Notes, skill_paths
from skillstudio.dryrun.planning.make import make_plan, resolve_operation
from skillstudio.dryrun.planning.run_inputs import (
    OperationUnknown,
    RunInputs,
    WorkspaceRefused,
    find_roots,
    this_machine,
)
from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.sampling.sample import Sample, SampleRefused
from skillstudio.dryrun.sampling.samples import all_committed, find_sample, save_expectation
from skillstudio.dryrun.sampling.testing import expected_of, unmet
from skillstudio.files.paths import below
from skillstudio.present.samples import SampleResult, sample_counts, sample_lines


def run(options: CommandOptions) -> Result | int:
    """Run the samples. Exit status 1 if a result differs. Raises IsolationMissing."""
    results: list[SampleResult] = []
    with cancelled_by_signals() as cancel:
        for target in list(skill_paths(options.paths, Notes())):
            results += _skill(open_skill(target.disk), options, cancel)
        if cancel.is_set():
            return CANCELLED
    result = parts_result(
        lambda: {"samples": [_value(each) for each in results], "summary": sample_counts(results)},
        lambda: sample_lines(results),
        PROBLEMS if any(each.differs for each in results) else OK,
    )
    return result._replace(data=results)


def _skill(
    opened: LocalSkill, options: CommandOptions, cancel: threading.Event
) -> Iterator[SampleResult]:
    # GitHub needs paths relative to the repository, where it starts commands.
    inside = below(opened.folder, os.getcwd())
    shown = opened.shown if inside is None else inside or "."
    for operation, name in all_committed(opened.skill.tree):
        if cancel.is_set():
            return
        path = f"{shown}/samples/{f'{operation}/' if operation else ''}{name}.yaml"
        result = SampleResult(opened.interface.name, operation, name, path)
        try:
            sample = find_sample(opened.skill.tree, opened.folder, operation, name)
        except SampleRefused as error:
            yield result._replace(differs=(str(error),))
            continue
        report = _report(opened, sample, options, cancel)
        if isinstance(report, RunReport):
            yield _compared(opened, sample, report, result, options.update)
        elif isinstance(report, str):
            yield result._replace(skipped=report)
        else:
            yield result._replace(differs=report)


def _compared(
    opened: LocalSkill, sample: Sample, report: RunReport, result: SampleResult, update: bool
) -> SampleResult:
    result = result._replace(
        seconds=report.ended.duration_ms / 1000, isolation=report.plan.isolation.id
    )
    if not update:
        return result._replace(differs=unmet(sample.expect, report))
    expect = expected_of(report)
    if dict(sample.expect) == expect:
        return result
    save_expectation(opened.folder, opened.skill.tree, sample._replace(expect=expect))
    return result._replace(updated=True)


def _report(
    opened: LocalSkill, sample: Sample, options: CommandOptions, cancel: threading.Event
) -> RunReport | str | tuple[str, ...]:
    """The report of a sample, why it is skipped, or why it cannot be run."""
    from skillstudio.dryrun.isolation.levels import IsolationUnavailable
    from skillstudio.dryrun.run import OutOfTime
    from skillstudio.dryrun.sampling.testing import sample_folder
    from skillstudio.dryrun.staging.staged import StagingRefused
    from skillstudio.dryrun.traces.store import copies_folder

    refusals = (
        SampleRefused, WorkspaceRefused, OperationUnknown, StagingRefused, IsolationUnavailable,
        OutOfTime,
    )  # fmt: skip
    try:
        if options.workspace:
            return _ran(opened, sample, options.workspace, options, cancel)
        with sample_folder(sample.workspace, opened.folder, copies_folder()) as folder:
            return _ran(opened, sample, folder, options, cancel)
    except refusals as error:
        return (str(error),)
    except InterruptedError:
        return ("cancelled",)
    except OSError as error:
        raise UsageError(f"{error.filename or os.getcwd()}: {error.strerror or error}") from None


def _ran(
    opened: LocalSkill,
    sample: Sample,
    workspace: str | None,
    options: CommandOptions,
    cancel: threading.Event,
) -> RunReport | str | tuple[str, ...]:
    """Run it in a workspace; None is the repository of the skill."""
    from skillstudio.dryrun.isolation.levels import ISOLATION_LEVELS
    from skillstudio.dryrun.run import dry_run, prepare_run
    from skillstudio.files.folders import remove

    near = opened.folder if workspace is None else os.getcwd()
    roots = find_roots(opened.folder, workspace, None, near, os.path.expanduser("~"))
    found = resolve_operation(opened.skill, opened.interface, sample.operation)
    is_wasm = bool(found.launching.module)
    level = options.isolation
    if level in ISOLATION_LEVELS[1:] and (level == "wasm") != is_wasm:
        return f"isolation level {level} {'cannot run WASM' if is_wasm else 'runs only WASM'}"
    isolation = choose_isolation(found.launching, options)
    given = RunInputs(
        roots, sample=sample.inputs, arguments=sample.arguments, env=sample.env,
        isolation=isolation, faults=read_faults(opened, options),
    )  # fmt: skip
    planned = make_plan(opened.skill, opened.interface, sample.operation, given, this_machine())
    errors = tuple(each.message for each in planned.plan.problems if each.severity == "error")
    if errors:
        return errors
    if planned.launch is None:
        notes = [each.message for each in planned.plan.problems]
        return notes[0] if notes else "there is no program to start"
    if isolation.id == "plan":
        return isolation.reasons.get("wasm", "") or "no isolation level of this machine can run it"
    request = prepare_run(opened.skill, opened.folder, opened.interface, found.operation, planned)
    finished = dry_run(request, cancel)
    remove(finished.folder)
    return finished.report


def _value(each: SampleResult) -> dict[str, object]:
    return {
        "skill": each.skill,
        "operation": each.operation,
        "sample": each.sample,
        "path": each.path,
        "outcome": each.outcome,
        "differences": list(each.differs),
        "reason": each.skipped or None,
        "isolation": each.isolation or None,
        "seconds": round(each.seconds, 3),
    }
