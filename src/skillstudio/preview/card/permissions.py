"""Compare the permissions that a skill requests with the policy and its last run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, NamedTuple

from skillstudio.interface.covering import covers
from skillstudio.interface.model import Interface
from skillstudio.manifest.dialect import Ask, Skill
from skillstudio.manifest.policy import is_granted, said_in
from skillstudio.manifest.project import project
from skillstudio.manifest.registry import rules_of

Verdict = Literal["granted", "refused", "no limit"]
Use = Literal["used", "not seen", "not known"]

_HINTS = ("destructive", "network", "interactive")
_EVIDENCE = 3
_HOST = re.compile(r"^(?:[a-z]+://)?([^\s:/]+)")


class UsedEffect(NamedTuple):
    """An effect observed in a run."""

    effect: str  # The kind in the effects table, such as `proc.exec`.
    seen: bool
    evidence: tuple[str, ...] = ()  # Path, host or argv, one per line, optionally after a verb.


class LastRun(NamedTuple):
    """A skill's last run."""

    id: str
    effects: tuple[UsedEffect, ...]
    started: tuple[str, ...] = ()  # The programs of the run itself, which are not effects.
    traced: bool = True
    """Whether program starts and reads were observable; otherwise absence means nothing."""


class Permission(NamedTuple):
    """A permission that a manifest requests."""

    kind: str
    """`effect`, `capability`, `command`, `host`, `path`, `variable`, `secret`, `tool` or `hint`."""
    value: str  # `*` means all of its kind.
    dialect: str
    verdict: Verdict
    by: str = ""  # The entry of the policy, with its position.
    use: Use = "not known"
    evidence: tuple[str, ...] = ()


class PermissionCard(NamedTuple):
    """All permissions that a skill requests."""

    permissions: tuple[Permission, ...]
    blocked: tuple[str, ...] = ()  # Commands that it declares as forbidden.
    policy: str = ""  # The policy file; "" if the workspace has none.
    run: str = ""  # The run that was compared, or "".
    beyond: tuple[UsedEffect, ...] = ()  # What the run used without requesting it.


def permission_card(skill: Skill, last: LastRun | None = None) -> PermissionCard:
    """The permissions in all manifests of a skill, each once, in manifest order."""
    interface = project(skill)
    found = list(dict.fromkeys([*_asked(skill), *_stated(interface)]))
    if last is not None:
        found = [_with_use(each, last) for each in found]
    blocked = [
        item
        for term in interface.permissions
        if term.comparer == "set" and isinstance(term.value, tuple)
        for item in term.value
    ]
    covered = {effect for each in found for effect in _effects(each)}
    beyond = (
        each._replace(evidence=each.evidence[:_EVIDENCE])
        for each in (last.effects if last is not None else ())
        if each.seen and each.effect not in covered
    )
    policy = skill.settings.policy
    return PermissionCard(
        tuple(found),
        tuple(blocked),
        (policy.path or "skillstudio.toml") if policy is not None else "",
        last.id if last is not None else "",
        tuple(beyond),
    )


def _asked(skill: Skill) -> Iterator[Permission]:
    policy = skill.settings.policy
    for manifest in skill.manifests:
        rules = rules_of(manifest.dialect)
        if manifest.part != "manifest" or not hasattr(rules, "asks"):
            continue
        asks: Iterator[Ask] = rules.asks(manifest)
        for ask in asks:
            found = Permission(ask.kind, ask.value, manifest.dialect.id, "no limit")
            granted = is_granted(ask, policy) if policy is not None else None
            if policy is not None and granted is not None:
                verdict: Verdict = "granted" if granted else "refused"
                found = found._replace(verdict=verdict, by=said_in(ask, policy))
            yield found


def _stated(interface: Interface) -> Iterator[Permission]:
    """Facts that no policy covers but that matter to people."""
    first = interface.dialects[0] if interface.dialects else ""
    for term in interface.permissions:
        if term.name == "allowed-tools":
            uses = "" if term.value == ("*",) else f"({', '.join(term.value)})"
            yield Permission("tool", f"{term.key}{uses}", first, "no limit")
        if term.name == "env-read":
            for item in term.value:
                yield Permission("variable", item, first, "no limit")
    for each in interface.env:
        kind = "secret" if each.sensitive else "variable"
        yield Permission(kind, each.name, first, "no limit")
    for operation in interface.operations:
        for given in operation.inputs:
            if given.sensitive:
                yield Permission("secret", given.name, first, "no limit")
    if interface.execution is not None:
        for hint in _HINTS:
            if getattr(interface.execution, hint):
                yield Permission("hint", hint, first, "no limit")


def _with_use(asked: Permission, last: LastRun) -> Permission:
    effects = _effects(asked)
    if not effects:
        return asked
    seen = [each for each in last.effects if each.effect in effects and each.seen]
    lines = [line for each in seen for line in each.evidence if _is_of(asked, line)]
    if asked.kind in ("effect", "capability", "hint"):
        use: Use = "used" if seen else "not seen"
    else:
        begun = asked.kind == "command" and asked.value in last.started
        use = "used" if lines or begun else "not seen"
    if use == "not seen" and not last.traced:
        use = "not known"
    return asked._replace(use=use, evidence=tuple(lines[:_EVIDENCE]))


def _is_of(asked: Permission, line: str) -> bool:
    """Whether a line of evidence matches a permission."""
    if asked.value == "*" or asked.kind in ("effect", "capability", "hint"):
        return True
    words = line.split()
    if asked.kind == "command":
        # A line can have a verb before the program.
        return any(os.path.basename(each) == asked.value for each in words[:2])
    if asked.kind == "host":
        hosts = (_HOST.match(each) for each in words)
        return any(covers(asked.value, each[1], "host") for each in hosts if each)
    # Paths of a run are absolute; those of a manifest can be relative.
    tail = asked.value.removeprefix("./").removeprefix("~/").strip("/")
    return not tail or f"/{tail}/" in f"{line.rstrip('/')}/"


def _effects(asked: Permission) -> tuple[str, ...]:
    """The effects that show whether a permission is used."""
    if asked.kind == "effect":
        return (asked.value,)
    table = _table()
    named = table["capability"].get(asked.value) if asked.kind == "capability" else None
    hint = table["hint"].get(asked.value) if asked.kind == "hint" else None
    return tuple(named or hint or table["kind"].get(asked.kind, ()))


@cache
def _table() -> dict[str, Any]:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "permissions.toml"), "rb") as file:
        return tomllib.load(file)
