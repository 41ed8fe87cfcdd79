"""Differences of the requirements on the host and of the execution hints."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

from skillstudio.interface.difference import Difference, changed_fields, compare_values, one_sided
from skillstudio.interface.model import ABSENT, Execution, Interface, Requirement, Variable, token
from skillstudio.interface.wording import display_value
from skillstudio.schema.shape import same
from skillstudio.text.versions import parse_dotted

_BASE = "skill_root"
_HINTS = ("destructive", "network", "interactive", "idempotent")


def compare_environment(old: Interface, new: Interface) -> Iterator[Difference]:
    """Differences of the environment variables."""
    before = {variable.name: variable for variable in old.env}
    after = {variable.name: variable for variable in new.env}
    for name in {**before, **after}:
        was, is_now = before.get(name), after.get(name)
        at = f"/env/{token(name)}"
        if was is None or is_now is None:
            action = "removed" if is_now is None else "added"
            presence = _presence(was or after[name])
            yield one_sided("env", presence, action, at, name, presence)
            continue
        if was.required != is_now.required:
            action = "narrowed" if is_now.required else "widened"
            sides = (_presence(was), _presence(is_now))
            yield Difference("env", "requiredness", action, at, name, *sides)
        yield from changed_fields("env", at, name, was, is_now, "sensitive", "description")


def compare_requirements(old: Interface, new: Interface) -> Iterator[Difference]:
    """Differences of the required commands and files."""
    before = {(requirement.kind, requirement.name): requirement for requirement in old.requirements}
    after = {(requirement.kind, requirement.name): requirement for requirement in new.requirements}
    for key in {**before, **after}:
        was, is_now = before.get(key), after.get(key)
        if was is None or is_now is None:
            yield _presence_of(was or after[key], "removed" if is_now is None else "added")
        elif was.kind == "command":
            yield from _versions(was, is_now)
        else:
            sides = (was.base or _BASE, is_now.base or _BASE)
            facet = "base-to-skill-root" if sides[1] == _BASE else "base"
            yield from compare_values("file", facet, f"{_at(is_now)}/base", is_now.name, *sides)


def compare_execution(old: Interface, new: Interface) -> Iterator[Difference]:
    """Differences of the execution hints; undeclared hints are off, and no timeout is unlimited."""
    before, after = old.execution or Execution(), new.execution or Execution()
    for name in _HINTS:
        sides = (getattr(before, name), getattr(after, name))
        yield from compare_values("execution", name, f"/execution/{name}", name, *sides)
    if not same(before.timeout, after.timeout):
        action = "raised" if _seconds(after) > _seconds(before) else "lowered"
        place = ("/execution/timeout", "timeout")
        limits = (_limit(before), _limit(after))
        detail = " → ".join(_duration(execution.timeout) for execution in (before, after))
        yield Difference("execution", "timeout", action, *place, *limits, detail)


def _limit(execution: Execution) -> Any:
    return ABSENT if execution.timeout is None else execution.timeout


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "no timeout"
    return f"{display_value(seconds)} second{'' if seconds == 1 else 's'}"


def _presence(variable: Variable) -> str:
    return "required" if variable.required else "optional"


def _at(requirement: Requirement) -> str:
    return f"/requirements/{requirement.kind}/{token(requirement.name)}"


def _presence_of(requirement: Requirement, action: str) -> Difference:
    facet: str = requirement.kind
    if requirement.kind == "file" and (requirement.base or _BASE) == _BASE:
        facet = "file-skill-root"
    limits = {
        "min_version": requirement.minimum,
        "max_version": requirement.maximum,
        "base": requirement.base,
    }
    value = {"name": requirement.name, **{key: limit for key, limit in limits.items() if limit}}
    return one_sided(requirement.kind, facet, action, _at(requirement), requirement.name, value)


def _versions(old: Requirement, new: Requirement) -> Iterator[Difference]:
    for facet, was, is_now, filler in (
        ("min-version", old.minimum, new.minimum, 0.0),
        # A maximum version is a prefix: 2 includes every 2.x.
        ("max-version", old.maximum, new.maximum, inf),
    ):
        if was == is_now:
            continue
        if not was or not is_now:
            action = "added" if is_now else "removed"
        else:
            action = _find_direction(was, is_now, filler)
        if action:
            at = f"{_at(new)}/{facet.replace('-', '_')}"
            limits = (was or ABSENT, is_now or ABSENT)
            yield Difference("command", facet, action, at, new.name, *limits)


def _find_direction(old: str, new: str, filler: float) -> str:
    """Whether a limit was raised or lowered, or ""; an invalid version is the stricter one."""
    before, after = parse_dotted(old), parse_dotted(new)
    if before is None or after is None:
        return "lowered" if filler else "raised"
    length = max(len(before), len(after))
    old_numbers = [*map(float, before), *[filler] * (length - len(before))]
    other = [*map(float, after), *[filler] * (length - len(after))]
    return "" if old_numbers == other else "raised" if other > old_numbers else "lowered"


def _seconds(execution: Execution) -> float:
    return inf if execution.timeout is None else execution.timeout
