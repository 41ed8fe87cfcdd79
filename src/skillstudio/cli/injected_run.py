"""`skillstudio run --injected`: run the commands that Claude Code runs when it starts a skill."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import CANCELLED, OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError
from skillstudio.cli.run_arguments import LocalSkill, choose_isolation, read_roots, read_run_inputs
from skillstudio.dryrun.planning.make import ResolvedOperation
from skillstudio.dryrun.planning.run_inputs import PlannedRun, RunInputs
from skillstudio.manifest.injected import InjectedCommand, aborts, find_injected
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.present.injected import InjectedRun, injected_lines, injected_value

if TYPE_CHECKING:
    from skillstudio.dryrun.passes import Request
    from skillstudio.dryrun.run import CompletedRun

_REFUSED_OPTIONS = (
    "apply",
    "patch",
    "save_sample",
    "on",
    "twice",
    "with_deps",
    "packages",
    "sample",
)
Start = Callable[[PlannedRun, ResolvedOperation], "tuple[Request, CompletedRun] | int"]
"""Runs a plan; the caller removes the folder of the result. An exit status if nothing was run."""
_MAX_TEXT = 1 << 20  # Bytes of an output that are read.


def run_injected(local_skill: LocalSkill, options: CommandOptions, start: Start) -> Result | int:
    """Run each injected command in copies of its own, and say where Claude Code would abort."""
    name = local_skill.interface.name or local_skill.skill.name
    if options.operation:
        raise UsageError(
            f"--injected runs all injected commands; leave out {options.operation}, or leave out "
            "--injected and name one by its place, as in SKILL.md:12"
        )
    for other in _REFUSED_OPTIONS:
        if getattr(options, other):
            option = "with" if other == "packages" else other.replace("_", "-")
            raise UsageError(f"--injected and --{option} cannot be used together")
    commands = find_injected(local_skill.skill.markdown)
    if not commands:
        raise UsageError(f"{name} has no injected commands: no !`command` and no ```! block")
    run_inputs = read_run_inputs(
        local_skill, options, options.rest, read_roots(local_skill, options)
    )
    isolation = choose_isolation(LaunchSpec(""), options, run_inputs.network)
    # Claude Code runs them whatever else is wrong with the skill.
    run_inputs = run_inputs._replace(faults=(), isolation=isolation)
    runs: list[InjectedRun] = []
    for command in commands:
        ran = _run(local_skill, command, run_inputs, start)
        if isinstance(ran, int):
            return ran
        runs.append(ran)
    from skillstudio.cli.painting import parts_result

    status = PROBLEMS if any(run.aborts for run in runs) else OK
    lines = list(injected_lines(runs, name, options.verbose))
    return parts_result(lambda: injected_value(runs), lambda: lines, status)


def _run(
    local_skill: LocalSkill, command: InjectedCommand, run_inputs: RunInputs, start: Start
) -> InjectedRun | int:
    """Run one command; an exit status if no other one should be run."""
    from skillstudio.files.folders import remove

    row = InjectedRun(command, f"{local_skill.label}/SKILL.md")
    operation = local_skill.operation(command.name)
    planned_run = local_skill.plan(command.name, run_inputs)
    if planned_run.launch is None or run_inputs.isolation.id == "plan":
        problems = planned_run.plan.problems
        errors = [problem for problem in problems if problem.severity == "error"]
        start_problems = [problem for problem in problems if problem.rule == "nothing-to-start"]
        reason = next(
            (problem.message for problem in errors + start_problems), "isolation level plan"
        )
        return row._replace(why=f"not run: {reason}", aborts=bool(errors))
    run_outcome = start(planned_run, operation)
    if isinstance(run_outcome, int):
        return run_outcome
    _, completed_run = run_outcome
    try:
        report = completed_run.report
        ending = report.ending
        if ending.cancelled:
            return CANCELLED
        output, errors_text = (
            completed_run.staged_copies.restore_paths(
                _read(os.path.join(completed_run.folder, stream))
            ).strip()
            for stream in ("stdout", "stderr")
        )
        why = ending.error
        if not why and ending.exit_code is None:
            why = "timed out" if ending.timed_out else f"ended by {ending.signal or 'a signal'}"
        return row._replace(
            exit_code=None if ending.timed_out else ending.exit_code,
            output=output,
            errors=errors_text,
            aborts=ending.timed_out or aborts(command.command, ending.exit_code),
            why="timed out" if ending.timed_out else why,
            blocked_actions=tuple(
                f"{effect.effect} {line}"
                for effect in report.effects
                if effect.verdict in ("blocked", "prevented")
                for line in effect.evidence
            ),
        )
    finally:
        remove(completed_run.folder)


def _read(path: str) -> str:
    """What was printed, sensitive values masked."""
    try:
        with open(path, "rb") as file:
            return file.read(_MAX_TEXT).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
