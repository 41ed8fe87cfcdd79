"""Functions for programs that embed skillstudio; `docs/library.md` describes them.

They read files and start nothing of a skill. `analyse` gives what `skillstudio check` reports of
one skill, `compare` what `skillstudio diff` reports, without the files that use what changed. Texts
in results can contain what a skill's author wrote: pass them through `safe_text` before a terminal.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from skillstudio.files.disk import DiskSnapshot
from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import FileTree
from skillstudio.interface.change import Change
from skillstudio.manifest import targets as records
from skillstudio.manifest.registry import dialects, no_skill
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill import analysis as skill_analysis
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.discover import is_skill
from skillstudio.skill.outcomes import TargetAnswer
from skillstudio.skill.selection import request_targets
from skillstudio.skill.versions.comparison import (
    Comparison,
    Version,
    compare_versions,
    open_version,
)
from skillstudio.skill.versions.operands import Operand, OperandError, resolve
from skillstudio.skill.versions.reading import UnreadableManifest
from skillstudio.skill.workspace import WorkspaceSearch
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.nearest import did_you_mean
from skillstudio.text.safe import safe_text

__all__ = [
    "Analysis",
    "Change",
    "Comparison",
    "Diagnostic",
    "Files",
    "OperandError",
    "TargetAnswer",
    "TargetInfo",
    "UnreadableManifest",
    "analyse",
    "compare",
    "safe_text",
    "targets",
]

Files = Mapping[str, bytes]
"""The files of a skill in memory, by their path in its folder."""
_BY_CALLER = "the caller"


class TargetInfo(NamedTuple):
    """A place that a skill must work in."""

    id: str
    title: str
    kind: Literal["validator", "upload", "client"]
    about: str
    checked: str
    """The date on which its record was last compared with its sources, as YYYY-MM-DD."""
    record: Mapping[str, Any]
    """All that is recorded of it, each statement with its evidence. Do not change it."""


def targets() -> dict[str, TargetInfo]:
    """The targets by id: validators, uploads, then clients."""
    return {
        id: TargetInfo(
            id,
            record["title"],
            record["kind"],
            record["about"],
            record["checked"],
            record,
        )
        for id, record in records.targets().items()
    }


def analyse(
    skill: str | os.PathLike[str] | Files,
    *,
    targets: Iterable[str] = (),
    dialect: str | None = None,
    name: str = "skill",
) -> Analysis:
    """Check a skill: a folder with the settings that apply there, or files without settings.

    `targets` are checked besides those of the settings, and `dialect` overrides detection. `name`
    is the folder name of files. Raises OSError for what is no skill or cannot be read, and
    ValueError for an unknown target or dialect.
    """
    selected = tuple(targets)
    for target in selected:
        _refuse_unknown("target", target, records.recorded_targets())
    if dialect is not None:
        _refuse_unknown("dialect", dialect, [known.id for known in dialects()])
    tree, folder = _tree_of(skill, name)
    settings = NO_SETTINGS
    if folder:
        search = WorkspaceSearch()
        settings = search.settings_of(folder)
        if selected:
            settings = request_targets(settings, selected, _BY_CALLER)
        settings = search.add_place(settings, folder)
    elif selected:
        settings = request_targets(settings, selected, _BY_CALLER)
    return skill_analysis.analyse(tree, settings, dialect)


def compare(
    old: str | os.PathLike[str] | Files,
    new: str | os.PathLike[str] | Files,
    *,
    ruleset: Literal["default", "security"] = "default",
    name: str = "skill",
) -> Comparison:
    """Compare two versions of a skill: the changes of its interface, and the bump that they need.

    A version is what `skillstudio diff` accepts, such as a folder, an archive, `PATH@REF` or
    `NAME@1.2.0`, or files. The settings and waivers are those of the newer folder. Raises
    OperandError for a version that does not exist, UnreadableManifest for a manifest that cannot be
    parsed, and OSError for a folder that cannot be read.
    """
    operands = _operand(old, name), _operand(new, name)
    folder = operands[1].folder or operands[0].folder
    search = WorkspaceSearch()
    settings = search.settings_of(folder) if folder else NO_SETTINGS
    file_settings = search.settings_for(folder)[0] if folder else None
    versions = [_version(operand, settings) for operand in operands]
    return compare_versions(
        versions[0],
        versions[1],
        ruleset=ruleset,
        waivers=file_settings.waivers if file_settings is not None else (),
    )


def _refuse_unknown(what: str, value: str, known: Iterable[str]) -> None:
    names = list(known)
    if value not in names:
        raise ValueError(f"unknown {what} {value}{did_you_mean(value, names, '')}")


def _tree_of(skill: str | os.PathLike[str] | Files, name: str) -> tuple[FileTree, str]:
    """The files of a skill, and its folder on disk, "" for files in memory."""
    if isinstance(skill, Mapping):
        tree: FileTree = MemoryTree(skill, name)
        folder, shown = "", name
    else:
        shown = os.fspath(skill)
        folder = os.path.abspath(shown)
        tree = DiskSnapshot(folder)
    if not is_skill(tree):
        raise FileNotFoundError(no_skill(shown))
    return tree, folder


def _operand(version: str | os.PathLike[str] | Files, name: str) -> Operand:
    if isinstance(version, Mapping):
        return Operand(MemoryTree(version, name), name, "", name)
    return resolve(os.fspath(version))


def _version(operand: Operand, settings: SkillSettings) -> Version:
    version = open_version(operand, settings)
    if version is None:
        raise OperandError(f"there is no skill at {operand.label}")
    return version
