"""What a plan is made from besides the skill: the caller's inputs and the machine."""

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
    """All inputs as one JSON value."""
    sample: Any = ABSENT
    """The inputs of a sample, which the others override."""
    arguments: tuple[str, ...] = ()
    """Arguments for a script."""
    env: Mapping[str, str] = _NOTHING
    """Variables to set."""
    secrets: Mapping[str, str] = _NOTHING
    """Sensitive inputs and variables by name. Never shown, never stored."""
    timeout: float | None = None
    """Seconds; None for the manifest's."""
    isolation: IsolationChoice = PLAN_ONLY
    faults: tuple[PlanProblem, ...] = ()
    """The errors of the skill, from `manifest_errors`."""


class Machine(NamedTuple):
    """What a plan has to know about a machine."""

    platform: str
    """`unix` or `windows`."""
    environ: Mapping[str, str]

    @property
    def path(self) -> str:
        """The search path for programs."""
        return self.environ.get("PATH", os.defpath)


def this_machine() -> Machine:
    """The current machine with its current environment."""
    return Machine("windows" if sys.platform == "win32" else "unix", dict(os.environ))


class Planned(NamedTuple):
    """A plan and what it starts; None when it starts nothing or has errors."""

    plan: Plan
    launch: Launch | None


class OperationUnknown(Exception):
    """An unknown operation, or none named where there are several."""

    def __init__(self, message: str, names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.names = names
        """The existing operations."""
