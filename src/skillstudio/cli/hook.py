"""`check --hook`: find the skills of a commit, and the texts that it would contain."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from skillstudio.files.git_tree import StagedFolder, staged_files, staged_names, unstaged_paths
from skillstudio.files.paths import below, make_relative
from skillstudio.files.repository import open_repository
from skillstudio.settings.settings import FILE, PYPROJECT
from skillstudio.skill.discover import find_skills, is_skill, skill_around
from skillstudio.skill.workspace import PLUGIN_FOLDER, PluginFolder, SkillPath, WorkspaceSearch
from skillstudio.text.source import decode


class NextCommit:
    """What the next commit would contain, in the repository of the working directory.

    A file that is only partly staged is checked as it is staged, and a file that is not staged
    does not exist. Raises GitError.
    """

    def __init__(self) -> None:
        repository = open_repository(os.curdir)
        self._root = repository.root
        # `git commit FILE` stages in an index of its own.
        index = os.environ.get("GIT_INDEX_FILE", "")
        self._index = os.path.abspath(index) if index else ""
        commit = repository.commit("HEAD") if repository.has("HEAD") else ""
        self._paths = staged_files(self._root, commit, self._index)
        self._tree = staged_names(self._root, os.path.basename(self._root), self._index)

    def settings_texts(self) -> dict[str, str]:
        """The staged texts of the files with settings that are not as on disk, by their path."""
        changed = unstaged_paths(self._root, (), self._index)
        texts = {}
        for path in changed:
            if path.rpartition("/")[2] in (FILE, PYPROJECT) and self._tree.kind(path) == "file":
                texts[self._disk(path)] = decode(self._tree.read(path))[0]
        return texts

    def skills(self, given_paths: Iterable[str], search: WorkspaceSearch) -> Iterator[SkillPath]:
        """The skills of some paths and of the staged ones, each once; others have none.

        Deleted files count. A given skill that git does not know is checked as it is on disk.
        Raises GitError.
        """
        # Without paths the command has its default, which a hook does not check.
        given = [path for path in given_paths if path != os.curdir]
        folders = list(dict.fromkeys(self._folders(given, search)))
        for path in self._paths:
            above, _, name = path.rpartition("/")
            if name in (FILE, PYPROJECT) and self._tree.kind(path) == "file":
                search.settings_of(self._disk(above))  # It reports their problems.
        changed = unstaged_paths(self._root, folders, self._index) if folders else set()
        for folder in folders:
            disk = self._disk(folder)
            staged = None
            if any(not folder or f"{path}/".startswith(f"{folder}/") for path in changed):
                staged = StagedFolder(self._root, folder, self._index)
            label = make_relative(disk).replace(os.sep, "/")
            yield SkillPath(label, disk, search.settings_of(disk), staged=staged)
        for disk in dict.fromkeys(self._untracked_skills(given)):
            label = make_relative(disk).replace(os.sep, "/")
            yield SkillPath(label, disk, search.settings_of(disk))

    def with_staged_texts(self, skill: SkillPath) -> SkillPath:
        """A skill whose files on disk were changed, as the commit would contain it."""
        folder = self._inside(skill.disk)
        if folder is None or self._tree.kind(folder) != "folder":
            return skill
        return skill._replace(staged=StagedFolder(self._root, folder, self._index))

    def read_text(self, path: str) -> str:
        """The staged text of a file by its path from the working directory. Raises OSError."""
        return decode(self._tree.read(self._inside(path) or ""))[0]

    def _folders(self, given_paths: Iterable[str], search: WorkspaceSearch) -> Iterator[str]:
        """The folders of the skills, from the root of the repository."""
        given = (inside for path in given_paths if (inside := self._inside(path)) is not None)
        holders: dict[str, str | None] = {}
        for path in dict.fromkeys((*given, *self._paths, *self._links_to_staged())):
            if self._tree.kind(path) == "folder":
                yield from find_skills(self._tree, path)
                continue
            folder, _, name = path.rpartition("/")
            if folder.rpartition("/")[2] == PLUGIN_FOLDER and name.endswith(".json"):
                plugin = self._disk(folder.rpartition("/")[0])
                label = make_relative(plugin).replace(os.sep, "/")
                search.plugins[plugin] = PluginFolder("" if label == "." else label, plugin)
                continue
            holder = self._holder(folder, holders)
            if holder is not None:
                yield holder

    def _links_to_staged(self) -> Iterator[str]:
        """The links to staged files: their skills change with them."""
        links = list(self._tree.links())
        if not links:
            return
        changed_paths: set[str] = set()
        for path in self._paths:
            at = os.path.realpath(self._disk(path))
            while at not in changed_paths and os.path.dirname(at) != at:
                changed_paths.add(at)
                at = os.path.dirname(at)
        staged_paths = set(self._paths)
        for link in links:
            target = os.path.realpath(self._disk(link))
            # A link to a folder that contains it leads to all, and tells nothing.
            is_around = below(os.path.realpath(os.path.dirname(self._disk(link))), target)
            if target in changed_paths and link not in staged_paths and is_around is None:
                yield link

    def _untracked_skills(self, given_paths: Iterable[str]) -> Iterator[str]:
        """The folders on disk of the skills of some paths that no skill in the index contains."""
        for path in given_paths:
            inside = self._inside(path)
            if inside is not None and self._holder(inside.rpartition("/")[0], {}) is not None:
                continue
            holder = skill_around(path)
            if holder and (inside is None or self._inside(holder) is not None):
                yield holder

    def _holder(self, folder: str, holders: dict[str, str | None]) -> str | None:
        """The nearest folder at or above another that is a skill; `holders` has the answers."""
        if folder not in holders:
            above = folder.rpartition("/")[0]
            if is_skill(self._tree, folder):
                holders[folder] = folder
            else:
                holders[folder] = self._holder(above, holders) if folder else None
        return holders[folder]

    def _inside(self, path: str) -> str | None:
        """A path from the root of the repository; None for one outside of it."""
        whole = os.path.abspath(path)
        for candidate in (whole, os.path.realpath(whole)):
            with suppress(ValueError):
                inside = below(candidate, self._root)
                if inside is not None:
                    return inside.replace(os.sep, "/")
        return None

    def _disk(self, path: str) -> str:
        """The path on disk of one from the root of the repository."""
        return os.path.join(self._root, *path.split("/")) if path else self._root
