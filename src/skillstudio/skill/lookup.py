"""Look up the skills of a workspace by name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.files.workspace import workspace_of
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.skill.discover import find_skills
from skillstudio.text.node import Scalar, resolve

if TYPE_CHECKING:
    from skillstudio.manifest.plugin_skills import KnownDeclarations, PluginSkill


class LocatedSkill(NamedTuple):
    """A skill of a workspace and its folder on disk."""

    folder: str
    skill: Skill


class Stated(NamedTuple):
    """A version and its place, such as `frontmatter-1.0 in SKILL.md:5`; empty if there is none."""

    version: str
    where: str


class Lookup:
    """The skills of a workspace by their declared names, else by their folders' names."""

    def __init__(self, skills: list[LocatedSkill]) -> None:
        self._skills_by_name: dict[str, list[LocatedSkill]] = {}
        self._folders: dict[str, list[LocatedSkill]] = {}
        for entry in skills:
            for name in stated_names(entry.skill):
                self._skills_by_name.setdefault(name, []).append(entry)
            self._folders.setdefault(entry.skill.name, []).append(entry)

    def all(self, name: str) -> list[LocatedSkill]:
        """All skills with a name, in the order of the search."""
        return self._skills_by_name.get(name) or self._folders.get(name, [])

    def get(self, name: str) -> Skill | None:
        """The first skill with a name."""
        matches = self.all(name)
        return matches[0].skill if matches else None

    def names(self) -> set[str]:
        """All known names."""
        return self._skills_by_name.keys() | self._folders.keys()


def look_up(*roots: str) -> Lookup:
    """The skills below some folders, each once. A folder that cannot be listed is skipped."""
    located_skills: dict[str, LocatedSkill] = {}
    for root in roots:
        tree = DiskTree(root)
        for inside in find_skills(tree):
            folder = tree.path(inside)
            if folder in located_skills:
                continue
            try:
                located_skills[folder] = LocatedSkill(folder, locate(DiskTree(folder)).skill)
            except OSError:
                continue
    return Lookup(list(located_skills.values()))


def stated_names(skill: Skill) -> tuple[str, ...]:
    """The names in a skill's manifests, each once; some dialects have an id besides a name."""
    names: dict[str, None] = {}
    for manifest in skill.manifests:
        for what in ("name", "id"):
            if name := manifest.text_of(what):
                names[name] = None
    return tuple(names)


def stated_version(skill: Skill) -> Stated:
    """The version in a skill's manifests, the first one if they disagree."""
    for manifest in skill.manifests:
        pointer = manifest.place_of("version")
        node = resolve(manifest.document.at(pointer)) if pointer else None
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.value:
            line = manifest.document.source.position(node.start).line
            # A dialect that extends another defines the keys of both.
            same = [other for other in skill.manifests if other.document is manifest.document]
            return Stated(node.value, f"{same[-1].dialect.id} in {manifest.path}:{line}")
    return Stated("", "")


class KnownRepositories:
    """What was read of the repositories around skills, so that each is read once."""

    def __init__(self) -> None:
        self.declarations: dict[str, KnownDeclarations] = {}
        """The plugins in each repository, by its root."""
        self._roots: dict[str, str] = {}
        """The repository around each folder of skills, else the root of the drive."""

    def root_of(self, skill: str) -> str:
        """The repository that contains the folder of a skill, else the root of its drive."""
        if os.path.exists(os.path.join(skill, ".git")):
            return skill
        above = os.path.dirname(skill)
        if above not in self._roots:
            root = workspace_of(above)
            if not os.path.exists(os.path.join(root, ".git")):
                root = os.path.splitdrive(root)[0] + os.sep
            self._roots[above] = root
        return self._roots[above]


def plugin_around(
    folder: str, target: str = "claude-code", repositories: KnownRepositories | None = None
) -> PluginSkill | None:
    """The plugin of a skill on disk, as a client with plugins sees it, with its folder on disk."""
    folder = os.path.abspath(folder)
    repositories = KnownRepositories() if repositories is None else repositories
    root = repositories.root_of(folder)
    tree = DiskTree(root)
    inside = make_relative(folder, root).replace(os.sep, "/")
    from skillstudio.manifest.plugin_skills import plugin_of

    declarations = repositories.declarations.setdefault(root, {})
    plugin = plugin_of(tree, "" if inside == "." else inside, target, declarations)
    return None if plugin is None else plugin._replace(folder=tree.path(plugin.folder))
