"""Scripts that name a program for their environment, such as uv, are started with Python itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.dryrun.planning.conftest import Folder, a_machine, a_plan, operation, rules

from skillstudio.dryrun.planning import launchers
from skillstudio.dryrun.planning.launchers import LauncherCommand, read_launcher
from skillstudio.dryrun.planning.processes import named_packages
from skillstudio.files.disk import DiskTree

BLOCK = "# /// script\n# {}\n# ///\n"
EMPTY = BLOCK.format("dependencies = []")
PACKAGES = BLOCK.format('dependencies = ["six"]')


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("uv run --script x.py a", LauncherCommand("uv", (), 3, True)),
        ("uv run -s x", LauncherCommand("uv", (), 3, True)),
        ("uv run x.py", LauncherCommand("uv", (), 2, False)),
        ("/opt/bin/uv --quiet run -q x.py", LauncherCommand("uv", (), 4, False)),
        ("uv run --with six,rich>=13 --with=a x.py",
         LauncherCommand("uv", (), 5, False, ("six", "rich>=13", "a"))),
        ("uv run --python 3.12 x.py", LauncherCommand("uv", (), 4, False, (), "3.12")),
        ("uv run python -u x.py", LauncherCommand("uv", ("-u",), 4, False)),
        ("uv run -- python3 x.py", LauncherCommand("uv", (), 4, False)),
        ("uvx --with six python x.py", LauncherCommand("uvx", (), 4, False, ("six",))),
        ("pipx run x.py", LauncherCommand("pipx", (), 2, False)),
        ("hatch run x.py", LauncherCommand("hatch", (), 2, False)),
        ("pdm run -s x.py", LauncherCommand("pdm", (), 3, True)),
        # Python alone cannot do these.
        ("uv run ruff check", None),
        ("uv run -m tool", None),
        ("uv run --env-file .env x.py", None),
        ("uv run --with-requirements r.txt x.py", None),
        ("uv run python -m tool", None),
        ("uv run python -c 1", None),
        ("uv run", None),
        ("uv run --with", None),
        ("uv pip install six", None),
        ("uvx ruff", None),
        ("uvx x.py", None),
        ("pipx run --spec six tool", None),
        ("python3 x.py", None),
    ],
)  # fmt: skip
def test_the_command_of_a_launcher(command: str, wanted: LauncherCommand | None) -> None:
    assert read_launcher(command.split()) == wanted


def test_no_command_has_no_launcher() -> None:
    assert read_launcher(()) is None


@pytest.mark.parametrize(
    ("line", "block", "note"),
    [
        ("env -S uv run --script", EMPTY, "because it needs no packages"),
        ("env -S uv run --script", "", "because it needs no packages"),
        ("env -S uv run", EMPTY, "because it needs no packages"),
        ("env -S uv run --quiet --script", PACKAGES, "--with-deps prepares the packages"),
        ("env -S pipx run", PACKAGES, "--with-deps prepares the packages"),
        ("env -S uv run --with six", "", "--with-deps prepares the packages"),
        ("env -S uvx --with six python", "", "--with-deps prepares the packages"),
    ],
)
@pytest.mark.parametrize("has_launcher", [False, True])
def test_a_first_line_with_a_launcher(
    folder: Folder, tmp_path: Path, line: str, block: str, note: str, has_launcher: bool
) -> None:
    folder.frontmatter("").file("scripts/x.py", f"#!/usr/bin/{line}\n{block}print(1)\n")
    machine = a_machine(PATH=_path(tmp_path, "uv", "uvx", "pipx") if has_launcher else _path())
    planned = a_plan(folder.path, "scripts/x.py", machine=machine, arguments=("a",))
    plan = planned.plan
    script = str(folder.path / "scripts/x.py")
    assert plan.steps[0].argv == ("python3", script, "a")
    assert [item.name for item in plan.requirements] == ["python3"]
    assert rules_of(plan.problems) == []
    assert planned.launch is not None
    packages = ("six",) if "--with six" in line else ()
    assert planned.launch.packages == packages
    assert named_packages(DiskTree(folder.path), "scripts/x.py") == packages
    (said,) = [text for text in plan.notes if "instead of" in text]
    assert note in said


@pytest.mark.parametrize(
    ("files", "argv", "wanted"),
    [
        ({}, ["uv", "run", "x.py", "a"], ["python3", "x.py", "a"]),
        ({}, ["uv", "run", "--script", "x.py"], ["python3", "x.py"]),
        ({}, ["pipx", "run", "{skill_dir}/x.py"], ["python3", "{skill}/x.py"]),
        ({}, ["./x.py", "a"], ["python3", "./x.py", "a"]),
        ({}, ["uv", "run", "python", "-u", "x.py"], ["python3", "-u", "x.py"]),
        # The packages of a project are locked, or nobody knows which tool it is.
        ({"uv.lock": ""}, ["uv", "run", "plain.py"], ["uv", "run", "plain.py"]),
        ({"uv.lock": ""}, ["uv", "run", "x.py"], ["python3", "x.py"]),
        ({}, ["uvx", "ruff", "x.py"], ["uvx", "ruff", "x.py"]),
        ({}, ["hatch", "run", "plain.py"], ["hatch", "run", "plain.py"]),
    ],
)
def test_an_entrypoint_with_a_launcher(
    folder: Folder, files: dict[str, str], argv: list[str], wanted: list[str]
) -> None:
    folder.block(operation(argv)).file("x.py", f"#!/usr/bin/env -S uv run --script\n{EMPTY}")
    folder.file("plain.py", "print(1)\n")
    for name, text in files.items():
        folder.file(name, text)
    plan = a_plan(folder.path, "go", machine=a_machine(PATH=_path())).plan
    assert list(plan.steps[0].argv) == [
        word.replace("{skill}", str(folder.path)) for word in wanted
    ]
    names = [item.name for item in plan.requirements]
    assert names == [wanted[0]]


@pytest.mark.parametrize(
    ("wanted", "versions", "program", "problem"),
    [
        (">=3.9", {"python3": "3.11.7"}, "python3", []),
        (">=3.13", {"python3": "3.11.7", "python3.13": "3.13.1"}, "python3.13", []),
        (">=3.13", {"python3": "3.11.7"}, "python3", ["python-unfit"]),
        ("<3.11", {"python3": "3.11.7", "python3.10": "3.10.2"}, "python3.10", []),
        (">=3.13", {"python3": "3.11.7", "uv": ""}, "uv", []),
        ("no version", {"python3": "3.11.7"}, "python3", ["python-unfit"]),
    ],
)
def test_the_version_that_a_script_asks_for(
    folder: Folder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wanted: str,
    versions: dict[str, str],
    program: str,
    problem: list[str],
) -> None:
    monkeypatch.setattr(launchers, "version_of", lambda name, *_: versions[name])
    block = BLOCK.format(f'requires-python = "{wanted}"')
    folder.frontmatter("").file("x.py", f"#!/usr/bin/env -S uv run --script\n{block}")
    machine = a_machine(PATH=_path(tmp_path, *versions, only=True))
    planned = a_plan(folder.path, "x.py", machine=machine)
    assert planned.plan.steps[0].argv[0] == program
    assert rules(planned) == problem


def test_packages_of_the_caller_are_named(folder: Folder) -> None:
    folder.frontmatter("").file("x.py", "#!/usr/bin/env python3\n")
    planned = a_plan(folder.path, "x.py", packages=("six", "rich>=13"))
    assert planned.launch is not None
    assert planned.launch.packages == ("six", "rich>=13")
    assert "a run prepares these packages beforehand: six, rich>=13" in planned.plan.notes


def rules_of(problems: tuple[object, ...]) -> list[str]:
    return [str(getattr(problem, "rule", "")) for problem in problems]


def _path(folder: Path | None = None, *programs: str, only: bool = False) -> str:
    """A search path without launchers of this machine, or with fake ones."""
    usual = [] if only else ["/usr/bin", "/bin"]
    if folder is None:
        return os.pathsep.join(usual)
    place = folder / "programs"
    place.mkdir()
    for program in programs:
        (place / program).write_text("#!/bin/sh\n")
        (place / program).chmod(0o755)
    return os.pathsep.join([str(place), *usual])
