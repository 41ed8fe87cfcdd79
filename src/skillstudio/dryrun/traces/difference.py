"""Compare two runs: what was run, with what, where, and what it did, byte by byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from skillstudio.dryrun.report import PERMISSIONS, RunFileChange, RunReport
from skillstudio.dryrun.traces.key import SCHEME, is_masked
from skillstudio.dryrun.traces.reading import Trace
from skillstudio.interface.wording import SENSITIVE
from skillstudio.text.hunks import unified_diff

Area = Literal[
    "skill", "version", "inputs", "environment", "exit", "contract", "effects", "outputs", "files",
    "streams", "content",
]  # fmt: skip
"""`content` says why contents cannot be compared."""
DID: tuple[Area, ...] = (
    "exit", "contract", "effects", "outputs", "files", "streams", "content"
)  # fmt: skip
"""What a run did, as opposed to what it was run with."""
STREAMS = {"stdout": "standard output", "stderr": "standard error"}
ContentReader = Callable[[str, str], str | None]
"""Reads a recorded text: the root and path of a file, or "" and the name of a stream; None if the
text is not recorded."""
_MOST_LINES = 20  # Lines of a diff.
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
    diff: str = ""  # The start of a unified diff of texts, where both are recorded.


def read_nothing(_root: str, _path: str) -> None:
    """The reader of a trace without recorded texts."""


def differences(
    trace: Trace,
    other: Trace,
    read: ContentReader = read_nothing,
    read_other: ContentReader = read_nothing,
) -> tuple[RunDifference, ...]:
    """Everything that differs between two runs, causes first; times and ids do not count. The
    readers give texts for diffs."""
    return tuple(_differences(trace, other, (read, read_other)))


def _differences(
    trace: Trace, other: Trace, readers: tuple[ContentReader, ContentReader]
) -> Iterator[RunDifference]:
    before, after = trace.report, other.report
    for name in ("skill", "operation", "dialect"):
        yield from _row("skill", name, getattr(before.plan, name), getattr(after.plan, name))
    yield from _rows("version", _versions(before), _versions(after))
    keys = (trace.key, other.key)
    yield from _values("inputs", "", before.plan.inputs, after.plan.inputs, keys)
    arguments = (_number_words(trace.arguments), _number_words(other.arguments))
    yield from _values("inputs", "argument ", *arguments, keys)
    yield from _environment(trace, other)
    yield from _row("exit", "how it ended", describe_ending(before), describe_ending(after))
    yield from _contract(before, after)
    yield from _observation(before, after)
    yield from _rows("effects", _effects(before), _effects(after))
    yield from _rows("outputs", _outputs(before), _outputs(after))
    why = _incomparable(trace, other)
    yield from _files(before, after, not why, readers)
    if why:
        yield RunDifference("content", "content", None, None, why)
    else:
        yield from _streams(trace.stream_tokens or {}, other.stream_tokens or {}, readers)


def _incomparable(trace: Trace, other: Trace) -> str:
    """Why the contents of two runs cannot be compared; "" if they can."""
    runs = {"the first run": trace.stream_tokens, "the second run": other.stream_tokens}
    which = " and ".join(name for name, tokens in runs.items() if tokens is None)
    if which:
        return (
            f"the content of files and output was not recorded in {which}, so it cannot be "
            "compared; run again to record it"
        )
    if not trace.stream_tokens and not other.stream_tokens:
        return ""  # Neither was started.
    same = "so it is unknown whether files and output have the same content"
    if not trace.key or trace.key != other.key:
        return f"the runs were recorded with different keys, {same}"
    if trace.report.plan.skill != other.report.plan.skill:
        return f"the runs are of different skills, {same}"
    return ""


def _files(
    before: RunReport,
    after: RunReport,
    is_comparable: bool,
    readers: tuple[ContentReader, ContentReader],
) -> Iterator[RunDifference]:
    """The files of which kind, size, permissions or content differ."""
    files, other = _by_name(before), _by_name(after)
    for name in dict.fromkeys((*files, *other)):
        old, new = files.get(name), other.get(name)
        rows = list(_row("files", name, old and _about(old), new and _about(new)))
        if old and new and is_comparable:
            rows += _other_content(name, old, new)
        if old and new and rows and old.content != new.content:
            texts = (
                read(change.root, change.path)
                for read, change in zip(readers, (old, new), strict=True)
            )
            rows[-1] = rows[-1]._replace(diff=_diff(*texts))
        yield from rows


def _other_content(name: str, old: RunFileChange, new: RunFileChange) -> Iterator[RunDifference]:
    """What kind and size of a file do not show."""
    has_modes = old.mode and new.mode
    # A change of the permissions that a file had before is a part of the description.
    is_described = any(change.about.startswith(PERMISSIONS) for change in (old, new))
    if has_modes and old.mode != new.mode and not is_described:
        message = f"{_render_value(name)}: permissions {old.mode} before, {new.mode} now"
        yield RunDifference("files", name, old.mode, new.mode, message)
    is_same_size = (old.kind, old.size) == (new.kind, new.size)
    is_described = old.kind == "link" and old.about != new.about
    has_contents = old.content and new.content and old.content != new.content
    if has_contents and is_same_size and not is_described:
        message = f"{_render_value(name)}: the content differs"
        yield RunDifference("files", name, old.content, new.content, message)


def _streams(
    before: Mapping[str, str],
    after: Mapping[str, str],
    readers: tuple[ContentReader, ContentReader],
) -> Iterator[RunDifference]:
    """The streams of which the bytes differ."""
    for name, title in STREAMS.items():
        pair = (before.get(name), after.get(name))
        if pair[0] != pair[1]:
            diff = _diff(*(read("", name) for read in readers))
            yield RunDifference("streams", name, *pair, f"{title} differs", diff)


def _diff(before: str | None, after: str | None) -> str:
    """The start of a unified diff; "" without both texts."""
    if before is None or after is None:
        return ""
    lines = unified_diff(before, after, "before", "now").splitlines()
    cut = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in lines[:_MOST_LINES]]
    omitted_count = len(lines) - len(cut)
    return "\n".join((*cut, *([f"… {omitted_count:,} more lines"] if omitted_count > 0 else [])))


def _versions(report: RunReport) -> dict[str, Any]:
    identity = report.identity or {}
    names = (*_TUPLE, *(name for name in identity if name not in _TUPLE))
    return {name: identity.get(name) for name in names if identity.get(name) is not None}


def _environment(trace: Trace, other: Trace) -> Iterator[RunDifference]:
    before, after = trace.report.plan, other.report.plan
    yield from _row("environment", "isolation level", before.isolation.id, after.isolation.id)
    yield from _row("environment", "skillstudio", trace.program, other.program)
    yield from _row("environment", "platform", trace.platform, other.platform)
    yield from _row("environment", "traced", trace.report.traced, other.report.traced)
    yield from _row("environment", "timeout", before.timeout, after.timeout)
    keys = (trace.key, other.key)
    yield from _values("environment", "variable ", trace.variables, other.variables, keys)
    tools = [
        {
            requirement.name: f"{requirement.state} {requirement.found}".strip()
            for requirement in plan.requirements
        }
        for plan in (before, after)
    ]
    yield from _rows("environment", *tools)


def describe_ending(report: RunReport) -> str:
    """How a run ended, in a few words."""
    how = report.ending
    if how.cancelled:
        return "cancelled"
    if how.timed_out:
        return "timed out"
    if how.signal:
        return how.signal
    return "not started" if how.exit_code is None else f"exit status {how.exit_code}"


def _contract(before: RunReport, after: RunReport) -> Iterator[RunDifference]:
    words = ("not satisfied", "satisfied")
    contract, other = before.contract, after.contract
    yield from _row("contract", "stdout contract", words[contract.ok], words[other.ok])
    problems = (list(contract.problems), list(other.problems))
    if problems[0] != problems[1]:
        yield from _row("contract", "problems", *problems)
    if not is_masked(contract.value) or not is_masked(other.value):
        yield from _row("contract", "value", contract.value, other.value)


def _observation(before: RunReport, after: RunReport) -> Iterator[RunDifference]:
    """A row when a run was not observed completely: it may have done what the other did not."""
    reasons = {"the first run": before.incomplete, "the second run": after.incomplete}
    which = [name for name, incomplete in reasons.items() if incomplete]
    if which:
        sentence = f"the observation of {' and '.join(which)} is incomplete"
        pair = (list(before.incomplete) or None, list(after.incomplete) or None)
        yield RunDifference("effects", "observation", *pair, sentence)


def _effects(report: RunReport) -> dict[str, Any]:
    """Each effect with its verdict, and its evidence."""
    rows: dict[str, Any] = {}
    for effect in report.effects:
        verdict = effect.verdict if effect.declared else f"{effect.verdict} (not declared)"
        rows[effect.effect] = verdict
        for line in effect.evidence:
            rows[f"{effect.effect}: {line}"] = "observed"
    return rows


def _outputs(report: RunReport) -> dict[str, Any]:
    return {output.pattern: output.verdict for output in report.outputs if output.pattern}


def _by_name(report: RunReport) -> dict[str, RunFileChange]:
    """The changed files of a run by the names that a difference has."""
    changes = {}
    for change in report.changes:
        path = _render_value(change.path) if is_masked(change.path) else change.path
        prefix = {"home": "~/", "skill": "skill: "}.get(change.root, "")
        changes[prefix + path] = change
    return changes


def _about(change: RunFileChange) -> str:
    """A changed file in a few words."""
    about = f", {change.about}" if change.about else ""
    return f"{change.change}, {change.kind}, {change.size:,} bytes{about}"


def _number_words(words: tuple[str, ...]) -> dict[str, str]:
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
        mask_flags = [is_masked(value) for value in pair]
        is_unknown = mask_flags[0] != mask_flags[1] or (all(mask_flags) and keys[0] != keys[1])
        if name in before and name in after and is_unknown:
            sentence = f"{prefix}{name}: unknown whether the two values are equal"
            yield RunDifference(area, prefix + name, *pair, sentence)
        elif all(mask_flags) and pair[0] != pair[1]:
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
    texts = [json.dumps(value, sort_keys=True) for value in (before, after)]
    if there != still or texts[0] != texts[1]:
        sentence = (
            f"{_render_value(name)}: {_render_value(before)} before, {_render_value(after)} now"
        )
        yield RunDifference(area, name, before, after, sentence)


def _render_value(value: Any) -> str:
    if value is None:
        return _ABSENT
    if isinstance(value, str) and is_masked(value):
        # The start is enough to tell two apart.
        return f"{SENSITIVE} {value[len(SCHEME) :][:6]}".rstrip()
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
