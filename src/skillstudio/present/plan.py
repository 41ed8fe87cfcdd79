"""A plan: what a run would start, with which values, where, and what prevents it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator, Sequence

from skillstudio.dryrun.plan import (
    NOT_REQUESTED,
    IsolationChoice,
    Plan,
    PlanProblem,
    RequirementResult,
    Step,
)
from skillstudio.files.paths import make_relative
from skillstudio.interface.wording import SENSITIVE
from skillstudio.present.lines import LineStyle, Part, StyledLine, count, section, table

MOCKED_NOTE = "  (not started: the tests of the recipe provide its output)"
_STYLES: dict[str, LineStyle] = {"error": "error", "warning": "warning", "info": "quiet"}
_STATES = {"unknown-version": "unknown version", "too-old": "too old", "too-new": "too new"}


def name_of(plan: Plan) -> str:
    """The skill and the operation."""
    return " ".join(name for name in (plan.skill, plan.operation) if name)


def plan_lines(
    plan: Plan,
    cwd: str,
    problems: Sequence[PlanProblem] | None = None,
    place: Callable[[PlanProblem], str] = lambda _: "",
    details: bool = True,
    unfold: str = "",
    workspace: str = "",
) -> Iterator[Part]:
    """The sections of a plan, problems first. `problems` replaces those of the plan, `place` gives
    `path:line:column` of one; paths below `cwd` are shown relative to it. Without `details`, what
    is the same for most runs is one line, and `unfold` says how to show it. `workspace` describes
    a workspace that was made for the run, whose path says nothing."""
    visible_problems = plan.problems if problems is None else problems
    is_stopped = any(problem.severity == "error" for problem in visible_problems)
    yield from section(
        "Can't run yet" if is_stopped else "Problems",
        [problem_line(problem, place(problem)) for problem in visible_problems],
    )
    yield from section("Starts", _starts(plan, details))
    yield from section("Inputs", _inputs(plan))
    yield from section("Needs your consent", [StyledLine(text, "warning") for text in plan.confirm])
    writes = [(output.path or output.pattern, output.base) for output in plan.outputs]
    yield from section("Writes", table(("file", "below"), writes))
    effect_lines = [StyledLine(", ".join(plan.effects))] if plan.effects else []
    yield from section("Declared effects", effect_lines)
    yield from _requirements(plan.requirements, details)
    is_there = plan.cwd == plan.roots.workspace
    folder = workspace if workspace and is_there else shown_path(plan.cwd, cwd)
    yield from section("Working directory", [StyledLine(folder)])
    if workspace and not is_there:
        yield from section("Workspace", [StyledLine(workspace)])
    if details:
        workspace_note = f"{shown_path(plan.roots.workspace, cwd)} (the run changes a copy)"
        yield from section("Workspace", [StyledLine(workspace_note)] if not workspace else [])
        variables = [StyledLine(", ".join(plan.env))] if plan.env else []
        yield from section("Environment variables", variables)
        yield from section("Timeout", [StyledLine(f"{plan.timeout:g} s")])
        yield from isolation_lines(plan.isolation)
    yield from section("Notes", [StyledLine(note) for note in plan.notes])
    if not details:
        yield from isolation_lines(plan.isolation, with_gaps=False, unfold=unfold)


def problem_line(problem: PlanProblem, place: str = "") -> StyledLine:
    """What prevents a run or affects it."""
    lead = f"{place}: {problem.severity}:" if place else f"{problem.severity}:"
    style = _STYLES[problem.severity]
    # An error of the manifest ends with its own rule.
    rule = "" if problem.rule == "manifest-error" else f"[{problem.rule}]"
    return StyledLine(problem.message, style, lead=lead, remark=rule)


def isolation_lines(
    choice: IsolationChoice, without: str = "", with_gaps: bool = True, unfold: str = ""
) -> Iterator[Part]:
    """The level with its known gaps, and why no other one is used, unless it is `without`."""
    yield StyledLine(isolation_text(choice), "heading" if with_gaps else "quiet", remark=unfold)
    if with_gaps:
        yield from (StyledLine(gap, "warning", 1, "known gap:") for gap in choice.known_gaps)
    for level, why in choice.reasons.items():
        if why not in (NOT_REQUESTED, without):
            yield StyledLine(f"not {level}: {why}", "quiet", 1)


def isolation_text(choice: IsolationChoice) -> str:
    """The isolation level and the number of its known gaps."""
    gaps = f" · {count(len(choice.known_gaps), 'known gap')}" if choice.known_gaps else ""
    return f"Isolation: {choice.id}{gaps}"


def step_text(step: Step) -> str:
    """The command line of a step, quoted for a shell."""
    return shlex.join(step.argv) + MOCKED_NOTE * (step.mocked is not None)


def shown_path(path: str, cwd: str) -> str:
    """Shorten a path relative to the working directory."""
    if path == cwd:
        return "the current folder"
    inside = path.startswith(cwd.rstrip(os.sep) + os.sep)
    return make_relative(path, cwd) if inside else path


def _starts(plan: Plan, details: bool) -> Iterator[StyledLine]:
    """What is started; on other systems only with `details`."""
    here = "windows" if os.name == "nt" else "unix"
    systems = {
        system: steps
        for system, steps in plan.argv.items()
        if details or system in (here, "any", "agent") or len(plan.argv) == 1
    }
    width = max(map(len, systems), default=0)
    for system, steps in systems.items():
        for index, argv in enumerate(steps):
            # Lines of an agent's procedure are prose; all others are arguments.
            text = " ".join(argv) if system == "agent" else shlex.join(argv)
            is_mocked = index < len(plan.steps) and plan.steps[index].mocked is not None
            lead = f"{system if index == 0 else '':<{width}}  " if len(systems) > 1 else ""
            yield StyledLine(f"{lead}{text}{MOCKED_NOTE * is_mocked}")
    if not plan.argv:
        yield StyledLine("nothing", "quiet")


def _inputs(plan: Plan) -> Iterator[Part]:
    rows = [
        (
            name,
            (SENSITIVE if value == SENSITIVE else json.dumps(value, ensure_ascii=False))
            + (" (default)" if name in plan.defaults else ""),
        )
        for name, value in plan.inputs.items()
    ]
    rows += [(name, "not set, an empty argument") for name in plan.empty]
    yield from table(("input", "value"), rows)


def _requirements(requirements: Sequence[RequirementResult], details: bool) -> Iterator[Part]:
    """The requirements; without `details` only those that are not met, after their number."""
    unmet = [requirement for requirement in requirements if requirement.state != "fine"]
    needs = [_need(requirement) for requirement in (requirements if details else unmet)]
    if not details and requirements:
        remark = f"{len(requirements) - len(unmet)} of {len(requirements)} met"
        yield StyledLine("Requires", "heading", remark=remark)
    rows = table(("name", "versions", "on this machine"), needs)
    if details:
        yield from section("Requires", rows)
    else:
        yield from (row._replace(indent=1) for row in rows)


def _need(requirement: RequirementResult) -> tuple[str, str, str]:
    state = _STATES.get(
        requirement.state, "ok" if requirement.state == "fine" else requirement.state
    )
    return (
        requirement.name,
        requirement.wanted,
        f"{state}: {requirement.found}" if requirement.found else state,
    )
