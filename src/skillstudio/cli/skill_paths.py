"""Find the skills that the paths of a command line name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.cli.output import UsageError
from skillstudio.files.disk import DiskSnapshot, DiskTree
from skillstudio.files.tree import FileTree, Overlay
from skillstudio.manifest.registry import no_skill
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings, find_settings
from skillstudio.skill.discover import PLUGIN_FOLDER, find_skills, is_skill
from skillstudio.skill.selection import KnownPlugins, select_targets

if TYPE_CHECKING:
    from skillstudio.settings.read import Settings
    from skillstudio.settings.settings import SettingsFile
    from skillstudio.text.diagnostic import Severity


class SkillPath(NamedTuple):
    """One skill: the path to show, its path on disk, and its settings."""

    shown: str
    disk: str
    settings: SkillSettings = NO_SETTINGS
    unsaved: Mapping[str, bytes] = {}
    """Files that are not as on disk, by their path in the skill."""

    @property
    def tree(self) -> FileTree:
        """Its files, which need not exist on disk if they are unsaved."""
        if not self.unsaved:
            return DiskSnapshot(self.disk)
        return _with_unsaved(self.disk, self.unsaved)


class Notes:
    """Problems of the workspace that belong to no skill."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str, str, int, int, Severity | None]] = []
        """Rule, message, path, line, column, and a severity if it is not that of the rule."""
        self.settings: dict[str, Settings] = {}
        """The settings that apply, by their file on disk."""
        self.whole: set[str] = set()
        """The settings whose whole folder is checked."""
        self.without: list[str] = []
        """Folders without a skill, as shown; they are in `found` too."""
        self.homes: KnownPlugins = {}
        self.protos: list[tuple[str, str]] = []
        """YAML files that name skills: the path, and how it is shown."""
        self.plugins: dict[str, SkillPath] = {}
        """The folders of Claude Code plugins and marketplaces, by their path on disk."""

    def add(
        self,
        rule: str,
        message: str,
        path: str,
        line: int = 1,
        column: int = 1,
        severity: Severity | None = None,
    ) -> None:
        self.found.append((rule, message, path, line, column, severity))


def hook_paths(given: Iterable[str]) -> list[str]:
    """The paths that a git hook checks: the given ones, and those of all staged changes.

    Some do not exist, because deleted files are staged, too. Raises GitError.
    """
    from skillstudio.files.git_tree import staged_files
    from skillstudio.files.repository import open_repository

    repository = open_repository(os.curdir)
    # `git commit FILE` stages in an index of its own.
    index = os.environ.get("GIT_INDEX_FILE", "")
    commit = repository.commit("HEAD") if repository.has("HEAD") else ""
    staged = staged_files(repository.root, commit, os.path.abspath(index) if index else "")
    found = (os.path.relpath(os.path.join(repository.root, path)) for path in staged)
    # Without paths the command has its default, which a hook does not check.
    return list(dict.fromkeys((*(path for path in given if path != os.curdir), *found)))


def unsaved_skill_path(path: str, data: bytes, notes: Notes) -> SkillPath | None:
    """The skill of a file with this content, which need not exist on disk; None if there is none.

    Raises OSError.
    """
    folder, name = os.path.split(path)
    holder: str | None = folder or "."
    # The file may be what makes its folder a skill.
    if next(find_skills(_with_unsaved(os.path.abspath(folder), {name: data})), None) != "":
        holder = _holder(path, {}) if os.path.isdir(folder or ".") else None
    if not holder:
        notes.add("skill-missing", f"{path} belongs to no skill", path)
        return None
    disk = os.path.abspath(holder)
    own = select_targets(settings_of(disk, *settings_for(disk, notes)), disk, notes.homes)
    inside = os.path.relpath(path, holder).replace(os.sep, "/")
    return SkillPath(holder.replace(os.sep, "/"), disk, own, {inside: data})


def _with_unsaved(folder: str, unsaved: Mapping[str, bytes]) -> FileTree:
    if os.path.isdir(folder):
        return Overlay(DiskTree(folder), dict(unsaved))
    from skillstudio.files.listed import MemoryTree

    return MemoryTree(dict(unsaved), os.path.basename(folder))


def skill_paths(
    paths: Iterable[str], notes: Notes, *, is_hook: bool = False
) -> Iterator[SkillPath]:
    """The skills at and below some paths, each once. A file names the skill that contains it.

    A hook ignores paths without a skill. Raises UsageError for a path that does not exist, unless
    it is one of a hook.
    """
    seen: set[str] = set()
    holders: dict[str, str] = {}
    for path in paths:
        shown = path.replace(os.sep, "/").rstrip("/") or "/"
        if not os.path.lexists(path) and not is_hook:
            raise UsageError(f"{path}: no such file or folder")
        if not os.path.isdir(path):
            above, name = os.path.split(os.path.abspath(path))
            if os.path.basename(above) == PLUGIN_FOLDER and name.endswith(".json"):
                plugin = os.path.dirname(above)
                shown = shown.removesuffix(f"{PLUGIN_FOLDER}/{name}").rstrip("/")
                own = settings_of(plugin, *settings_for(plugin, notes))
                notes.plugins[plugin] = SkillPath(shown, plugin, own)
                continue
            folder = _holder(path, holders)
            if not folder:
                if is_hook:
                    continue
                from skillstudio.cli.protos import is_proto

                if is_proto(path):
                    notes.protos.append((path, shown))
                    continue
                notes.add("skill-missing", f"{shown} belongs to no skill", shown)
                continue
            shown = folder.replace(os.sep, "/")
            yield from islice(_below(folder, shown, notes, seen), 1)
        else:
            yield from _below(path, shown, notes, seen)


def _below(path: str, shown: str, notes: Notes, seen: set[str]) -> Iterator[SkillPath]:
    tree = DiskTree(path)
    settings, file = settings_for(tree.root, notes)
    if file and file.origin != "user" and os.path.samefile(file.base, tree.root):
        notes.whole.add(file.path)
    count = 0

    def unreadable(inside: str, error: OSError) -> None:
        where = f"{shown}/{inside}".rstrip("/")
        notes.add("folder-unreadable", f"{where} cannot be listed: {error.strerror}", where)

    def place(inside: str) -> SkillPath:
        disk = tree.path(inside)
        own = settings_of(disk, settings, file)
        return SkillPath(
            f"{shown}/{inside}".replace("//", "/") if inside else shown,
            disk,
            select_targets(own, disk, notes.homes),
        )

    def plugin(inside: str) -> None:
        notes.plugins.setdefault(tree.path(inside), place(inside))

    before = len(notes.found)
    for inside in find_skills(tree, unreadable=unreadable, plugin=plugin):
        count += 1
        if tree.path(inside) not in seen:
            seen.add(tree.path(inside))
            yield place(inside)
    if not count and len(notes.found) == before:
        notes.without.append(shown)
        notes.add("skill-missing", no_skill(shown), shown)


def settings_of(disk: str, settings: Settings | None, file: SettingsFile | None) -> SkillSettings:
    """The settings of a skill, of those that apply above it."""
    if settings is None or file is None:
        return NO_SETTINGS
    return settings.for_skill(os.path.relpath(disk, file.base).replace(os.sep, "/"))


def settings_for(folder: str, notes: Notes) -> tuple[Settings | None, SettingsFile | None]:
    """The settings that apply in a folder, and their file. Raises OSError."""
    file = find_settings(folder)
    if file is None:
        return None, None
    if file.path not in notes.settings:
        from skillstudio.manifest.rulebook import rule_names
        from skillstudio.manifest.targets import judging
        from skillstudio.settings.read import read_settings_file

        settings, wrong = read_settings_file(file)
        notes.settings[file.path] = settings
        source = settings.document.source
        if wrong is not None:
            message = "not UTF-8 from here on; save the file as UTF-8"
            notes.add("file-not-utf8", message, source.path, *source.position(wrong))
        for each in (*settings.diagnostics, *settings.unknown_names(rule_names(), judging)):
            place = source.position(each.span.start) if each.span else (1, 1)
            notes.add(each.rule, each.message, source.path, *place, each.severity)
    return notes.settings[file.path], file


def one_skill_path(path: str) -> tuple[SkillPath, str]:
    """The one skill that a path names, and the file in it if the path is a file.

    Raises UsageError for none or several.
    """
    notes = Notes()
    found = list(skill_paths([path], notes))
    if os.path.isdir(path):
        found = [each for each in found if os.path.samefile(each.disk, path)] or found
    if not found:
        raise UsageError("; ".join(note[1] for note in notes.found) or f"{path} contains no skill")
    if len(found) > 1:
        names = ", ".join([*(each.shown for each in found[:5]), *(["…"] if found[5:] else [])])
        raise UsageError(f"{path} contains {len(found)} skills; name one: {names}")
    inside = "" if os.path.isdir(path) else os.path.relpath(path, found[0].disk)
    return found[0], inside.replace(os.sep, "/")


def _holder(path: str, known: dict[str, str]) -> str:
    """The nearest parent folder of a file that is a skill; "" for none.

    Does not leave the working directory if the path is relative. `known` has the results by folder.
    """
    folder = os.path.dirname(path) or os.curdir
    passed = []
    found = ""
    for _ in range(40):
        if folder in known:
            found = known[folder]
            break
        passed.append(folder)
        if is_skill(DiskTree(folder)):
            found = folder
            break
        above = os.path.dirname(folder.rstrip(os.sep))
        if folder in (os.curdir, os.pardir, above):
            break
        folder = above or os.curdir
    known |= dict.fromkeys(passed, found)
    return found
