"""What a plan is made from besides the skill: the caller's inputs and the machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.dryrun.plan import (
    ANY_NETWORK,
    IsolationChoice,
    Launch,
    NetworkChoice,
    Plan,
    PlanProblem,
    Roots,
)
from skillstudio.files.paths import below
from skillstudio.files.workspace import workspace_of
from skillstudio.interface.model import ABSENT

PLAN_ONLY = IsolationChoice("plan", (), {})
_NOTHING: Mapping[str, str] = {}
_ADVICE = "name a folder with --workspace DIR"


class RunInputs(NamedTuple):
    """What a caller gives for one run."""

    roots: Roots
    texts: tuple[tuple[str, str], ...] = ()  # Inputs as texts, typed by their schemas.
    value: Any = ABSENT  # All inputs as one JSON value.
    sample: Any = ABSENT  # The inputs of a sample, which the others override.
    arguments: tuple[str, ...] = ()
    env: Mapping[str, str] = _NOTHING
    secrets: Mapping[str, str] = _NOTHING
    """Sensitive inputs and variables by name. Never shown, never stored."""
    timeout: float | None = None  # Seconds; None for the manifest's.
    isolation: IsolationChoice = PLAN_ONLY
    stdin: str | None = None  # Text for the standard input of each step; None for none.
    faults: tuple[PlanProblem, ...] = ()  # The errors of the skill, from `manifest_errors`.
    network: NetworkChoice = ANY_NETWORK
    network_by: str = ""
    """Who chose the network, such as `the sample`; "" for the caller."""
    packages: tuple[str, ...] = ()
    """Python packages to prepare beside those that the skill declares, parsed."""
    anyway: bool = False  # Whether to run a script without arguments that it seems to require.


class Machine(NamedTuple):
    """What a plan has to know about a machine."""

    platform: str  # `unix` or `windows`.
    environ: Mapping[str, str]
    packages: str = ""
    """The folder first on PATH with the programs of packages, which planning must not start."""

    @property
    def path(self) -> str:
        """The search path for programs."""
        return self.environ.get("PATH", os.defpath)


def this_machine(programs: str = "") -> Machine:
    """The current machine with its current environment, and a folder first on PATH."""
    environ = dict(os.environ)
    if programs:
        environ["PATH"] = f"{programs}{os.pathsep}{environ.get('PATH', os.defpath)}"
    return Machine("windows" if sys.platform == "win32" else "unix", environ, programs)


class PlannedRun(NamedTuple):
    """A plan and what it starts; None when it starts nothing or has errors."""

    plan: Plan
    launch: Launch | None


class OperationUnknown(Exception):
    """An unknown operation, or none named where there are several: a sentence."""


class WorkspaceRefused(Exception):
    """A folder that no run may use: a sentence with the fix."""


def find_roots(
    skill_folder: str, workspace: str | None, repo_root: str | None, cwd: str, home: str
) -> Roots:
    """The real folders of a run, by default the repository around `repo_root` or `cwd`, else that
    folder. Raises WorkspaceRefused, also for `/` and a home folder: all of it would be copied."""
    skill = os.path.realpath(skill_folder)
    _judge(skill, home, "the skill's folder", "move the skill into a folder of its own")
    start = os.path.join(cwd, repo_root) if repo_root else cwd
    workspace_folder = os.path.join(cwd, workspace) if workspace else workspace_of(start)
    for option, folder in (("--repo-root", start), ("--workspace", workspace_folder)):
        if not os.path.isdir(folder):
            raise WorkspaceRefused(f"{option} {folder}: no such folder")
    root = os.path.realpath(workspace_folder)
    _judge(root, home, "the workspace", _ADVICE)
    repository = os.path.realpath(start) if repo_root else root
    if below(repository, root) is None:
        raise WorkspaceRefused(f"--repo-root {repo_root} is outside the workspace {root}")
    return Roots(root, skill, "" if repository == root else repository)


def _judge(folder: str, home: str, what: str, advice: str) -> None:
    home_folder = os.path.realpath(home) if home else ""
    if folder == os.path.dirname(folder):
        raise WorkspaceRefused(f"{what} would be {folder}, the whole machine; {advice}")
    if home_folder and folder == home_folder:
        raise WorkspaceRefused(f"{what} would be your home folder, {folder}; {advice}")
    if home_folder and below(home_folder, folder) is not None:
        raise WorkspaceRefused(
            f"{what} would be {folder}, which contains your home folder; {advice}"
        )
