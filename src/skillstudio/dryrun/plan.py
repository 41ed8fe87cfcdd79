"""A plan: what a run would start, with what and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

RequirementState = Literal["missing", "unknown-version", "too-old", "too-new", "fine"]
Confirmation = Literal["auto", "prompt", "always"]
Severity = Literal["error", "warning", "info"]
NetworkMode = Literal["", "none", "loopback", "hosts", "record", "replay"]
"""What a run reaches; "" for what its isolation level allows."""
NOT_REQUESTED = "another isolation level was requested"

_SYSTEMS = ("unix", "windows")


class Roots(NamedTuple):
    """The two folders that a run may change, as absolute real paths."""

    workspace: str
    skill: str
    repository: str = ""  # The folder that `repo_root` means, if it is inside the workspace.

    def of(self, base: str) -> str:
        """The folder of a manifest's base; `cwd` and `skill_root` are the skill's."""
        return self.workspace if base in ("", "repo_root") else self.skill


class RequirementResult(NamedTuple):
    """A required command or file, and its state on this machine."""

    kind: Literal["command", "file"]
    name: str
    state: RequirementState
    found: str  # The installed version or path, else "".
    wanted: str  # The required versions in words; "" for any.


class PlannedOutput(NamedTuple):
    """A declared pattern of output files, with inputs inserted."""

    pattern: str
    path: str  # Relative to the base, with globs; "" when unknown.
    base: str  # `repo_root`, `skill_root` or `cwd`.


class IsolationChoice(NamedTuple):
    """The isolation level of a run."""

    id: str
    known_gaps: tuple[str, ...]  # The known gaps of this level on this machine, a sentence each.
    reasons: Mapping[str, str]  # Each higher isolation level, and why it is not used.


class NetworkChoice(NamedTuple):
    """The network of a run."""

    mode: NetworkMode = ""
    hosts: tuple[str, ...] = ()  # As they were given: `api.example.org`, `127.0.0.1:8000`.

    @property
    def words(self) -> tuple[str, ...]:
        """The values of `--net`."""
        return ((self.mode,) if self.mode not in ("", "hosts") else ()) + self.hosts

    @property
    def needs(self) -> str:
        """The isolation level without which it cannot be had; "" for any."""
        return {"": "", "none": "confined"}.get(self.mode, "isolated")

    @property
    def is_open(self) -> bool:
        """Whether something outside of the run is reached."""
        return self.mode in ("hosts", "record")


ANY_NETWORK = NetworkChoice()


class PlanProblem(NamedTuple):
    """A problem that prevents an operation from running, or changes how it runs."""

    rule: str
    message: str
    pointer: str  # The input, operation or term at fault, in the interface.
    severity: Severity = "error"


class Step(NamedTuple):
    """One process. Only recipes have several."""

    argv: tuple[str, ...]
    name: str = ""
    confirmation: Confirmation = "auto"
    mocked: str | None = None  # The output of a mocked step, which is not started.
    exit_code: int = 0  # The exit code of a mocked step.


class PrivateValues(NamedTuple):
    """What the caller gave for a run and its plan does not show. Never printed."""

    arguments: tuple[str, ...] = ()  # What follows `--` for a script.
    env: Mapping[str, str] = {}
    secrets: tuple[str, ...] = ()  # The names given with `--secret`.
    inputs: tuple[str, ...] = ()  # The names of the given inputs; "" for a value without names.
    sensitive_inputs: Mapping[str, Any] = {}
    """The unmasked values of inputs that the plan masks, by name, for the tokens of a trace."""
    stdin: str | None = None  # The text for standard input.


class Launch(NamedTuple):
    """What is started, including secrets. Never printed, never stored."""

    steps: tuple[Step, ...]
    cwd: str  # Absolute, below an original root; the isolation level maps it to the copy.
    env: Mapping[str, str]
    """Declared variables and inputs; the isolation level adds HOME, TMPDIR and PATH."""
    stdin: bytes = b""
    timeout: float = 30.0  # Seconds.
    files: Mapping[str, bytes] = {}
    """Files to create beside the copies, by the variable that names each."""
    secrets: tuple[str, ...] = ()  # Every sensitive value, to mask in whatever is stored or shown.
    module: str = ""  # The absolute path of a WASI command to run instead of a program.
    outputs: tuple[PlannedOutput, ...] = ()
    """The outputs of the plan with unmasked paths, for judging."""
    private: PrivateValues = PrivateValues()
    network: NetworkChoice = ANY_NETWORK
    packages: tuple[str, ...] = ()
    """Python packages for its environment beside those that files declare, parsed."""
    variables: Mapping[str, str] = {}
    """Texts inside arguments, such as `${CLAUDE_SKILL_DIR}`, to the path that takes their place,
    below an original root; the isolation level maps it to the copy."""


class Plan(NamedTuple):
    """What a dry run of one operation would do. Sensitive values are masked in all of it."""

    skill: str
    operation: str
    dialect: str
    argv: Mapping[str, tuple[tuple[str, ...], ...]]
    """Platform (`unix`, `windows`, `any`, `agent`) to the argv of each step."""
    cwd: str
    env: tuple[str, ...]  # Names only.
    inputs: Mapping[str, Any]
    requirements: tuple[RequirementResult, ...]
    outputs: tuple[PlannedOutput, ...]
    effects: tuple[str, ...]  # The declared effects, in the terms of effects.toml.
    isolation: IsolationChoice
    problems: tuple[PlanProblem, ...]
    steps: tuple[Step, ...]
    """What would be started on this machine, sensitive values masked."""
    roots: Roots
    empty: tuple[str, ...] = ()  # Absent inputs that become empty arguments.
    defaults: tuple[str, ...] = ()  # Inputs that were not given and have their default.
    notes: tuple[str, ...] = ()
    """Further facts: a procedure for an agent, a convention of skillstudio."""
    confirm: tuple[str, ...] = ()  # Why a run asks first: effects and steps that need consent.
    timeout: float = 30.0  # Seconds.
    network: tuple[str, ...] = ()  # The values of `--net`.

    @property
    def runnable(self) -> bool:
        """Whether there are no errors."""
        return not any(problem.severity == "error" for problem in self.problems)


def plan_value(plan: Plan) -> dict[str, Any]:
    """The JSON value of a plan; a recipe has a list of argvs instead of one."""
    several = any(step.name for step in plan.steps)

    def argv(steps: Sequence[tuple[str, ...]]) -> list[Any]:
        return [list(step) for step in steps] if several else list(steps[0]) if steps else []

    platforms = {
        system: argv(plan.argv.get(system, plan.argv.get("any", ()))) for system in _SYSTEMS
    }
    if "agent" in plan.argv:
        platforms["agent"] = argv(plan.argv["agent"])
    return {
        **_plain(plan),
        "argv": platforms,
        "steps": [
            {
                "name": step.name,
                "argv": list(step.argv),
                "confirmation": step.confirmation,
                "mocked": step.mocked is not None,
            }
            for step in plan.steps
        ],
        "roots": {"workspace": plan.roots.workspace, "skill": plan.roots.skill},
    }


def _plain(value: Any) -> Any:
    """Named tuples as objects, other tuples as lists."""
    if not isinstance(value, tuple):
        return value
    items = map(_plain, value)
    return dict(zip(value._fields, items, strict=True)) if hasattr(value, "_fields") else [*items]
