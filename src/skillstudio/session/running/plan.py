"""A plan as lines: what would be started, with what, where, and what stands against it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence

from skillstudio.dryrun.isolation.levels import TITLES
from skillstudio.dryrun.plan import Checked, Plan, PlanProblem
from skillstudio.interface.wording import SENSITIVE
from skillstudio.session.styled_lines import LineStyle, StyledLine, section

_STYLES: Mapping[str, LineStyle] = {"error": "error", "warning": "warning", "info": "quiet"}
_GLYPHS = {"error": "✗", "warning": "!", "info": "i"}
_STATES = {
    "missing": "missing",
    "unknown-version": "unknown version",
    "too-old": "too old",
    "too-new": "too new",
    "fine": "fine",
}


def plan_lines(plan: Plan, problems: Sequence[PlanProblem], cwd: str) -> Iterator[StyledLine]:
    """The parts of a plan, problems first. `problems` are those that no field shows; paths below
    `cwd` are told from there."""
    yield from section("in the way", [_problem(each) for each in problems])
    yield from section("starts", list(_starts(plan)))
    yield from section("inputs", list(_inputs(plan)))
    yield from section(
        "writes", [_output(each.path or each.pattern, each.base) for each in plan.outputs]
    )
    yield from section("declares", [StyledLine(", ".join(plan.effects))] if plan.effects else [])
    yield from section("asks first", [StyledLine(each, "warning") for each in plan.confirm])
    yield from section("isolation", list(_isolation(plan)))
    yield from section("needs", [_need(each) for each in plan.requirements])
    yield from section("in", [StyledLine(shown_path(plan.cwd, cwd))])
    workspace = f"{shown_path(plan.roots.workspace, cwd)}: copied, and only the copy is changed"
    yield from section("workspace", [StyledLine(workspace)])
    yield from section("variables", [StyledLine(", ".join(plan.env))] if plan.env else [])
    yield from section("ends after", [StyledLine(f"{plan.timeout:g} s at the latest")])
    yield from section("notes", [StyledLine(each) for each in plan.notes])


def badge(plan: Plan) -> str:
    """The isolation level and how much of it is not held, in a few words."""
    title = TITLES.get(plan.isolation.id, plan.isolation.id)
    count = len(plan.isolation.known_gaps)
    return f"{title}, {count} known gap{'' if count == 1 else 's'}" if count else title


def shown_path(path: str, cwd: str) -> str:
    """A path as it is told: from the current folder where it is below that."""
    if path == cwd:
        return "the current folder"
    inside = path.startswith(cwd.rstrip(os.sep) + os.sep)
    return os.path.relpath(path, cwd) if inside else path


def _problem(each: PlanProblem) -> StyledLine:
    return StyledLine(
        f"{_GLYPHS[each.severity]} {each.message} [{each.rule}]", _STYLES[each.severity]
    )


def _starts(plan: Plan) -> Iterator[StyledLine]:
    width = max(map(len, plan.argv), default=0)
    for platform, steps in plan.argv.items():
        for index, argv in enumerate(steps):
            # Lines of an agent's procedure are prose; all others are arguments.
            text = " ".join(argv) if platform == "agent" else shlex.join(argv)
            is_mocked = index < len(plan.steps) and plan.steps[index].mocked is not None
            note = (
                "  (not started: the tests of the recipe say what it prints)" if is_mocked else ""
            )
            yield StyledLine(f"{platform if index == 0 else '':<{width}}  {text}{note}")
    if not plan.argv:
        yield StyledLine("nothing", "quiet")


def _inputs(plan: Plan) -> Iterator[StyledLine]:
    for name, value in plan.inputs.items():
        text = SENSITIVE if value == SENSITIVE else json.dumps(value, ensure_ascii=False)
        yield StyledLine(f"{name}  {text}")
    for name in plan.empty:
        yield StyledLine(f"{name}  absent, an empty argument", "quiet")


def _output(path: str, base: str) -> StyledLine:
    return StyledLine(f"{path}  in {base}" if base else path)


def _isolation(plan: Plan) -> Iterator[StyledLine]:
    yield StyledLine(TITLES.get(plan.isolation.id, plan.isolation.id))
    yield from (StyledLine(f"known gap: {each}", "warning") for each in plan.isolation.known_gaps)
    for name, why in plan.isolation.reasons.items():
        yield StyledLine(f"not {TITLES.get(name, name)}: {why}", "quiet")


def _need(each: Checked) -> StyledLine:
    words = [each.name, each.wanted, _STATES.get(each.state, each.state)]
    text = "  ".join(word for word in words if word)
    style: LineStyle = (
        "" if each.state == "fine" else "error" if each.state == "missing" else "warning"
    )
    return StyledLine(f"{text}: {each.found}" if each.found else text, style)
