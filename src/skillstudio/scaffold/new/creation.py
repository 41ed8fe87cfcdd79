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
from skillstudio.scaffold.new.rendering import Rendered, render
from skillstudio.scaffold.new.scripts.drafting import ScriptInterview
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.discover import is_skill


class SkillDraft(NamedTuple):
    """The files of a new skill before writing, with the problems of a check."""

    rendered: Rendered
    analysis: Analysis
    record: Callable[[str], TemplateRecord] | None = None
    """The record of the template for a destination; scripts have none."""

    @property
    def errors(self) -> int:
        """The number of errors, plus one if agents would not recognize it as a skill."""
        found = sum(diagnostic.severity == "error" for diagnostic in self.analysis.diagnostics)
        return found + (not self.is_skill)

    @property
    def is_skill(self) -> bool:
        """Whether the files are a skill; templates can produce anything."""
        return is_skill(self.rendered.tree)


def name_of(destination: str) -> str:
    """The last part of a destination: the name of the new folder and skill."""
    return os.path.basename(os.path.abspath(destination))


def draft(
    interview: Interview, answers: Mapping[str, Any], settings: SkillSettings = NO_SETTINGS
) -> SkillDraft:
    """Render and check a draft without writing it. Raises TemplateFault, RendererMissing."""
    if isinstance(interview, ScriptInterview):
        rendered = interview.drafted(answers)
        return SkillDraft(rendered, analyse(rendered.tree, settings))
    rendered = render(interview, answers)
    # The interview may be closed when the draft is written.
    record = partial(record_of, interview, interview.walk(answers), rendered)
    return SkillDraft(rendered, analyse(rendered.tree, settings), record)


def as_written(made: SkillDraft, destination: str) -> SkillDraft:
    """A draft with all files that are written to a destination: also those of the record."""
    if made.record is None:
        return made
    files = made.rendered.files
    files = files | recorded_files(made.record(destination), files)
    return made._replace(rendered=made.rendered._replace(files=files), record=None)


def create(made: SkillDraft, destination: str) -> None:
    """Write a draft to a new folder atomically. Raises NotPlaced."""
    if fault := where_fault(destination):
        raise NotPlaced(f"{destination}: {fault}")
    rendered = as_written(made, destination).rendered
    place(rendered.files, destination, rendered.executable, rendered.links)
