"""Commands beside what their scripts take: what differs, where, and what is passed over."""

from __future__ import annotations

import json

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import analyse

PY = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("file")
p.add_argument("-n", "--number", type=int, required=True)
p.add_argument("-v", "--verbose", action="store_true")
p.add_argument("--kind", default="a")
"""
SUB = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--base")
s = p.add_subparsers()
s.add_parser("add").add_argument("text")
s.add_parser("list")
"""
MANY = "import argparse\np = argparse.ArgumentParser()\np.add_argument('files', nargs='+')\n"
SH = '#!/bin/sh\nwhile getopts "o:v" x; do :; done\nshift $((OPTIND - 1))\necho "${1:?}" "${2:-}"\n'
OPEN = '#!/bin/sh\nexec python3 x.py "$@"\n'
PS = "param([Parameter(Mandatory)]$Source, $Count = 3, [switch]$Force)\n"
FILES = {
    "x.py": PY,
    "sub.py": SUB,
    "many.py": MANY,
    "x.sh": SH,
    "open.sh": OPEN,
    "x.ps1": PS,
    "argv.py": "import sys\nprint(sys.argv[1])\n",
    "wrong.py": "def f(:\n",
    "plain.sh": "#!/bin/sh\necho hello\n",
}


def found(argv: list[str], system: str = "unix") -> list[tuple[str, str]]:
    """The pointer below the entrypoint and the message of each finding."""
    names = {word[1:-1] for word in argv if word.startswith("{") and word.endswith("}")}
    manifest = {
        "schema_version": "2.0", "id": "skill", "version": "1.0.0", "capabilities": [],
        "effects": [], "stdout_contract": {"last_line_json": True},
        "operations": {
            "run": {
                "description": "Runs.",
                "input": {name: {"type": "string", "required": True} for name in sorted(names)},
                "output": {"description": "Text"},
                "entrypoints": {system: argv},
            }
        },
    }  # fmt: skip
    text = "---\nname: skill\ndescription: Runs. Use when it should run.\n---\n"
    text += f"```skill-manifest\n{json.dumps(manifest)}\n```\n"
    files = {"SKILL.md": text.encode()}
    files |= {f"scripts/{name}": data.encode() for name, data in FILES.items()}
    above = f"/operations/run/entrypoints/{system}"
    return [
        (each.pointer.removeprefix(above), each.message)
        for each in analyse(MemoryTree(files)).diagnostics
        if each.rule == "command-options-differ"
    ]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ("python3 scripts/x.py -n {n} {file}", []),
        ("python3 scripts/x.py {file} --number {n} -v --kind {kind}", []),
        ("python3 scripts/x.py {file} --number={n}", []),
        ("python3 scripts/x.py {file} --num {n}", []),
        ("python3 scripts/x.py {file} -n3", []),
        ("python3 scripts/x.py {file} -vn 3", []),
        ("python3 scripts/x.py -n -3 -- {file}", []),
        ("python3 scripts/x.py --nombre {n} {file}", [("/2", "x.py has no option --nombre")]),
        ("python3 scripts/x.py -x -n {n} {file}", [("/2", "x.py has no option -x")]),
        (
            "python3 scripts/x.py {file}",
            [("", "x.py requires --number, which this command does not pass")],
        ),
        (
            "python3 scripts/x.py -n {n}",
            [("", "x.py takes 1 positional argument, but this command passes none")],
        ),
        (
            "python3 scripts/x.py -n {n} {file} {other}",
            [("/5", "x.py takes 1 positional argument, but this command passes 2")],
        ),
        ("python3 scripts/sub.py --base {b} add {text}", []),
        ("python3 scripts/sub.py list", []),
        ("python3 scripts/sub.py {command}", []),
        ("python3 scripts/sub.py", [("", "sub.py requires a subcommand: add, list")]),
        ("python3 scripts/sub.py remove", [("", "sub.py requires a subcommand: add, list")]),
        (
            "python3 scripts/sub.py list {x}",
            [("/3", "sub.py takes no positional arguments, but this command passes 1")],
        ),
        ("python3 scripts/sub.py add {x} --more", [("/4", "sub.py has no option --more")]),
        ("python3 scripts/many.py {a} {b} {c}", []),
        (
            "python3 scripts/many.py",
            [("", "many.py takes at least 1 positional argument, but this command passes none")],
        ),
        ("bash scripts/x.sh -o {o} -v {a} {b}", []),
        ("bash scripts/x.sh -vo {o} {a}", []),
        ("bash scripts/x.sh -z {a}", [("/2", "x.sh has no option -z")]),
        (
            "bash scripts/x.sh",
            [("", "x.sh takes at least 1 positional argument, but this command passes none")],
        ),
        (
            "bash scripts/x.sh {a} {b} {c}",
            [("/4", "x.sh takes at most 2 positional arguments, but this command passes 3")],
        ),
        ("bash scripts/plain.sh {a}", []),
        ("bash scripts/open.sh --anything {a} {b} {c}", []),
        ("python3 scripts/argv.py --anything {a}", []),
        ("python3 scripts/wrong.py --anything", []),
        ("python3 scripts/none.py --anything", []),
        ("python3 ../x.py --anything", []),
        ("python3 -c print(1) --anything", []),
        ("ls --anything", []),
        ("pwsh -File scripts/x.ps1 -Source {a} -Count {b} -Force", []),
        ("pwsh -File scripts/x.ps1 -sou {a}", []),
        ("pwsh -File scripts/x.ps1 {a} {b}", []),
        (
            "pwsh -File scripts/x.ps1 -Count {a}",
            [("", "x.ps1 requires -Source, which this command does not pass")],
        ),
        ("pwsh -File scripts/x.ps1 -Target {a}", [("/3", "x.ps1 has no option -Target")]),
        (
            "pwsh -File scripts/x.ps1 {a} {b} {c}",
            [("/5", "x.ps1 takes 2 positional arguments, but this command passes 3")],
        ),
    ],
)
def test_a_command_beside_its_script(argv: str, said: list[tuple[str, str]]) -> None:
    assert found(argv.split()) == said


def test_windows_paths() -> None:
    argv = ["python", "scripts\\x.py", "--nombre", "{n}"]
    assert found(argv, "windows") == [("/2", "x.py has no option --nombre")]
