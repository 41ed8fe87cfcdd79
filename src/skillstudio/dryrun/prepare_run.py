"""Prepare a planned run on this machine: isolation levels, folders and identity of the skill."""

from __future__ import annotations

import os
from typing import NamedTuple

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.planning.run_inputs import Planned
from skillstudio.dryrun.prepared import UsageLimits
from skillstudio.dryrun.run import Request
from skillstudio.dryrun.staging.survey import LIMITS, CopyLimits
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.interface.model import Interface, Operation
from skillstudio.manifest.dialect import Skill


class PreparedRun(NamedTuple):
    """A request for a run, with notes for the user."""

    request: Request
    notes: tuple[str, ...]


def prepare_run(
    skill: Skill,
    folder: str,
    interface: Interface,
    operation: Operation,
    planned: Planned,
    limits: CopyLimits = LIMITS,
    twice: bool = False,
    allowed: UsageLimits | None = None,
) -> PreparedRun:
    """Prepare a plan that starts something; `folder` is the skill's.

    Raises ValueError for a plan that starts nothing.
    """
    from skillstudio.skill.hashing.content_hash import HashRefused
    from skillstudio.skill.hashing.identity import identify

    if planned.launch is None:
        raise ValueError("nothing is started by this plan")
    notes: tuple[str, ...] = ()
    identity: dict[str, str | None] | None = None
    try:
        identity = identify(skill, folder).recorded
    except (HashRefused, OSError) as error:
        notes = (f"the skill has no identity: {error}",)
    request = Request(
        planned.plan,
        planned.launch,
        interface,
        operation,
        probe_isolation(),
        copies_folder(),
        os.path.realpath(os.path.expanduser("~")),
        identity,
        limits,
        allowed or UsageLimits(),
        twice,
    )
    return PreparedRun(request, notes)
