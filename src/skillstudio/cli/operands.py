"""Find the version of a skill that an argument names, and the settings that apply to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillstudio.cli.output import UsageError, refuse_on
from skillstudio.cli.skill_paths import say_settings_problems
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.versions.operands import Operand, OperandError, resolve
from skillstudio.skill.workspace import WorkspaceSearch

if TYPE_CHECKING:
    from skillstudio.files.tree import FileTree
    from skillstudio.settings.read import Waiver


class SettingsReader:
    """The settings that apply in folders; each file is read, and its problems printed, once."""

    def __init__(self) -> None:
        self._search = WorkspaceSearch()
        self._printed_count = 0

    def of(self, operand: Operand) -> tuple[SkillSettings, tuple[Waiver, ...], str]:
        """The settings for the skill of an operand, its waivers, and their file."""
        if not operand.folder:
            return NO_SETTINGS, (), ""
        skill_settings = self._search.stated_settings(operand.folder)
        settings, _ = self._search.settings_for(operand.folder)
        say_settings_problems(self._search, self._printed_count)
        self._printed_count = len(self._search.problems)
        if settings is None:
            return skill_settings, (), ""
        return skill_settings, settings.waivers, settings.document.source.path


def find_operand(text: str) -> tuple[Operand, FileTree]:
    """One version of a skill and its files. Raises UsageError if there is none."""
    with refuse_on(OperandError):
        operand = resolve(text)
    if operand.tree is None:
        raise UsageError(f"there is no skill at {operand.label}")
    return operand, operand.tree
