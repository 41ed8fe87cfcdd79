"""Check whether required commands and files exist, and in which versions. Only commands with an
option that is known to print a version are started."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from skillstudio.dryrun.plan import RequirementResult, RequirementState, Roots
from skillstudio.dryrun.planning.run_inputs import Machine
from skillstudio.files.paths import below, normalise
from skillstudio.interface.model import Requirement
from skillstudio.resources import toml_table
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.versions import compare_dotted, parse_dotted, within

SECONDS = 5.0  # Time limit of a command that reports its version.
_AT_ONCE = 8
_FEW = 50  # For more commands than this the folders of the search path are listed, once.
_READ = 64 * 1024  # Bytes of a command's output that are searched.
_LINES = 8
_DOTTED_VERSION = lazy_pattern(r"(?<![0-9.])[0-9]+(?:\.[0-9]+)+")
_BEHIND = lazy_pattern(r"v?([0-9]+(?:\.[0-9]+)*)")
_WHOLE = lazy_pattern(r"(?<![\w.-])v?([0-9]+)(?![\w.-])")
_IN_BRACKETS = lazy_pattern(r"\([^()]*\)")
_APPLE = ("/Library/Developer/CommandLineTools", "/Applications/Xcode.app")
_STATES: dict[RequirementState, str] = {
    "missing": "is not on this machine",
    "too-old": "is older than required",
    "too-new": "is newer than allowed",
    "unknown-version": "does not report its version",
}
_outputs: dict[tuple[Any, ...], str] = {}
"""What commands printed, by path, real path, modification time, size and working folder."""


def check(
    requirements: Sequence[Requirement], machine: Machine, roots: Roots
) -> tuple[RequirementResult, ...]:
    """The state of each requirement, in their order; commands are asked all at once."""
    names = frozenset[str]()
    if sum(requirement.kind == "command" for requirement in requirements) > _FEW:
        names = _programs(machine.path)
    paths = [_find(requirement, machine, roots, names) for requirement in requirements]
    commands = {
        requirement.name: _outside_packages(requirement.name, path, machine)
        for requirement, path in zip(requirements, paths, strict=True)
        if path and requirement.kind == "command" and (requirement.minimum or requirement.maximum)
    }
    versions = _versions(commands, machine, roots)
    return tuple(
        _check_requirement(requirement, path, versions.get(requirement.name, ""))
        for requirement, path in zip(requirements, paths, strict=True)
    )


def version_in(text: str, command: str) -> str:
    """The version in a command's output, else ""."""
    row = _row(command)
    if "after" in row:
        match = _BEHIND.match(text.partition(row["after"])[2])
        version = match[1] if match else ""
        # Java called its versions 1.x up to 8.
        return version.removeprefix("1.") if row.get("drop_leading_one") else version
    lines = text.splitlines()[:_LINES]
    for line in lines:
        # Brackets contain the version of a package or library.
        for candidate in (_IN_BRACKETS.sub(" ", line), line):
            dotted_version = _DOTTED_VERSION.search(candidate)
            if dotted_version:
                return dotted_version.group()
    whole = _WHOLE.search(_IN_BRACKETS.sub(" ", lines[0])) if lines else None
    return whole[1] if whole else ""


def version_of(command: str, machine: Machine, roots: Roots) -> str:
    """The version that a program on PATH reports, else "". No program of packages is asked."""
    path = shutil.which(command, path=machine.path) or ""
    return version_in(
        _ask_version(command, _outside_packages(command, path, machine), machine, roots), command
    )


def describe_versions(requirement: Requirement) -> str:
    """The required versions, in words."""
    least = f"at least {requirement.minimum}" if requirement.minimum else ""
    most = f"at most {requirement.maximum}" if requirement.maximum else ""
    return ", ".join(filter(None, (least, most)))


def sentence(result: RequirementResult, requirement: Requirement, roots: Roots) -> str:
    """What this machine lacks for a requirement that is not fine."""
    if result.kind == "file":
        return f"{result.name} is not in {roots.of(requirement.base or 'skill_root')}"
    message = f"{result.name} {_STATES[result.state]}"
    if result.state == "missing":
        return message
    return f"{message}: found {result.found}, requires {result.wanted}"


def _programs(path: str) -> frozenset[str]:
    """The names of all files in the folders of a search path; empty where one cannot be listed."""
    names: set[str] = set()
    for folder in path.split(os.pathsep):
        try:
            names.update(map(str.casefold, os.listdir(folder or os.curdir)))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return frozenset()
    return frozenset(names)


def _find(
    requirement: Requirement, machine: Machine, roots: Roots, programs: frozenset[str]
) -> str:
    """Where a requirement is, else "". `programs` are the possible names of commands, if known."""
    if requirement.kind == "file":
        inside = normalise(requirement.name)
        path = os.path.join(roots.of(requirement.base or "skill_root"), inside or "")
        return path if inside and os.path.exists(path) else ""
    if "\0" in requirement.name:
        return ""
    name = requirement.name
    if os.sep in name:
        name = os.path.join(roots.skill, name)
    elif programs and name.isascii() and name.casefold() not in programs and os.name != "nt":
        return ""
    return shutil.which(name, path=machine.path) or ""


def _outside_packages(name: str, path: str, machine: Machine) -> str:
    """The program to ask for a version: the one that the packages of a script hide, else ""."""
    if not machine.packages or os.path.dirname(path) != machine.packages:
        return path
    rest = machine.path.removeprefix(machine.packages).lstrip(os.pathsep)
    return shutil.which(name, path=rest) or ""


def _check_requirement(requirement: Requirement, path: str, version: str) -> RequirementResult:
    required_versions = describe_versions(requirement)

    def state(name: RequirementState, detail: str) -> RequirementResult:
        return RequirementResult(
            requirement.kind, requirement.name, name, detail, required_versions
        )

    if not path:
        return state("missing", "")
    if requirement.kind == "file" or not required_versions:
        return state("fine", path)
    have = parse_dotted(version)
    least, most = parse_dotted(requirement.minimum), parse_dotted(requirement.maximum)
    if have is None or (requirement.minimum and least is None):
        return state("unknown-version", version or path)
    if least is not None and compare_dotted(have, least) < 0:
        return state("too-old", version)
    if requirement.maximum and most is None:
        return state("unknown-version", version)
    # A maximum is a prefix: 2 admits every 2.x.
    if most is not None and not within(have, most):
        return state("too-new", version)
    return state("fine", version)


def _versions(commands: Mapping[str, str], machine: Machine, roots: Roots) -> dict[str, str]:
    if not commands:
        return {}
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        outputs = pool.map(
            lambda name: _ask_version(name, commands[name], machine, roots), commands
        )
        return {
            name: version_in(text, name)
            for name, text in zip(commands, outputs, strict=True)
            if text
        }


def _ask_version(name: str, path: str, machine: Machine, roots: Roots) -> str:
    """What a command prints about its version; "" when it must not be asked or prints nothing."""
    arguments = _row(name).get("arguments", ["--version"])
    if not path or not arguments or _opens_a_window(path):
        return ""
    try:
        real = os.path.realpath(path)
        # A program of the skill is only ever started in copies; a relative path may be one.
        folders = (roots.skill, os.path.realpath(roots.skill))
        skill_matches = (below(at, folder) is not None for at in (path, real) for folder in folders)
        if not os.path.isabs(path) or any(skill_matches):
            return ""
        status = os.stat(real)
    except OSError:
        return ""
    # Shims of version managers answer depending on the working folder.
    key = (path, real, status.st_mtime_ns, status.st_size, roots.skill)
    if key not in _outputs:
        _outputs[key] = _ask([path, *arguments], machine, roots, bool(_row(name).get("fails")))
    return _outputs[key]


def _ask(argv: list[str], machine: Machine, roots: Roots, fails: bool) -> str:
    import signal
    import subprocess

    environ = {**machine.environ, "LC_ALL": "C"}
    folder = roots.skill if os.path.isdir(roots.skill) else None
    try:
        process = subprocess.Popen(  # noqa: S603
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environ,
            cwd=folder,
            start_new_session=True,
        )
    except OSError:
        return ""
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        # Its children would hold the pipe open.
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.communicate()
        return ""
    return output[:_READ].decode("utf-8", "replace") if process.returncode == 0 or fails else ""


def _opens_a_window(path: str) -> bool:
    """Whether macOS would offer to install developer tools instead of running a command."""
    is_shim = sys.platform == "darwin" and path.startswith("/usr/bin/")
    return is_shim and not any(map(os.path.exists, _APPLE))


def _row(command: str) -> dict[str, Any]:
    name = os.path.basename(command).removesuffix(".exe")
    row: dict[str, Any] = toml_table(__file__, "commands.toml").get(name, {})
    return row
