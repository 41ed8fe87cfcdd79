"""Find the skills that the paths of a command line name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.cli.output import UsageError
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.registry import no_skill
from skillstudio.settings.settings import FILE, NO_SETTINGS, SkillSettings, find_settings
from skillstudio.skill.discover import PLUGIN_FOLDER, find_skills
from skillstudio.skill.selection import KnownPlugins, select_targets

if TYPE_CHECKING:
    from skillstudio.settings.read import Settings


class SkillPath(NamedTuple):
    """One skill: the path to show, its path on disk, and its settings."""

    shown: str
    disk: str
    settings: SkillSettings = NO_SETTINGS


class Notes:
    """Problems of the workspace that belong to no skill."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str, str, int, int]] = []
        """Rule, message, path, line and column."""
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

    def add(self, rule: str, message: str, path: str, line: int = 1, column: int = 1) -> None:
        self.found.append((rule, message, path, line, column))


def skill_paths(paths: Iterable[str], notes: Notes) -> Iterator[SkillPath]:
    """The skills at and below some paths, each once. A file names the skill that contains it.

    Raises UsageError for a path that does not exist.
    """
    seen: set[str] = set()
    for path in paths:
        shown = path.replace(os.sep, "/").rstrip("/") or "/"
        if not os.path.lexists(path):
            raise UsageError(f"{path}: no such file or folder")
        if not os.path.isdir(path):
            above, name = os.path.split(os.path.abspath(path))
            if os.path.basename(above) == PLUGIN_FOLDER and name.endswith(".json"):
                plugin = os.path.dirname(above)
                settings, root = settings_for(plugin, notes)
                shown = shown.removesuffix(f"{PLUGIN_FOLDER}/{name}").rstrip("/")
                where = os.path.relpath(plugin, root).replace(os.sep, "/") if root else ""
                own = settings.for_skill(where) if settings else NO_SETTINGS
                notes.plugins[plugin] = SkillPath(shown, plugin, own)
                continue
            folder = _holder(path)
            if folder is None:
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
    settings, root = settings_for(tree.root, notes)
    if settings is not None and os.path.samefile(root, tree.root):
        notes.whole.add(os.path.join(root, FILE))
    count = 0

    def unreadable(inside: str, error: OSError) -> None:
        where = f"{shown}/{inside}".rstrip("/")
        notes.add("folder-unreadable", f"{where} cannot be listed: {error.strerror}", where)

    def place(inside: str) -> SkillPath:
        disk = tree.path(inside)
        where = os.path.relpath(disk, root).replace(os.sep, "/") if root else inside
        own = settings.for_skill(where) if settings else NO_SETTINGS
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


def settings_for(folder: str, notes: Notes) -> tuple[Settings | None, str]:
    """The settings that apply in a folder, and the folder of their file."""
    file = find_settings(folder)
    if file is None:
        return None, ""
    if file not in notes.settings:
        from skillstudio.manifest.rulebook import rule_names
        from skillstudio.manifest.targets import judging
        from skillstudio.settings.read import read_settings_file

        settings, _ = read_settings_file(file)
        notes.settings[file] = settings
        source = settings.document.source
        for each in (*settings.diagnostics, *settings.unknown_names(rule_names(), judging)):
            place = source.position(each.span.start) if each.span else (1, 1)
            notes.add(each.rule, each.message, source.path, *place)
    return notes.settings[file], os.path.dirname(file)


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


def _holder(path: str) -> str | None:
    """The folder of the skill that a file belongs to: the nearest that is one."""
    folder = os.path.dirname(path) or "."
    for _ in range(40):
        if next(find_skills(DiskTree(folder)), None) == "":
            return folder
        above = os.path.dirname(folder.rstrip(os.sep)) if folder != "." else ""
        if not above or above == folder:
            break
        folder = above
    return None
