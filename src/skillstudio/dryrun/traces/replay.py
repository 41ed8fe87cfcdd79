"""The inputs of a replay of a recorded run, and the reasons that prevent it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from skillstudio.dryrun.traces.key import holds_mask
from skillstudio.dryrun.traces.reading import Trace

IDENTITIES = ("nix_store_path", "content_hash")
"""ADR-003: what a replay goes by. One that is equal on both sides is enough: each tells every
byte of a skill."""


class Again(NamedTuple):
    """What a run is given to be the same again."""

    operation: str
    value: Any
    """All inputs that stand in the trace, as one JSON value."""
    arguments: tuple[str, ...]
    env: Mapping[str, str]
    timeout: float
    require: str
    """The isolation level that it must reach."""


def again(trace: Trace, arguments: tuple[str, ...] = ()) -> Again:
    """What the trace says of how it was run; `arguments` go over its own."""
    plan = trace.report.plan
    inputs = {name: each for name, each in plan.inputs.items() if not _is_hidden(trace, name)}
    known = {name: each for name, each in trace.env.items() if not holds_mask(each)}
    own = () if any(map(holds_mask, trace.arguments)) else trace.arguments
    # What takes one value that is no object has it under no name.
    value = inputs[""] if list(inputs) == [""] else inputs
    return Again(plan.operation, value, arguments or own, known, plan.timeout, plan.isolation.id)


def _is_hidden(trace: Trace, name: str) -> bool:
    return name in trace.masked or holds_mask(trace.report.plan.inputs.get(name))


def missing(
    trace: Trace, secrets: Collection[str], env: Collection[str], arguments: Collection[str]
) -> tuple[str, ...]:
    """What has to be given again because the trace does not hold it, a sentence each.

    `secrets` are the names that came by `--secret`, `env` those by `--env`, `arguments` what
    stands behind `--`.
    """
    return tuple(_missing(trace, secrets, env, arguments))


def _missing(
    trace: Trace, secrets: Collection[str], env: Collection[str], arguments: Collection[str]
) -> Iterator[str]:
    hidden = [name for name in trace.inputs if _is_hidden(trace, name)]
    for name in dict.fromkeys((*trace.secrets, *hidden)):
        if name not in secrets:
            yield f"{name} is not in the trace: give it again with --secret {name}=@FILE"
    for name, value in trace.env.items():
        if holds_mask(value) and name not in env and name not in trace.secrets:
            yield f"the variable {name} is not in the trace: give --env {name}=VALUE again"
    if any(map(holds_mask, trace.arguments)) and not arguments:
        yield f"the {len(trace.arguments)} arguments are not in the trace: give them behind --"


def another_version(trace: Trace, now: Mapping[str, str | None] | None) -> str:
    """Why this is not the version that ran; "" where it is."""
    then = trace.report.identity or {}
    current = now or {}
    if any(then.get(each) and then.get(each) == current.get(each) for each in IDENTITIES):
        return ""
    if not any(then.get(each) for each in IDENTITIES):
        return "the trace does not say which version of the skill ran"
    told = next(each for each in IDENTITIES if then.get(each))
    return (
        f"the skill is not the one that ran: its {told} was {then[told]} and is "
        f"{current.get(told) or 'not known'}"
    )
