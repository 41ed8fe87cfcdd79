"""The JSON value of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillstudio.dryrun.plan import IsolationChoice, Plan

_SYSTEMS = ("unix", "windows")


def plan_value(plan: Plan) -> dict[str, Any]:
    """The JSON value of a plan; a recipe has a list of argvs instead of one."""
    several = any(step.name for step in plan.steps)

    def argv(steps: Sequence[tuple[str, ...]]) -> list[Any]:
        return [list(each) for each in steps] if several else list(steps[0]) if steps else []

    platforms = {
        system: argv(plan.argv.get(system, plan.argv.get("any", ()))) for system in _SYSTEMS
    }
    if "agent" in plan.argv:
        platforms["agent"] = argv(plan.argv["agent"])
    return {
        "skill": plan.skill,
        "operation": plan.operation,
        "dialect": plan.dialect,
        "argv": platforms,
        "cwd": plan.cwd,
        "env": list(plan.env),
        "inputs": dict(plan.inputs),
        "requirements": [each._asdict() for each in plan.requirements],
        "outputs": [each._asdict() for each in plan.outputs],
        "effects": list(plan.effects),
        "isolation": isolation_value(plan.isolation),
        "problems": [each._asdict() for each in plan.problems],
        "steps": [
            {
                "name": step.name,
                "argv": list(step.argv),
                "confirmation": step.confirmation,
                "mocked": step.mocked is not None,
            }
            for step in plan.steps
        ],
        "roots": {"workspace": plan.roots.workspace, "skill": plan.roots.skill},
        "empty": list(plan.empty),
        "notes": list(plan.notes),
        "confirm": list(plan.confirm),
        "timeout": plan.timeout,
    }


def isolation_value(isolation: IsolationChoice) -> dict[str, Any]:
    """The JSON value of an isolation level."""
    return {
        "id": isolation.id,
        "known_gaps": list(isolation.known_gaps),
        "reasons": dict(isolation.reasons),
    }
