"""What a list of arguments runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.command_line import ParsedCommand, read_command, script_path

CASES = [
    # A program and a file of the skill
    ("bash scripts/find.sh {query}", [0], [], 1),
    ("sh -e scripts/find.sh", [0], [], 2),
    ("bash -o pipefail scripts/find.sh", [0], [], 3),
    ("bash -- -odd.sh", [0], [], 2),
    ("python3 main.py", [0], [], 1),
    ("/usr/bin/python3.12 -u main.py", [0], [], 2),
    ("python -W ignore main.py", [0], [], 3),
    ("python -m http.server", [0], [], None),
    ("python -", [0], [], None),
    ("node --require ./x.js main.js", [0], [], 3),
    ("perl -w tool.pl", [0], [], 2),
    ("scripts/find.sh {query}", [0], [], 0),
    ("./find.sh", [0], [], 0),
    ("{skill_dir}/find.sh", [0], [], 0),
    ("git status", [0], [], None),
    ("/usr/bin/git status", [0], [], None),
    ("env A=1 bash scripts/find.sh", [0, 2], [], 3),
    ("/usr/bin/env python3 main.py", [0, 1], [], 2),
    ("env", [0], [], None),
    # A program and its text
    ("bash -c TEXT {query}", [0], [2], None),
    ("bash -lc TEXT", [0], [2], None),
    ("sh -c -e TEXT", [0], [3], None),
    ("env bash -c TEXT", [0, 1], [3], None),
    ("python3 -c TEXT {query}", [0], [2], None),
    ("python -Ic TEXT", [0], [2], None),
    ("python -cTEXT", [0], [1], None),
    ("node -e TEXT", [0], [2], None),
    ("node --eval=TEXT", [0], [1], None),
    ("ruby -ne TEXT", [0], [2], None),
    ("perl -pe TEXT file", [0], [2], None),
    ("php -r TEXT", [0], [2], None),
    # Nothing behind the interpreter
    ("bash", [0], [], None),
    ("bash -c", [0], [], None),
    ("bash -o", [0], [], None),
    # PowerShell
    ("powershell.exe -NoProfile -ExecutionPolicy Bypass -File a.ps1 {query}", [0], [], 5),
    ("PowerShell -ep Bypass -f a.ps1", [0], [], 4),
    ("powershell -Command TEXT MORE", [0], [2, 3], None),
    ("powershell -c TEXT", [0], [2], None),
    ("pwsh -NoLogo -CommandWithArgs TEXT", [0], [3], None),
    ("powershell -EncodedCommand AAAA", [0], [], None),
    ("powershell a.ps1 {query}", [0], [1, 2], 1),
    ("pwsh a.ps1 {query}", [0], [], 1),
    ("powershell -File", [0], [], None),
    ("powershell", [0], [], None),
]

WINDOWS = [
    (["cmd", "/c", "tools\\find.bat", "{query}"], [2, 3], 2),
    (["cmd.exe", "/D", "/C", "echo {query}"], [3], None),
    (["cmd", "/c"], [], None),
    (["tools\\find.bat", "{query}"], [1], 0),
    (["find.cmd", "{query}"], [1], None),
    (["tools\\find.exe", "{query}"], [], 0),
    (["C:\\tools\\find.exe", "{query}"], [], None),
    (["bin/find", "{query}"], [], 0),
]


@pytest.mark.parametrize(("line", "programs", "scripts", "file"), CASES)
def test_programs_scripts_and_file(
    line: str, programs: list[int], scripts: list[int], file: int | None
) -> None:
    assert read_command(line.split(" ")) == ParsedCommand(tuple(programs), tuple(scripts), file)


@pytest.mark.parametrize(("argv", "scripts", "file"), WINDOWS)
def test_commands_of_windows(argv: list[str], scripts: list[int], file: int | None) -> None:
    assert read_command(argv, windows=True) == ParsedCommand((0,), tuple(scripts), file)


def test_nothing_runs_nothing() -> None:
    assert read_command([]) == ParsedCommand((), (), None)


@pytest.mark.parametrize(
    ("argument", "path"),
    [
        ("scripts/find.sh", "scripts/find.sh"),
        ("{skill_dir}/scripts/find.sh", "scripts/find.sh"),
        ("{skill_dir}\\find.ps1", "find.ps1"),
        ("{skill_dir}/../other/find.sh", "../other/find.sh"),
        ("scripts/{name}.sh", None),
        ("$HOME/find.sh", None),
        ("https://tools.example/find.ts", None),
    ],
)
def test_the_path_that_an_argument_names(argument: str, path: str | None) -> None:
    assert script_path(argument) == path


WORDS = st.sampled_from(
    [
        "bash",
        "python3",
        "node",
        "cmd",
        "powershell",
        "pwsh",
        "env",
        "-c",
        "-e",
        "/c",
        "-File",
        "-Command",
        "-o",
        "--",
        "-",
        "a.sh",
        "b/a.py",
        "x.bat",
        "A=1",
        "{skill_dir}/a",
        "{x}",
        "--eval=1",
        "-cx",
    ]
)


@given(st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=8), st.booleans())
def test_any_arguments_are_read(argv: list[str], windows: bool) -> None:
    command = read_command(argv, windows)
    named = [*command.programs, *command.scripts]
    named += [] if command.file is None else [command.file]
    assert all(0 <= index < len(argv) for index in named)
    assert not set(command.programs) & set(command.scripts)
