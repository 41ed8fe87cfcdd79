"""Create a skill from a template or scripts: check it, then move it in place atomically."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.files.placing import NotPlaced, destination_fault, path_fault, place
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.rendering import Rendered, render
from skillstudio.scaffold.new.scripts.interview import ScriptInterview
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.discover import is_skill, skill_around


class SkillDraft(NamedTuple):
    """The files of a new skill before writing, with the problems of a check."""

    rendered: Rendered
    analysis: Analysis

    @property
    def errors(self) -> int:
        """The number of errors, plus one if agents would not recognize it as a skill."""
        found = sum(each.severity == "error" for each in self.analysis.diagnostics)
        return found + (not self.is_skill)

    @property
    def is_skill(self) -> bool:
        """Whether the files are a skill; templates can produce anything."""
        return is_skill(self.rendered.tree)


def name_of(destination: str) -> str:
    """The last part of a destination: the name of the new folder and skill."""
    return os.path.basename(os.path.abspath(destination))


def where_fault(destination: str) -> str:
    """Why no skill can be created at a destination, or "".

    Cheap enough to call on each key press.
    """
    if not destination.strip():
        return "is empty"
    if "\0" in destination:
        return "contains a NUL"
    fault = path_fault(name_of(destination))
    if fault:
        return f"its name {fault}"
    fault = destination_fault(destination)
    if fault:
        return fault
    around = skill_around(destination)
    return f"it is inside the skill {around}; choose a folder outside of it" if around else ""


def draft(
    interview: Interview, answers: Mapping[str, Any], settings: SkillSettings = NO_SETTINGS
) -> SkillDraft:
    """Render and check a draft without writing it. Raises TemplateFault, RendererMissing."""
    if isinstance(interview, ScriptInterview):
        return check_rendered(interview.drafted(answers), settings)
    return check_rendered(render(interview, answers), settings)


def check_rendered(rendered: Rendered, settings: SkillSettings = NO_SETTINGS) -> SkillDraft:
    """Check files that are not on disk yet."""
    return SkillDraft(rendered, analyse(rendered.tree, settings))


def create(made: SkillDraft, destination: str) -> None:
    """Write a draft to a new folder atomically. Raises NotPlaced."""
    fault = where_fault(destination)
    if fault:
        raise NotPlaced(f"{destination}: {fault}")
    place(made.rendered.files, destination, made.rendered.executable)
