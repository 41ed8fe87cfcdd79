"""Find the skills of a workspace, with their settings and what is beside them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.disk import DiskSnapshot, DiskTree
from skillstudio.files.paths import below, make_relative
from skillstudio.files.tree import FileTree, Overlay, ReplacedTree
from skillstudio.manifest.registry import no_skill
from skillstudio.settings.settings import FILE, NO_SETTINGS, PYPROJECT, SkillSettings
from skillstudio.skill.discover import find_skills, is_flat_skill, is_skill
from skillstudio.skill.selection import KnownHomes, linked_folders, select_targets
from skillstudio.skill.settings_files import find_settings, folder_above, is_root, settings_in
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.source import Source, Span

if TYPE_CHECKING:
    from skillstudio.files.git_tree import StagedFolder
    from skillstudio.settings.read import Settings
    from skillstudio.settings.settings import SettingsFile
    from skillstudio.skill.client_places import KnownPlaces

PLUGIN_FOLDER = ".claude-plugin"
"""The folder of a Claude Code plugin or marketplace that contains its manifests."""
_SETTINGS = {FILE, PYPROJECT, ".git"}
_MOST_FLAT = 1_000  # Markdown files that are read in one folder.
_PLAIN = lazy_pattern(r"[\w.-]+")
"""Names of files that a message writes as a part of a command."""


class SkillPath(NamedTuple):
    """One skill: the path to show, its path on disk, and its settings."""

    label: str
    disk: str
    settings: SkillSettings = NO_SETTINGS
    unsaved_files: Mapping[str, bytes] = {}
    """Files that are not as on disk, by their path in the skill."""
    staged: StagedFolder | None = None
    """Where its files are, if they are what a commit would contain."""

    @property
    def tree(self) -> FileTree:
        """Its files, which need not exist on disk if they are unsaved or staged. Raises OSError."""
        if self.staged is not None:
            return ReplacedTree(self.staged.tree, self.staged.folder, DiskTree(self.disk))
        return (
            with_unsaved(self.disk, self.unsaved_files)
            if self.unsaved_files
            else DiskSnapshot(self.disk)
        )


class PluginFolder(NamedTuple):
    """The folder of a plugin or marketplace: as shown, and on disk."""

    display_path: str
    disk: str


class WorkspaceProblem(NamedTuple):
    """A problem that belongs to no skill: the file or folder as shown, and the file's text.

    The severity of the diagnostic is None where it is that of its rule.
    """

    path: str
    diagnostic: Diagnostic
    source: Source | None = None


class WorkspaceSearch:
    """The search for the skills of some folders; it keeps what else is in them."""

    def __init__(self, unsaved_settings: Mapping[str, str] = {}) -> None:
        self.unsaved_settings = unsaved_settings
        """The texts of files with settings that are not as on disk, by their absolute path."""
        self.problems: list[WorkspaceProblem] = []
        self.settings: dict[str, Settings] = {}
        """The settings that apply, by their file on disk."""
        self._searched_folders: list[str] = []
        self._plain_folders: set[str] = set()
        """Folders of a search that have no settings and are no root of a repository."""
        self.without: dict[str, list[str]] = {}
        """Folders without a skill, as shown, with the skills that links in them lead to; they are
        in `problems`, too."""
        self.protos: list[tuple[str, str]] = []
        """YAML files that name skills: the path, and how it is shown."""
        self.plugins: dict[str, PluginFolder] = {}
        """The folders of Claude Code plugins and marketplaces, by their path on disk."""
        self._homes = KnownHomes()
        self._places: KnownPlaces | None = None
        self._read: dict[str, tuple[Settings | None, SettingsFile | None]] = {}

    def add(self, rule: str, message: str, path: str) -> None:
        """Add a problem without a place in a text."""
        self.problems.append(WorkspaceProblem(path, Diagnostic(rule, message)))

    def below(self, path: str, display_path: str) -> Iterator[SkillPath]:
        """The skills at and below a folder, with their settings."""
        tree = DiskTree(path)
        for inside in self.folders(path, display_path):
            disk = tree.path(inside)
            yield SkillPath(_inside(display_path, inside), disk, self.settings_of(disk))

    def folders(
        self, path: str, display_path: str, is_cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[str]:
        """The skills at and below a folder, relative to it. `display_path` is how messages name
        it."""
        tree = DiskTree(path)
        with suppress(OSError):  # `settings_of` reports settings that cannot be read.
            self.settings_for(tree.root)
        self._searched_folders.append(os.path.realpath(tree.root))

        def unreadable(inside: str, error: OSError) -> None:
            where = _inside(display_path, inside)
            self.add(
                "folder-unreadable", f"{where or tree.name} cannot be listed: {error.strerror}",
                where,
            )  # fmt: skip

        def visit(inside: str, names: set[str]) -> None:
            if _SETTINGS.isdisjoint(names):
                self._plain_folders.add(tree.path(inside))
            if PLUGIN_FOLDER in names:
                disk = tree.path(inside)
                self.plugins.setdefault(disk, PluginFolder(_inside(display_path, inside), disk))
            for name in _flat_skills(tree, inside, names):
                stem = name.removesuffix(".md")
                message = (
                    f"clients read {stem}/SKILL.md here, and not this file; move it: "
                    f"mkdir {stem} && mv {name} {stem}/SKILL.md"
                )
                self.add(
                    "skill-flat", message, _inside(display_path, f"{inside}/{name}".lstrip("/"))
                )

        before, number = len(self.problems), 0
        for inside in find_skills(
            tree, unreadable=unreadable, visit=visit, is_cancelled=is_cancelled
        ):
            number += 1
            yield inside
        if not number and len(self.problems) == before:
            self.without[display_path] = _linked_skills(path)
            self.add("skill-missing", no_skill(display_path), display_path)

    @property
    def whole_settings(self) -> list[Settings]:
        """The settings whose whole folder is searched, in the order of their paths."""
        files = {file for _, file in self._read.values() if file and file.origin != "user"}
        bases = {file.path: os.path.realpath(file.base) for file in files}
        return [
            self.settings[path]
            for path, base in sorted(bases.items())
            if any(below(base, folder) is not None for folder in self._searched_folders)
        ]

    def settings_of(self, folder: str) -> SkillSettings:
        """The settings of a skill, with the targets of its place if they name none.

        Raises OSError.
        """
        return select_targets(self.stated_settings(folder), folder, self._homes)

    def stated_settings(self, folder: str) -> SkillSettings:
        """What the settings that apply in a skill's folder state. Raises OSError."""
        settings, file = self.settings_for(folder)
        if settings is None or file is None:
            return NO_SETTINGS
        inside = below(folder, file.base)
        if inside is None:
            inside = make_relative(os.path.realpath(folder), os.path.realpath(file.base))
        return settings.for_skill(inside.replace(os.sep, "/"))

    def add_place(self, settings: SkillSettings, folder: str) -> SkillSettings:
        """The settings of a skill with the place at which targets look for it, and without those
        that the place selects, but that do not find it there."""
        from skillstudio.skill.client_places import KnownPlaces, place_of
        from skillstudio.skill.outcomes import without_missing

        if self._places is None:
            self._places = KnownPlaces()
        settings = settings._replace(client_place=place_of(folder, self._places))
        return without_missing(settings) if settings.by_place else settings

    def settings_for(self, folder: str) -> tuple[Settings | None, SettingsFile | None]:
        """The settings that apply in a folder, and their file. Raises OSError."""
        if folder in self._read:
            return self._read[folder]
        if (absolute := os.path.abspath(folder)) != folder:
            self._read[folder] = self.settings_for(absolute)
            return self._read[folder]
        if folder in self._plain_folders and not self.unsaved_settings:
            self._read[folder] = self.settings_for(os.path.dirname(folder))
            return self._read[folder]
        own = settings_in(folder, self.unsaved_settings)
        if own is None and not is_root(folder):
            self._read[folder] = self.settings_for(folder_above(folder))
            return self._read[folder]
        file = find_settings(folder, self.unsaved_settings)
        if own is not None and file is not None and file.origin == "workspace" and file != own:
            message = f"it has no effect: {file.display_path} applies, as this folder is in a skill"
            self.add("settings-in-skill", message, own.display_path)
        settings = None
        if file is not None:
            if file.path not in self.settings:
                self._read_settings(file)
            settings = self.settings[file.path]
        self._read[folder] = settings, file
        return settings, file

    def _read_settings(self, file: SettingsFile) -> None:
        from skillstudio.manifest.registry import dialect_ids
        from skillstudio.manifest.rulebook import former_rule, rule_names
        from skillstudio.manifest.targets import recorded_targets
        from skillstudio.settings.read import read_settings_file

        settings, wrong = read_settings_file(file, self.unsaved_settings.get(file.path))
        self.settings[file.path] = settings
        source = settings.document.source
        problems = [
            *settings.diagnostics,
            *settings.unknown_names(rule_names(), recorded_targets, dialect_ids, former_rule),
        ]
        if wrong is not None:
            message = "not UTF-8 from here on; save the file as UTF-8"
            problems.insert(0, Diagnostic("file-not-utf8", message, Span(wrong, wrong)))
        # Only files of skills are fixed.
        self.problems += [
            WorkspaceProblem(source.path, diagnostic._replace(fixes=()), source)
            for diagnostic in problems
        ]


def _linked_skills(folder: str) -> list[str]:
    """The skills to which the links in a folder lead, as messages name them."""
    here = os.path.realpath(os.curdir)
    return [
        make_relative(target, here)
        for target in sorted(linked_folders(folder))
        if is_skill(DiskTree(target))
    ]


def _flat_skills(tree: DiskTree, folder: str, names: set[str]) -> list[str]:
    """The Markdown files in a folder that clients search which are skills without a folder."""
    files = sorted(name for name in names if name.endswith(".md") and name != "SKILL.md")
    disk = tree.path(folder)
    # The names of the folders that clients search start so; reading the records takes 20 ms.
    if not files or not os.path.basename(disk).startswith("skill"):
        return []
    from skillstudio.skill.client_places import client_folders

    parts = disk.split(os.sep)
    if not any(parts[-len(root) :] == root for root in client_folders()):
        return []
    return [
        name
        for name in files[:_MOST_FLAT]
        if _PLAIN.fullmatch(name) and is_flat_skill(tree, f"{folder}/{name}".lstrip("/"))
    ]


def with_unsaved(folder: str, unsaved_files: Mapping[str, bytes]) -> FileTree:
    """A folder, which need not exist, with files that are not as on disk."""
    if os.path.isdir(folder):
        return Overlay(DiskTree(folder), dict(unsaved_files))
    from skillstudio.files.listed import MemoryTree

    return MemoryTree(dict(unsaved_files), os.path.basename(folder))


def _inside(display_path: str, inside: str) -> str:
    """How a path in a folder is shown."""
    if not inside or not display_path:
        return display_path or inside
    return f"{display_path}/{inside}".replace("//", "/")
