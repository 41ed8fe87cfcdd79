"""What is needed to repeat a recorded run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from skillstudio.dryrun.traces.key import holds_mask
from skillstudio.dryrun.traces.reading import Trace

IDENTITIES = ("nix_store_path", "content_hash")
"""ADR-003: one of these that is equal on both sides proves that a skill is the same."""


class Again(NamedTuple):
    """The arguments of a repeated run."""

    operation: str
    value: Any  # All inputs in the trace, as one JSON value.
    arguments: tuple[str, ...]
    env: Mapping[str, str]
    timeout: float
    require: str  # The isolation level that it must reach at least.


def again(trace: Trace, arguments: tuple[str, ...] = ()) -> Again:
    """How the trace was run; `arguments` replace its own."""
    plan = trace.report.plan
    inputs = {name: input_ for name, input_ in plan.inputs.items() if not _is_hidden(trace, name)}
    env = {name: text for name, text in trace.env.items() if not holds_mask(text)}
    recorded_arguments = () if any(map(holds_mask, trace.arguments)) else trace.arguments
    # An operation that takes one value that is not an object has it under the name "".
    value = inputs[""] if list(inputs) == [""] else inputs
    return Again(
        plan.operation, value, arguments or recorded_arguments, env, plan.timeout, plan.isolation.id
    )


def _is_hidden(trace: Trace, name: str) -> bool:
    return name in trace.masked_inputs or holds_mask(trace.report.plan.inputs.get(name))


def missing(
    trace: Trace, secrets: Collection[str], env: Collection[str], arguments: Collection[str]
) -> tuple[str, ...]:
    """What must be given again because the trace lacks it, a sentence each."""
    hidden_names = [name for name in trace.inputs if _is_hidden(trace, name)]
    sentences = [
        f"{name} is not in the trace: give it again with --secret {name}=@FILE"
        for name in dict.fromkeys((*trace.secrets, *hidden_names))
        if name not in secrets
    ]
    for name, value in trace.env.items():
        if holds_mask(value) and name not in env and name not in trace.secrets:
            sentences.append(
                f"the variable {name} is not in the trace: give --env {name}=VALUE again"
            )
    if any(map(holds_mask, trace.arguments)) and not arguments:
        number = len(trace.arguments)
        sentences.append(f"the {number} arguments are not in the trace: give them after --")
    return tuple(sentences)


def another_version(trace: Trace, now: Mapping[str, str | None] | None) -> str:
    """Why the current version differs from the one that ran; "" when it does not."""
    then = trace.report.identity or {}
    current = now or {}
    if any(then.get(key) and then.get(key) == current.get(key) for key in IDENTITIES):
        return ""
    if not any(then.get(key) for key in IDENTITIES):
        return "the trace does not say which version of the skill ran"
    name = next(key for key in IDENTITIES if then.get(key))
    return (
        f"the skill has changed since the run: {name} was {then[name]} and is "
        f"{current.get(name) or 'unknown'}"
    )
