"""Read a trace; anybody may have written it, so every part is checked."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, get_args

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
from skillstudio.dryrun.traces.store import MAX_TRACE, TRACE
from skillstudio.dryrun.traces.trace import MODES, VERSION, Mode
from skillstudio.text.node import join_pointer

_PLATFORMS = ("unix", "windows", "agent")
_CHANGES = ("added", "modified", "removed")
_ROOTS = ("workspace", "skill", "home")
_ISOLATION_LEVELS = ("plan", "copy", "confined", "isolated", "wasm")

MAX_DEPTH = 120
"""Levels: a printed value in a trace may have a hundred."""
_LONGEST = 1 << 20
T = TypeVar("T")


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


class JsonRefused(Exception):
    """A part with a wrong type or value: a sentence with its JSON pointer."""


class JsonPart:
    """A value inside another, with its pointer."""

    def __init__(self, value: Any, at: tuple[str, ...] = ()) -> None:
        self.value = value
        self.at = at

    def __getitem__(self, name: str) -> JsonPart:
        """The value of a key. Raises JsonRefused when it is missing."""
        if name not in self.object():
            raise self.wrong(f"the key {name} is missing")
        return JsonPart(self.value[name], (*self.at, name))

    def get(self, name: str, default: Any) -> JsonPart:
        """The value of a key, or `default`."""
        return JsonPart(self.object().get(name, default), (*self.at, name))

    def object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.wrong("must be an object")
        return self.value

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("must be a string")
        if len(self.value) > _LONGEST:
            raise self.wrong(f"has more than {_LONGEST:,} characters")
        return self.value

    def text_or(self, default: str) -> str:
        """A string; null is the default."""
        return default if self.value is None else self.text()

    def one_of(self, words: Sequence[Any]) -> Any:
        if not isinstance(self.value, str) or self.value not in words:
            raise self.wrong(f"must be one of {', '.join(words)}")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("must be true or false")
        return self.value

    def whole(self) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.wrong("must be an integer")
        if abs(self.value) >= 1 << 63:
            raise self.wrong("is too large")
        return self.value

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.wrong("must be a number")
        if not abs(self.value) < 1e18:
            raise self.wrong("is too large")
        return float(self.value)

    def list(self, of: Callable[[JsonPart], T]) -> tuple[T, ...]:
        if not isinstance(self.value, list):
            raise self.wrong("must be a list")
        return tuple(
            of(JsonPart(each, (*self.at, str(number)))) for number, each in enumerate(self.value)
        )

    def texts(self) -> tuple[str, ...]:
        return self.list(JsonPart.text)

    def each(self, of: Callable[[JsonPart], T]) -> dict[str, T]:
        """The values of an object, by name."""
        return {name: of(self[name]) for name in self.object()}

    def wrong(self, what: str) -> JsonRefused:
        place = join_pointer(list(self.at)) if self.at else "it"
        return JsonRefused(f"{place} {what}")


def parse(data: bytes, most: int) -> JsonPart:
    """Parse one JSON value of at most `most` bytes. Raises JsonRefused."""
    if len(data) > most:
        raise JsonRefused(f"it has more than {most:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonRefused(f"it is not UTF-8 at byte {error.start}") from None
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise JsonRefused("its values are nested too deeply") from None
    except json.JSONDecodeError as error:
        raise JsonRefused(f"it is not JSON: {error.msg.lower()}, {_place(error)}") from None
    except ValueError:
        raise JsonRefused("it is not JSON: it contains a number that is too large") from None
    if _depth(value) > MAX_DEPTH:
        raise JsonRefused("its values are nested too deeply")
    return JsonPart(value)


def _place(error: json.JSONDecodeError) -> str:
    return f"line {error.lineno}, column {error.colno}"


def _depth(value: Any) -> int:
    depth = 0
    level = [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return depth


def _no_constant(word: str) -> Any:
    raise JsonRefused(f"it is not JSON: it contains {word}")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise JsonRefused("it is not JSON: it contains a number that is too large")
    return value
