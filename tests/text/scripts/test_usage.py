"""Arguments in usage texts, and scripts that read their arguments themselves."""

from __future__ import annotations

import pytest

from skillstudio.text.scripts.model import ScriptCommand, first_sentence
from skillstudio.text.scripts.reading import read_script
from skillstudio.text.scripts.usage import usage_commands


def shown(commands: list[ScriptCommand] | tuple[ScriptCommand, ...]) -> list[str]:
    """Each command: its name, then its arguments; `!` is required, `*` several, `=` has a value."""
    return [
        " ".join(
            [
                f"{each.name}:",
                *(
                    f"{'/'.join(o.flags) or o.name}{'' if o.switch or not o.flags else '='}"
                    f"{'|'.join(o.choices)}{'!' * o.required}{'*' * o.many}"
                    for o in each.options
                ),
            ]
        )
        for each in commands
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Usage: x.py <folder>", [": folder!"]),
        ("usage: python3 -u scripts/x.py FILE [LIMIT]", [": file! limit"]),
        ("Usage: $0 [-v] [-n NAME] source...", [": -v -n= source!*"]),
        ("Usage: x [input pdf] [output]", [": input_pdf output"]),
        ("Usage: x.sh start|stop", [": commandstart|stop!"]),
        ("Usage: x --out FILE\n  --out FILE  where\n  --all  more", [": --out=! --all"]),
        ("Usage:\n  x add <title>\n  x list", ["add: title!", "list:"]),
        (
            "Usage: x <command>\n\nCommands:\n  add <title>  Add\n  list  List",
            ["add: title!", "list:"],
        ),
        ("Usage:\n    from x import run\n    run()", []),
        ("Usage: x <name> (called by make)", [": name!"]),
        ("Usage: x.sh <file>\n  file - GitHub slug", [": file!"]),
        ("no arguments", []),
    ],
)
def test_a_usage_text(text: str, wanted: list[str]) -> None:
    assert shown(usage_commands(text)) == wanted


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("x.py", "import sys\nif len(sys.argv) < 3: sys.exit(1)\na = sys.argv[1]\n"
         "b = int(sys.argv[2])\n",
         [": a! b!"]),
        ("x.py", "import sys\na = sys.argv[1] if len(sys.argv) > 1 else 'x'\n", [": a"]),
        ("x.py", "import sys\nverbose = '--verbose' in sys.argv\n", [": --verbose"]),
        ("x.py", "import typer\ndef main(name: str, times: int = 1, loud: bool = False): ...\n"
         "typer.run(main)\n", [": name! --times= --loud"]),
        ("x.mjs", "import { parseArgs } from 'node:util';\n"
         "parseArgs({options: {out: {type: 'string', short: 'o'}, all: {type: 'boolean'}}});\n",
         [": -o/--out= --all"]),
        ("x.js", "const { program } = require('commander');\n"
         "program.command('add <title>').option('-t, --tag <tag>', 'a tag');\n"
         "program.command('list');\n", ["add: title! -t/--tag=", "list:"]),
        ("x.js", "const file = process.argv[2];\nif (!file) { process.exit(1); }\n", [": file!"]),
        ("x.sh", '#!/bin/sh\n# Usage: x.sh <file> [--all]\nfor a in "$@"; do case "$a" in\n'
         "--all) all=1 ;;\n--size=*) size=${a#*=} ;;\nesac; done\n", [": file! --all --size="]),
    ],
)  # fmt: skip
def test_scripts(path: str, text: str, wanted: list[str]) -> None:
    assert shown(read_script(path, text.encode()).commands) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Copyright 2026 A.\n\nDoes it. More.", "Does it."),
        ("SPDX-License-Identifier: MIT\n\nDoes it", "Does it."),
        ("Licensed under the MIT License.", ""),
        ("-*- coding: utf-8 -*-", ""),
        ("x.py - Does it.", "Does it."),
        ("Usage: x FILE", ""),
        ("All rights reserved.", ""),
    ],
)
def test_a_licence_is_no_description(text: str, wanted: str) -> None:
    assert first_sentence(text) == wanted
