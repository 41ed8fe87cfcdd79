"""Read a trace; anybody may have written it, so every part is checked."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from skillstudio.dryrun.plan import (
    IsolationChoice,
    Plan,
    PlannedOutput,
    Roots,
    Step,
)
from skillstudio.dryrun.report import (
    FailureReason,
    RunEnding,
    RunFileChange,
    RunReport,
)
from skillstudio.dryrun.traces.store import MAX_TRACE, TRACE
from skillstudio.dryrun.traces.trace import MODES, VERSION, Mode
from skillstudio.text.node import join_pointer

_PLATFORMS = ("unix", "windows", "agent")
_CHANGES = ("added", "modified", "removed")
_ISOLATION_LEVELS = ("plan", "copy", "confined", "isolated", "wasm")
MAX_DEPTH = 120  # Levels: a printed value in a trace may have a hundred.
_LONGEST = 1 << 20
_KEYS = {
    "is_error": "error",
    "repeat_changes": "repeated",
    "variations": "varying",
}
"""The keys of fields that have another name in a trace."""
T = TypeVar("T")


class TraceRefused(Exception):
    """A file that is not a trace: a sentence with its path and the position in it."""


class Trace(NamedTuple):
    """A recorded run, from any user."""

    path: str
    value: Mapping[str, Any]
    mode: Mode
    report: RunReport  # The run, sensitive values masked or as tokens.
    program: str  # The version of skillstudio that recorded it.
    platform: str
    variables: Mapping[str, str]  # The variables of the run, each with a token of its value.
    arguments: tuple[str, ...]
    env: Mapping[str, str]  # The given variables.
    secrets: tuple[str, ...]  # The names given with `--secret`.
    inputs: tuple[str, ...]  # The names of the given inputs; others are defaults or generated.
    masked_inputs: frozenset[str]  # The inputs that are tokens.
    sensitive: bool
    key: str  # The id of the key of the tokens; "" for none.
    stream_tokens: Mapping[str, str] | None = None
    """Tokens of what it printed, by stream; None in older traces, where files have none either."""


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
    environment, given_part = part["environment"], part["given"]
    return Trace(
        path,
        part.object(),
        part["mode"].one_of(MODES[1:]),
        _report(part),
        environment["skillstudio"].text(),
        environment["platform"].text(),
        environment["variables"].map_values(JsonPart.text),
        given_part["arguments"].texts(),
        given_part["env"].map_values(JsonPart.text),
        given_part["secrets"].texts(),
        given_part["inputs"].texts(),
        frozenset(given_part["masked"].texts()),
        part["sensitive"].flag(),
        part["key"].text_or(""),
        None if "printed" not in part.object() else part["printed"].map_values(JsonPart.text),
    )


def _report(part: JsonPart) -> RunReport:
    signal, error = part["signal"].text_or(""), part["error"].text_or("")
    return _record(
        part,
        RunReport,
        plan=_plan(part),
        ending=_record(part, RunEnding, signal=signal, error=error, leftover_count=0),
        changes=tuple(
            _change(change, word) for word in _CHANGES for change in part["changes"][word]
        ),
        identity=_reader(dict[str, str | None] | None)(part["execution"]["skill_version"]),
        incomplete=part.get("incomplete", []).texts(),
        on=part.get("on", None).text_or(""),
        declares=part.get("declares", True).flag(),
        reason=_reason(part.get("reason", None)),
        leftover_files=part.get("leftover_files", []).texts(),
        expected_exit=0,
    )


def _reason(part: JsonPart) -> FailureReason:
    """The reason of a failure, which older traces do not have."""
    return FailureReason() if part.value is None else _record(part, FailureReason)


def _plan(part: JsonPart) -> Plan:
    isolation, roots = part["isolation"], part["roots"]
    several = any(step["name"].text() for step in part["steps"])
    argv = {
        platform: part["argv"][platform]
        for platform in _PLATFORMS
        if platform in part["argv"].object()
    }
    return _record(
        part,
        Plan,
        argv={
            platform: words.list(JsonPart.texts)
            if several
            else (words.texts(),)
            if words.value
            else ()
            for platform, words in argv.items()
        },
        outputs=tuple(
            PlannedOutput(output["pattern"].text(), "", "repo_root") for output in part["outputs"]
        ),
        effects=tuple(
            effect["effect"].text() for effect in part["effects"] if effect["declared"].flag()
        ),
        isolation=_record(isolation, IsolationChoice, id=isolation["id"].one_of(_ISOLATION_LEVELS)),
        roots=_record(roots, Roots, repository=part["environment"]["repository"].text()),
        steps=part["steps"].list(_step),
        network=part.get("network", []).texts(),
    )


def _step(part: JsonPart) -> Step:
    return _record(part, Step, mocked="" if part["mocked"].flag() else None, exit_code=0)


def _change(part: JsonPart, word: str) -> RunFileChange:
    about = part.get("about", None).text_or("")
    pattern = part["pattern"].text_or("")
    mode, content = (part.get(name, None).text_or("") for name in ("mode", "content"))
    return _record(
        part, RunFileChange, change=word, pattern=pattern, about=about, mode=mode, content=content
    )


def _record(part: JsonPart, of: Callable[..., T], **values: Any) -> T:
    """A named tuple; fields that are not given are read from the keys of the same name."""
    for name, hint in _hints(of).items():
        if name not in values:
            values[name] = _reader(hint)(part[_KEYS.get(name, name)])
    return of(**values)


_hints = cache(get_type_hints)


@cache
def _reader(hint: Any) -> Callable[[JsonPart], Any]:
    """How a value of a type is read."""
    arguments = get_args(hint)
    if get_origin(hint) is Literal:
        return lambda part: part.one_of(arguments)
    if type(None) in arguments:
        return lambda part: None if part.value is None else _reader(arguments[0])(part)
    if get_origin(hint) is tuple:
        return lambda part: part.list(_reader(arguments[0]))
    if get_origin(hint) in (dict, Mapping):
        return lambda part: part.map_values(_reader(arguments[1]))
    if hasattr(hint, "_fields"):
        return lambda part: _record(part, hint)
    return _READERS[hint]


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
            raise self.wrong(f"has no key {name}")
        return JsonPart(self.value[name], (*self.at, name))

    def get(self, name: str, default: Any) -> JsonPart:
        """The value of a key, or `default`."""
        return JsonPart(self.object().get(name, default), (*self.at, name))

    def object(self) -> dict[str, Any]:
        return self._as("an object", dict)

    def text(self) -> str:
        text = self._as("a string", str)
        if len(text) > _LONGEST:
            raise self.wrong(f"has more than {_LONGEST:,} characters")
        return text

    def text_or(self, default: str) -> str:
        """A string; null is the default."""
        return default if self.value is None else self.text()

    def one_of(self, words: Sequence[Any]) -> Any:
        if not isinstance(self.value, str) or self.value not in words:
            raise self.wrong(f"must be one of {', '.join(words)}")
        return self.value

    def flag(self) -> bool:
        return self._as("true or false", bool)

    def whole(self) -> int:
        value = self._as("an integer", int)
        if abs(value) >= 1 << 63:
            raise self.wrong("is too large")
        return value

    def number(self) -> float:
        value = self._as("a number", int, float)
        if not abs(value) < 1e18:
            raise self.wrong("is too large")
        return float(value)

    def __iter__(self) -> Iterator[JsonPart]:
        """The items of a list."""
        for number, value in enumerate(self._as("a list", list)):
            yield JsonPart(value, (*self.at, str(number)))

    def _as(self, what: str, *kinds: type[T]) -> T:
        """The value, if it is of one of the types; a boolean is no number."""
        value: T = self.value
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.wrong(f"must be {what}")
        return value

    def list(self, of: Callable[[JsonPart], T]) -> tuple[T, ...]:
        return tuple(map(of, self))

    def texts(self) -> tuple[str, ...]:
        return self.list(JsonPart.text)

    def map_values(self, of: Callable[[JsonPart], T]) -> dict[str, T]:
        """The values of an object, by name."""
        return {name: of(self[name]) for name in self.object()}

    def wrong(self, what: str) -> JsonRefused:
        place = join_pointer(list(self.at)) if self.at else "it"
        return JsonRefused(f"{place} {what}")


_READERS: dict[Any, Callable[[JsonPart], Any]] = {
    str: JsonPart.text,
    bool: JsonPart.flag,
    int: JsonPart.whole,
    float: JsonPart.number,
    Any: lambda part: part.value,
}


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
        place = f"line {error.lineno}, column {error.colno}"
        raise JsonRefused(f"it is not JSON: {error.msg.lower()}, {place}") from None
    except ValueError:
        raise JsonRefused("it is not JSON: it contains a number that is too large") from None
    if _depth(value) > MAX_DEPTH:
        raise JsonRefused("its values are nested too deeply")
    return JsonPart(value)


def _depth(value: Any) -> int:
    depth = 0
    level = [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for node in level
            if isinstance(node, dict | list)
            for inner in (node.values() if isinstance(node, dict) else node)
        ]
    return depth


def _no_constant(word: str) -> Any:
    raise JsonRefused(f"it is not JSON: it contains {word}")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise JsonRefused("it is not JSON: it contains a number that is too large")
    return value
