"""What is told of Python scripts by their syntax tree."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from skillstudio.text.scripts.model import NOTHING, NotRead, Script, ScriptCommand, ScriptOption
from skillstudio.text.scripts.python import read_python

ARGPARSE = "import argparse\np = argparse.ArgumentParser()\n"


def read(text: str) -> Script:
    return read_python(dedent(text))


def one(text: str) -> ScriptOption:
    (command,) = read(text).commands
    (option,) = command.options
    return option


def argument(call: str) -> ScriptOption:
    return one(f"{ARGPARSE}p.add_argument({call})\n")


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("'file'", ScriptOption("file", required=True)),
        ("'file', nargs='?'", ScriptOption("file")),
        ("'file', nargs='?', default='x'", ScriptOption("file", default="x")),
        ("'file', nargs='*'", ScriptOption("file", many=True)),
        ("'file', nargs='+'", ScriptOption("file", required=True, many=True)),
        ("'file', nargs=argparse.REMAINDER", ScriptOption("file", many=True, rest=True)),
        ("'file', nargs=argparse.ONE_OR_MORE", ScriptOption("file", required=True, many=True)),
        ("'file', nargs=2", ScriptOption("file", required=True, many=True, exactly=2)),
        ("'--name'", ScriptOption("name", ("--name",))),
        ("'-n', '--long-name'", ScriptOption("long_name", ("-n", "--long-name"))),
        ("'-n'", ScriptOption("n", ("-n",))),
        ("'--name', dest='who'", ScriptOption("who", ("--name",))),
        ("'--name', required=True", ScriptOption("name", ("--name",), required=True)),
        ("'--n', type=int", ScriptOption("n", ("--n",), "integer")),
        ("'--n', type=float, default=1.5", ScriptOption("n", ("--n",), "number", default=1.5)),
        ("'--n', type=Path, default='.'", ScriptOption("n", ("--n",), default=".")),
        ("'--n', default=None", ScriptOption("n", ("--n",))),
        ("'--n', default=os.getcwd()", ScriptOption("n", ("--n",))),
        ("'--n', default=argparse.SUPPRESS", ScriptOption("n", ("--n",))),
        ("'--n', choices=('a', 'b')", ScriptOption("n", ("--n",), choices=("a", "b"))),
        ("'--n', help='What\\n it is'", ScriptOption("n", ("--n",), help="What it is")),
        (
            "'--n', default=3, help='it is %(default)s'",
            ScriptOption("n", ("--n",), default=3, help="it is 3"),
        ),
        (
            "'-v', '--verbose', action='store_true'",
            ScriptOption("verbose", ("-v", "--verbose"), "boolean", default=False, switch=True),
        ),
        (
            "'--no-x', action='store_false'",
            ScriptOption("no_x", ("--no-x",), "boolean", default=False, switch=True),
        ),
        # True passes the flag, so the input is named for the flag.
        (
            "'--no-x', dest='x', action='store_false', default=True",
            ScriptOption("no_x", ("--no-x",), "boolean", default=False, switch=True),
        ),
        (
            "'--quiet', '-q', dest='verbose', action='store_const', const=0",
            ScriptOption("quiet", ("--quiet", "-q"), "boolean", switch=True),
        ),
        (
            "'-q', dest='quiet', action='store_true'",
            ScriptOption("quiet", ("-q",), "boolean", default=False, switch=True),
        ),
        (
            "'--x', action=argparse.BooleanOptionalAction",
            ScriptOption("x", ("--x",), "boolean", switch=True, off="--no-x"),
        ),
        ("'--x', action='count'", ScriptOption("x", ("--x",), switch=True)),
        ("'--x', action='append'", ScriptOption("x", ("--x",), many=True, repeats=True)),
        (
            "'--x', action='append', default=[]",
            ScriptOption("x", ("--x",), many=True, repeats=True),
        ),
        (
            "'--x', action='extend', nargs='+', default=['a']",
            ScriptOption("x", ("--x",), many=True, repeats=True),
        ),
        ("'--x', nargs='*', default=['a']", ScriptOption("x", ("--x",), many=True)),
        ("'--x', type=json.loads, default=[]", ScriptOption("x", ("--x",))),
    ],
)
def test_an_argument_of_argparse(call: str, wanted: ScriptOption) -> None:
    assert argument(call) == wanted


@pytest.mark.parametrize("call", ["'-h', '--help', action='help'", "'--version', action='version'"])
def test_what_ends_the_program_is_no_option(call: str) -> None:
    assert read(f"{ARGPARSE}p.add_argument({call})").commands[0].options == ()


def names(text: str) -> list[tuple[str, list[str], bool]]:
    """Every command with the names of its options, and whether it was understood."""
    return [
        (each.name, [option.name for option in each.options], each.certain)
        for each in read(text).commands
    ]


def test_other_ways_to_write_argparse() -> None:
    text = """
        from argparse import ArgumentParser as Parser
        LIMIT = 3
        class Own(Parser):
            pass
        def build():
            made = Own(description="Does it. And more.")
            add = made.add_argument
            add("one")
            group = made.add_argument_group("more")
            group.add_argument("--two", default=LIMIT)
            either = group.add_mutually_exclusive_group()
            either.add_argument("--three")
            return made
    """
    assert names(text) == [("", ["one", "two", "three"], True)]
    command = read(text).commands[0]
    assert command.about == "Does it."
    assert command.options[1].default == 3


def test_commands_of_argparse() -> None:
    text = """
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument("--base")
        commands = p.add_subparsers()
        one = commands.add_parser("one", help="Does one")
        one.add_argument("x")
        commands.add_parser("two").add_argument("--y")
    """
    assert names(text) == [("one", ["base", "x"], True), ("two", ["base", "y"], True)]
    assert [each.before for each in read(text).commands] == [1, 1]
    assert read(text).commands[0].about == "Does one."


LOOPS = {
    "a tuple": ("for n in ('a', 'b'):", ""),
    "a list": ("for n in NAMES:", "NAMES = ['a', 'b']\n"),
    "pairs": ("for n, text in [('a', 'A'), ('b', 'B')]:", ""),
    "a dictionary": ("for n in COMMANDS:", "COMMANDS = {'a': run, 'b': stop}\n"),
    "its items": ("for n, run in COMMANDS.items():", "COMMANDS = {'a': run, 'b': stop}\n"),
    "sorted keys": ("for n in sorted(COMMANDS.keys()):", "COMMANDS = {'a': run, 'b': stop}\n"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_commands_that_a_loop_adds(name: str) -> None:
    loop, before = LOOPS[name]
    text = f"{ARGPARSE}s = p.add_subparsers()\n{before}{loop}\n"
    text += (
        "    c = s.add_parser(n)\n    c.add_argument(f'--{n}-x')\n    c.add_argument('--' + n)\n"
    )
    assert names(text) == [("a", ["a_x", "a"], True), ("b", ["b_x", "b"], True)]


def test_commands_that_a_function_adds() -> None:
    text = f"{ARGPARSE}s = p.add_subparsers()\ndef add(s, name, about='x'):\n"
    text += "    s.add_parser(name, help=about).add_argument('--y')\n"
    assert names(f"{text}add(s, 'a')\nadd(s, name='b')\n") == [
        ("a", ["y"], True),
        ("b", ["y"], True),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "for n in find(): s.add_parser(n)",
        "for n in (*NAMES, 'b'): s.add_parser(n)",
        "made = {n: s.add_parser(n) for n in find()}",
        "",
    ],
)
def test_commands_that_are_not_known_are_said(lines: str) -> None:
    script = read(f"{ARGPARSE}p.add_argument('--x')\ns = p.add_subparsers()\n{lines}\n")
    assert not script.commands[0].certain
    assert script.notes == ("some of its arguments could not be determined",)


TWO = """
import argparse
def part(words):
    p = argparse.ArgumentParser()
    p.add_argument("--part")
    p.parse_args(words)
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # The parser with subcommands, wherever it is.
        ("def main():\n    p = argparse.ArgumentParser()\n    s = p.add_subparsers()\n"
         "    s.add_parser('a')\n    s.add_parser('b')\n    p.parse_args()\n", ["a", "b"]),
        ("def build():\n    p = argparse.ArgumentParser()\n"
         "    p.add_subparsers().add_parser('a')\n    return p\nbuild().parse_args()\n", ["a"]),
        # The one that the main function uses, or that gets all arguments.
        ("def main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--all')\n"
         "    p.parse_args()\n", ["all"]),
        ("p = argparse.ArgumentParser()\np.add_argument('--all')\np.parse_args()\n", ["all"]),
        ("def other():\n    p = argparse.ArgumentParser()\n    p.add_argument('--all')\n"
         "    return p.parse_args()\n", ["all"]),
        ("def other(words):\n    p = argparse.ArgumentParser()\n    p.parse_args(words)\n",
         ["part"]),
    ],
)  # fmt: skip
def test_one_of_several_parsers(text: str, wanted: list[str]) -> None:
    commands = read(TWO + text).commands
    assert [c.name or o.name for c in commands for o in c.options or (c,)] == wanted


@pytest.mark.parametrize(
    ("text", "reads_input"),
    [
        (f"import sys\n{ARGPARSE}text = sys.stdin.read()", True),
        (f"import sys\n{ARGPARSE}for line in sys.stdin: print(line)", True),
        (f"import json, sys\n{ARGPARSE}json.load(sys.stdin)", True),
        (f"from sys import stdin\n{ARGPARSE}stdin.buffer.read()", True),
        ("import sys\ntext = sys.stdin.read()", True),
        (f"import sys\n{ARGPARSE}if sys.stdin.isatty(): pass", False),
        (f"import sys\n{ARGPARSE}sys.stdin.reconfigure(encoding='utf-8')", False),
        (f"import subprocess, sys\n{ARGPARSE}subprocess.run(['x'], stdin=sys.stdin)", False),
        (f"import sys\n{ARGPARSE}sys.stdout.write('x')", False),
    ],
)
def test_standard_input(text: str, reads_input: bool) -> None:
    assert [each.reads_input for each in read(text).commands] == [reads_input]


def test_parents_hand_their_options_down() -> None:
    text = """
        import argparse
        common = argparse.ArgumentParser(add_help=False)
        common.add_argument("--all")
        p = argparse.ArgumentParser(parents=[common])
        p.add_argument("x")
    """
    assert names(text) == [("", ["all", "x"], True)]


@pytest.mark.parametrize(
    "line",
    [
        "p.add_argument(*names)",
        "p.add_argument('--x', **more)",
        "p.add_argument(NAME)",
        "for n in names: p.add_argument(n)",
        "if debug: p.add_argument('--debug')",
        "def add_common(q): q.add_argument('--y')",
        "p.parse_known_args()",
        "s = p.add_subparsers()\nfor n in names: s.add_parser(n)",
        "argparse.ArgumentParser(parents=[other()])",
    ],
)
def test_what_was_not_understood_is_said(line: str) -> None:
    text = "import argparse\n"
    text += "" if line.startswith("argparse") else "p = argparse.ArgumentParser()\n"
    script = read(f"{text}{line}\n")
    assert not all(each.certain for each in script.commands)
    assert script.notes == ("some of its arguments could not be determined",)


def test_a_program_without_a_parser() -> None:
    script = read("'''Does it.'''\nimport sys\nprint(sys.argv[1])\n")
    place = ScriptOption("arg1", required=True)
    command = ScriptCommand("", "Does it.", (place,), certain=False, by_hand=True, lead=1)
    assert script.commands == (command,)
    assert script.notes == ("it reads sys.argv directly, so there may be other arguments",)
    assert script.program
    assert read("from sys import argv\n").notes
    script = read("import os\nif __name__ == '__main__':\n    print(1)\n")
    assert (script.program, script.notes) == (True, ())


@pytest.mark.parametrize(
    ("text", "effects"),
    [
        ("open('x')", {"fs.read"}),
        ("open('x', 'w')", {"fs.read", "fs.write"}),
        ("open('x', mode='ab')", {"fs.read", "fs.write"}),
        ("p.open('w')", {"fs.read", "fs.write"}),
        ("p.read_text()", {"fs.read"}),
        ("p.write_text('w')", {"fs.write"}),
        ("import shutil\nshutil.rmtree(x)", {"fs.write"}),
        ("import sqlite3", {"db.read"}),
        ("import sqlite3\nq = 'INSERT INTO x'", {"db.read", "db.write"}),
        ("import requests", {"net.fetch"}),
        ("from urllib.request import urlopen", {"net.fetch"}),
        ("import urllib.request as u", {"net.fetch"}),
        ("from urllib.parse import quote", set()),
        ("import subprocess", {"proc.exec"}),
        ("import subprocess\nsubprocess.run(['git', '-C', x, 'log'])", {"proc.exec", "git.read"}),
        (
            "import subprocess\nsubprocess.run(('git', 'push'))",
            {"proc.exec", "git.read", "git.write", "net.fetch"},
        ),
        ("print(1)", set()),
    ],
)
def test_effects(text: str, effects: set[str]) -> None:
    assert read(text).effects == effects


def test_json_is_seen() -> None:
    assert read("import json\nprint(json.dumps({}))").speaks_json
    assert not read("import json\njson.loads('1')").speaks_json


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("print 'x'", "not valid Python 3: line 1"),
        ("def f(:", "not valid Python 3: line 1"),
        ("x = " + "(" * 500, "not valid Python 3"),
        ("a" + ".b" * 5000, "not valid Python 3"),
        ("x = 1\0", "not valid Python 3"),
    ],
)
def test_what_is_no_python(text: str, said: str) -> None:
    with pytest.raises(NotRead, match=said):
        read_python(text)


def test_parents_of_parents_do_not_grow_without_end() -> None:
    lines = ["import argparse", "p0 = argparse.ArgumentParser()", "p0.add_argument('--x')"]
    lines += [f"p{n} = argparse.ArgumentParser(parents=[p{n - 1}, p{n - 1}])" for n in range(1, 60)]
    (command,) = read_python("\n".join(lines)).commands
    assert len(command.options) == 200
    assert not command.certain


def test_nothing_is_a_value_of_its_own() -> None:
    assert repr(NOTHING) == "NOTHING"
    assert argument("'--x', default=None").default is NOTHING


def test_a_warning_about_a_script_reaches_nobody(recwarn: Any) -> None:
    read_python("x = '\\d'\n")
    assert list(recwarn) == []


@pytest.mark.parametrize(
    ("taken", "told"),
    [
        ("import typer", "typer"),
        ("import click\n@click.command()\n@click.option('--x')\ndef f(x): pass", "click"),
        ("from docopt import docopt", "docopt"),
        ("import fire, sys\nprint(sys.argv)", "fire"),
        ("from absl import flags", "absl"),
    ],
)
def test_a_parser_that_is_not_known_is_named(taken: str, told: str) -> None:
    script = read(f"#!/usr/bin/env python3\n{taken}\n")
    assert script.notes == (f"it parses its arguments with {told}, so they are not known",)
    assert not script.commands[0].certain


def test_a_parser_that_is_not_used_is_not_named() -> None:
    assert read(f"{ARGPARSE}import typer\np.add_argument('x')\n").notes == ()
