"""Whether standard output kept what the manifest promises of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.dryrun.judging.json_faults import TRIES, read_value
from skillstudio.dryrun.report import JudgedContract
from skillstudio.interface.model import OutputField
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.text.node import join_pointer
from skillstudio.text.strict_json import NotJson, is_json

STATUS = "status"
FAILED = "error"
"""The value of `status` that says that an operation failed (router-manifest and its successor)."""
MOST = 5
"""How many faults of one value are told."""
_BOM = b"\xef\xbb\xbf"


class Promise(NamedTuple):
    """What is promised of the output."""

    last_line: bool = False
    """The last line is JSON."""
    whole: bool = False
    """All of it is one JSON value."""
    fields: tuple[OutputField, ...] = ()
    """What the object on the last line holds."""
    schema: Any = None
    """What the value is, as a JSON Schema; None for anything."""


class Printed(NamedTuple):
    """What a run printed."""

    output: bytes
    """Standard output, or the end of it."""
    cut: bool = False
    """Whether `output` begins in the middle."""
    errors: bytes = b""
    """The end of standard error."""


def judge_contract(promise: Promise, printed: Printed, exit_code: int | None) -> JudgedContract:
    """Hold the output against the promise; without one everything keeps it."""
    if not promise.last_line and not promise.whole:
        return JudgedContract(True)
    try:
        value = _value(promise, printed)
    except NotJson as error:
        return JudgedContract(False, (f"{error}.",))
    problems = tuple(f"{each}." for each in _problems(promise, value, exit_code))
    return JudgedContract(not problems, problems, value)


def _value(promise: Promise, printed: Printed) -> Any:
    output = printed.output
    if not output:
        where = _on_standard_error(printed.errors)
        raise NotJson(f"nothing was printed on standard output{where}")
    if not output.strip():
        raise NotJson("only blank lines were printed on standard output")
    if output.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NotJson("standard output is UTF-16; print UTF-8")
    if promise.whole:
        return _read("standard output", output)
    lines = output.rstrip().split(b"\n")
    if printed.cut and len(lines) == 1:
        raise NotJson("the last line is longer than what is read; write large values to files")
    # What stands before a carriage return was drawn over, as a progress bar is.
    last = lines[-1].rstrip(b"\r").rpartition(b"\r")[2]
    try:
        return _read("the last line", last)
    except NotJson:
        _raise_for_lines(lines, printed)
        raise


def _read(what: str, data: bytes) -> Any:
    if data.startswith(_BOM):
        raise NotJson(f"{what} begins with a byte order mark; print UTF-8 without one")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson(f"{what} is not UTF-8 from its byte {error.start + 1} on") from None
    try:
        return read_value(text)
    except NotJson as error:
        raise NotJson(f"{what} is not JSON: {error}") from None


def _raise_for_lines(lines: list[bytes], printed: Printed) -> None:
    """Mistakes that only show when more lines than the last are looked at. Raises NotJson."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    starts = [number for number, text in enumerate(texts[:-1]) if text.lstrip()[:1] in ("{", "[")]
    for start in starts[-TRIES:]:
        if is_json("\n".join(texts[start:])):
            raise NotJson(
                f"the JSON is spread over the last {len(texts) - start} lines; print it on one, "
                "without indent"
            )
    if texts[-1].strip().startswith("```"):
        raise NotJson("the last line is the fence of a code block; print the JSON without one")
    for start in reversed(starts[-TRIES:]):
        if is_json(texts[start]):
            behind = len(texts) - 1 - start
            raise NotJson(
                f"the JSON is not on the last line: {_lines(behind)} printed after it; print "
                "messages to standard error"
            )
    if where := _on_standard_error(printed.errors):
        raise NotJson(f"the last line is not JSON{where}")


def _on_standard_error(errors: bytes) -> str:
    last = errors.rstrip().rpartition(b"\n")[2].decode("utf-8", "replace")
    if last.strip()[:1] in ("{", "[") and is_json(last):
        return ", but there is JSON on standard error; print it on standard output"
    return ""


def _problems(promise: Promise, value: Any, exit_code: int | None) -> Iterator[str]:
    if promise.schema is not None:
        yield from _against_schema("the value", promise.schema, value)
    if promise.fields:
        if not isinstance(value, dict):
            said = ", but it is JSON in a text: print the value itself" if _is_twice(value) else ""
            yield f"the last line must be a JSON object, and it is {_kind(value)}{said}"
            return
        yield from _fields(promise.fields, value)
    if promise.last_line and isinstance(value, dict) and exit_code is not None:
        yield from _status(value.get(STATUS), exit_code)


def _fields(fields: tuple[OutputField, ...], value: dict[str, Any]) -> Iterator[str]:
    failed = value.get(STATUS) == FAILED
    for field in fields:
        if field.name not in value:
            # What failed has nothing to tell but that.
            if not failed or field.name == STATUS:
                yield f"the field {_quoted(field.name)} is missing ({field.text})"
        elif field.schema is not None:
            yield from _against_schema(
                f"the field {_quoted(field.name)}", field.schema, value[field.name]
            )
    declared = {field.name for field in fields}
    for name in value:
        if name not in declared and not (failed and name == FAILED):
            yield f"the field {_quoted(name)} is printed, and output.fields does not declare it"


def _status(status: Any, exit_code: int) -> Iterator[str]:
    if status == FAILED and exit_code == 0:
        yield "status is error, and the exit status is 0; end with another one"
    elif status == "ok" and exit_code != 0:
        yield f"status is ok, and the exit status is {exit_code}; end with 0"


def _against_schema(what: str, schema: Any, value: Any) -> Iterator[str]:
    try:
        errors = compile_schema(schema).errors(value)
    except SchemaRefused as error:
        yield f"{what} cannot be judged: {error}"
        return
    for fault in errors[:MOST]:
        where = join_pointer([str(token) for token in fault.instance])
        yield f"{what} is not as declared{' at ' + where if where else ''}: {fault.message}"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", str: "a text", dict: "an object", list: "a list"}
    return names.get(type(value), "a number")


def _is_twice(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in ("{", "[") and is_json(value)


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _lines(number: int) -> str:
    return "a line is" if number == 1 else f"{number} lines are"
