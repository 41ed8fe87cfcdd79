"""Create a skill from a template or scripts: check it, then move it in place atomically."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from skillstudio.files.placing import NotPlaced, place
from skillstudio.scaffold.destination import where_fault
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.record import TemplateRecord, record_of, recorded_files
from skillstudio.scaffold.new.rendering import RenderedSkill, render
from skillstudio.scaffold.new.scripts.drafting import ScriptInterview
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.discover import is_skill


class SkillDraft(NamedTuple):
    """The files of a new skill before writing, with the problems of a check."""

    rendering: RenderedSkill
    analysis: Analysis
    record: Callable[[str], TemplateRecord] | None = None
    """The record of the template for a destination; scripts have none."""

    @property
    def errors(self) -> int:
        """The number of errors, plus one if agents would not recognize it as a skill."""
        error_count = sum(
            diagnostic.severity == "error" for diagnostic in self.analysis.diagnostics
        )
        return error_count + (not self.is_skill)

    @property
    def is_skill(self) -> bool:
        """Whether the files are a skill; templates can produce anything."""
        return is_skill(self.rendering.tree)


def name_of(destination: str) -> str:
    """The last part of a destination: the name of the new folder and skill."""
    return os.path.basename(os.path.abspath(destination))


def draft(
    interview: Interview, answers: Mapping[str, Any], settings: SkillSettings = NO_SETTINGS
) -> SkillDraft:
    """Render and check a draft without writing it. Raises TemplateFault, RendererMissing."""
    if isinstance(interview, ScriptInterview):
        rendered_skill = interview.draft(answers)
        return SkillDraft(rendered_skill, analyse(rendered_skill.tree, settings))
    rendered_skill = render(interview, answers)
    # The interview may be closed when the draft is written.
    record = partial(record_of, interview, interview.walk(answers), rendered_skill)
    return SkillDraft(rendered_skill, analyse(rendered_skill.tree, settings), record)


def as_written(skill_draft: SkillDraft, destination: str) -> SkillDraft:
    """A draft with all files that are written to a destination: also those of the record."""
    if skill_draft.record is None:
        return skill_draft
    files = skill_draft.rendering.files
    files = files | recorded_files(skill_draft.record(destination), files)
    return skill_draft._replace(rendering=skill_draft.rendering._replace(files=files), record=None)


def create(skill_draft: SkillDraft, destination: str) -> None:
    """Write a draft to a new folder atomically. Raises NotPlaced."""
    if fault := where_fault(destination):
        raise NotPlaced(f"{destination}: {fault}")
    rendered_skill = as_written(skill_draft, destination).rendering
    place(rendered_skill.files, destination, rendered_skill.executable, rendered_skill.links)
