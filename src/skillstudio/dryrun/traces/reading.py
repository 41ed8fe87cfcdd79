"""Read a trace; anybody may have written it, so every part is checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from skillstudio.dryrun.plan import (
    Checked,
    Confirmation,
    IsolationChoice,
    Plan,
    PlannedOutput,
    PlanProblem,
    RequirementState,
    Roots,
    Severity,
    Step,
)
from skillstudio.dryrun.report import (
    EffectVerdict,
    JudgedContract,
    JudgedEffect,
    JudgedOutput,
    OutputVerdict,
    RunEnding,
    RunFileChange,
    RunReport,
)
from skillstudio.dryrun.traces.json_parts import JsonPart, JsonRefused, parse
from skillstudio.dryrun.traces.store import MAX_TRACE, TRACE
from skillstudio.dryrun.traces.trace import MODES, VERSION, Mode

_PLATFORMS = ("unix", "windows", "agent")
_CHANGES = ("added", "modified", "removed")
_ROOTS = ("workspace", "skill", "home")
_ISOLATION_LEVELS = ("plan", "copy", "confined", "isolated", "wasm")


class TraceRefused(Exception):
    """A file that is not a trace: a sentence with its path and the position in it."""


class Trace(NamedTuple):
    """A recorded run, from any user."""

    path: str
    value: Mapping[str, Any]
    """All of it, as JSON."""
    mode: Mode
    report: RunReport
    """The run, sensitive values masked or as tokens."""
    program: str
    """The version of skillstudio that recorded it."""
    platform: str
    variables: Mapping[str, str]
    """The variables of the run, each with a token of its value."""
    arguments: tuple[str, ...]
    env: Mapping[str, str]
    """The given variables."""
    secrets: tuple[str, ...]
    """The names given with `--secret`."""
    inputs: tuple[str, ...]
    """The names of the given inputs; others are defaults or generated."""
    masked: frozenset[str]
    """The inputs that are tokens."""
    sensitive: bool
    """Whether the skill declares itself sensitive."""
    key: str
    """The id of the key of the tokens; "" for none."""


def read_trace(path: str) -> Trace:
    """Read the trace in a file or in the folder of a recorded run. Raises TraceRefused."""
    file = os.path.join(path, TRACE) if os.path.isdir(path) else path
    try:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(file, flags), "rb") as stream:
            data = stream.read(MAX_TRACE + 1)
    except OSError as error:
        raise TraceRefused(f"{file}: {error.strerror or error}") from None
    return trace_of(data, file)


def trace_of(data: bytes, path: str) -> Trace:
    """Parse a trace. Raises TraceRefused."""
    try:
        return _trace(parse(data, MAX_TRACE), path)
    except JsonRefused as error:
        raise TraceRefused(f"{path}: {error}") from None


def _trace(part: JsonPart, path: str) -> Trace:
    version = part["trace"].text()
    if version != VERSION:
        raise part["trace"].wrong(f"must be {VERSION}: another version of skillstudio wrote it")
    environment, given = part["environment"], part["given"]
    return Trace(
        path,
        part.object(),
        part["mode"].one_of(MODES[1:]),
        _report(part),
        environment["skillstudio"].text(),
        environment["platform"].text(),
        environment["variables"].each(JsonPart.text),
        given["arguments"].texts(),
        given["env"].each(JsonPart.text),
        given["secrets"].texts(),
        given["inputs"].texts(),
        frozenset(given["masked"].texts()),
        part["sensitive"].flag(),
        part["key"].text_or(""),
    )


def _report(part: JsonPart) -> RunReport:
    contract = part["contract"]
    identity = part["execution"]["skill_version"]
    signal = part["signal"].text_or("")
    code = part["exit_code"]
    return RunReport(
        part["run"].text(),
        _plan(part),
        RunEnding(
            None if code.value is None else code.whole(),
            signal,
            part["timed_out"].flag(),
            part["cancelled"].flag(),
            part["duration_ms"].number(),
            part["limits"].texts(),
            part["error"].text_or(""),
        ),
        JudgedContract(
            contract["ok"].flag(), contract["problems"].texts(), contract["value"].value
        ),
        part["effects"].list(_effect),
        part["outputs"].list(_output),
        tuple(_change(each, word) for word in _CHANGES for each in _parts(part["changes"][word])),
        part["differences"].texts(),
        part["repeated"].texts(),
        part["varying"].texts(),
        part["traced"].flag(),
        None if identity.value is None else identity.each(_text_or_null),
        part["started_at"].text(),
        part["suspects"].texts(),
        None if part["again"].value is None else part["again"].texts(),
        part.get("incomplete", []).texts(),
    )


def _plan(part: JsonPart) -> Plan:
    isolation, roots = part["isolation"], part["roots"]
    several = any(each["name"].text() for each in _parts(part["steps"]))
    platforms = [each for each in _PLATFORMS if each in part["argv"].object()]
    return Plan(
        skill=part["skill"].text(),
        operation=part["operation"].text(),
        dialect=part["dialect"].text(),
        argv={each: _argv(part["argv"][each], several) for each in platforms},
        cwd=part["cwd"].text(),
        env=part["env"].texts(),
        inputs=dict(part["inputs"].object()),
        requirements=part["requirements"].list(_requirement),
        outputs=part["outputs"].list(
            lambda each: PlannedOutput(each["pattern"].text(), "", "repo_root")
        ),
        effects=tuple(
            each["effect"].text() for each in _parts(part["effects"]) if each["declared"].flag()
        ),
        isolation=IsolationChoice(
            isolation["id"].one_of(_ISOLATION_LEVELS),
            isolation["known_gaps"].texts(),
            isolation["reasons"].each(JsonPart.text),
        ),
        problems=part["problems"].list(_problem),
        roots=Roots(
            roots["workspace"].text(),
            roots["skill"].text(),
            part["environment"]["repository"].text(),
        ),
        empty=part["empty"].texts(),
        notes=part["notes"].texts(),
        confirm=part["confirm"].texts(),
        steps=part["steps"].list(_step),
        timeout=part["timeout"].number(),
    )


def _parts(part: JsonPart) -> tuple[JsonPart, ...]:
    return part.list(lambda each: each)


def _argv(part: JsonPart, several: bool) -> tuple[tuple[str, ...], ...]:
    if several:
        return part.list(JsonPart.texts)
    return (part.texts(),) if part.value else ()


def _requirement(part: JsonPart) -> Checked:
    return Checked(
        part["kind"].one_of(("command", "file")),
        part["name"].text(),
        part["state"].one_of(get_args(RequirementState)),
        part["found"].text(),
        part["wanted"].text(),
    )


def _problem(part: JsonPart) -> PlanProblem:
    return PlanProblem(
        part["rule"].text(),
        part["message"].text(),
        part["pointer"].text(),
        part["severity"].one_of(get_args(Severity)),
    )


def _step(part: JsonPart) -> Step:
    return Step(
        part["argv"].texts(),
        part["name"].text(),
        part["confirmation"].one_of(get_args(Confirmation)),
        "" if part["mocked"].flag() else None,
    )


def _effect(part: JsonPart) -> JudgedEffect:
    return JudgedEffect(
        part["effect"].text(),
        part["declared"].flag(),
        part["verdict"].one_of(get_args(EffectVerdict)),
        part["evidence"].texts(),
        part["error"].flag(),
    )


def _output(part: JsonPart) -> JudgedOutput:
    return JudgedOutput(
        part["pattern"].text(),
        part["verdict"].one_of(get_args(OutputVerdict)),
        part["paths"].texts(),
        part["error"].flag(),
    )


def _change(part: JsonPart, word: Any) -> RunFileChange:
    return RunFileChange(
        part["root"].one_of(_ROOTS),
        part["path"].text(),
        word,
        part["size"].whole(),
        part["kind"].text(),
        part["pattern"].text_or(""),
        part.get("about", None).text_or(""),
    )


def _text_or_null(part: JsonPart) -> str | None:
    return None if part.value is None else part.text()
