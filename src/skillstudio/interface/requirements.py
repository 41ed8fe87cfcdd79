"""Differences of the requirements on the host and of the execution hints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from skillstudio.interface.difference import InterfaceDifference
from skillstudio.interface.model import ABSENT, Execution, Interface, Requirement, Variable, token
from skillstudio.interface.statements import same
from skillstudio.interface.wording import shown
from skillstudio.text.versions import dotted

_BASE = "skill_root"
_HINTS = ("destructive", "network", "interactive", "idempotent")


def compare_environment(
    olds: tuple[Variable, ...], news: tuple[Variable, ...]
) -> Iterator[InterfaceDifference]:
    """Differences of the environment variables."""
    before = {each.name: each for each in olds}
    after = {each.name: each for each in news}
    for name, old in before.items():
        new = after.get(name)
        at = f"/env/{token(name)}"
        if new is None:
            facet = _presence(old)
            yield InterfaceDifference("env", facet, "removed", at, name, facet)
            continue
        if old.required != new.required:
            action = "narrowed" if new.required else "widened"
            sides = (_presence(old), _presence(new))
            yield InterfaceDifference("env", "requiredness", action, at, name, *sides)
        if old.sensitive != new.sensitive:
            action = "on" if new.sensitive else "off"
            flags = (old.sensitive, new.sensitive)
            yield InterfaceDifference("env", "sensitive", action, f"{at}/sensitive", name, *flags)
        if old.description != new.description:
            said = (old.description, new.description)
            yield InterfaceDifference(
                "env", "description", "changed", f"{at}/description", name, *said
            )
    for name, new in after.items():
        if name not in before:
            facet = _presence(new)
            yield InterfaceDifference("env", facet, "added", f"/env/{token(name)}", name, new=facet)


def compare_requirements(
    olds: tuple[Requirement, ...], news: tuple[Requirement, ...]
) -> Iterator[InterfaceDifference]:
    """Differences of the required commands and files."""
    before = {(each.kind, each.name): each for each in olds}
    after = {(each.kind, each.name): each for each in news}
    for key, old in before.items():
        new = after.get(key)
        if new is None:
            yield _presence_of(old, "removed")
        elif old.kind == "command":
            yield from _versions(old, new)
        elif (old.base or _BASE) != (new.base or _BASE):
            to_skill = (new.base or _BASE) == _BASE
            facet = "base-to-skill-root" if to_skill else "base"
            sides = (old.base or _BASE, new.base or _BASE)
            yield InterfaceDifference(
                "file", facet, "changed", f"{_at(new)}/base", new.name, *sides
            )
    for key, new in after.items():
        if key not in before:
            yield _presence_of(new, "added")


def compare_execution(old: Interface, new: Interface) -> Iterator[InterfaceDifference]:
    """Differences of the execution hints; undeclared hints are off, and no timeout is unlimited."""
    before, after = old.execution or Execution(), new.execution or Execution()
    for name in _HINTS:
        was, is_now = getattr(before, name), getattr(after, name)
        if was != is_now:
            action = "on" if is_now else "off"
            yield InterfaceDifference(
                "execution", name, action, f"/execution/{name}", name, was, is_now
            )
    if not same(before.timeout, after.timeout):
        action = "raised" if _seconds(after) > _seconds(before) else "lowered"
        yield InterfaceDifference(
            "execution",
            "timeout",
            action,
            "/execution/timeout",
            "timeout",
            ABSENT if before.timeout is None else before.timeout,
            ABSENT if after.timeout is None else after.timeout,
            _limits(before.timeout, after.timeout),
        )


def _limits(old: float | None, new: float | None) -> str:
    if old is None:
        return f"no timeout → {_duration(new)}"
    return f"{_duration(old)} → {'no timeout' if new is None else _duration(new)}"


def _duration(seconds: float | None) -> str:
    return f"{shown(seconds)} second{'' if seconds == 1 else 's'}"


def _presence(variable: Variable) -> str:
    return "required" if variable.required else "optional"


def _at(requirement: Requirement) -> str:
    return f"/requirements/{requirement.kind}/{token(requirement.name)}"


def _presence_of(given: Requirement, action: str) -> InterfaceDifference:
    facet: str = given.kind
    if given.kind == "file" and (given.base or _BASE) == _BASE:
        facet = "file-skill-root"
    limits: Mapping[str, str] = {
        key: value
        for key, value in (
            ("min_version", given.minimum),
            ("max_version", given.maximum),
            ("base", given.base),
        )
        if value
    }
    change = {"name": given.name, **limits}
    sides = (ABSENT, change) if action == "added" else (change, ABSENT)
    return InterfaceDifference(given.kind, facet, action, _at(given), given.name, *sides)


def _versions(old: Requirement, new: Requirement) -> Iterator[InterfaceDifference]:
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
            action = _moved(was, is_now, filler)
        if action:
            key = facet.replace("-", "_")
            yield InterfaceDifference(
                "command",
                facet,
                action,
                f"{_at(new)}/{key}",
                new.name,
                was or ABSENT,
                is_now or ABSENT,
            )


def _moved(old: str, new: str, filler: float) -> str:
    """Whether a limit was raised or lowered; "" for neither.

    An invalid version counts as the stricter one.
    """
    before, after = dotted(old), dotted(new)
    if before is None or after is None:
        return "lowered" if filler else "raised"
    length = max(len(before), len(after))
    one = [*map(float, before), *[filler] * (length - len(before))]
    other = [*map(float, after), *[filler] * (length - len(after))]
    return "" if one == other else "raised" if other > one else "lowered"


def _seconds(execution: Execution) -> float:
    return inf if execution.timeout is None else execution.timeout
