"""Wheels of packages, built where only the index can be reached and nothing else be changed.

pip runs at the isolation level `isolated`, and so do all programs of packages that it starts. It
writes only wheels, which are installed outside, where no program of a package is started.
"""

from __future__ import annotations

import os
import re
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import file_digest
from typing import NamedTuple

from skillstudio.dryrun.isolation.levels import (
    IsolationLevels,
    IsolationUnavailable,
    probe_isolation,
)
from skillstudio.dryrun.network.package_index import PackageIndex, find_file_hosts
from skillstudio.dryrun.network.proxy import Proxy
from skillstudio.dryrun.plan import NetworkChoice
from skillstudio.dryrun.prepared import CopiedFolder, Options, RunFolders, StepStart, UsageLimits
from skillstudio.dryrun.report import RunEnding
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import ProgramOutput
from skillstudio.files.folders import remove

_LINES = 20  # Lines of pip's error that are shown.
_FILE_NAME = re.compile(r"[A-Za-z0-9_.+!-]+\.whl")
_NOISE = re.compile(r"\s*(?:(?:note|hint): .*|│ exit code: .*|╰─> See above .*)?")
_MOST_NAMED = 5
_OWN_FOLDERS = ("home", "temporary", "wheels")


class BuildFailed(Exception):
    """Why packages cannot be built: a sentence, then pip's last lines."""


class Wheel(NamedTuple):
    """A wheel that pip downloaded or built."""

    name: str  # Normalised.
    version: str
    sha256: str


class Build(NamedTuple):
    """What to build, and how."""

    python: str  # That of a virtual environment with pip.
    requirements: Sequence[str]
    source: str  # The file that declares them, for messages.
    package_index: PackageIndex
    levels: IsolationLevels
    limits: UsageLimits
    timeout: float


def build_levels(path: str, hidden_paths: Sequence[str]) -> IsolationLevels:
    """The level `isolated` for builds, with this PATH; `hidden_paths` are unreadable. Raises
    IsolationUnavailable."""
    levels = probe_isolation()
    level = levels.level("isolated")
    if not level.available:
        raise IsolationUnavailable(
            f"--allow-builds needs the isolation level isolated: {level.reason}"
        )
    own_folders = tuple(dict.fromkeys((*levels.host.own_folders, *hidden_paths)))
    return IsolationLevels([level], levels.host._replace(path=path, own_folders=own_folders))


def settings_files(variables: Mapping[str, str]) -> list[str]:
    """Files that may contain credentials of installers and that all programs can read."""
    folders = variables.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    files = ["/etc/pip.conf", "/etc/uv", variables.get("PIP_CONFIG_FILE", "")]
    for folder in folders.split(os.pathsep):
        files += [os.path.join(folder, "pip"), os.path.join(folder, "uv")]
    return [path for path in files if os.path.isabs(path) and path != os.devnull]


@contextmanager
def built_wheels(
    build: Build, folder: str, cancel: threading.Event
) -> Iterator[tuple[str, list[Wheel]]]:
    """Build in a new folder that exists until the end of the context: where the wheels are, and
    which. Raises BuildFailed, IsolationUnavailable, InterruptedError, OSError."""
    remove(folder)
    try:
        for name in _OWN_FOLDERS:
            os.makedirs(os.path.join(folder, name), 0o700)
        _run_pip(build, folder, cancel)
        wheels = os.path.join(folder, "wheels")
        yield wheels, _read_wheels(wheels)
    finally:
        remove(folder)


def _run_pip(build: Build, folder: str, cancel: threading.Event) -> None:
    """Let pip download or build all wheels, contained."""
    home, temporary, wheels = (os.path.join(folder, name) for name in _OWN_FOLDERS)
    # A copy at the place of its original: the only folder besides those of every run.
    run_folders = RunFolders(folder, (CopiedFolder(wheels, wheels),), home, temporary)
    index = build.package_index
    choice = NetworkChoice("hosts", (*index.hosts, *find_file_hosts(index)))
    proxy = Proxy(choice)
    argv = [
        *(build.python, "-I", "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
        *("--no-input", "--no-cache-dir", "--prefer-binary", "--wheel-dir", wheels),
        *index.options,
    ]
    texts = {
        "--cert": index.certificates,
        "--constraint": "".join(f"{line}\n" for line in index.constraints),
        "--requirement": "".join(f"{line}\n" for line in build.requirements),
    }
    for option, text in texts.items():
        if text:
            path = os.path.join(temporary, option.removeprefix("--") + ".txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            argv += [option, path]
    env = {**proxy.environment(""), "PIP_CONFIG_FILE": os.devnull}
    output = ProgramOutput(folder)
    try:
        with proxy.step() as network:
            options = Options(limits=build.limits, network=network, readable=index.folders)
            start = StepStart(argv, env, temporary, run_folders, options)
            prepared_process = build.levels.prepare("isolated", start)
            ending = execute(prepared_process, build.timeout, cancel, output)
    finally:
        output.close()
    if ending.cancelled:
        raise InterruptedError
    if ending.exit_code != 0:
        raise BuildFailed("\n".join(_explain(build, ending, output, proxy)))


def _explain(build: Build, ending: RunEnding, output: ProgramOutput, proxy: Proxy) -> Iterator[str]:
    """Why the packages were not built, as lines."""
    why = f"the packages of {build.source} cannot be built"
    if ending.timed_out:
        why += f" within {build.timeout:.0f} s"
    elif ending.error or ending.limits:
        why += f": {ending.error or ending.limits[-1]}"
    yield f"{why}; they are built contained, with only the index reachable:"
    refused_subjects = sorted({event.subject for event in proxy.events if event.error})
    for subject in refused_subjects[:_MOST_NAMED]:
        yield f"  {subject} is no host of the index and was not reached"
    text = output.stderr.tail().decode("utf-8", "replace")
    lines = [line.rstrip() for line in text.splitlines() if not _NOISE.fullmatch(line)]
    for line in lines[-_LINES:]:
        yield f"  {line}"


def _read_wheels(folder: str) -> list[Wheel]:
    """The wheels in a folder that programs of packages could write. Raises BuildFailed."""
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    wheels: dict[str, Wheel] = {}
    not_wheel = "a build left {!r}, which is not a wheel"
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if not _FILE_NAME.fullmatch(entry.name):
                raise BuildFailed(not_wheel.format(entry.name))
            try:
                # A link would lead out of the folder, where more can be read than inside.
                fd = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                with open(fd, "rb") as file:
                    if not stat.S_ISREG(os.fstat(fd).st_mode):
                        raise BuildFailed(f"a build left {entry.name!r}, which is not a file")
                    name, version, *_ = parse_wheel_filename(entry.name)
                    wheel = Wheel(name, str(version), file_digest(file, "sha256").hexdigest())
            except InvalidWheelFilename:
                raise BuildFailed(not_wheel.format(entry.name)) from None
            except OSError as error:
                why = f"cannot be read: {error.strerror or error}"
                raise BuildFailed(f"a build left {entry.name!r}, which {why}") from None
            if name in wheels:
                raise BuildFailed(f"a build left 2 wheels of {name}")
            wheels[name] = wheel
    return list(wheels.values())
