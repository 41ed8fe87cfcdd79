"""Environments with the packages of a script, prepared outside of runs and used again.

Preparing starts no code of the skill: only wheels of named packages are installed, because a source
distribution is a program. In a run the environment can be read only, and is first on PATH.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from skillstudio.dryrun.passes import Request
from skillstudio.dryrun.plan import Plan
from skillstudio.dryrun.planning.environments import (
    DeclaredPackages,
    declared_packages,
    requirement_lines,
    script_of,
)
from skillstudio.files.disk import DiskTree
from skillstudio.files.folders import remove
from skillstudio.files.saving.locks import locked_keys
from skillstudio.files.state import cache_folder

TIME = 600.0  # Seconds that preparing may take.
_MARK = "skillstudio.json"
_VERSION = 1
_LONGEST = 500
_REQUIREMENT = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._, -]*\])?[A-Za-z0-9<>=!~,.*+() -]*(;[^;\\]*)?"
)
_HASH = re.compile(r" --hash=[a-z0-9]+:[0-9a-f]+")
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
_PAUSE = 0.05
_LINES = 5  # Lines of an installer's error that are shown.


class EnvironmentRefused(Exception):
    """Why no environment can be prepared: a sentence, then the installer's last lines."""


class PreparedEnvironment(NamedTuple):
    """An environment that a run can use."""

    folder: str
    source: str  # The file that declares the packages, relative to the skill.
    is_new: bool
    seconds: float

    @property
    def programs(self) -> str:
        """The folder to put first on PATH."""
        return os.path.join(self.folder, "Scripts" if os.name == "nt" else "bin")


def prepare_environment(
    plan: Plan, environ: Mapping[str, str], cancel: threading.Event
) -> PreparedEnvironment | None:
    """The environment for the script of a plan; None when it declares no packages. Raises
    EnvironmentRefused, InterruptedError when cancelled, OSError."""
    script = script_of(plan)
    tree = DiskTree(plan.roots.skill)
    declared = next(iter(declared_packages(tree, script)), None)
    if declared is None:
        return None
    program = os.path.basename(plan.steps[-1].argv[0])
    if not _PYTHON.fullmatch(program.removesuffix(".exe")) or declared.command.startswith("npm"):
        raise EnvironmentRefused(
            f"--with-deps prepares packages for python only; {script} is started with {program}, "
            f"so prepare {declared.source} yourself: {declared.command}"
        )
    found = shutil.which(plan.steps[-1].argv[0], path=environ.get("PATH"))
    if found is None:
        raise EnvironmentRefused(f"{program} is not installed")
    lines = list(_checked(tree, declared))
    begun = time.monotonic()
    python = _real_python(found, environ)
    folder = os.path.join(_environments(), _key(lines, python))
    with locked_keys([os.path.basename(folder)], TIME):
        is_new = not os.path.isfile(os.path.join(folder, _MARK))
        if is_new:
            remove(folder)
            _install(folder, python, lines, declared.source, environ, cancel)
    return PreparedEnvironment(folder, declared.source, is_new, time.monotonic() - begun)


def in_environment(request: Request, environment: PreparedEnvironment) -> Request:
    """A request whose programs come from an environment, which they can read and not change."""
    levels = request.levels.with_programs(environment.programs)
    return request._replace(levels=levels, packages=environment.source)


def _environments() -> str:
    """The folder of all environments. Not below skillstudio's own, which no run can read."""
    return cache_folder("skillstudio-environments")


def _checked(tree: DiskTree, declared: DeclaredPackages) -> Iterator[str]:
    """The requirements. Raises EnvironmentRefused for what is no package of an index."""
    for number, line in requirement_lines(tree, declared):
        plain = _HASH.sub("", line).strip()
        if len(plain) > _LONGEST or not _REQUIREMENT.fullmatch(plain):
            place = f"{declared.source}:{number}" if number else declared.source
            raise EnvironmentRefused(
                f"{place}: {plain[:_LONGEST]!r} is not a package of an index with a version; "
                "options, paths and URLs are not installed, because they may run code"
            )
        yield line


def _real_python(found: str, environ: Mapping[str, str]) -> str:
    """The interpreter itself, which a version manager's shim only looks up."""
    code = "import sys; print(sys.executable)"
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter of this machine
            [found, "-I", "-c", code], capture_output=True, text=True, timeout=30, check=True,
            env=dict(environ), stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentRefused(f"{found} does not start: {error}") from None
    return done.stdout.strip()


def _key(lines: Sequence[str], python: str) -> str:
    """The name of an environment: what is installed, and by which interpreter."""
    real = os.path.realpath(python)
    about = os.stat(real)
    value = [_VERSION, list(lines), python, real, about.st_size, about.st_mtime_ns]
    return sha256(json.dumps(value).encode()).hexdigest()[:32]


def _install(
    folder: str,
    python: str,
    lines: Sequence[str],
    source: str,
    environ: Mapping[str, str],
    cancel: threading.Event,
) -> None:
    """Create an environment; nothing is left of one that fails."""
    os.makedirs(os.path.dirname(folder), 0o700, exist_ok=True)
    try:
        for command in _commands(folder, python, environ):
            _run(command, folder, lines, source, environ, cancel)
        with open(os.path.join(folder, _MARK), "w", encoding="utf-8") as file:
            json.dump({"version": _VERSION, "packages": list(lines), "python": python}, file)
    except BaseException:
        remove(folder)
        raise


def _commands(folder: str, python: str, environ: Mapping[str, str]) -> Iterator[list[str]]:
    """The commands that create an environment, by uv where it is installed."""
    uv = shutil.which("uv", path=environ.get("PATH"))
    wheels = ["--only-binary", ":all:", "-r"]
    own = os.path.join(folder, "Scripts" if os.name == "nt" else "bin", "python")
    if uv is not None:
        yield [uv, "venv", "--quiet", "--no-project", "--no-config", "--python", python, folder]
        yield [uv, "pip", "install", "--quiet", "--no-config", "--python", own, *wheels]
    else:
        yield [python, "-I", "-m", "venv", folder]
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
        yield [own, "-I", "-m", "pip", "install", *quiet, *wheels]


def _run(
    command: list[str],
    folder: str,
    lines: Sequence[str],
    source: str,
    environ: Mapping[str, str],
    cancel: threading.Event,
) -> None:
    """Run one command of an installer. Raises EnvironmentRefused, InterruptedError."""
    if command[-1] == "-r":
        path = os.path.join(folder, "requirements.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))
        command = [*command, path]
    try:
        process = subprocess.Popen(  # noqa: S603 - an installer of this machine
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=dict(environ), cwd=os.path.dirname(folder), start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise EnvironmentRefused(f"{command[0]}: {error.strerror or error}") from None
    said = bytearray()

    def read() -> None:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        while data := os.read(process.stdout.fileno(), 1 << 16):
            said.extend(data)
            del said[: -1 << 16]

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    until = time.monotonic() + TIME
    with process:
        while process.poll() is None:
            if cancel.wait(_PAUSE) or time.monotonic() > until:
                _end(process)
        reader.join(_PAUSE * 20)
    if cancel.is_set():
        raise InterruptedError
    if process.returncode:
        last = said.decode("utf-8", "replace").strip().splitlines()[-_LINES:]
        what = f"the packages of {source} cannot be installed"
        if time.monotonic() > until:
            what += f" within {TIME:.0f} s"
        raise EnvironmentRefused("\n".join([f"{what}:", *(f"  {line}" for line in last)]))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End an installer with what it started."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
