"""`check --hook`: find the skills of a commit, and the texts that it would contain."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from skillstudio.files.git_tree import StagedFolder, staged_files, staged_names, unstaged_paths
from skillstudio.files.paths import below, make_relative
from skillstudio.files.repository import open_repository
from skillstudio.settings.settings import FILE, PYPROJECT
from skillstudio.skill.discover import find_skills, is_skill, skill_around
from skillstudio.skill.workspace import PLUGIN_FOLDER, PluginFolder, SkillPath, WorkspaceSearch
from skillstudio.text.source import decode


class NextCommit:
    """What the next commit would contain, in the repository of the working directory.

    A file that is only partly staged, or that git does not compare with the disk, is checked as it
    is staged, and a file that is not staged does not exist. Raises GitError.
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
        self._is_partial = False
        self._moment = time.monotonic_ns()

    def settings_texts(self) -> dict[str, str]:
        """The staged texts of the files with settings that are not as on disk, by their path."""
        texts = {}
        for path in self._unstaged(()):
            is_settings = path.rpartition("/")[2] in (FILE, PYPROJECT)
            if is_settings and self._tree.kind(path) == "file" and self._is_here(path):
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
        places = self._linked_places(folders)
        all_places = set(folders).union(*places.values())
        changed = self._unstaged(all_places) if folders else set()
        changed_paths = _with_folders(changed)
        for folder in folders:
            disk = self._disk(folder)
            staged = None
            if folder in changed_paths or any(
                # A folder without tracked files is named, and nothing in it.
                place in changed_paths or not _folders_of(place).isdisjoint(changed)
                for place in places.get(folder, ())
            ):
                staged = self._staged(folder)
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
        return skill._replace(staged=self._staged(folder))

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
        changed_paths = _with_folders(self._paths) if self._trails else set()
        staged_paths = set(self._paths)
        for link, trail in self._trails.items():
            if link not in staged_paths and not changed_paths.isdisjoint(trail):
                yield link

    @cached_property
    def _trails(self) -> dict[str, Sequence[str]]:
        """The paths to which each link leads, as in the index.

        A folder that contains the link leads to all, tells nothing, and is left out.
        """
        trails: dict[str, Sequence[str]] = {}
        for link in filter(self._is_here, self._tree.links()):
            around = {"", *_folders_of(link)}
            trails[link] = [path for path in self._tree.trail(link) if path not in around]
        return trails

    def _linked_places(self, folders: Iterable[str]) -> dict[str, set[str]]:
        """The paths outside of some folders to which links in them lead, by the folder."""
        places: dict[str, set[str]] = {}
        folders = set(folders) if self._trails else set()
        for link, trail in self._trails.items():
            for folder in folders & {"", *_folders_of(link)}:
                outside = (path for path in trail if folder and not path.startswith(f"{folder}/"))
                places.setdefault(folder, set()).update(outside)
        return places

    def _unstaged(self, within: Collection[str]) -> set[str]:
        """The paths at or below some others, or all, where the disk need not be as the index."""
        return unstaged_paths(self._root, within, self._index).union(self._tree.unwatched_paths)

    def _is_here(self, path: str) -> bool:
        """Whether the bytes of an entry can be read.

        A partial clone lacks those that are not checked out, and asking for each is slow.
        """
        if path not in self._tree.unwatched_paths:
            return True
        self._is_partial = self._is_partial or not self._tree.is_stored(path)
        return not self._is_partial

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

    def _staged(self, folder: str) -> StagedFolder:
        return StagedFolder(self._root, folder, self._index, self._moment)

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


def _folders_of(path: str) -> set[str]:
    """The folders above a path, without the root."""
    parts = path.split("/")
    return {"/".join(parts[:end]) for end in range(1, len(parts))}


def _with_folders(paths: Iterable[str]) -> set[str]:
    """Some paths, and all folders above them with the root, which is ""."""
    all_paths: set[str] = set()
    for path in paths:
        while path not in all_paths:
            all_paths.add(path)
            path = path.rpartition("/")[0]
    return all_paths
