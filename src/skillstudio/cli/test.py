"""`skillstudio test`: run every committed sample, and say which do otherwise than expected."""

from __future__ import annotations

import os
import threading
from argparse import Namespace
from collections.abc import Iterator

from skillstudio.cli.exit_codes import CANCELLED, ISOLATION_MISSING, OK, PROBLEMS
from skillstudio.cli.formats.painting import print_parts
from skillstudio.cli.formats.tested import FORMATS, printed
from skillstudio.cli.output import Parser, UsageError, say
from skillstudio.cli.run import cancelled_by_signals
from skillstudio.cli.run_arguments import (
    IsolationMissing,
    LocalSkill,
    choose_isolation,
    open_skill,
    read_faults,
)
from skillstudio.cli.skill_paths import Notes, skill_paths
from skillstudio.dryrun.planning.make import make_plan, resolve_operation
from skillstudio.dryrun.planning.run_inputs import OperationUnknown, RunInputs, this_machine
from skillstudio.dryrun.planning.workspace import WorkspaceRefused, find_roots
from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.sampling.expectation import expected_of, unmet
from skillstudio.dryrun.sampling.sample import Sample, SampleRefused
from skillstudio.dryrun.sampling.samples import all_committed, find_sample, save_expectation
from skillstudio.files.paths import below
from skillstudio.present.samples import SampleResult, sample_lines
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    made = Parser(
        "test",
        "Run every sample that is committed in a skill, in copies, and compare what it did with "
        "what the sample expects; without an expectation with what the manifest declares.",
    )
    add = made.add_argument
    add("paths", metavar="PATH", nargs="*", default=["."], help="skills, and folders of skills")
    add(
        "--workspace",
        metavar="DIR",
        help="the folder that all samples work in (default: what each says, else an empty one)",
    )
    add(
        "--isolation",
        metavar="ID",
        help="exactly this isolation level: copy, confined, isolated, wasm",
    )
    add(
        "--require-isolation",
        metavar="ID",
        help="this isolation level or a higher one, else exit status 4",
    )
    add("--anyway", action="store_true", help="run a skill whose manifest has errors")
    add("--update", action="store_true", help="write what the runs did as what is expected")
    add("--format", choices=FORMATS, default="text")
    return made


def run(arguments: list[str]) -> int:
    """Exit status 1 where a sample does otherwise, 4 where the isolation level is not to be had."""
    options = parser().parse_args(arguments)
    results: list[SampleResult] = []
    with cancelled_by_signals() as cancel:
        try:
            for skill_path in list(skill_paths(options.paths, Notes())):
                results += _skill(open_skill(skill_path.disk), options, cancel)
        except IsolationMissing as error:
            say(f"skillstudio: {safe_text(str(error))}")
            return ISOLATION_MISSING
        if cancel.is_set():
            return CANCELLED
    if options.format in ("text", "markdown"):
        print_parts(sample_lines(results), "test", options.format)
    else:
        for line in printed(results, options.format):
            print(line)
    return PROBLEMS if any(each.differs for each in results) else OK


def _skill(
    opened: LocalSkill, options: Namespace, cancel: threading.Event
) -> Iterator[SampleResult]:
    # GitHub knows files by their paths in the repository, which is where it starts commands.
    inside = below(opened.folder, os.getcwd())
    shown = opened.shown if inside is None else inside or "."
    for operation, name in all_committed(opened.skill.tree):
        if cancel.is_set():
            return
        path = f"{shown}/samples/{f'{operation}/' if operation else ''}{name}.yaml"
        try:
            sample = find_sample(opened.skill.tree, opened.folder, operation, name)
        except SampleRefused as error:
            yield SampleResult(opened.interface.name, operation, name, path, (str(error),))
            continue
        yield _sample(opened, sample, path, options, cancel)


def _sample(
    opened: LocalSkill, sample: Sample, path: str, options: Namespace, cancel: threading.Event
) -> SampleResult:
    result = SampleResult(opened.interface.name, sample.operation, sample.name, path)
    report = _report(opened, sample, options, cancel)
    if isinstance(report, str):
        return result._replace(skipped=report)
    if not isinstance(report, RunReport):
        return result._replace(differs=report)
    result = result._replace(
        seconds=report.ended.duration_ms / 1000, isolation=report.plan.isolation.id
    )
    if options.update:
        expect = expected_of(report)
        if dict(sample.expect) != expect:
            save_expectation(opened.folder, opened.skill.tree, sample._replace(expect=expect))
            return result._replace(updated=True)
        return result
    return result._replace(differs=unmet(sample.expect, report))


def _report(
    opened: LocalSkill, sample: Sample, options: Namespace, cancel: threading.Event
) -> RunReport | str | tuple[str, ...]:
    """What a sample did; why nothing is started for it; or what stands against it."""
    from skillstudio.dryrun.sampling.sample_folder import sample_folder
    from skillstudio.dryrun.traces.store import copies_folder

    try:
        if options.workspace:
            return _ran(opened, sample, options.workspace, options, cancel)
        with sample_folder(sample.workspace, opened.folder, copies_folder()) as folder:
            return _ran(opened, sample, folder, options, cancel)
    except (SampleRefused, WorkspaceRefused) as error:
        return (str(error),)
    except InterruptedError:
        return ("it was cancelled",)
    except OSError as error:
        raise UsageError(f"{error.filename or os.getcwd()}: {error.strerror or error}") from None


def _ran(
    opened: LocalSkill,
    sample: Sample,
    workspace: str | None,
    options: Namespace,
    cancel: threading.Event,
) -> RunReport | str | tuple[str, ...]:
    """The same in a workspace; None is the repository that the skill lies in."""
    from skillstudio.dryrun.isolation.levels import ISOLATION_LEVELS, IsolationUnavailable
    from skillstudio.dryrun.prepare_run import prepare_run
    from skillstudio.dryrun.run import OutOfTime, dry_run
    from skillstudio.dryrun.staging.staged import StagingRefused
    from skillstudio.files.folders import remove

    near = opened.folder if workspace is None else os.getcwd()
    roots = find_roots(opened.folder, workspace, None, near, os.path.expanduser("~"))
    try:
        found = resolve_operation(opened.skill, opened.interface, sample.operation)
    except OperationUnknown as error:
        return (str(error),)
    is_wasm = bool(found.launching.module)
    if options.isolation in ISOLATION_LEVELS[1:] and (options.isolation == "wasm") != is_wasm:
        programs = "WASM modules" if is_wasm else "programs that are not WASM"
        return f"isolation level {options.isolation} does not run {programs}"
    isolation = choose_isolation(found.launching, options)
    given = RunInputs(
        roots,
        sample=sample.inputs,
        arguments=sample.arguments,
        env=sample.env,
        isolation=isolation,
        faults=read_faults(opened, options),
    )
    planned = make_plan(opened.skill, opened.interface, sample.operation, given, this_machine())
    errors = tuple(each.message for each in planned.plan.problems if each.severity == "error")
    if errors:
        return errors
    if planned.launch is None:
        return next((each.message for each in planned.plan.problems), "nothing is started")
    if isolation.id == "plan":
        return isolation.reasons.get("wasm", "") or "no isolation level of this machine runs it"
    ready = prepare_run(opened.skill, opened.folder, opened.interface, found.operation, planned)
    try:
        finished = dry_run(ready.request, cancel)
    except (StagingRefused, IsolationUnavailable, OutOfTime) as error:
        return (str(error),)
    remove(finished.folder)
    return finished.report
