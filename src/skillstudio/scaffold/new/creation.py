"""Make a skill of a template or of scripts: aside, checked, and moved in place in one step."""

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
from skillstudio.skill.around import skill_around
from skillstudio.skill.discover import is_skill


class SkillDraft(NamedTuple):
    """A skill that is not on disk yet: its files, and what a check says of them."""

    rendered: Rendered
    analysis: Analysis

    @property
    def errors(self) -> int:
        """How many findings are errors; that no agent would take it for a skill is one."""
        found = sum(each.severity == "error" for each in self.analysis.diagnostics)
        return found + (not self.is_skill)

    @property
    def is_skill(self) -> bool:
        """Whether the files are a skill at all: a template may be one of anything."""
        return is_skill(self.rendered.tree)


def name_of(destination: str) -> str:
    """The last part of a destination: the name of the new folder, and of the skill."""
    return os.path.basename(os.path.abspath(destination))


def where_fault(destination: str) -> str:
    """Why no skill can be made at a destination, as far as can be seen before; "" if one can.

    Cheap enough to be asked while the path is typed.
    """
    if not destination.strip():
        return "is empty"
    if "\0" in destination:
        return "holds a NUL"
    fault = path_fault(name_of(destination))
    if fault:
        return f"its name {fault}"
    fault = destination_fault(destination)
    if fault:
        return fault
    around = skill_around(destination)
    return f"it would lie in the skill {around}, and be part of it" if around else ""


def draft(
    interview: Interview, answers: Mapping[str, Any], settings: SkillSettings = NO_SETTINGS
) -> SkillDraft:
    """Render a template, or draft of scripts, with the answers, and check it; nothing is written.

    Raises TemplateFault, RendererMissing.
    """
    if isinstance(interview, ScriptInterview):
        return check_rendered(interview.drafted(answers), settings)
    return check_rendered(render(interview, answers), settings)


def check_rendered(rendered: Rendered, settings: SkillSettings = NO_SETTINGS) -> SkillDraft:
    """Files that are not on disk yet with what a check says of them."""
    return SkillDraft(rendered, analyse(rendered.tree, settings))


def create(made: SkillDraft, destination: str) -> None:
    """Write a draft where nothing is yet. Raises NotPlaced, and then nothing was made."""
    fault = where_fault(destination)
    if fault:
        raise NotPlaced(f"{destination}: {fault}")
    place(made.rendered.files, destination, made.rendered.executable)
