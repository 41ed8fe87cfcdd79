"""The choices and inputs for a run, and the state planned from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.dryrun.isolation.levels import IsolationLevels
from skillstudio.dryrun.plan import Plan, PlanProblem
from skillstudio.dryrun.planning.make import ResolvedOperation
from skillstudio.dryrun.planning.run_inputs import PlannedRun
from skillstudio.dryrun.sampling.sample import Sample
from skillstudio.interface.model import Interface
from skillstudio.manifest.dialect import Skill
from skillstudio.present.lines import count
from skillstudio.present.samples import folder_text
from skillstudio.session.fields import Field
from skillstudio.session.running.drafts import Drafts
from skillstudio.session.running.slots import Slot


class RunRefused(Exception):
    """A run or a sample is not possible; the message is for users."""


class RunSelection(NamedTuple):
    """The choices and inputs at one time."""

    operation: str
    drafts: Drafts
    isolation: str | None
    workspace: str | None
    sample: Sample | None = None  # The sample whose folder is used in place of the workspace.
    expect: Mapping[str, Any] | None = None  # What the loaded sample expects; None once edited.


class SkillOnDisk(NamedTuple):
    """The skill on disk."""

    folder: str
    skill: Skill
    interface: Interface  # Unmasked: only for starting programs, never for display.
    operations: tuple[str, ...]
    faults: tuple[PlanProblem, ...] = ()  # The errors of its manifest, which prevent a run.


class RunState(NamedTuple):
    """The plan for a selection, or why there is none."""

    selection: RunSelection
    trouble: str = ""
    disk_skill: SkillOnDisk | None = None
    resolution: ResolvedOperation | None = None
    slots: tuple[Slot, ...] = ()
    fields: tuple[Field, ...] = ()
    planned_run: PlannedRun | None = None
    problems: tuple[PlanProblem, ...] = ()  # The problems that belong to no field.
    wrong: int = 0  # The number of errors, including those of fields.
    levels: IsolationLevels | None = None
    twice: bool = False

    @property
    def plan(self) -> Plan | None:
        return self.planned_run.plan if self.planned_run else None

    @property
    def folder_of_sample(self) -> str:
        """The folder that the loaded sample gives to the run, in words; "" if it gives none."""
        sample = self.selection.sample
        return f"the folder of the sample {sample.name}: {folder_text(sample)}" if sample else ""

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations to choose from."""
        return self.disk_skill.operations if self.disk_skill else ()

    @property
    def why_not(self) -> str:
        """Why it cannot be run; "" if it can."""
        if self.planned_run is None:
            return self.trouble or "there is no plan"
        if (
            not self.operations
            and self.resolution is not None
            and self.resolution.launch_spec.script == ""
        ):
            return "the skill has no operation"
        if self.wrong:
            words = {"missing": "is required", "error": "is invalid"}
            messages = [
                f"`{slot.label.removesuffix(' *')}` {words[slot.state.status]}"
                for slot in self.problem_fields
            ]
            if self.is_faulty:
                messages.append("the manifest has errors")
            return ", ".join(messages) or f"fix {count(self.wrong, 'error')}"
        if self.planned_run.plan.isolation.id == "plan":
            reasons = self.planned_run.plan.isolation.reasons.values()
            return next(iter(reasons), "the isolation level `plan` starts no program")
        return "" if self.planned_run.launch else "there is no program to start"

    @property
    def is_faulty(self) -> bool:
        """Whether the manifest has errors, which no input can fix."""
        return self.disk_skill is not None and bool(self.disk_skill.faults)

    @property
    def problem_fields(self) -> tuple[Field, ...]:
        """The fields with a missing or invalid value."""
        return tuple(field for field in self.fields if field.state.status in ("error", "missing"))
