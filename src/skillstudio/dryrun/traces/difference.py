"""Compare two runs: what was run, with what, where, and what it did."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.traces.key import SCHEME, is_masked
from skillstudio.dryrun.traces.reading import Trace
from skillstudio.interface.wording import SENSITIVE

Area = Literal[
    "skill", "version", "inputs", "environment", "exit", "contract", "effects", "outputs", "files"
]
DID: tuple[Area, ...] = ("exit", "contract", "effects", "outputs", "files")
"""What a run did, as opposed to what it was run with."""
_LONGEST = 120
_ABSENT = "nothing"
_TUPLE = ("nix_store_path", "source_ref", "source_rev", "content_hash", "version", "deployed_at")


class RunDifference(NamedTuple):
    """One thing that differs between two runs."""

    area: Area
    name: str
    before: Any  # In the first run; None when it has none.
    after: Any
    message: str


def differences(one: Trace, other: Trace) -> tuple[RunDifference, ...]:
    """Everything that differs between two runs, causes first; times and ids do not count."""
    return tuple(_differences(one, other))


def _differences(one: Trace, other: Trace) -> Iterator[RunDifference]:
    before, after = one.report, other.report
    for name in ("skill", "operation", "dialect"):
        yield from _row("skill", name, getattr(before.plan, name), getattr(after.plan, name))
    yield from _rows("version", _versions(before), _versions(after))
    keys = (one.key, other.key)
    yield from _values("inputs", "", before.plan.inputs, after.plan.inputs, keys)
    arguments = (_indexed(one.arguments), _indexed(other.arguments))
    yield from _values("inputs", "argument ", *arguments, keys)
    yield from _environment(one, other)
    yield from _row("exit", "how it ended", ended(before), ended(after))
    yield from _contract(before, after)
    yield from _observation(before, after)
    yield from _rows("effects", _effects(before), _effects(after))
    yield from _rows("outputs", _outputs(before), _outputs(after))
    yield from _rows("files", _changes(before), _changes(after))


def _versions(report: RunReport) -> dict[str, Any]:
    identity = report.identity or {}
    names = (*_TUPLE, *(name for name in identity if name not in _TUPLE))
    return {name: identity.get(name) for name in names if identity.get(name) is not None}


def _environment(one: Trace, other: Trace) -> Iterator[RunDifference]:
    before, after = one.report.plan, other.report.plan
    yield from _row("environment", "isolation level", before.isolation.id, after.isolation.id)
    yield from _row("environment", "skillstudio", one.program, other.program)
    yield from _row("environment", "platform", one.platform, other.platform)
    yield from _row("environment", "traced", one.report.traced, other.report.traced)
    yield from _row("environment", "timeout", before.timeout, after.timeout)
    keys = (one.key, other.key)
    yield from _values("environment", "variable ", one.variables, other.variables, keys)
    tools = [
        {each.name: f"{each.state} {each.found}".strip() for each in plan.requirements}
        for plan in (before, after)
    ]
    yield from _rows("environment", *tools)


def ended(report: RunReport) -> str:
    """How a run ended, in a few words."""
    how = report.ended
    if how.cancelled:
        return "cancelled"
    if how.timed_out:
        return "timed out"
    if how.signal:
        return how.signal
    return "not started" if how.exit_code is None else f"exit status {how.exit_code}"


def _contract(before: RunReport, after: RunReport) -> Iterator[RunDifference]:
    words = ("not satisfied", "satisfied")
    one, other = before.contract, after.contract
    yield from _row("contract", "stdout contract", words[one.ok], words[other.ok])
    problems = (list(one.problems), list(other.problems))
    if problems[0] != problems[1]:
        yield from _row("contract", "problems", *problems)
    if not is_masked(one.value) or not is_masked(other.value):
        yield from _row("contract", "value", one.value, other.value)


def _observation(before: RunReport, after: RunReport) -> Iterator[RunDifference]:
    """A row when a run was not observed completely: it may have done what the other did not."""
    found = {"the first run": before.incomplete, "the second run": after.incomplete}
    which = [name for name, incomplete in found.items() if incomplete]
    if which:
        sentence = f"the observation of {' and '.join(which)} is incomplete"
        pair = (list(before.incomplete) or None, list(after.incomplete) or None)
        yield RunDifference("effects", "observation", *pair, sentence)


def _effects(report: RunReport) -> dict[str, Any]:
    """Each effect with its verdict, and its evidence."""
    found: dict[str, Any] = {}
    for each in report.effects:
        verdict = each.verdict if each.declared else f"{each.verdict} (not declared)"
        found[each.effect] = verdict
        for line in each.evidence:
            found[f"{each.effect}: {line}"] = "observed"
    return found


def _outputs(report: RunReport) -> dict[str, Any]:
    return {each.pattern: each.verdict for each in report.outputs if each.pattern}


def _changes(report: RunReport) -> dict[str, str]:
    found = {}
    for each in report.changes:
        path = _shown(each.path) if is_masked(each.path) else each.path
        prefix = {"home": "~/", "skill": "skill: "}.get(each.root, "")
        about = f", {each.about}" if each.about else ""
        found[prefix + path] = f"{each.change}, {each.kind}, {each.size:,} bytes{about}"
    return found


def _indexed(words: tuple[str, ...]) -> dict[str, str]:
    return {str(number): word for number, word in enumerate(words, 1)}


def _values(
    area: Area,
    prefix: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    keys: tuple[str, str],
) -> Iterator[RunDifference]:
    """Values of which some are tokens; tokens of two keys cannot be compared."""
    for name in dict.fromkeys((*before, *after)):
        pair = (before.get(name), after.get(name))
        masked = [is_masked(each) for each in pair]
        is_unknown = masked[0] != masked[1] or (all(masked) and keys[0] != keys[1])
        if name in before and name in after and is_unknown:
            sentence = f"{prefix}{name}: unknown whether the two values are equal"
            yield RunDifference(area, prefix + name, *pair, sentence)
        elif all(masked) and pair[0] != pair[1]:
            sentence = f"{prefix}{name}: the value changed"
            yield RunDifference(area, prefix + name, *pair, sentence)
        else:
            yield from _row(area, prefix + name, *pair, name in before, name in after)


def _rows(
    area: Area, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[RunDifference]:
    for name in dict.fromkeys((*before, *after)):
        yield from _row(area, name, before.get(name), after.get(name))


def _row(
    area: Area, name: str, before: Any, after: Any, there: bool = True, still: bool = True
) -> Iterator[RunDifference]:
    texts = [json.dumps(each, sort_keys=True) for each in (before, after)]
    if there != still or texts[0] != texts[1]:
        sentence = f"{_shown(name)}: {_shown(before)} before, {_shown(after)} now"
        yield RunDifference(area, name, before, after, sentence)


def _shown(value: Any) -> str:
    if value is None:
        return _ABSENT
    if isinstance(value, str) and is_masked(value):
        # The start is enough to tell two apart.
        return f"{SENSITIVE} {value[len(SCHEME) :][:6]}".rstrip()
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
