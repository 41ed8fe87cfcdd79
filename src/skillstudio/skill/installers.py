"""Which skills of a repository an installer finds: it decides by the whole of it.

The record of a target says how it searches (`[installer]`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from skillstudio.files.paths import normalise
from skillstudio.files.tree import FileTree
from skillstudio.manifest.plugin_skills import folder_of, read_value, under
from skillstudio.manifest.targets import judge, targets
from skillstudio.manifest.values import mapping, mappings, strings
from skillstudio.settings.settings import Overlooked

_MOST_FOLDERS = 20_000  # Folders listed in one repository; in a larger one every skill counts.
_MARKETPLACE, _PLUGIN = ".claude-plugin/marketplace.json", ".claude-plugin/plugin.json"


class Installable(NamedTuple):
    """The skills of a repository that an installer finds."""

    target: str
    folders: frozenset[str]
    is_root_only: bool = False  # The skill at the root is the only one that it finds.
    is_known: bool = True  # Whether the repository was small enough to be searched.
    locked_names: frozenset[str] = frozenset()
    """The names of skills that it installed here; it leaves them out."""

    def overlooks(self, folder: str) -> Overlooked | None:
        """Why it does not find the skill in a folder of the repository, if it does not."""
        if not self.is_known or folder in self.folders:
            return None
        installer = targets()[self.target]["installer"]
        name = posixpath.basename(folder)
        if self.is_root_only:
            text = "the SKILL.md at the root of the repository is the only one that it finds"
            fix = "move that one into a folder of skills, or install with --full-depth"
            return Overlooked(self.target, text, fix, installer["root"]["at"])
        if name in self.locked_names:
            file = installer["lock"]["is"]
            text = f"{file} lists it as installed from elsewhere"
            fix = f"remove it from {file} if this is its own repository"
            return Overlooked(self.target, text, fix, installer["lock"]["at"])
        skipped_part = next(
            (part for part in folder.split("/") if part in installer["skipped"]["is"]), ""
        )
        if skipped_part:
            return Overlooked(
                self.target, f"it skips {skipped_part}", f"move it to skills/{name}",
                installer["skipped"]["at"],
            )  # fmt: skip
        text = (
            f"it looks in the folders of the repository itself, and {installer['levels']['is']} "
            "levels below skills and the folders of agents"
        )
        fix = f"move it to skills/{name}"
        return Overlooked(self.target, text, fix, installer["containers"]["at"])


@cache
def installers() -> tuple[str, ...]:
    """The targets that install skills from a repository."""
    return tuple(id for id, target in targets().items() if "installer" in target)


def find_installable(tree: FileTree, target: str) -> Installable:
    """The skills of a repository that an installer finds."""
    installer = targets()[target]["installer"]
    if _has_skill(tree, "") and _loads(tree, target):
        return Installable(target, frozenset([""]), True)
    search = SkillFolders(tree, frozenset(installer["skipped"]["is"]))
    folders = dict.fromkeys(search.below("", 1))
    for container in installer["containers"]["is"]:
        folders |= dict.fromkeys(search.below(container, installer["levels"]["is"]))
    for folder in _plugin_folders(tree):
        folders |= dict.fromkeys(search.below(folder, 1))
    if not folders:
        folders = dict.fromkeys(search.all("", installer["elsewhere"]["is"]))
    locked_skills = mapping(read_value(tree, installer["lock"]["is"]), "skills")
    left_out = {folder for folder in folders if posixpath.basename(folder) in locked_skills}
    containers = tuple(f"{name}/" for name in installer["containers"]["is"] if name.startswith("."))
    left_out = {folder for folder in left_out if folder.startswith(containers)}
    names = frozenset(map(posixpath.basename, left_out))
    return Installable(
        target, frozenset(folders.keys() - left_out), False, search.budget > 0, names
    )


def _has_skill(tree: FileTree, folder: str) -> bool:
    path = f"{folder}/SKILL.md" if folder else "SKILL.md"
    kind = tree.kind(path)
    return kind == "file" or (kind == "link" and tree.resolve(path) is not None)


def _loads(tree: FileTree, target: str) -> bool:
    """Whether the installer accepts the skill at the root."""
    from skillstudio.manifest.locate import locate

    return judge(locate(tree).skill, ids=[target])[target].is_accepted


class SkillFolders:
    """The folders with a SKILL.md; `budget` is the number of folders that may still be listed."""

    def __init__(self, tree: FileTree, skipped_names: frozenset[str]) -> None:
        self._tree = tree
        self._skipped_names = skipped_names
        self.budget = _MOST_FOLDERS

    def below(self, folder: str, levels: int) -> Iterator[str]:
        """Those below a folder, none in another; skipped names only end the search."""
        for name in self._folders(folder):
            path = f"{folder}/{name}" if folder else name
            if _has_skill(self._tree, path):
                yield path
            elif levels > 1 and name not in self._skipped_names:
                yield from self.below(path, levels - 1)

    def all(self, folder: str, levels: int) -> Iterator[str]:
        """Those at and below a folder, also in each other."""
        if _has_skill(self._tree, folder):
            yield folder
        for name in self._folders(folder) if levels else ():
            if name not in self._skipped_names:
                yield from self.all(f"{folder}/{name}" if folder else name, levels - 1)

    def _folders(self, folder: str) -> list[str]:
        self.budget -= 1
        if self.budget < 0:
            return []
        try:
            entries = self._tree.list(folder)
        except OSError:
            return []
        return [entry.name for entry in entries if entry.kind == "folder"]


def _plugin_folders(tree: FileTree) -> Iterator[str]:
    """The folders that contain the skills of the plugins which the repository lists."""
    marketplace = read_value(tree, _MARKETPLACE)
    plugins: list[tuple[str, Any]] = [
        (folder, entry)
        for _, entry in mappings(marketplace, "plugins")
        if (folder := folder_of(marketplace, {"source": "./", **entry})) is not None
    ]
    if isinstance(plugin := read_value(tree, _PLUGIN), dict):
        plugins.append(("", plugin))
    for folder, plugin in plugins:
        for _, path in strings(plugin, "skills"):
            if path.startswith("./") and (inside := normalise(under(folder, path))) is not None:
                yield posixpath.dirname(inside)
        yield under(folder, "skills")
