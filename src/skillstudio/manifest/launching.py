"""How the operations of a dialect are started, for dry runs. Nothing is started here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from skillstudio.interface.model import Requirement, Variable
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.placeholders import SINGLE
from skillstudio.text.scripts.model import NotRead, Script, ScriptCommand

if TYPE_CHECKING:
    from skillstudio.manifest.injected import InjectedCommand

Confirmation = Literal["auto", "prompt", "always"]
_NOTHING: Mapping[str, tuple[LaunchedProcess, ...]] = {}


class LaunchedProcess(NamedTuple):
    """One program with its arguments, including placeholders."""

    argv: tuple[str, ...]
    pointer: str  # Its pointer in the interface.
    name: str = ""
    confirmation: Confirmation = "auto"
    timeout: float | None = None  # Seconds; None if not declared.
    command: str = ""  # The whole command as one text, if it is written that way.
    refusal: str = ""
    needs_shell: str = ""


class Mock(NamedTuple):
    """A replacement for a program that is not started."""

    pattern: str  # A glob for the whole command, after inputs are filled in.
    stdout: str
    exit_code: int


class LaunchSpec(NamedTuple):
    """How one operation is started, including details that only its dialect has."""

    operation: str  # The operation of the interface with its inputs.
    platforms: Mapping[str, tuple[LaunchedProcess, ...]] = _NOTHING
    """`unix`, `windows` or `any` to the processes, in order."""
    script: str | None = None
    """The path of a script in the skill whose first line names its interpreter."""
    command: ScriptCommand | None = None  # The command of the script, if it could be read.
    declared: frozenset[str] = frozenset()
    """The names of the inputs that the manifest declares, which also reach a script as variables.
    """
    commands: tuple[str, ...] = ()  # The names of the script's commands, if none was chosen.
    injected_command: InjectedCommand | None = None  # A command that Claude Code runs with bash.
    module: str = ""  # The path of a WASI command in the skill.
    takes: Literal["arguments", "environment", "stdin"] = "arguments"
    """How inputs are passed: in placeholders, in variables, or as one JSON value on standard input.
    """
    placeholders: str = SINGLE
    folder: Literal["skill", "workspace"] = "skill"
    procedure: str = ""  # Instructions for an agent; no program is started.
    refusal: str = ""  # Why it can only be planned.
    requirements: tuple[Requirement, ...] = ()
    variables: tuple[Variable, ...] = ()
    mocks: tuple[Mock, ...] = ()  # The first one whose pattern matches a command is used.
    notes: tuple[str, ...] = ()


def launch_script(_manifest: Manifest, skill: Skill, operation: str) -> LaunchSpec | None:
    """The hook of dialects without entrypoints: a script in the workspace, as agents start it.

    The operation is its path, and after a space one of its commands: `scripts/notes.py add`.
    """
    script, command = script_named(skill, operation)
    if script is None:
        return None
    launch = LaunchSpec("", script=script, takes="environment", folder="workspace")
    read = _read(skill, script) if script else None
    if read is None:
        return None if command else launch
    chosen_command = next(
        (script_command for script_command in read.commands if script_command.name == command), None
    )
    if chosen_command is None and command:
        return None
    names = (
        ()
        if chosen_command is not None
        else tuple(script_command.name for script_command in read.commands)
    )
    return launch._replace(command=chosen_command, commands=names)


def script_named(skill: Skill, operation: str) -> tuple[str | None, str]:
    """The path that an operation's name refers to, and the script's command after it.

    "" is the skill, None is not a path.
    """
    if not operation or skill.tree.kind(operation) is not None:
        return operation, ""
    path = operation
    while " " in path:
        path = path.rpartition(" ")[0]
        if skill.tree.kind(path) == "file":
            return path, operation[len(path) + 1 :]
    return (operation if "/" in operation or "." in operation else None), ""


def _read(skill: Skill, path: str) -> Script | None:
    from skillstudio.files.paths import judge_path
    from skillstudio.text.scripts.reading import LARGEST, read_script

    verdict = judge_path(skill.tree, path)
    real = None if verdict.problem else skill.tree.resolve(verdict.path)
    if real is None or skill.tree.kind(real) != "file":
        return None
    try:
        return read_script(real, skill.tree.read(real, LARGEST + 1))
    except (OSError, NotRead):
        return None
