"""Start Python itself where a script names a program that would only set up its environment.

`uv run --script x.py` writes a cache, starts programs and downloads packages before the script
starts. A run prepares packages beforehand, so that none of that is charged to the skill.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.dryrun.plan import PlanProblem, Roots
from skillstudio.dryrun.planning.environments import MAX_BYTES
from skillstudio.dryrun.planning.requirements import version_of
from skillstudio.dryrun.planning.run_inputs import Machine
from skillstudio.files.paths import judge_path
from skillstudio.files.tree import FileTree
from skillstudio.resources import toml_table
from skillstudio.text.command_line import script_path
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.reading.requirements import (
    ScriptMetadata,
    parse_requirement,
    read_script_metadata,
)
from skillstudio.text.source import Source, decode

_PYTHON = lazy_pattern(r"python(?:3(?:\.\d+)?)?")
_VERSION = lazy_pattern(r"(?:python|cpython)?@?(\d+(?:\.\d+){0,2})")
_MINORS = range(30, 7, -1)  # Minor versions of Python 3 whose programs are looked for.


class LauncherCommand(NamedTuple):
    """The command of a program that sets up an environment and starts Python."""

    launcher: str  # As it is named, without its folder: `uv`.
    words: tuple[str, ...]  # Python's own words before the script, without the program: `-u`.
    script: int  # The index of the script in the command.
    is_script: bool  # Whether it is a script by an option or in its metadata, not of a project.
    packages: tuple[str, ...] = ()  # Further packages, as they are written.
    python: str = ""  # The version or program that it names.


class DirectStart(NamedTuple):
    """How a script is started without its launcher."""

    argv: tuple[str, ...]  # The interpreter and its options; then the script follows.
    script: int  # The index of the script in the command of the launcher.
    launcher: str
    packages: tuple[str, ...]  # Further packages, parsed.
    note: str
    problems: tuple[PlanProblem, ...] = ()


def find_direct_start(
    argv: Sequence[str],
    tree: FileTree,
    machine: Machine,
    roots: Roots,
    pointer: str,
    script: str = "",
) -> DirectStart | None:
    """How a command is started with Python itself; None if it has no such launcher, or needs it.

    `script` is the path in `tree` of the script that the command ends with, if it is the first line
    of that script.
    """
    command = read_launcher((*argv, script) if script else argv)
    if command is None:
        return None
    path = script or script_path(argv[command.script]) or ""
    verdict = judge_path(tree, path) if path else None
    if verdict is None or verdict.problem:
        return None
    metadata = _metadata(tree, verdict.path)
    row = _rows()[command.launcher]
    if metadata is None and row.get("needs_block"):
        return None
    is_of_project = metadata is None and not command.is_script and row.get("has_projects")
    if is_of_project and _has_lock(tree, verdict.path):
        return None
    try:
        packages = tuple(parse_requirement(text) for text in command.packages)
    except ValueError:
        return None
    requested_python = command.python or (metadata.python if metadata is not None else "")
    python, version, does_fit = _interpreter(requested_python, machine, roots)
    if not does_fit and shutil.which(command.launcher, path=machine.path):
        return None
    problems = () if does_fit else (_unfit(path, requested_python, python, version, pointer),)
    has_packages = bool(packages or (metadata is not None and metadata.has_packages))
    note = f"{path} is started with {python} instead of {command.launcher}"
    if not has_packages:
        note += ", because it needs no packages"
    elif machine.packages:
        note += ", in the prepared environment"
    else:
        note += "; --with-deps prepares the packages that it needs"
    return DirectStart(
        (python, *command.words), command.script, command.launcher, packages, note, problems
    )


def read_launcher(argv: Sequence[str]) -> LauncherCommand | None:
    """What a launcher's command runs; None for other programs, options and tools."""
    name = os.path.basename(argv[0]).removesuffix(".exe") if argv else ""
    row = _rows().get(name)
    if row is None:
        return None
    at = 1
    if row["commands"] != [""]:
        # Options of the program may come before its command.
        while at < len(argv) and argv[at] in row.get("switches", ()):
            at += 1
        if at >= len(argv) or argv[at] not in row["commands"]:
            return None
        at += 1
    is_script = False
    packages: list[str] = []
    python = ""
    while at < len(argv) and argv[at].startswith("-"):
        word, equals, value = argv[at].partition("=")
        at += 1
        if word == "--":
            break
        if not equals and word in row.get("script", ()):
            is_script = True
            continue
        if not equals and word in row.get("switches", ()):
            continue
        kind = next((key for key in _VALUE_KEYS if word in row.get(key, ())), "")
        if not kind or (not equals and at >= len(argv)):
            return None
        if not equals:
            value = argv[at]
            at += 1
        if kind == "packages":
            packages += [text.strip() for text in value.split(",")]
        elif kind == "python":
            python = value
    return _add_script(argv, at, LauncherCommand(name, (), at, is_script, tuple(packages), python))


_VALUE_KEYS = ("packages", "python", "valued")


def _add_script(argv: Sequence[str], at: int, command: LauncherCommand) -> LauncherCommand | None:
    """The command with the script that its words from `at` on start."""
    row = _rows()[command.launcher]
    if at >= len(argv):
        return None
    if _PYTHON.fullmatch(os.path.basename(argv[at])):
        begin = at + 1
        while begin < len(argv) and re.fullmatch(r"-[bBdEiIOPqRsSuvx]+", argv[begin]):
            begin += 1
        if begin >= len(argv) or argv[begin].startswith("-"):
            return None
        return command._replace(words=tuple(argv[at + 1 : begin]), script=begin)
    is_file = argv[at].endswith((".py", ".pyw")) or command.is_script
    return command if is_file and row.get("reads_block") else None


def _rows() -> Mapping[str, Any]:
    return toml_table(__file__, "launchers.toml")


def _metadata(tree: FileTree, path: str) -> ScriptMetadata | None:
    """The PEP 723 metadata of a script."""
    try:
        real = tree.resolve(path)
        if real is None or tree.kind(real) != "file" or tree.size(real) > MAX_BYTES:
            return None
        return read_script_metadata(Source(decode(tree.read(real))[0], path))
    except OSError:
        return None


def _has_lock(tree: FileTree, path: str) -> bool:
    """Whether a file is part of a project whose packages are locked."""
    folder = path.rpartition("/")[0]
    while True:
        lead = f"{folder}/" if folder else ""
        if tree.kind(f"{lead}uv.lock") == "file":
            return True
        if not folder:
            return False
        folder = folder.rpartition("/")[0]


def _interpreter(requested_python: str, machine: Machine, roots: Roots) -> tuple[str, str, bool]:
    """The Python program to start, its version if that was asked, and whether it fits."""
    usual = "python" if machine.platform == "windows" else "python3"
    if not requested_python:
        return usual, "", True
    match = _VERSION.fullmatch(requested_python)
    if match is None and not re.match(r"[<>=!~]", requested_python):
        is_program = shutil.which(requested_python, path=machine.path) is not None
        return (requested_python, "", True) if is_program else (usual, "", False)
    specifier = f"=={match[1]}.*" if match is not None else requested_python
    if match is not None and match[1].count(".") == 2:
        specifier = f"=={match[1]}"
    version = version_of(usual, machine, roots)
    if _fits(version, specifier):
        return usual, version, True
    for program in _find_pythons(machine):
        other = version_of(program, machine, roots)
        if _fits(other, specifier):
            return program, other, True
    return usual, version, False


def _find_pythons(machine: Machine) -> Iterator[str]:
    """Further Python programs of this machine, the newest first."""
    if machine.platform == "windows":
        return
    for minor in _MINORS:
        if shutil.which(f"python3.{minor}", path=machine.path):
            yield f"python3.{minor}"


def _fits(version: str, specifier: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion

    try:
        return SpecifierSet(specifier).contains(version, prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return not version


def _unfit(
    path: str, requested_python: str, python: str, version: str, pointer: str
) -> PlanProblem:
    message = (
        f"{path} asks for Python {requested_python}, and {python} is "
        f"{version or 'of an unknown version'}; "
        "install a Python that fits"
    )
    return PlanProblem("python-unfit", message, pointer, "warning")
