"""Ways to break a promise about standard output, each with its own sentence."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.dryrun.judging.contract import PrintedOutput, Promise, judge_contract
from skillstudio.dryrun.report import JudgedContract
from skillstudio.interface.model import OutputField

LAST = Promise(last_line=True)
FIELDS = Promise(
    last_line=True,
    fields=(
        OutputField("status", "ok | error", {"enum": ["ok", "error"]}),
        OutputField("id", "integer", {"type": "integer"}),
        OutputField("data", "whatever there is"),
    ),
)
GOOD = b'{"status": "ok", "id": 1, "data": []}\n'

KEPT: list[tuple[str, bytes, Any]] = [
    ("one line", b'{"a": 1}\n', {"a": 1}),
    ("no line end", b'{"a": 1}', {"a": 1}),
    ("blank lines behind", b'{"a": 1}\n\n \n', {"a": 1}),
    ("text before", b"working\nstill\n[1, 2]\n", [1, 2]),
    ("Windows line ends", b"working\r\n[1]\r\n", [1]),
    ("a progress display on a line of its own", b"10%\r50%\n{}\n", {}),
    ("a carriage return between values", b'\r{"a":\r1}\r\n', {"a": 1}),
    ("a value that is no object", b"null\n", None),
    ("text of other languages", '"žluť"\n'.encode(), "žluť"),
]


@pytest.mark.parametrize(("what", "output", "value"), KEPT, ids=[row[0] for row in KEPT])
def test_a_last_line_of_json_keeps_the_promise(what: str, output: bytes, value: Any) -> None:
    assert judge_contract(LAST, PrintedOutput(output), 0) == JudgedContract(True, (), value)


BROKEN: list[tuple[str, bytes, str]] = [
    ("nothing", b"", "nothing was printed on standard output"),
    ("blank lines", b"\n \n", "only blank lines were printed on standard output"),
    ("plain text", b"done, all is well\n",
     "the last line is not JSON: it is plain text; print one JSON value on the last line"),
    ("a number and a word", b"3 files\n",
     "the last line is not JSON: it is plain text; print one JSON value on the last line"),
    ("colours", b'\x1b[32m{"a": 1}\x1b[0m\n',
     "the last line is not JSON: it contains colour codes; print none when the output is not a "
     "terminal"),
    ("codes of a terminal", b"\x1b[2Jdone\n",
     "the last line is not JSON: it contains terminal escape codes; print plain text"),
    ("several lines", b'log\n{\n  "a": 1\n}\n',
     "the JSON spans the last 3 lines; print it on one line, without indentation"),
    ("Python's quotes", b"{'a': 1}\n",
     "the last line is not JSON: it is a Python literal; print json.dumps(value)"),
    ("Python's words", b'{"a": True, "b": None}\n',
     "the last line is not JSON: it is a Python literal; print json.dumps(value)"),
    ("two values", b'{"a": 1} {"b": 2}\n',
     "the last line is not JSON: there are two JSON values; print one, or a list of both"),
    ("NaN", b'{"a": NaN}\n',
     "the last line is not JSON: NaN is not valid JSON; print null instead"),
    ("an infinity", b'{"a": -Infinity}\n',
     "the last line is not JSON: -Infinity is not valid JSON; print null instead"),
    ("a number too large", b'{"a": 1e999}\n',
     "the last line is not JSON: the number 1e999 is too large to read; print it as a "
     "string"),
    ("a comma at the end", b'{"a": 1,}\n',
     "the last line is not JSON: remove the comma after the last item"),
    ("a progress display before it", b'50%\r100%\r{"ok": true}\n',
     "the last line has text before the JSON, which a carriage return hides in a terminal; print a "
     "progress display to standard error"),
    ("a progress display after lines", b'start\n{"a": 1}\n100%\r{"ok": true}\r\n',
     "the last line has text before the JSON, which a carriage return hides in a terminal; print a "
     "progress display to standard error"),
    ("keys without quotes", b"{a: 1}\n",
     "the last line is not JSON: put its keys in double quotes"),
    ("half of it", b'{"a": [1, 2\n',
     "the last line is not JSON: it ends in the middle of the JSON; the program may have stopped "
     "while it printed"),
    ("a tab in a text", b'{"a": "x\ty"}\n',
     "the last line is not JSON: control character at column 9; escape it as \\u00XX"),
    ("a lone backslash", b'{"a": "C:\\dir"}\n',
     "the last line is not JSON: invalid escape at column 10; write a backslash as \\\\"),
    ("a comment", b'{"a": 1 /* one */}\n',
     "the last line is not JSON: JSON does not allow comments; remove it"),
    ("text before it", b'Result: {"a": 1}\n',
     "the last line is not JSON: there is text before the JSON; print the JSON on a line of its "
     "own"),
    ("text behind it", b'{"a": 1} done\n',
     "the last line is not JSON: there is text after the JSON, at column 10"),
    ("a line behind it", b'{"a": 1}\ndone\n',
     "the JSON is not on the last line: a line is printed after it; print messages to standard "
     "error"),
    ("lines behind it", b'{"a": 1}\ndone\nbye\n',
     "the JSON is not on the last line: 2 lines are printed after it; print messages to standard "
     "error"),
    ("a fence", b'```json\n{"a": 1}\n```\n',
     "the last line is the fence of a code block; print the JSON without one"),
    ("a key twice", b'{"a": 1, "a": 2}\n',
     'the last line is not JSON: duplicate key "a"'),
    ("a byte order mark", b'log\n\xef\xbb\xbf{"a": 1}\n',
     "the last line starts with a byte order mark; print UTF-8 without one"),
    ("another encoding", b'{"a": "caf\xe9"}\n',
     "the last line is not valid UTF-8 at byte 11"),
    ("UTF-16", '{"a": 1}\n'.encode("utf-16"), "standard output is UTF-16; print UTF-8"),
    ("UTF-16 without a mark", '{"a": 1}'.encode("utf-16-le"),
     "the last line is not JSON: it contains NUL bytes, like UTF-16; print UTF-8"),
    ("nested too deep", b"[" * 100_000 + b"]" * 100_000,
     "the last line is not JSON: its values are nested too deeply"),
    ("thousands of digits", b"1" * 5000,
     "the last line is not JSON: the number 11111111111111111111… is too large to read; "
     "print it as a string"),
    ("a zero before a number", b'{"a": 012}\n',
     "the last line is not JSON: parsing failed at column 8 (expecting ',' delimiter)"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "output", "message"), BROKEN, ids=[row[0] for row in BROKEN])
def test_each_mistake_has_its_own_sentence(what: str, output: bytes, message: str) -> None:
    assert judge_contract(LAST, PrintedOutput(output), 0) == JudgedContract(False, (f"{message}.",))


def test_the_sentences_differ() -> None:
    assert len({message for _, _, message in BROKEN}) >= len(BROKEN) - 3


def test_json_on_standard_error_is_told() -> None:
    printed = PrintedOutput(b"", errors=b'log\n{"status": "ok"}\n')
    assert judge_contract(LAST, printed, 0).problems == (
        "nothing was printed on standard output, but there is JSON on standard error; print it on "
        "standard output.",
    )
    printed = printed._replace(output=b"working\n")
    assert judge_contract(LAST, printed, 0).problems == (
        "the last line is not JSON, but there is JSON on standard error; print it on standard "
        "output.",
    )


def test_a_line_longer_than_what_is_read_is_told() -> None:
    printed = PrintedOutput(b"1, 2, 3]", cut=True)
    assert judge_contract(LAST, printed, 0).problems == (
        "the last line is too long to read; write large values to files.",
    )
    assert judge_contract(LAST, PrintedOutput(b"half a line\n[1]\n", cut=True), 0).ok


CONTENT: list[tuple[str, bytes, int, tuple[str, ...]]] = [
    ("all there", GOOD, 0, ()),
    ("no object", b"[1]\n", 0, ("the last line must be a JSON object, not a list",)),
    ("null", b"null\n", 0, ("the last line must be a JSON object, not null",)),
    ("JSON in a text", b'"{\\"status\\": 1}"\n', 0,
     ("the last line must be a JSON object, not a string; it is JSON inside a string, so print "
      "the value itself",)),
    ("a field missing", b'{"status": "ok", "data": 1}\n', 0,
     ('the field "id" is missing (integer)',)),
    ("a field of another type", b'{"status": "ok", "id": "1", "data": 1}\n', 0,
     ('the field "id" does not match its schema: must be a whole number',)),
    ("a status that is not named", b'{"status": "fine", "id": 1, "data": 1}\n', 0,
     ('the field "status" does not match its schema: must be one of "ok", "error"',)),
    ("a field too many", b'{"status": "ok", "id": 1, "data": 1, "more": 2}\n', 0,
     ('output.fields does not declare the printed field "more"',)),
    ("an error says only that", b'{"status": "error", "error": "no such id"}\n', 1, ()),
    ("an error that ends well", b'{"status": "error", "error": "no such id"}\n', 0,
     ("status is error, but the exit status is 0; exit with another one",)),
    ("ok that ends badly", GOOD, 3,
     ("status is ok, but the exit status is 3; exit with 0",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "output", "exit_code", "problems"), CONTENT, ids=[row[0] for row in CONTENT]
)
def test_the_fields_are_held_against_what_is_declared(
    what: str, output: bytes, exit_code: int, problems: tuple[str, ...]
) -> None:
    found = judge_contract(FIELDS, PrintedOutput(output), exit_code)
    assert found.problems == tuple(f"{each}." for each in problems)
    assert found.ok == (not problems)


def test_a_run_that_was_killed_has_no_exit_status_to_compare() -> None:
    assert judge_contract(FIELDS, PrintedOutput(GOOD), None).ok


def test_all_of_the_output_is_one_value_under_a_schema() -> None:
    promise = Promise(
        whole=True, schema={"required": ["message"], "additionalProperties": {"type": "integer"}}
    )
    assert judge_contract(promise, PrintedOutput(b'{\n  "message": 1\n}\n'), 0).ok
    assert judge_contract(promise, PrintedOutput(b"{}"), 0).problems == (
        'the value does not match its schema: missing key "message".',
    )
    assert judge_contract(promise, PrintedOutput(b'{"message": "a"}'), 0).problems == (
        "the value does not match its schema at /message: must be a whole number.",
    )
    assert judge_contract(promise, PrintedOutput(b"log\n{}"), 0).problems == (
        "standard output is not JSON: there is text before the JSON; print the JSON on a line of "
        "its own.",
    )


def test_without_a_promise_everything_keeps_it() -> None:
    assert judge_contract(Promise(), PrintedOutput(b"anything"), 1) == JudgedContract(True)
