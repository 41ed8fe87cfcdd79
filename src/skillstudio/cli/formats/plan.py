"""A plan for people."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from skillstudio.cli.output import Paint
from skillstudio.dryrun.plan import Checked, Plan, PlanProblem
from skillstudio.interface.model import Interface
from skillstudio.interface.wording import SENSITIVE
from skillstudio.text.safe import safe_text

_TITLES = {
    "plan": "Plan",
    "copy": "Copy run, not isolated",
    "confined": "Confined",
    "isolated": "Isolated",
    "wasm": "Confined by WASI",
}
_STATES = {
    "missing": "missing",
    "unknown-version": "unknown version",
    "too-old": "too old",
    "too-new": "too new",
    "fine": "fine",
}
_LONGEST = 2_000
"""Characters of one line; JSON has all of it."""

_MOST = 200
"""Rows of a part, and problems, that are printed."""


def lines(plan: Plan, interface: Interface, shown: str, paint: Paint) -> Iterator[str]:
    """Each part of a plan under its heading; parts with nothing in them are left out."""
    name = " ".join(each for each in (plan.skill, plan.operation) if each)
    yield f"{paint(_safe(name), 'place')}  ({plan.dialect})"
    yield from _part("starts", list(_starts(plan)), paint)
    yield from _part("in", [_safe(plan.cwd)], paint)
    yield from _part("workspace", [_safe(plan.roots.workspace)], paint)
    inputs = [(_safe(n), _safe(_value(v))) for n, v in plan.inputs.items()]
    inputs += [(_safe(n), "absent, an empty argument") for n in plan.empty]
    yield from _part("inputs", _table(inputs), paint)
    yield from _part("variables", [_safe(", ".join(plan.env))] if plan.env else [], paint)
    yield from _part("needs", _table([_need(each) for each in plan.requirements]), paint)
    outputs = [(_safe(e.path or e.pattern), f"in {e.base}") for e in plan.outputs]
    yield from _part("writes", _table(outputs), paint)
    yield from _part("declares", [_safe(each) for each in plan.effects], paint)
    yield from _part("asks first", [_safe(each) for each in plan.confirm], paint)
    yield from _part("isolation level", list(_isolation(plan)), paint)
    yield from _part("notes", [_safe(each) for each in plan.notes], paint)
    for problem in plan.problems[:_MOST]:
        yield problem_line(problem, interface, shown, paint)
    if len(plan.problems) > _MOST:
        yield f"… {len(plan.problems) - _MOST:,} more problems; --format json lists all"


def _starts(plan: Plan) -> Iterator[str]:
    """A line for each process on each system, quoted as a shell would need it."""
    width = max(map(len, plan.argv), default=0)
    for platform, steps in plan.argv.items():
        for index, argv in enumerate(steps):
            # Lines of an agent's procedure are prose; all others are arguments.
            text = " ".join(argv) if platform == "agent" else shlex.join(argv)
            mocked = index < len(plan.steps) and plan.steps[index].mocked is not None
            note = "  (not started: the recipe's tests say what it prints)" if mocked else ""
            yield f"{platform if index == 0 else '':<{width}}  {_safe(text)}{note}"
    if not plan.argv:
        yield "nothing"


def _isolation(plan: Plan) -> Iterator[str]:
    yield _TITLES.get(plan.isolation.id, _safe(plan.isolation.id))
    yield from (f"known gap: {_safe(each)}" for each in plan.isolation.known_gaps)
    for id, why in plan.isolation.reasons.items():
        yield f"not taken: {_TITLES.get(id, id)} ({_safe(why)})"


def _need(each: Checked) -> tuple[str, str, str]:
    found = f": {_safe(each.found)}" if each.found else ""
    return _safe(each.name), _safe(each.wanted), f"{_STATES[each.state]}{found}"


def problem_line(problem: PlanProblem, interface: Interface, shown: str, paint: Paint) -> str:
    """What stands against a run, or beside it, with its place in the manifest."""
    place = interface.place(problem.pointer) if problem.pointer else None
    where = f"{shown}/{place.path}:{place.line}:{place.column}: " if place else ""
    level = paint(problem.severity, problem.severity)
    rule = paint(f"[{problem.rule}]", "quiet")
    return f"{_safe(where)}{level}: {_safe(problem.message)} {rule}"


def _value(value: Any) -> str:
    return SENSITIVE if value == SENSITIVE else json.dumps(value, ensure_ascii=False)


def _part(title: str, rows: list[str], paint: Paint) -> Iterator[str]:
    if rows:
        yield paint(title, "quiet")
        yield from (f"  {row}" for row in rows[:_MOST])
        if len(rows) > _MOST:
            yield f"  … {len(rows) - _MOST:,} more; --format json lists all"


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns one below the other; those with nothing in them take no room."""
    if not rows:
        return []
    widths = [min(max(len(row[at]) for row in rows), 40) for at in range(len(rows[0]))]
    return [
        "  ".join(
            f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True) if width
        ).rstrip()
        for row in rows
    ]


def _safe(text: str) -> str:
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
    return safe_text(cut)
