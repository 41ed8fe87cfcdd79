"""What a plan is made of beside the skill: what a caller gives, and what the machine is."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.dryrun.plan import IsolationChoice, Launch, Plan, PlanProblem, Roots
from skillstudio.interface.model import ABSENT

PLAN_ONLY = IsolationChoice("plan", (), {})
_NOTHING: Mapping[str, str] = {}


class RunInputs(NamedTuple):
    """What a caller gives for one run."""

    roots: Roots
    texts: tuple[tuple[str, str], ...] = ()
    """Inputs as texts, typed by their schemas."""
    value: Any = ABSENT
    """All inputs as one JSON value, taken as it is."""
    sample: Any = ABSENT
    """The inputs of a sample, over which the others go."""
    arguments: tuple[str, ...] = ()
    """What a script gets behind its path."""
    env: Mapping[str, str] = _NOTHING
    """Variables that are not what they are on this machine."""
    secrets: Mapping[str, str] = _NOTHING
    """Sensitive inputs and variables by name. Never shown, never stored."""
    timeout: float | None = None
    """Seconds; None is what the manifest says."""
    isolation: IsolationChoice = PLAN_ONLY
    faults: tuple[PlanProblem, ...] = ()
    """What `check` calls an error in the skill, as `manifest_errors` finds it."""


class Machine(NamedTuple):
    """What a plan has to know of a machine."""

    platform: str
    """`unix` or `windows`."""
    environ: Mapping[str, str]

    @property
    def path(self) -> str:
        """Where programs are looked for."""
        return self.environ.get("PATH", os.defpath)


def this_machine() -> Machine:
    """The machine that this process runs on, its environment as it is now."""
    return Machine("windows" if sys.platform == "win32" else "unix", dict(os.environ))


class Planned(NamedTuple):
    """A plan, and what is started for it; None where nothing is or something stands against it."""

    plan: Plan
    launch: Launch | None


class OperationUnknown(Exception):
    """A skill has no operation of that name, or has several and none was named."""

    def __init__(self, message: str, names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.names = names
        """The operations that there are."""
