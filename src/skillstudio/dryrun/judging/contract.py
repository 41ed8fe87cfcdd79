"""Judge whether standard output satisfies the contract in the manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.dryrun.report import JudgedContract
from skillstudio.interface.model import OutputField
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import join_pointer
from skillstudio.text.strict_json import NotJson, is_json, read_json

STATUS = "status"
ERROR = "error"
"""The value of `status` that reports a failed operation (router-manifest and its successor)."""
MOST = 5  # Problems reported per value.
_BOM = b"\xef\xbb\xbf"
MAX_SHOWN = 60  # Characters of a line repeated in a message.
TRIES = 50  # Positions at which a value is looked for.
_COLOUR = lazy_pattern(r"\x1b[\[\]()#;?]?[0-9;]*[A-Za-z]?")
_PYTHON_WORD = lazy_pattern(r"[\[:,{(]\s*(?:True|False|None)\b")
_BARE_KEY = lazy_pattern(r"[{,]\s*[A-Za-z_$][\w$]*\s*:")
_TRAILING_COMMA = lazy_pattern(r",\s*([}\]])")
_COMMENT = lazy_pattern(r"(?:^|[\s,{\[}\]])(?://|/\*|#)")


class Promise(NamedTuple):
    """The contract of standard output."""

    last_line: bool = False  # The last line is JSON.
    whole: bool = False  # The whole output is one JSON value.
    fields: tuple[OutputField, ...] = ()
    schema: Any = None


class PrintedOutput(NamedTuple):
    """What a run printed."""

    output: bytes  # Standard output, or the end of it.
    cut: bool = False  # Whether `output` lacks its start.
    errors: bytes = b""  # The end of standard error.


def judge_contract(
    promise: Promise, printed_output: PrintedOutput, exit_code: int | None
) -> JudgedContract:
    """Judge the output against the contract; without one it is satisfied."""
    if not promise.last_line and not promise.whole:
        return JudgedContract(True)
    try:
        value = _value(promise, printed_output)
    except NotJson as error:
        return JudgedContract(False, (f"{error}.",))
    problems = tuple(f"{problem}." for problem in _problems(promise, value, exit_code))
    return JudgedContract(not problems, problems, value)


def _value(promise: Promise, printed_output: PrintedOutput) -> Any:
    output = printed_output.output
    if not output:
        where = _on_standard_error(printed_output.errors)
        raise NotJson(f"nothing was printed on standard output{where}")
    if not output.strip():
        raise NotJson("only blank lines were printed on standard output")
    if output.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NotJson("standard output is UTF-16; print UTF-8")
    if promise.whole:
        return _read("standard output", output)
    lines = output.rstrip().split(b"\n")
    if printed_output.cut and len(lines) == 1:
        raise NotJson("the last line is too long to read; write large values to files")
    try:
        return _read("the last line", lines[-1])
    except NotJson:
        _raise_for_lines(lines, printed_output)
        raise


def _read(what: str, data: bytes) -> Any:
    if data.startswith(_BOM):
        raise NotJson(f"{what} starts with a byte order mark; print UTF-8 without one")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson(f"{what} is not valid UTF-8 at byte {error.start + 1}") from None
    try:
        return read_value(text)
    except NotJson as error:
        raise NotJson(f"{what} is not JSON: {error}") from None


def _raise_for_lines(lines: list[bytes], printed_output: PrintedOutput) -> None:
    """Recognise mistakes that need more than the last line. Raises NotJson."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    starts = [number for number, text in enumerate(texts[:-1]) if text.lstrip()[:1] in ("{", "[")]
    for start in starts[-TRIES:]:
        if is_json("\n".join(texts[start:])):
            raise NotJson(
                f"the JSON spans the last {len(texts) - start} lines; print it on one line, "
                "without indentation"
            )
    # A terminal shows only what follows; a program that reads the last line gets all of it.
    before, _, after = texts[-1].rpartition("\r")
    if before and is_json(after):
        raise NotJson(
            "the last line has text before the JSON, which a carriage return hides in a terminal; "
            "print a progress display to standard error"
        )
    if texts[-1].strip().startswith("```"):
        raise NotJson("the last line is the fence of a code block; print the JSON without one")
    for start in reversed(starts[-TRIES:]):
        if is_json(texts[start]):
            number = len(texts) - 1 - start
            lines_are = "a line is" if number == 1 else f"{number} lines are"
            raise NotJson(
                f"the JSON is not on the last line: {lines_are} printed after it; print "
                "messages to standard error"
            )
    if where := _on_standard_error(printed_output.errors):
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
            twice = "; it is JSON inside a string, so print the value itself"
            is_twice = isinstance(value, str) and value[:1] in ("{", "[") and is_json(value)
            hint = twice if is_twice else ""
            yield f"the last line must be a JSON object, not {_kind(value)}{hint}"
            return
        yield from _fields(promise.fields, value)
    if promise.last_line and isinstance(value, dict) and exit_code is not None:
        yield from _status(value.get(STATUS), exit_code)


def _fields(fields: tuple[OutputField, ...], value: dict[str, Any]) -> Iterator[str]:
    has_failed = value.get(STATUS) == ERROR
    for field in fields:
        if field.name not in value:
            # A failed operation only has to report that.
            if not has_failed or field.name == STATUS:
                yield f"the field {_quote_name(field.name)} is missing ({field.text})"
        elif field.schema is not None:
            yield from _against_schema(
                f"the field {_quote_name(field.name)}", field.schema, value[field.name]
            )
    declared_names = {field.name for field in fields}
    for name in value:
        if name not in declared_names and not (has_failed and name == ERROR):
            yield f"output.fields does not declare the printed field {_quote_name(name)}"


def _status(status: Any, exit_code: int) -> Iterator[str]:
    if status == ERROR and exit_code == 0:
        yield "status is error, but the exit status is 0; exit with another one"
    elif status == "ok" and exit_code != 0:
        yield f"status is ok, but the exit status is {exit_code}; exit with 0"


def _against_schema(what: str, schema: Any, value: Any) -> Iterator[str]:
    try:
        errors = compile_schema(schema).errors(value)
    except SchemaRefused as error:
        yield f"{what} cannot be judged: {error}"
        return
    for fault in errors[:MOST]:
        where = join_pointer([str(token) for token in fault.instance])
        yield f"{what} does not match its schema{' at ' + where if where else ''}: {fault.message}"


def _kind(value: Any) -> str:
    names = {bool: "a boolean", str: "a string", dict: "an object", list: "a list"}
    return "null" if value is None else names.get(type(value), "a number")


def _quote_name(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def read_value(text: str) -> Any:
    """The JSON value of a text. Raises NotJson with the mistake and the fix."""
    try:
        return read_json(text)
    except NotJson as error:
        raise NotJson(_explain_error(text, error)) from None


def _explain_error(text: str, error: NotJson) -> str:
    if error.fault == "constant":
        return f"{error.what} is not valid JSON; print null instead"
    if error.fault == "number":
        return f"the number {error.what} is too large to read; print it as a string"
    if error.fault == "twice":
        cut = "…" if len(error.what) > MAX_SHOWN else ""
        return f"duplicate key {error.what[:MAX_SHOWN]}{cut}"
    if error.fault == "depth":
        return "its values are nested too deeply"
    return _mistake(text, error)


def _mistake(text: str, error: NotJson) -> str:
    """The likeliest mistake; those that hide others come first."""
    content = text.strip()
    if "\x1b" in text:
        if is_json(_COLOUR.sub("", text)):
            return "it contains colour codes; print none when the output is not a terminal"
        return "it contains terminal escape codes; print plain text"
    if "\0" in text:
        return "it contains NUL bytes, like UTF-16; print UTF-8"
    if error.what == "Extra data":
        return _extra(text, error.position)
    if re.search(r"[{,\[]\s*'|'\s*[:,}\]]", content) or _PYTHON_WORD.search(content):
        return "it is a Python literal; print json.dumps(value)"
    if _TRAILING_COMMA.search(content) and is_json(_TRAILING_COMMA.sub(r"\1", content)):
        return "remove the comma after the last item"
    if _BARE_KEY.search(content):
        return "put its keys in double quotes"
    if content.startswith(("{", "[")) and error.position >= len(text.rstrip()):
        return "it ends in the middle of the JSON; the program may have stopped while it printed"
    if error.what.startswith("Invalid control character"):
        return f"control character at column {error.position + 1}; escape it as \\u00XX"
    if error.what.startswith("Invalid \\escape"):
        return f"invalid escape at column {error.position + 1}; write a backslash as \\\\"
    if _COMMENT.search(content) and content.startswith(("{", "[")):
        return "JSON does not allow comments; remove it"
    starts = [match.start() for match in islice(re.finditer(r"[{\[]", text), TRIES)]
    if any(start and is_json(text[start:]) for start in starts):
        return "there is text before the JSON; print the JSON on a line of its own"
    if content.startswith("```"):
        return "it is the fence of a code block; print the JSON without one"
    if content.startswith(("{", "[", '"')):
        return f"parsing failed at column {error.position + 1} ({error.what.lower()})"
    return "it is plain text; print one JSON value on the last line"


def _extra(text: str, at: int) -> str:
    try:
        json.JSONDecoder().raw_decode(text[at:].lstrip())
    except json.JSONDecodeError:
        if text.lstrip().startswith(("{", "[")):
            return f"there is text after the JSON, at column {at + 1}"
        return "it is plain text; print one JSON value on the last line"
    return "there are two JSON values; print one, or a list of both"
