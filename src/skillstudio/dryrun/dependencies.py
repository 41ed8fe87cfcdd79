"""Environments with the packages of a script, prepared outside of runs and used again.

Preparing starts no code of the skill. Installers get parsed names and versions, work in a folder
without files of the skill, see only the variables in `_VARIABLES`, and install only wheels, because
a source distribution is a program. If builds are allowed, builds.py makes the wheels, contained. In
a run the environment can be read only, and is first on PATH.
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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.dryrun.passes import Request
from skillstudio.dryrun.plan import Plan
from skillstudio.dryrun.planning.environments import (
    DeclaredPackages,
    declared_packages,
    script_of,
)
from skillstudio.dryrun.planning.processes import named_packages
from skillstudio.dryrun.prepared import UsageLimits
from skillstudio.files.disk import DiskTree
from skillstudio.files.folders import remove
from skillstudio.files.paths import below
from skillstudio.files.saving.locks import locked_keys
from skillstudio.files.state import cache_folder

if TYPE_CHECKING:
    from skillstudio.dryrun.builds import Wheel
    from skillstudio.dryrun.isolation.levels import IsolationLevels

TIME = 600.0  # Seconds that preparing may take.
_MARK = "skillstudio.json"
_VERSION = 3
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
_PAUSE = 0.05
_LINES = 5  # Lines of an installer's error that are shown.
_INDEX_VARIABLES = frozenset(
    {
        *("PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"),
        *("PIP_NO_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL"),
        *("UV_INDEX_STRATEGY", "UV_FIND_LINKS", "UV_NO_INDEX"),
    }
)
"""Where packages come from."""
_VARIABLES = _INDEX_VARIABLES | {
    *("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
    *("SYSTEMROOT", "PATHEXT", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"),
    *("XDG_DATA_HOME", "PYENV_ROOT", "PYENV_VERSION", "NETRC"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy"),
    *("all_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
    *("CURL_CA_BUNDLE", "PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY", "PIP_TRUSTED_HOST"),
    *("PIP_TIMEOUT", "PIP_DEFAULT_TIMEOUT", "PIP_RETRIES", "PIP_CACHE_DIR"),
    *("UV_INSECURE_HOST", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_HTTP_TIMEOUT", "UV_OFFLINE"),
    *("UV_CACHE_DIR", "UV_KEYRING_PROVIDER"),
}
"""All variables that an installer gets: where programs, caches, proxies and the index are."""
_CREDENTIAL = re.compile(r"UV_INDEX_\w+_(?:USERNAME|PASSWORD)")
_PIP = """\
import os, runpy, shutil, sys, sysconfig
place = sys.argv.pop(1)
shutil.copytree(os.path.join(sysconfig.get_path("purelib"), "pip"), os.path.join(place, "pip"))
sys.path.insert(0, place)
STARTS = {
    "os": ("exec", "fork", "forkpty", "posix_spawn", "spawn", "startfile", "system"),
    "subprocess": ("Popen",),
}
def refuse(event, arguments):
    module, _, name = event.partition(".")
    if name in STARTS.get(module, ()):
        raise PermissionError("not started, because only wheels are installed")
sys.addaudithook(refuse)
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
"""Run pip without any other program: it builds a source distribution that a wheel's metadata names
by URL, whatever `--only-binary` says, but only in another process. It runs from a copy, in the
folder of the first argument, because a wheel can replace files of the pip that installs it."""


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


class _Preparation(NamedTuple):
    """How one environment is prepared."""

    folder: str
    python: str  # The interpreter that it is created with.
    packages: Sequence[str]
    source: str  # The file that declares them.
    skill: str
    variables: Mapping[str, str]
    builds: UsageLimits | None
    cancel: threading.Event


def prepare_environment(
    plan: Plan,
    environ: Mapping[str, str],
    cancel: threading.Event,
    builds: UsageLimits | None = None,
    packages: Sequence[str] = (),
) -> PreparedEnvironment | None:
    """The environment for the script of a plan; None when it needs no packages.

    `packages` are further ones, parsed, that no file declares. `builds` are the limits of building
    packages without a wheel; without them, none are built. Raises EnvironmentRefused,
    InterruptedError when cancelled, OSError, and with `builds` IsolationUnavailable.
    """
    script = script_of(plan)
    tree = DiskTree(plan.roots.skill)
    declaration = next(iter(declared_packages(tree, script)), None)
    packages = (*packages, *named_packages(tree, script))
    if declaration is None and not packages:
        return None
    program = os.path.basename(plan.steps[-1].argv[0])
    is_python = _PYTHON.fullmatch(program.removesuffix(".exe")) is not None
    if not is_python or (declaration is not None and declaration.command.startswith("npm")):
        raise EnvironmentRefused(_for_python_only(script, program, declaration))
    if declaration is not None and declaration.problem:
        raise EnvironmentRefused(declaration.problem)
    lines = sorted({*(declaration.packages if declaration is not None else ()), *packages})
    source = declaration.source if declaration is not None else script
    variables = installer_variables(environ, plan.roots.skill)
    start_time = time.monotonic()
    python = _real_python(_interpreter(plan, variables), variables)
    key = _key(lines, python, variables, builds is not None)
    folder = os.path.join(_environments(), key)
    preparation = _Preparation(
        folder, python, lines, source, plan.roots.skill, variables, builds, cancel
    )
    with locked_keys([key], TIME):
        is_new = not _is_usable(folder, builds is not None)
        if is_new:
            remove(folder)
            remove(_pip_folder(folder))
            _install(preparation)
    return PreparedEnvironment(folder, source, is_new, time.monotonic() - start_time)


def _for_python_only(script: str, program: str, declaration: DeclaredPackages | None) -> str:
    """Why no packages are prepared for a program."""
    message = (
        f"packages are prepared for python only; {script or 'the operation'} is started with "
        f"{program}"
    )
    if declaration is None:
        return f"{message}, so --with cannot add any"
    return f"{message}, so prepare {declaration.source} yourself: {declaration.command}"


def in_environment(request: Request, environment: PreparedEnvironment) -> Request:
    """A request whose programs come from an environment, which they can read and not change."""
    levels = request.levels.with_programs(environment.programs)
    return request._replace(levels=levels, packages=environment.source)


def installer_variables(environ: Mapping[str, str], skill: str) -> dict[str, str]:
    """The variables of a shell that an installer may see; PATH without folders of the skill or of
    environments."""
    variables = {
        name: value
        for name, value in environ.items()
        if name in _VARIABLES or _CREDENTIAL.fullmatch(name)
    }
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    roots = (skill, _environments())
    outside = (
        path
        for path in folders
        if os.path.isabs(path) and not any(_is_below(path, root) for root in roots)
    )
    return {**variables, "PATH": os.pathsep.join(outside)}


def _is_below(path: str, folder: str) -> bool:
    """Whether a path is in a folder, with links followed or not."""
    names = (os.path.normpath(path), os.path.realpath(path))
    return any(
        below(name, place) is not None
        for name in names
        for place in (folder, os.path.realpath(folder))
    )


def _environments() -> str:
    """The folder of all environments. Not below skillstudio's own, which no run can read."""
    return cache_folder("skillstudio-environments")


def _interpreter(plan: Plan, variables: Mapping[str, str]) -> str:
    """The interpreter that a plan starts. Raises EnvironmentRefused for one that a skill brings."""
    program = plan.steps[-1].argv[0]
    path = shutil.which(program, path=variables["PATH"])
    if path is None:
        raise EnvironmentRefused(f"{os.path.basename(program)} is not installed")
    path = os.path.abspath(path)
    # Of a virtual environment only the folder shows it: its Python is a link to another one.
    places = (path, os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)))
    is_named = os.path.dirname(program)
    if is_named and any(_is_below(path, root) for path in places for root in plan.roots[:2]):
        raise EnvironmentRefused(
            f"{path} is in the skill or the workspace, and preparing starts no program from "
            "there; start the script with an interpreter of the machine"
        )
    return path


def _real_python(path: str, variables: Mapping[str, str]) -> str:
    """The interpreter itself, which a version manager's shim only looks up."""
    code = "import sys; print(sys.executable)"
    os.makedirs(_environments(), 0o700, exist_ok=True)
    try:
        result = subprocess.run(  # noqa: S603 - the interpreter of this machine
            [path, "-I", "-c", code], capture_output=True, text=True, timeout=30, check=True,
            env=dict(variables), stdin=subprocess.DEVNULL, cwd=_environments(),
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentRefused(f"{path} does not start: {error}") from None
    return result.stdout.strip()


def _key(
    lines: Sequence[str], python: str, variables: Mapping[str, str], allows_builds: bool = False
) -> str:
    """The name of an environment: what is installed, from where, how, and by which interpreter."""
    real = os.path.realpath(python)
    about = os.stat(real)
    index = sorted((name, variables[name]) for name in _INDEX_VARIABLES & variables.keys())
    value = [_VERSION, list(lines), index, python, real, about.st_size, about.st_mtime_ns]
    return sha256(json.dumps([*value, allows_builds]).encode()).hexdigest()[:32]


def _is_usable(folder: str, allows_builds: bool) -> bool:
    """Whether an environment is complete, and built from sources only if that is allowed."""
    try:
        with open(os.path.join(folder, _MARK), encoding="utf-8") as file:
            mark = json.load(file)
    except (OSError, ValueError):
        return False
    return (
        isinstance(mark, dict)
        and mark.get("version") == _VERSION
        and mark.get("allows_builds") is allows_builds
    )


def _install(preparation: _Preparation) -> None:
    """Create an environment; nothing is left of one that fails."""
    folder = preparation.folder
    try:
        levels = _build_levels(preparation) if preparation.builds is not None else None
        uv = None if levels else shutil.which("uv", path=preparation.variables["PATH"])
        _run(_creation(preparation, uv), preparation)
        grants = _read_grants(folder)
        wheels: list[Wheel] = []
        if levels is not None:
            wheels = _install_built(preparation, levels)
        else:
            _run(_installation(folder, uv), preparation, preparation.packages)
        if not set(_read_grants(folder)) <= set(grants):
            raise EnvironmentRefused(
                f"a package of {preparation.source} replaces pyvenv.cfg, or has a program whose "
                "interpreter is elsewhere on this machine; it is not used, because runs could read "
                "more of the machine with it"
            )
        mark = {
            "version": _VERSION,
            "packages": list(preparation.packages),
            "python": preparation.python,
            "allows_builds": preparation.builds is not None,
            "installed": [wheel._asdict() for wheel in wheels] or _list_distributions(folder),
        }
        with open(os.path.join(folder, _MARK), "w", encoding="utf-8") as file:
            json.dump(mark, file)
    except BaseException:
        remove(folder)
        raise
    finally:
        remove(_pip_folder(folder))


def _creation(preparation: _Preparation, uv: str | None) -> list[str]:
    """The command that creates an environment without packages."""
    folder, python = preparation.folder, preparation.python
    if uv is not None:
        return [uv, "venv", "--quiet", "--no-project", "--no-config", "--python", python, folder]
    return [python, "-I", "-m", "venv", folder]


def _installation(folder: str, uv: str | None) -> list[str]:
    """The command that installs wheels, without the path of the requirements."""
    python = _own_python(folder)
    wheels = ("--only-binary", ":all:", "-r")
    if uv is not None:
        return [uv, "pip", "install", "--quiet", "--no-config", "--python", python, *wheels]
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    return [python, "-I", "-c", _PIP, _pip_folder(folder), "install", *quiet, *wheels]


def _read_grants(folder: str) -> list[str]:
    """What runs can read because of an environment, and its settings, which lead there.

    A wheel can contain any file of an environment but no link.
    """
    from skillstudio.dryrun.isolation.host import this_host
    from skillstudio.dryrun.isolation.readable import installations

    with open(os.path.join(folder, "pyvenv.cfg"), encoding="utf-8", errors="replace") as file:
        settings = file.read()
    return [settings, *installations(this_host(), os.path.dirname(_own_python(folder)))]


def _build_levels(preparation: _Preparation) -> IsolationLevels:
    """The level that packages are built at. Raises EnvironmentRefused, IsolationUnavailable."""
    from skillstudio.dryrun.builds import build_levels, settings_files
    from skillstudio.dryrun.network.package_index import IndexRefused, refuse_credentials

    variables = preparation.variables
    try:
        refuse_credentials(variables)
    except IndexRefused as error:
        raise EnvironmentRefused(str(error)) from None
    programs = os.path.dirname(_own_python(preparation.folder))
    path = f"{programs}{os.pathsep}{variables['PATH']}"
    return build_levels(path, (preparation.skill, *settings_files(variables)))


def _install_built(preparation: _Preparation, levels: IsolationLevels) -> list[Wheel]:
    """Install wheels that are built where that is needed: which. Raises EnvironmentRefused,
    IsolationUnavailable."""
    from skillstudio.dryrun.builds import Build, BuildFailed, built_wheels
    from skillstudio.dryrun.network.package_index import IndexRefused, read_index

    folder, variables = preparation.folder, preparation.variables
    python = _own_python(folder)
    limits = preparation.builds or UsageLimits()
    try:
        index = read_index(_pip_settings(python, variables), variables, levels.host.home)
        build = Build(python, preparation.packages, preparation.source, index, levels, limits, TIME)
        with built_wheels(build, f"{folder}.build", preparation.cancel) as (place, wheels):
            # Exactly these: a dependency that names a URL would be fetched outside.
            names = [f"{wheel.name}=={wheel.version}" for wheel in wheels]
            *command, last = _installation(folder, None)
            command += ["--no-index", "--no-deps", "--find-links", place, last]
            alone = {"PATH": variables["PATH"], "PIP_CONFIG_FILE": os.devnull}
            _run(command, preparation._replace(variables=alone), names)
    except (BuildFailed, IndexRefused) as error:
        raise EnvironmentRefused(str(error)) from None
    return wheels


def _pip_settings(python: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """The settings of pip that a new environment has. Raises EnvironmentRefused."""
    from skillstudio.dryrun.network.package_index import SETTINGS

    try:
        result = subprocess.run(  # noqa: S603 - the environment has no packages yet
            [python, "-I", "-c", SETTINGS], capture_output=True, text=True, timeout=60, check=True,
            env=dict(variables), stdin=subprocess.DEVNULL, cwd=_environments(),
        )  # fmt: skip
        settings = json.loads(result.stdout.splitlines()[-1])
    except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", "") or str(error)
        last = str(output).strip().splitlines()[-1:]
        raise EnvironmentRefused(
            f"--allow-builds cannot read pip's settings: {''.join(last)}"
        ) from None
    return dict(settings)


def _pip_folder(folder: str) -> str:
    """Where the pip that installs into an environment runs from."""
    return f"{folder}.pip"


def _own_python(folder: str) -> str:
    """The interpreter of an environment."""
    return os.path.join(folder, "Scripts" if os.name == "nt" else "bin", "python")


def _list_distributions(folder: str) -> list[dict[str, str]]:
    """The distributions in an environment, by the names of their metadata's folders."""
    stems = {
        name.removesuffix(".dist-info")
        for where, names, _ in os.walk(folder)
        if os.path.basename(where) == "site-packages"
        for name in names
        if name.endswith(".dist-info")
    }
    pairs = (stem.partition("-") for stem in sorted(stems))
    return [{"name": name, "version": version} for name, _, version in pairs]


def _run(command: list[str], preparation: _Preparation, lines: Sequence[str] = ()) -> None:
    """Run one command of an installer. Raises EnvironmentRefused, InterruptedError."""
    folder, cancel = preparation.folder, preparation.cancel
    if command[-1] == "-r":
        path = os.path.join(folder, "requirements.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))
        command = [*command, path]
    try:
        process = subprocess.Popen(  # noqa: S603 - an installer of this machine
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=dict(preparation.variables), cwd=os.path.dirname(folder), start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise EnvironmentRefused(f"{command[0]}: {error.strerror or error}") from None
    output = bytearray()

    def read() -> None:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        while data := os.read(process.stdout.fileno(), 1 << 16):
            output.extend(data)
            del output[: -1 << 16]

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
        last = output.decode("utf-8", "replace").strip().splitlines()[-_LINES:]
        what = f"the packages of {preparation.source} cannot be installed"
        if time.monotonic() > until:
            what += f" within {TIME:.0f} s"
        if preparation.builds is None:
            what += (
                "; only wheels are installed; if a package has no wheel for this interpreter, "
                "--allow-builds builds it, contained, with only the index reachable"
            )
        raise EnvironmentRefused("\n".join([f"{what}:", *(f"  {line}" for line in last)]))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End an installer with what it started."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
