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
from skillstudio.dryrun.planning.run_inputs import Planned, RunInputs
from skillstudio.manifest.injected import InjectedCommand, aborts, find_injected
from skillstudio.manifest.launching import Launching
from skillstudio.present.injected import InjectedRun, injected_lines, injected_value

if TYPE_CHECKING:
    from skillstudio.dryrun.passes import Request
    from skillstudio.dryrun.run import CompletedRun

_OTHERS = ("apply", "patch", "save_sample", "on", "twice", "with_deps", "packages", "sample")
Start = Callable[[Planned, ResolvedOperation], "tuple[Request, CompletedRun] | int"]
"""Runs a plan; the caller removes the folder of the result. An exit status if nothing was run."""
_MAX_TEXT = 1 << 20  # Bytes of an output that are read.


def run_injected(opened: LocalSkill, options: CommandOptions, start: Start) -> Result | int:
    """Run each injected command in copies of its own, and say where Claude Code would abort."""
    name = opened.interface.name or opened.skill.name
    if options.operation:
        raise UsageError(
            f"--injected runs all injected commands; leave out {options.operation}, or leave out "
            "--injected and name one by its place, as in SKILL.md:12"
        )
    for other in _OTHERS:
        if getattr(options, other):
            option = "with" if other == "packages" else other.replace("_", "-")
            raise UsageError(f"--injected and --{option} cannot be used together")
    commands = find_injected(opened.skill.markdown)
    if not commands:
        raise UsageError(f"{name} has no injected commands: no !`command` and no ```! block")
    given = read_run_inputs(opened, options, options.rest, read_roots(opened, options))
    isolation = choose_isolation(Launching(""), options, given.network)
    # Claude Code runs them whatever else is wrong with the skill.
    given = given._replace(faults=(), isolation=isolation)
    runs: list[InjectedRun] = []
    for command in commands:
        ran = _run(opened, command, given, start)
        if isinstance(ran, int):
            return ran
        runs.append(ran)
    from skillstudio.cli.painting import parts_result

    status = PROBLEMS if any(run.aborts for run in runs) else OK
    lines = list(injected_lines(runs, name, options.verbose))
    return parts_result(lambda: injected_value(runs), lambda: lines, status)


def _run(
    opened: LocalSkill, command: InjectedCommand, given: RunInputs, start: Start
) -> InjectedRun | int:
    """Run one command; an exit status if no other one should be run."""
    from skillstudio.files.folders import remove

    row = InjectedRun(command, f"{opened.shown}/SKILL.md")
    operation = opened.operation(command.name)
    planned = opened.plan(command.name, given)
    if planned.launch is None or given.isolation.id == "plan":
        problems = planned.plan.problems
        errors = [problem for problem in problems if problem.severity == "error"]
        others = [problem for problem in problems if problem.rule == "nothing-to-start"]
        reason = next((problem.message for problem in errors + others), "isolation level plan")
        return row._replace(why=f"not run: {reason}", aborts=bool(errors))
    performed = start(planned, operation)
    if isinstance(performed, int):
        return performed
    _, finished = performed
    try:
        report = finished.report
        ended = report.ended
        if ended.cancelled:
            return CANCELLED
        output, errors_text = (
            finished.staged.worded(_read(os.path.join(finished.folder, stream))).strip()
            for stream in ("stdout", "stderr")
        )
        why = ended.error
        if not why and ended.exit_code is None:
            why = "timed out" if ended.timed_out else f"ended by {ended.signal or 'a signal'}"
        return row._replace(
            exit_code=None if ended.timed_out else ended.exit_code,
            output=output,
            errors=errors_text,
            aborts=ended.timed_out or aborts(command.command, ended.exit_code),
            why="timed out" if ended.timed_out else why,
            blocked=tuple(
                f"{effect.effect} {line}"
                for effect in report.effects
                if effect.verdict in ("blocked", "prevented")
                for line in effect.evidence
            ),
        )
    finally:
        remove(finished.folder)


def _read(path: str) -> str:
    """What was printed, sensitive values masked."""
    try:
        with open(path, "rb") as file:
            return file.read(_MAX_TEXT).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
