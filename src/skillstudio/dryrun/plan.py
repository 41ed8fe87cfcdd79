"""What would be started, with what and where: a plan starts nothing and turns into JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

RequirementState = Literal["missing", "unknown-version", "too-old", "too-new", "fine"]
Confirmation = Literal["auto", "prompt", "always"]
Severity = Literal["error", "warning", "info"]
NOT_REQUESTED = "another isolation level was requested"
"""The reason of a level that nobody asked for."""


class Roots(NamedTuple):
    """The two folders that a run may change, as absolute real paths."""

    workspace: str
    skill: str
    repository: str = ""
    """What `repo_root` means, where that is a folder of the workspace and not all of it. The
    paths of a plan are relative to the workspace all the same."""

    def of(self, base: str) -> str:
        """The folder that a base of a manifest names; `cwd` and `skill_root` are the skill's."""
        return self.workspace if base in ("", "repo_root") else self.skill


class Checked(NamedTuple):
    """A command or file that the manifest asks for, and what this machine has of it."""

    kind: Literal["command", "file"]
    name: str
    state: RequirementState
    found: str
    """The version or path that is there; "" without one."""
    wanted: str
    """The versions that are asked for, in words; "" for any."""


class PlannedOutput(NamedTuple):
    """A declared pattern of output files, with the inputs put in."""

    pattern: str
    path: str
    """Relative to the base, globs left in; "" where it cannot be resolved."""
    base: str
    """`repo_root`, `skill_root` or `cwd`."""


class IsolationChoice(NamedTuple):
    """Which isolation level a run would take."""

    id: str
    known_gaps: tuple[str, ...]
    """What this isolation level does not hold on this machine, a sentence each."""
    reasons: Mapping[str, str]
    """Each isolation level that was asked about and is not taken, to why."""


class PlanProblem(NamedTuple):
    """What keeps an operation from running, or makes it run otherwise than is meant."""

    rule: str
    message: str
    pointer: str
    """The input, operation or term at fault, in the interface."""
    severity: Severity = "error"


class Step(NamedTuple):
    """One process. All but recipes have exactly one."""

    argv: tuple[str, ...]
    name: str = ""
    """What the manifest calls it; "" where it has no name."""
    confirmation: Confirmation = "auto"
    mocked: str | None = None
    """What stands for its output: such a step is not started."""
    exit_code: int = 0
    """What a mocked step ends with."""


class PrivateValues(NamedTuple):
    """What the caller gave for a run, as far as its plan does not show it. Never printed."""

    arguments: tuple[str, ...] = ()
    """What follows `--` for a script."""
    env: Mapping[str, str] = {}
    """Variables that are not what they are on this machine."""
    secrets: tuple[str, ...] = ()
    """The names of what came by `--secret`."""
    inputs: tuple[str, ...] = ()
    """The names of the inputs that were given, in whatever way; of one value that has no names "".
    """
    hidden: Mapping[str, Any] = {}
    """The inputs that the plan masks, by name, as they are: a trace tells equal ones by them."""


class Launch(NamedTuple):
    """What is started, secrets and all. Never printed, never stored."""

    steps: tuple[Step, ...]
    cwd: str
    """Absolute, below one of the original roots: an isolation level says where its copy lies."""
    env: Mapping[str, str]
    """The declared variables and the inputs; an isolation level adds its own HOME, TMPDIR and
    PATH."""
    stdin: bytes = b""
    timeout: float = 30.0
    """Seconds."""
    files: Mapping[str, bytes] = {}
    """Files beside the copies that the program is told of, by the variable that names each."""
    secrets: tuple[str, ...] = ()
    """Every sensitive value: what must not be seen in anything that is kept or shown."""
    module: str = ""
    """The WASI command to run instead of a program, as an absolute path; the one step's argv is
    what it is told it was called with."""
    outputs: tuple[PlannedOutput, ...] = ()
    """Those of the plan with sensitive values in their paths: what is judged by."""
    private: PrivateValues = PrivateValues()


class Plan(NamedTuple):
    """What a dry run of one operation would do. Sensitive values are masked in all of it."""

    skill: str
    operation: str
    dialect: str
    argv: Mapping[str, tuple[tuple[str, ...], ...]]
    """Platform (`unix`, `windows`, `any`, `agent`) to the argv of each step."""
    cwd: str
    env: tuple[str, ...]
    """Names only."""
    inputs: Mapping[str, Any]
    requirements: tuple[Checked, ...]
    outputs: tuple[PlannedOutput, ...]
    effects: tuple[str, ...]
    """What the manifest declares, in the words of the effects table."""
    isolation: IsolationChoice
    problems: tuple[PlanProblem, ...]
    roots: Roots
    empty: tuple[str, ...] = ()
    """Inputs that are absent and stand as empty arguments."""
    notes: tuple[str, ...] = ()
    """What else is to be known: a procedure for an agent, a convention of ours."""
    confirm: tuple[str, ...] = ()
    """Why a run asks first: effects and steps that need consent."""
    steps: tuple[Step, ...] = ()
    """What would be started on this machine, sensitive values masked; empty for nothing."""
    timeout: float = 30.0
    """Seconds."""

    @property
    def runnable(self) -> bool:
        """Whether nothing stands against a run."""
        return not any(problem.severity == "error" for problem in self.problems)
