"""Why a program failed: the message and the line of the skill, as each language prints them."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.judging.failure import failure_reason
from skillstudio.dryrun.report import FailureReason

SKILL = "/skills/report"

CASES = {
    "python": (
        """Traceback (most recent call last):
  File "/skills/report/scripts/report.py", line 19, in <module>
    main()
  File "/skills/report/scripts/report.py", line 4, in load
    return [int(x) for x in path.read_text().split()]
                            ^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/pathlib.py", line 1044, in open
    return io.open(self, mode, buffering, encoding, errors, newline)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
FileNotFoundError: [Errno 2] No such file or directory: 'numbers.txt'
""",
        "FileNotFoundError: [Errno 2] No such file or directory: 'numbers.txt'",
        "scripts/report.py:4 load",
    ),
    "python, top of the script": (
        """Traceback (most recent call last):
  File "scripts/h.py", line 1, in <module>
    assert 1 == 2
           ^^^^^^
AssertionError
""",
        "AssertionError",
        "scripts/h.py:1",
    ),
    "python, an error while another is handled, in two lines": (
        """Traceback (most recent call last):
  File "/skills/report/scripts/t.py", line 2, in <module>
    1/0
ZeroDivisionError: division by zero

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/skills/report/scripts/t.py", line 4, in f
    raise RuntimeError("outer\\nmore") from e
RuntimeError: outer
more
""",
        "RuntimeError: outer",
        "scripts/t.py:4 f",
    ),
    "python, a group": (
        """  + Exception Group Traceback (most recent call last):
  |   File "/skills/report/scripts/g.py", line 1, in <module>
  |     raise ExceptionGroup("many", [ValueError("one")])
  | ExceptionGroup: many (1 sub-exception)
  +-+---------------- 1 ----------------
    | ValueError: one
    +------------------------------------
""",
        "ExceptionGroup: many (1 sub-exception)",
        "scripts/g.py:1",
    ),
    "python, syntax": (
        """  File "/skills/report/scripts/s.py", line 1
    def f(:
          ^
SyntaxError: invalid syntax
""",
        "SyntaxError: invalid syntax",
        "scripts/s.py:1",
    ),
    "python, a name as a statement is no message": (
        """Traceback (most recent call last):
  File "/skills/report/scripts/n.py", line 3, in f
    missing
NameError: name 'missing' is not defined
""",
        "NameError: name 'missing' is not defined",
        "scripts/n.py:3 f",
    ),
    "python, frames of other programs only": (
        """Traceback (most recent call last):
  File "/usr/bin/tool", line 8, in main
    run()
KeyError: 'x'
""",
        "KeyError: 'x'",
        "",
    ),
    "argparse": (
        "usage: report.py [-h] file\nreport.py: error: argument file: invalid choice: 'x'\n",
        "report.py: error: argument file: invalid choice: 'x'",
        "",
    ),
    "node": (
        """/skills/report/scripts/a.js:1
function f(){ throw new TypeError("boom\\nsecond"); }
              ^

TypeError: boom
second
    at f (/skills/report/scripts/a.js:1:21)
    at Object.<anonymous> (/skills/report/scripts/a.js:2:1)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
    at node:internal/main/run_main_module:28:49

Node.js v20.20.2
""",
        "TypeError: boom",
        "scripts/a.js:1 f",
    ),
    "node, a module": (
        """file:///skills/report/scripts/b.mjs:1
async function g(){ await null; throw new Error("late"); }
                                      ^

Error: late
    at async g (file:///skills/report/scripts/b.mjs:1:39)

Node.js v20.20.2
""",
        "Error: late",
        "scripts/b.mjs:1 g",
    ),
    "node, syntax": (
        """/skills/report/scripts/c.js:1
let x = ;
        ^

SyntaxError: Unexpected token ';'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
    at node:internal/main/run_main_module:28:49

Node.js v20.20.2
""",
        "SyntaxError: Unexpected token ';'",
        "scripts/c.js:1",
    ),
    "node, a missing module": (
        """node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'nope'
Require stack:
- /skills/report/scripts/d.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Object.<anonymous> (/skills/report/scripts/d.js:1:1)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/skills/report/scripts/d.js' ]
}

Node.js v20.20.2
""",
        "Error: Cannot find module 'nope'",
        "scripts/d.js:1",
    ),
    "bash": (
        "scripts/a.sh: line 2: $1: unbound variable\n",
        "$1: unbound variable",
        "scripts/a.sh:2",
    ),
    "bash, syntax": (
        "scripts/c.sh: line 1: syntax error near unexpected token `then'\n"
        "scripts/c.sh: line 1: `if then'\n",
        "syntax error near unexpected token `then'",
        "scripts/c.sh:1",
    ),
    "bash, the last line is another program's": (
        "scripts/a.sh: line 2: jq: command not found\nfatal: not a git repository\n",
        "fatal: not a git repository",
        "",
    ),
    "dash": ("scripts/b.sh: 1: nope: not found\n", "nope: not found", "scripts/b.sh:1"),
    "awk": (
        "awk: scripts/a.awk: line 1: syntax error at or near end of line\n",
        "syntax error at or near end of line",
        "scripts/a.awk:1",
    ),
    "perl": ("bad thing at scripts/a.pl line 2.\n", "bad thing", "scripts/a.pl:2"),
    "perl, a missing module": (
        "Can't locate Nope/Mod.pm in @INC (@INC contains: /etc/perl) at scripts/b.pl line 1.\n"
        "BEGIN failed--compilation aborted at scripts/b.pl line 1.\n",
        "Can't locate Nope/Mod.pm in @INC (@INC contains: /etc/perl)",
        "scripts/b.pl:1",
    ),
    "ruby": (
        "/skills/report/scripts/r.rb:3:in `load': no such file (ArgumentError)\n"
        "\tfrom /skills/report/scripts/r.rb:9:in `<main>'\n",
        "no such file (ArgumentError)",
        "scripts/r.rb:3 load",
    ),
    "php": (
        "PHP Fatal error:  Uncaught Exception: boom in /skills/report/scripts/x.php:3\n"
        "Stack trace:\n#0 {main}\n  thrown in /skills/report/scripts/x.php on line 3\n",
        "Fatal error:  Uncaught Exception: boom",
        "scripts/x.php:3",
    ),
    "go": (
        "panic: index out of range [5]\n\ngoroutine 1 [running]:\nmain.pick(...)\n"
        "\t/skills/report/scripts/m.go:12 +0x1d\nmain.main()\n"
        "\t/skills/report/scripts/m.go:20 +0x1d\nexit status 2\n",
        "panic: index out of range [5]",
        "scripts/m.go:12",
    ),
    "rust": (
        "thread 'main' (7426) panicked at scripts/r.rs:1:26:\n"
        "index out of bounds: the len is 1 but the index is 3\n"
        "note: run with `RUST_BACKTRACE=1`\n",
        "index out of bounds: the len is 1 but the index is 3",
        "scripts/r.rs:1",
    ),
    "python that a shell script started": (
        """Traceback (most recent call last):
  File "/skills/report/scripts/t.py", line 2, in <module>
    1/0
ZeroDivisionError: division by zero
scripts/all.sh: line 3: step failed
""",
        "step failed",
        "scripts/all.sh:3",
    ),
    "python, sub-errors of a group": (
        """  + Exception Group Traceback (most recent call last):
  |   File "/skills/report/scripts/g.py", line 5, in <module>
  |     raise ExceptionGroup("two jobs failed", errors)
  | ExceptionGroup: two jobs failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/skills/report/scripts/g.py", line 3, in job
    |     raise ValueError("one")
    | ValueError: one
    +------------------------------------
""",
        "ExceptionGroup: two jobs failed (2 sub-exceptions)",
        "scripts/g.py:3 job",
    ),
    "python, a class in a function": (
        """Traceback (most recent call last):
  File "/skills/report/scripts/n.py", line 3, in f
    raise Bad("x")
f.<locals>.Bad: x
""",
        "f.<locals>.Bad: x",
        "scripts/n.py:3 f",
    ),
    "python, a signal": (
        """Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "/skills/report/scripts/segv.py", line 4 in crash
  File "/skills/report/scripts/segv.py", line 6 in <module>
""",
        "Segmentation fault",
        "scripts/segv.py:4 crash",
    ),
    "python, an ignored error": (
        """error: no rows in the table
Exception ignored in: <function Table.__del__ at 0x7f>
Traceback (most recent call last):
  File "/skills/report/scripts/n.py", line 3, in __del__
    raise ValueError("in del")
ValueError: in del
""",
        "error: no rows in the table",
        "",
    ),
    "python, a task that nobody waits for": (
        """error: upload refused (403)
Task exception was never retrieved
future: <Task finished name='Task-2' coro=<bad() done>>
Traceback (most recent call last):
  File "/skills/report/scripts/t.py", line 3, in bad
    raise ValueError("background")
ValueError: background
""",
        "error: upload refused (403)",
        "",
    ),
    "python, a logged error, then the last word": (
        """ERROR:root:cannot read
Traceback (most recent call last):
  File "/skills/report/scripts/n.py", line 3, in f
    open("nosuch.cfg")
FileNotFoundError: [Errno 2] No such file or directory: 'nosuch.cfg'
ERROR:root:license expired on 2026-01-01
""",
        "ERROR:root:license expired on 2026-01-01",
        "",
    ),
    "python, a program in a string": (
        """Traceback (most recent call last):
  File "<string>", line 2, in <module>
  File "<frozen os>", line 679, in __getitem__
KeyError: 'TOKEN'
""",
        "KeyError: 'TOKEN'",
        "",
    ),
    "node, a package of an import": (
        """node:internal/modules/package_json_reader:256
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'youtube' imported from /skills/report/a.js
    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:256:9)
    at packageResolve (node:internal/modules/esm/resolve:768:81) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v20.20.2
""",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'youtube' imported from "
        "/skills/report/a.js",
        "",
    ),
    "node, a message of several lines": (
        """/skills/report/scripts/m.js:3
  throw new Error("invalid config");
  ^

Error: invalid config
name: required
port: not a number
    at check (/skills/report/scripts/m.js:3:9)

Node.js v20.20.2
""",
        "Error: invalid config",
        "scripts/m.js:3 check",
    ),
    "node, a text that is thrown": (
        """node:internal/process/promises:394
throw "plain text thrown";
^
plain text thrown
(Use `node --trace-uncaught ...` to show where the exception was thrown)

Node.js v20.20.2
""",
        "plain text thrown",
        "",
    ),
    "perl, where it was called": (
        "bad state at scripts/c.pl line 3.\n\tmain::f(1) called at scripts/c.pl line 4\n",
        "bad state",
        "scripts/c.pl:3",
    ),
    "a program that a shell started": (
        "bash: line 1: nosuch-tool: command not found\n",
        "bash: line 1: nosuch-tool: command not found",
        "",
    ),
    "a time": (
        "2026-11-28 12:34:56: error: upload refused\n",
        "2026-11-28 12:34:56: error: upload refused",
        "",
    ),
    "usage after the error": (
        "error: --name is missing\nUsage: x NAME\n",
        "error: --name is missing",
        "",
    ),
    "a hint after the error": (
        "error: failed to push some refs\nhint: See the note\n",
        "error: failed to push some refs",
        "",
    ),
    "a box": (
        "╭─ Error ─────╮\n│ Missing argument 'NAME'. │\n╰─────────────╯\n",
        "Missing argument 'NAME'.",
        "",
    ),
    "a line that was drawn several times": (
        "downloading 0%\rdownloading 50%\rError: disk is full\n",
        "Error: disk is full",
        "",
    ),
    "controls of a terminal": (
        "\x1b[1;31mFATAL\x1b[K database \x1b]0;pwn\x07locked\n\x1b[2J\n",
        "FATAL database locked",
        "",
    ),
    "colours": ("\x1b[31merror:\x1b[0m no such key\n", "error: no such key", ""),
    "a place that is no file of the skill": ("12:30: 40: late\n", "12:30: 40: late", ""),
    "nothing": ("", "", ""),
}


def in_skill(path: str) -> str | None:
    absolute = os.path.normpath(os.path.join(SKILL, path))
    inside = absolute.removeprefix(SKILL + "/")
    return inside if inside != absolute and inside.startswith("scripts/") else None


@pytest.mark.parametrize(("errors", "message", "place"), CASES.values(), ids=CASES)
def test_the_message_and_the_line_in_the_skill(errors: str, message: str, place: str) -> None:
    reason = failure_reason(errors, "", in_skill)
    assert reason.message == message
    assert f"{reason.place} {reason.function}".strip() == place


def test_standard_output_counts_where_nothing_else_was_printed() -> None:
    assert failure_reason(" \n", "one\nno such city\n\n", in_skill).message == "no such city"
    assert failure_reason("boom\n", "no such city\n", in_skill).message == "boom"
    assert failure_reason("", "step 1 of 3\n", in_skill).message == ""


@given(st.text(alphabet='File "x", line 1in\n:/ at()|+-Error', max_size=400))
def test_any_text_has_a_reason_of_one_line(errors: str) -> None:
    reason = failure_reason(errors, "", in_skill)
    assert isinstance(reason, FailureReason)
    assert "\n" not in reason.message
    assert not reason.path


WHOLE = [
    (CASES["python"][0], True),
    (CASES["node"][0], False),  # A second line of the message.
    (CASES["node, a module"][0], True),
    (CASES["python, an error while another is handled, in two lines"][0], False),
    (CASES["bash"][0], True),
    (CASES["perl, where it was called"][0], True),
    ("ERROR: config.toml has no [auth]; run setup.py first\n" + CASES["python"][0], False),
    ("scripts/b.sh: line 3: gh: command not found\n" + CASES["python"][0], False),
    ("error: no such key\n", False),
]


@pytest.mark.parametrize(("errors", "is_whole"), WHOLE)
def test_whether_standard_error_says_more(errors: str, is_whole: bool) -> None:
    assert failure_reason(errors, "", in_skill).is_whole is is_whole
