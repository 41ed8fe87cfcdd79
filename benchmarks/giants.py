"""Giant and broken skills, and the processor time that each verb takes for them.

`python benchmarks/giants.py` prints the table; `--only PATTERN` selects inputs by name,
`--verb PATTERN` verbs. Every input is a function of its size, so that a test can compare n with 2n.

The verdict does not depend on what else the machine does: right before and after each command runs
a fixed loop, and the command's seconds are its processor time divided by the loop's, times
`LOOP_SECONDS`, what the loop takes on a quiet machine.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

Files = Mapping[str, str | bytes]


class Giant(NamedTuple):
    """A skill made from a number: `make(n)` gives its files; `full` is its largest size."""

    make: Callable[[int], Files]
    full: int
    aim: str = ""
    """The dialect that the skill is written in; empty for frontmatter-1.0."""


SIMPLE = "name: g\ndescription: Says things. Use when things are said.\n"
STRUCTURED = f'manifest_version: "1.0"\nversion: 1.0.0\n{SIMPLE}'


def many(line: str, n: int) -> str:
    """A line so many times, with its number in the place of `#`."""
    return "".join(line.replace("#", str(number)) for number in range(n))


def front(made: Callable[[int], str], head: str = STRUCTURED) -> Callable[[int], Files]:
    """A SKILL.md whose frontmatter ends with the text that is made."""
    return lambda n: {"SKILL.md": f"---\n{head}{made(n)}\n---\nSay.\n"}


def body(made: Callable[[int], str]) -> Callable[[int], Files]:
    """A SKILL.md whose Markdown is the text that is made."""
    return lambda n: {"SKILL.md": f"---\n{STRUCTURED}---\n{made(n)}\n"}


def lines(line: str, before: str = "") -> Callable[[int], Files]:
    return front(lambda n: before + many(line, n))


def fence(made: Callable[[int], str]) -> Callable[[int], Files]:
    """A SKILL.md with a skill-manifest block that ends with the text that is made."""
    head = '"schema_version": "2.0", "id": "g", "version": "1.0.0"'

    def make(n: int) -> Files:
        block = f"```skill-manifest\n{{{head}, {made(n)}}}\n```"
        return {"SKILL.md": f"---\n{SIMPLE}---\n{block}\n"}

    return make


def caro(made: Callable[[int], str]) -> Callable[[int], Files]:
    """A skill.toml that ends with the text that is made."""
    head = (
        '[skill]\nid = "x.g"\nname = "g"\nversion = "0.1.0"\ndescription = "Says things"\n'
        'authors = ["A <a@b.c>"]\nlicense = "MIT"\napi_version = "1.0"\n'
        "[provides]\nknowledge = true\nrecipes = true\nexecutable = false\n"
    )
    return lambda n: {"skill.toml": f"{head}{made(n)}\n"}


def provenact(made: Callable[[int], str]) -> Callable[[int], Files]:
    """A manifest.json that ends with the text that is made."""
    head = json.dumps({
        "schema_version": "1.0.0-draft",
        "id": "g.g",
        "name": "G",
        "version": "0.1.0",
        "entrypoint": {"kind": "wasi-command", "path": "skill.wasm"},
        "artifact": f"sha256:{'0' * 64}",
        "capabilities": [],
        "signers": [],
    })  # fmt: skip
    return lambda n: {"manifest.json": f"{head[:-1]}, {made(n)}}}\n", "skill.wasm": b"\0asm"}


def inputs(schema: Callable[[int], str]) -> Callable[[int], Files]:
    """A frontmatter with one input that has the schema, in the brackets of JSON."""
    return front(lambda n: f"inputs:\n  required:\n    - name: a\n      schema: {schema(n)}\n")


def deep(n: int) -> str:
    """Keys within one another, each two columns further in: n levels take n² characters."""
    return "".join(f"{'  ' * level}k:\n" for level in range(n))


def joined(item: str, n: int) -> str:
    return ", ".join(item.replace("#", str(number)) for number in range(n))


GIANTS: dict[str, Giant] = {
    # Numbers.
    "hex digits": Giant(front(lambda n: f"x: 0x{'f' * n}"), 900_000),
    "decimal digits": Giant(front(lambda n: f"x: {'9' * n}"), 900_000),
    "octal digits": Giant(front(lambda n: f"x: 0o{'7' * n}"), 900_000),
    "binary digits": Giant(front(lambda n: f"x: 0b{'1' * n}"), 900_000),
    "digits with _": Giant(front(lambda n: f"x: {'1_' * n}1"), 400_000),
    "sexagesimal": Giant(front(lambda n: f"x: 1{':59' * n}"), 250_000),
    "float digits": Giant(front(lambda n: f"x: 1.{'9' * n}e{'9' * 10}"), 900_000),
    "exponent": Giant(front(lambda n: f"x: 1e{'9' * n}"), 900_000),
    "version of digits": Giant(front(lambda n: f"version: 0x{'f' * n}", SIMPLE), 900_000),
    "timeout of digits": Giant(front(lambda n: f"execution: {{timeout: 0x{'f' * n}}}"), 900_000),
    "many long numbers": Giant(lines(f"k#: 0x{'f' * 4000}\n"), 200),
    "list of long numbers": Giant(lines(f"  - {'7' * 4000}\n", "x:\n"), 200),
    "input of digits": Giant(
        inputs(lambda n: f"{{type: integer, default: 0x{'f' * n}, minimum: -0x{'e' * n}}}"),
        400_000,
    ),
    "enum of digits": Giant(
        inputs(lambda n: f"{{enum: [{joined('0x' + 'f' * 4000, n)}]}}"), 200
    ),
    "key of digits": Giant(front(lambda n: f"0x{'f' * n}: 1"), 1_000),
    # YAML.
    "keys": Giant(lines("k#: 1\n"), 80_000),
    "keys of text": Giant(lines("key-#: some text\n"), 40_000),
    "nested keys": Giant(lines("  k#: 1\n", "metadata:\n"), 80_000),
    "equal keys": Giant(lines("k: 1\n"), 150_000),
    "near keys": Giant(lines("descriptio#: 1\n"), 50_000),
    "long keys": Giant(lines(f"{'k' * 4000}#: 1\n"), 200),
    "anchors": Giant(lines("a#: &a# x\n"), 50_000),
    "equal anchors": Giant(lines("a#: &a x\n"), 50_000),
    "aliases": Giant(front(lambda n: "x: &x 1\n" + many("a#: *x\n", n)), 80_000),
    "aliases of lists": Giant(
        front(lambda n: f"x: &x [{joined('1', 500)}]\n" + many("a#: *x\n", n)), 60_000
    ),
    "laughs": Giant(
        front(
            lambda n: (
                "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
                + "".join(f"a{i + 1}: &a{i + 1} [{joined(f'*a{i}', 9)}]\n" for i in range(n))
            )
        ),
        1_000,
    ),
    "merges": Giant(front(lambda n: "x: &x {a: 1}\n" + many("k#: {<<: *x}\n", n)), 40_000),
    "items": Giant(lines("  - item #\n", "x:\n"), 60_000),
    "allowed tools": Giant(lines("  - Tool#\n", "allowed-tools:\n"), 80_000),
    "tags": Giant(lines("  - tag#\n", "tags:\n"), 80_000),
    "flow items": Giant(front(lambda n: f"x: [{joined('#', n)}]"), 120_000),
    "flow keys": Giant(front(lambda n: f"x: {{{joined('k#: 1', n)}}}"), 80_000),
    "brackets": Giant(front(lambda n: f"x: {'[' * n}"), 900_000),
    "brackets closed": Giant(front(lambda n: f"x: {'[' * n}{']' * n}"), 450_000),
    "braces": Giant(front(lambda n: f"x: {'{a: ' * n}"), 220_000),
    "pairs": Giant(front(lambda n: f"x: {'[{' * n}"), 400_000),
    "dashes": Giant(front(lambda n: f"x:\n  {'- ' * n}"), 400_000),
    "question marks": Giant(front(lambda n: "? " * n), 400_000),
    "deep keys": Giant(front(deep), 950),
    "description": Giant(front(lambda n: f"description: {'word ' * n}", "name: g\n"), 190_000),
    "description quoted": Giant(
        front(lambda n: f'description: "{"word " * n}"', "name: g\n"), 190_000
    ),
    "description escaped": Giant(
        front(lambda n: f'description: "{chr(92)}u00e9{(chr(92) + "u00e9") * n}"', "name: g\n"),
        150_000,
    ),
    "description of lines": Giant(
        front(lambda n: "description: |\n" + "  a line\n" * n, "name: g\n"), 100_000
    ),
    "description folded": Giant(
        front(lambda n: "description: >\n" + "  a\n\n" * n, "name: g\n"), 180_000
    ),
    "description plain lines": Giant(
        front(lambda n: "description: a\n" + "  a b\n" * n, "name: g\n"), 160_000
    ),
    "description with # signs": Giant(
        front(lambda n: "description: a" + " # a" * n, "name: g\n"), 200_000
    ),
    "description with colons": Giant(
        front(lambda n: "description: a" + ": a" * n, "name: g\n"), 280_000
    ),
    "description of quotes": Giant(
        front(lambda n: 'description: "' + 'a" ' * n + '"', "name: g\n"), 280_000
    ),
    "description of backslashes": Giant(
        front(lambda n: 'description: "' + "\\d " * n + '"', "name: g\n"), 280_000
    ),
    "colons in values": Giant(lines("k#: a: b\n"), 60_000),
    "few colons in values": Giant(
        front(lambda n: many("k#: some words\n", n) + many("l#: a: b: c\n", 20)), 45_000
    ),
    "few colons in lists": Giant(
        front(
            lambda n: "metadata:\n  k:\n" + many("    - some words\n", n)
            + many("    - l#: a: b: c\n", 20)
        ), 45_000
    ),
    "colons in 20,000 values": Giant(
        lines("k#: a: b: c\nlonger-key-#: some words in text\n"), 20_000
    ),
    "percent signs": Giant(lines("k#: %a\n"), 60_000),
    "at signs": Giant(lines("k#: @a\n"), 60_000),
    "backticks in values": Giant(lines("k#: `a`\n"), 60_000),
    "open quotes": Giant(lines('k#: "a\n'), 60_000),
    "inner quotes": Giant(lines('k#: "a" b\n'), 60_000),
    "backslashes": Giant(lines('k#: "\\d"\n'), 60_000),
    "open brackets": Giant(lines("k#: [a\n"), 60_000),
    "no colons": Giant(lines("word#\n"), 80_000),
    "wrong indents": Giant(front(lambda n: "x:\n" + many("    a#: 1\n  b#: 1\n", n)), 30_000),
    "tabs": Giant(lines("\tk#: 1\n"), 60_000),
    "tabs after keys": Giant(lines("k#:\t- a\n"), 60_000),
    "placeholders as values": Giant(lines("k#: {{a#}}\n"), 50_000),
    "stars": Giant(lines("k#: *\n"), 80_000),
    "bangs": Giant(lines("k#: !a b\n"), 60_000),
    "words of YAML 1.1": Giant(lines("  - yes\n", "tags:\n"), 120_000),
    "octals of YAML 1.1": Giant(lines("  - 0777\n", "tags:\n"), 120_000),
    "dates": Giant(lines("k#: 2026-01-02\n"), 50_000),
    "comments": Giant(lines("# words\n"), 120_000),
    "blank lines": Giant(lines("\n"), 900_000),
    "documents": Giant(lines("--- #\n"), 80_000),
    "directives": Giant(lines("%YAML 1.2\n"), 90_000),
    "NULs": Giant(front(lambda n: "x: " + "a\0" * n), 400_000),
    "NULs and lines": Giant(lines("k#: a\0b\n"), 80_000),
    "carriage returns": Giant(lines("k#: 1\r"), 80_000),
    "mixed line ends": Giant(lines("k#: 1\r\nl#: 2\nm#: 3\r"), 30_000),
    "not UTF-8": Giant(
        lambda n: {"SKILL.md": b"---\nname: g\ndescription: \xff" + b"\xff\n " * n + b"\n---\n"},
        300_000,
    ),
    "wide characters": Giant(front(lambda n: f"x: {'緑' * n}"), 300_000),
    "directional marks": Giant(front(lambda n: "x: " + "a\u202e" * n), 200_000),
    "conflicts": Giant(
        front(lambda n: many("<<<<<<< a\nk#: 1\n=======\nk#: 2\n>>>>>>> b\n", n)), 20_000
    ),
    "TODOs": Giant(lines("k#: TODO say what\n"), 40_000),
    "secrets": Giant(lines("k#: sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789#\n"), 14_000),
    # What the structured frontmatter says.
    "inputs": Giant(
        lines("    - {name: a#, schema: {type: string}}\n", "inputs:\n  required:\n"), 20_000
    ),
    "inputs unnamed": Giant(lines("    - {nam: a#}\n", "inputs:\n  required:\n"), 40_000),
    "equal inputs": Giant(lines("    - {name: a}\n", "inputs:\n  required:\n"), 50_000),
    "inputs with enums": Giant(
        lines("    - {name: a#, schema: {enum: [x, y, z, #]}}\n", "inputs:\n  optional:\n"), 18_000
    ),
    "inputs with patterns": Giant(
        lines('    - {name: a#, schema: {pattern: "^(a|b#)+$"}}\n', "inputs:\n  optional:\n"),
        14_000,
    ),
    "inputs that may contradict": Giant(
        lines(
            '    - {name: a#, schema: {minLength: #, pattern: "^(a|b)*a(a|b){9}#$"}}\n',
            "inputs:\n  optional:\n",
        ),
        8_000,
    ),
    "output files": Giant(lines('    - pattern: "out/a#.md"\n', "outputs:\n  files:\n"), 24_000),
    "outputs of inputs": Giant(
        front(
            lambda n: (
                "inputs:\n  required:\n"
                + many("    - {name: a#}\n", n)
                + "outputs:\n  files:\n"
                + many('    - pattern: "{{a#}}"\n', n)
            )
        ),
        16_000,
    ),
    "placeholders in one": Giant(
        front(lambda n: 'outputs:\n  files:\n    - pattern: "' + "{{a}}" * n + '"'), 180_000
    ),
    "environment": Giant(lines("    - {name: A#}\n", "env:\n  required:\n"), 40_000),
    "commands": Giant(lines("    - {cmd: c#}\n", "preconditions:\n  commands:\n"), 40_000),
    "files": Giant(lines("    - {path: f#.md}\n", "preconditions:\n  files:\n"), 30_000),
    "dependencies": Giant(lines("  - {skill: s#}\n", "composes:\n"), 40_000),
    # Schemas.
    "schema of properties": Giant(
        inputs(lambda n: f"{{properties: {{{joined('k#: {type: string}', n)}}}}}"), 30_000
    ),
    "schema of enum": Giant(inputs(lambda n: f"{{enum: [{joined('v#', n)}]}}"), 100_000),
    "schema of required": Giant(inputs(lambda n: f"{{required: [{joined('v#', n)}]}}"), 100_000),
    "schema of allOf": Giant(inputs(lambda n: f"{{allOf: [{joined('{minimum: #}', n)}]}}"), 40_000),
    "schema of anyOf": Giant(inputs(lambda n: f"{{anyOf: [{joined('{const: #}', n)}]}}"), 40_000),
    "schema of oneOf": Giant(inputs(lambda n: f"{{oneOf: [{joined('{const: #}', n)}]}}"), 40_000),
    "schema of typed oneOf": Giant(
        inputs(
            lambda n: f"{{type: string, oneOf: [{joined('{type: string, const: v#}', n)}]}}"
        ),
        20_000,
    ),
    "schema of $defs": Giant(
        inputs(
            lambda n: (
                '{"$ref": "#/$defs/a0", "$defs": {'
                + ", ".join(f'a{i}: {{"$ref": "#/$defs/a{i + 1}"}}' for i in range(n))
                + f", a{n}: {{type: string}}}}}}"
            )
        ),
        20_000,
    ),
    "schema nested": Giant(
        inputs(lambda n: "{items: " * n + "{}" + "}" * n), 90
    ),
    "schema of a long pattern": Giant(inputs(lambda n: f'{{pattern: "^{"ab?" * n}$"}}'), 280_000),
    "schema of alternatives": Giant(
        inputs(lambda n: f'{{pattern: "^({"|".join(map(str, range(n)))})$"}}'), 120_000
    ),
    "schema of repetitions": Giant(inputs(lambda n: f'{{pattern: "^{"(a" * n}{")*" * n}$"}}'), 900),
    "schema of a count": Giant(inputs(lambda n: f'{{pattern: "^(a{{{n}}}){{{n}}}$"}}'), 900_000),
    "schema of minLength": Giant(inputs(lambda n: f"{{type: string, minLength: {n}}}"), 10**12),
    "schema of minItems": Giant(inputs(lambda n: f"{{type: array, minItems: {n}}}"), 10**12),
    # Markdown.
    "[a](": Giant(body(lambda n: "[a](" * n), 200_000),
    "links": Giant(body(lambda n: many("[a](b#.md)\n", n)), 50_000),
    "links on one line": Giant(body(lambda n: many("[a](b#.md) ", n)), 50_000),
    "equal links": Giant(body(lambda n: "[a](b.md) " * n), 90_000),
    "links with fragments": Giant(body(lambda n: many("[a](#h#)\n", n)), 60_000),
    "[": Giant(body(lambda n: "[" * n), 900_000),
    "![": Giant(body(lambda n: "![" * n), 450_000),
    "[]": Giant(body(lambda n: "[" * n + "]" * n), 450_000),
    "](": Giant(body(lambda n: "](" * n), 450_000),
    "(": Giant(body(lambda n: "[a]" + "(" * n), 900_000),
    "<": Giant(body(lambda n: "<" * n), 900_000),
    "<a ": Giant(body(lambda n: "<a " * n), 300_000),
    "<!--": Giant(body(lambda n: "<!-- " * n), 180_000),
    "ticks": Giant(body(lambda n: "".join("`" * i + "a" for i in range(n))), 1_350),
    "tick pairs": Giant(body(lambda n: "`a` " * n), 220_000),
    "emphasis": Giant(body(lambda n: "*a **b " * n), 120_000),
    "underscores": Giant(body(lambda n: "_a __b " * n), 120_000),
    "fences": Giant(body(lambda n: "```\na\n```\n" * n), 90_000),
    "open fences": Giant(body(lambda n: many("```a#\n", n)), 90_000),
    "fences of sh": Giant(body(lambda n: "```sh\npython a.py --b c\n```\n" * n), 26_000),
    "manifest fences": Giant(body(lambda n: "```skill-manifest\n{}\n```\n" * n), 34_000),
    "headings": Giant(body(lambda n: many("# Heading #\n", n)), 60_000),
    "lists": Giant(body(lambda n: "".join("  " * i + "- a\n" for i in range(n))), 950),
    "quotes": Giant(body(lambda n: "> " * n), 450_000),
    "quotes and lists": Giant(body(lambda n: "> - > 1. " * n), 100_000),
    "braces in text": Giant(body(lambda n: "{{" * n), 450_000),
    "placeholders in text": Giant(body(lambda n: many("{{a#}} ", n)), 90_000),
    "arguments in text": Giant(body(lambda n: many("$ARGUMENTS $# ", n)), 45_000),
    "commands in text": Giant(body(lambda n: many("Run `python scripts/a#.py --b`.\n", n)), 25_000),
    "paths in text": Giant(body(lambda n: many("see scripts/a#.py and references/b#.md\n", n)),
                           18_000),
    "a long line": Giant(body(lambda n: "a" * n), 900_000),
    "words": Giant(body(lambda n: "word " * n), 190_000),
    "blank body": Giant(body(lambda n: "\n" * n), 900_000),
    "spaces": Giant(body(lambda n: " " * n), 900_000),
    "entities": Giant(body(lambda n: "&amp;" * n), 190_000),
    "references": Giant(body(lambda n: many("[a][b#]\n\n[b#]: c.md\n\n", n)), 38_000),
    "table": Giant(body(lambda n: "|a|b|\n|-|-|\n" + "|a|b|\n" * n), 150_000),
    "columns": Giant(body(lambda n: "|a" * n + "|\n" + "|-" * n + "|\n" + "|b" * n + "|\n"),
                     140_000),
    "addresses": Giant(body(lambda n: many("http://a.b/# ", n)), 55_000),
    "ignores": Giant(body(lambda n: "<!-- skillstudio: ignore a -->\n" * n), 29_000),
    "dashes of frontmatter": Giant(body(lambda n: "---\n" * n), 230_000),
    # JSON in a fence, TOML, JSON.
    "operations": Giant(
        fence(lambda n: f'"operations": {{{joined(chr(34) + "o#" + chr(34) + ": {}", n)}}}'), 60_000
    ),
    "operation inputs": Giant(
        fence(
            lambda n: (
                '"operations": {"o": {"input": {'
                + joined('"i#": {"type": "string", "required": true}', n)
                + "}}}"
            )
        ),
        18_000,
    ),
    "fence keys": Giant(fence(lambda n: joined('"k#": 1', n)), 70_000),
    "fence digits": Giant(fence(lambda n: f'"x": {"9" * n}'), 900_000),
    "fence brackets": Giant(fence(lambda n: f'"x": {"[" * n}'), 900_000),
    "fence commas": Giant(fence(lambda n: '"x": [' + "," * n + "]"), 900_000),
    "fence quotes": Giant(fence(lambda n: '"x": ' + '"' * n), 900_000),
    "TOML keys": Giant(caro(lambda n: many("k# = 1\n", n)), 70_000),
    "TOML tables": Giant(caro(lambda n: many("[t#]\nk = 1\n", n)), 50_000),
    "TOML list of tables": Giant(caro(lambda n: "[[t]]\nk = 1\n" * n), 80_000),
    "TOML tables in tables": Giant(caro(lambda n: many("[t.a#.b]\nk = 1\n", n)), 40_000),
    "TOML dotted keys": Giant(caro(lambda n: many("a.b.c# = 1\n", n)), 60_000),
    "TOML deep key": Giant(caro(lambda n: ".".join(["a"] * n) + " = 1\n"), 400_000),
    "TOML deep tables": Giant(caro(lambda n: "".join(f"[{'.'.join(['a'] * i)}]\n"
                                                     for i in range(1, n))), 90),
    "TOML digits": Giant(caro(lambda n: f"x = {'9' * n}"), 900_000),
    "TOML hex digits": Giant(caro(lambda n: f"x = 0x{'f' * n}"), 900_000),
    "TOML items": Giant(caro(lambda n: f"x = [{joined('#', n)}]"), 120_000),
    "TOML item lines": Giant(caro(lambda n: f"x = [\n{many('  1,' + chr(10), n)}]"), 180_000),
    "TOML brackets": Giant(caro(lambda n: "x = " + "[" * n), 900_000),
    "TOML braces": Giant(caro(lambda n: "x = " + "{a = " * n), 180_000),
    "TOML open strings": Giant(caro(lambda n: many('k# = "a\n', n)), 60_000),
    "TOML open texts": Giant(caro(lambda n: many('k# = """a\n', n)), 50_000),
    "TOML equal keys": Giant(caro(lambda n: "k = 1\n" * n), 150_000),
    "TOML equal tables": Giant(caro(lambda n: "[t]\n" * n), 200_000),
    "TOML no values": Giant(caro(lambda n: many("k#\n", n)), 100_000),
    "TOML commands": Giant(
        caro(lambda n: "[capabilities.terminal_exec]\ncommands = [" + joined('"c#"', n) + "]"),
        80_000,
    ),
    "JSON keys": Giant(provenact(lambda n: joined('"k#": 1', n)), 70_000),
    "JSON digits": Giant(provenact(lambda n: f'"x": {"9" * n}'), 900_000),
    "JSON items": Giant(provenact(lambda n: f'"x": [{joined("#", n)}]'), 120_000),
    "JSON brackets": Giant(provenact(lambda n: f'"x": {"[" * n}'), 900_000),
    "JSON braces": Giant(provenact(lambda n: '"x": ' + '{"a": ' * n), 150_000),
    "JSON equal keys": Giant(provenact(lambda n: joined('"k": 1', n)), 100_000),
    "JSON no commas": Giant(provenact(lambda n: '"x": [' + "1 " * n + "]"), 400_000),
    "JSON open strings": Giant(provenact(lambda n: many('"k#": "a\n', n)), 60_000),
    "JSON capabilities": Giant(
        provenact(lambda n: f'"capabilities": [{joined(json.dumps("a.b:#"), n)}]'), 70_000
    ),
    "JSON inputs": Giant(
        provenact(lambda n: '"inputs_schema": {"properties": {'
                  + joined('"k#": {"type": "string"}', n) + "}}"), 25_000
    ),
    # Other files.
    "many files": Giant(
        lambda n: {"SKILL.md": f"---\n{SIMPLE}---\nSay.\n",
                   **{f"references/f{i}.md": "Say.\n" for i in range(n)}}, 3_000
    ),
    "many links to files": Giant(
        lambda n: {"SKILL.md": f"---\n{SIMPLE}---\n" + many("[a](references/f#.md)\n", n),
                   **{f"references/f{i}.md": "Say.\n" for i in range(n)}}, 3_000
    ),
    "a script": Giant(
        lambda n: {"SKILL.md": f"---\n{SIMPLE}---\nRun `python scripts/a.py --b c`.\n",
                   "scripts/a.py": "import argparse\np = argparse.ArgumentParser()\n"
                   + many('p.add_argument("--a#")\n', n)}, 30_000
    ),
    "larger than is read": Giant(front(lambda n: many("k#: 1\n", n)), 2_000_000),
}  # fmt: skip


class Verb(NamedTuple):
    """A command line on a skill: `{skill}`, `{file}`, `{old}` and `{out}` are folders and files."""

    name: str
    words: tuple[str, ...]


def _verb(text: str, name: str = "") -> Verb:
    return Verb(name or text.replace("{skill}", "").replace("{file}", "FILE"), tuple(text.split()))


VERBS: tuple[Verb, ...] = (
    _verb("check {skill}"),
    _verb("check {skill} --format json"),
    _verb("check {skill} --format sarif"),
    _verb("check {skill} --format github"),
    _verb("check {skill} --fix --unsafe-fixes --diff"),
    _verb("check {copy} --fix", "check --fix"),
    _verb("show {skill}"),
    _verb("show {skill} --format json"),
    _verb("why {skill}"),
    _verb("why {skill} --format json"),
    _verb("diff {old} {skill}", "diff"),
    _verb("diff {old} {skill} --format json", "diff json"),
    _verb("diff {skill} {skill}", "diff with itself"),
    _verb("diff {old} {skill} --text", "diff --text"),
    _verb("bump {skill} --against {old}", "bump"),
    _verb("bump {skill} --against {old} --diff", "bump --diff"),
    _verb("migrate {skill} --diff"),
    _verb("migrate {skill} --diff --format json"),
    _verb("migrate {skill} --to provenact-bundle --diff", "migrate to a bundle"),
    _verb("export {skill} --target claude-upload -o {out}", "export"),
    _verb("hash {skill}"),
    _verb("hash {skill} --files --format json"),
    _verb("identity {skill}"),
    _verb("preview {skill} --card"),
    _verb("preview {skill} --card --format json"),
    _verb("preview {file}"),
    _verb("preview {file} --view raw"),
    _verb("preview {file} --format json"),
    _verb("preview {skill} --prompt words"),
    _verb("plan {skill}"),
    _verb("plan {skill} --format json"),
    _verb("edit {skill} set /name other --diff"),
    _verb("edit {skill} add /metadata/n {{}} --diff", "edit add"),
    _verb("rename {skill} input a b --diff"),
    _verb("rename {skill} input a0 b --diff --prose"),
    _verb("pack {skill} --list"),
    _verb("pack {skill} --no-check -o {out}.zip", "pack"),
    _verb("index {skill}"),
    _verb("sample {skill}"),
    _verb("sample {skill} --all --format json"),
    _verb("lock {skill}"),
)


MAIN = r"^(check $|check --fix|show|why $|diff$|bump$|export|hash|preview FILE$|plan $)"
"""The verbs of `make bench`; all of them take an hour."""


class Cost(NamedTuple):
    """What one command took and gave."""

    seconds: float
    """Of a quiet machine's processor, the command's own children included."""
    printed: int
    """Bytes on stdout and stderr."""
    status: int
    traceback: bool


LIMIT = 2.0
"""Seconds of the processor for a megabyte, and for anything smaller."""


LOOP_SECONDS = 0.1
"""What `loop_seconds` is on the machine of the published figures, when nothing else runs there."""


def loop_seconds() -> float:
    """Processor seconds of a fixed loop, which makes objects as the commands do."""
    collecting = gc.isenabled()
    gc.disable()
    began = time.process_time()
    for _ in range(75):
        made = {}
        for number in range(5_000):
            word = f"k{number}"
            made[word] = (number, word.split("1"), len(word))
    seconds = time.process_time() - began
    if collecting:
        gc.enable()
    return seconds


def allowed(files: Files) -> float:
    """The most seconds that a command may take for a skill."""
    size = sum(
        len(each) if isinstance(each, bytes) else len(each.encode()) for each in files.values()
    )
    return LIMIT * max(size / 1e6, 1.0)


def write(files: Files, folder: Path) -> None:
    """Make the folder of a skill."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def measure(verb: Verb, skill: Path, old: Path, scratch: Path, most: int = 60) -> Cost:
    """Run a command in a child of this process, which has the modules of most verbs already."""
    scratch.mkdir(parents=True, exist_ok=True)
    out = scratch / "g"
    copy = scratch / "copy" / "g"
    file = next(p for n in ("SKILL.md", "skill.toml", "manifest.json") if (p := skill / n).exists())
    if "{copy}" in verb.words:
        shutil.copytree(skill, copy)
    names = {"skill": skill, "old": old, "file": file, "out": out, "copy": copy}
    words = [word.format(**names) for word in verb.words]
    said = scratch / "said"
    before = loop_seconds()
    pid = os.fork()
    if not pid:
        _child(words, said, scratch, most)
    _, status, used = os.wait4(pid, 0)
    loop = (before + loop_seconds()) / 2
    text = said.read_bytes()
    code = os.waitstatus_to_exitcode(status)
    shutil.rmtree(scratch, ignore_errors=True)
    seconds = (used.ru_utime + used.ru_stime) / loop * LOOP_SECONDS
    return Cost(seconds, len(text), code, b"Traceback" in text or code not in (0, 1, 2, 3, 4))


def _child(words: list[str], said: Path, scratch: Path, most: int) -> None:
    """Run a command with its output in a file, and end."""
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    descriptor = os.open(said, os.O_WRONLY | os.O_CREAT)
    for each in (1, 2):
        os.dup2(descriptor, each)
    os.chdir(scratch)
    # As in a process of its own.
    gc.disable()
    os.environ |= {"XDG_STATE_HOME": str(scratch / "state"), "NO_COLOR": "1"}
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    from skillstudio.cli.main import main

    status = 70
    with contextlib.suppress(SystemExit):
        try:
            status = main(words)
        except BaseException:
            import traceback

            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def warm(verbs: Sequence[Verb], root: Path) -> None:
    """Run each verb once on a small skill in this process, so that no child imports modules."""
    from skillstudio.cli.main import main

    skill = root / "warm" / "g"
    write(GIANTS["inputs"].make(1), skill)
    out = root / "warm" / "out"
    names = {"skill": skill, "old": skill, "file": skill / "SKILL.md", "copy": skill}
    for number, verb in enumerate(verbs):
        words = [word.format(**names, out=out / str(number) / "g") for word in verb.words]
        with (
            contextlib.suppress(SystemExit),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            main(words)
    gc.collect()
    gc.freeze()


def show(only: str = "", verbs: str = "", share: float = 1.0, most: int = 60) -> int:
    """Print the table; how many commands broke the limit, or failed with a traceback."""
    print("\ngiant and broken skills: the slowest command of each, and the one that prints most")
    broken = 0
    wanted = [verb for verb in VERBS if re.search(verbs, verb.name)]
    worst = Cost(0, 0, 0, False)
    count = 0
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        warm(wanted, root)
        for number, (title, giant) in enumerate(GIANTS.items()):
            if not re.search(only, title):
                continue
            folder = root / str(number)
            files = giant.make(max(int(giant.full * share), 1))
            write(files, folder / "g")
            write(giant.make(2), folder / "old" / "g")
            subprocess.run(["git", "init", "-q", folder / "g"], check=True)
            limit = allowed(files)
            costs = {
                verb.name: measure(verb, folder / "g", folder / "old" / "g", root / "s", most)
                for verb in wanted
            }
            shutil.rmtree(folder)
            over = {n: c for n, c in costs.items() if c.seconds > limit or c.traceback}
            broken += len(over)
            count += len(costs)
            top = max(costs.items(), key=lambda each: each[1].seconds)
            loud = max(costs.items(), key=lambda each: each[1].printed)
            worst = max(worst, top[1])
            print(
                f"  {title:<28} {top[1].seconds:6.2f} s  {top[0]:<34}"
                f" {loud[1].printed:>10,} B  {loud[0]}",
                flush=True,
            )
            for verb_name, cost in over.items():
                mark = "FAILED" if cost.traceback else "SLOW"
                print(
                    f"      {mark} {cost.seconds:6.2f} s, status {cost.status}: {verb_name}",
                    flush=True,
                )
    print(f"  {count} commands, {broken} over the limit or failed; slowest {worst.seconds:.2f} s")
    return broken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="PATTERN", help="inputs whose name matches")
    parser.add_argument("--verb", default="", metavar="PATTERN", help="verbs whose name matches")
    parser.add_argument("--most", type=int, default=60, help="seconds after which one is ended")
    parser.add_argument("--share", type=float, default=1.0, help="of the full size")
    options = parser.parse_args()
    return 1 if show(options.only, options.verb, options.share, options.most) else 0


if __name__ == "__main__":
    sys.exit(main())
