"""Find the version of a skill that an argument names, and the settings that apply to it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from skillstudio.cli.output import UsageError, refuse_on, say
from skillstudio.files.paths import make_relative
from skillstudio.settings.settings import (
    NO_SETTINGS,
    SettingsFile,
    SkillSettings,
)
from skillstudio.skill.settings_files import find_settings
from skillstudio.skill.versions.operands import Operand, OperandError, resolve

if TYPE_CHECKING:
    from skillstudio.files.tree import FileTree
    from skillstudio.settings.read import Settings, Waiver


class SettingsReader:
    """The settings that apply in folders; each file is read, and its problems printed, once."""

    def __init__(self) -> None:
        self._read: dict[str, Settings] = {}

    def of(self, operand: Operand) -> tuple[SkillSettings, tuple[Waiver, ...], str]:
        """The settings for the skill of an operand, its waivers, and their file."""
        file = find_settings(operand.folder) if operand.folder else None
        if file is None:
            return NO_SETTINGS, (), ""
        settings = self._settings(file)
        root = os.path.realpath(file.base)
        path = make_relative(os.path.realpath(operand.folder), root).replace(os.sep, "/")
        return settings.for_skill(path), settings.waivers, settings.document.source.path

    def _settings(self, file: SettingsFile) -> Settings:
        if file.path not in self._read:
            from skillstudio.settings.read import read_settings_file

            settings, wrong = read_settings_file(file)
            self._read[file.path] = settings
            source = settings.document.source
            messages = [] if wrong is None else [(wrong, "not UTF-8 from here on")]
            messages += [
                (diagnostic.span.start if diagnostic.span else 0, diagnostic.message)
                for diagnostic in settings.diagnostics
            ]
            for start, message in messages:
                line, column = source.position(start)
                say(f"{source.path}:{line}:{column}: {message}")
        return self._read[file.path]


def find_operand(text: str) -> tuple[Operand, FileTree]:
    """One version of a skill and its files. Raises UsageError if there is none."""
    with refuse_on(OperandError):
        operand = resolve(text)
    if operand.tree is None:
        raise UsageError(f"there is no skill at {operand.label}")
    return operand, operand.tree
