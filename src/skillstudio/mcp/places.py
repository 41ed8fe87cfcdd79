"""The folders that a client may use, and the skills in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import below
from skillstudio.skill.discover import find_skills
from skillstudio.text.nearest import did_you_mean

_MOST_NAMES = 5  # Folders or skills that a message names.


class PathRefused(Exception):
    """A path that is not used; the message says why."""


class AllowedPlace(NamedTuple):
    """A file or folder: the root that contains it, and its path there, both without links."""

    root: str
    inside: str

    @property
    def argument(self) -> str:
        """The path as an argument of a command that runs in the root."""
        return os.path.join(os.curdir, self.inside) if self.inside[:1] == "-" else self.inside


class AllowedFolders(NamedTuple):
    """The folders that a client may use, without links."""

    roots: tuple[str, ...]

    def place(self, path: str) -> AllowedPlace:
        """An existing file or folder, or the skill of a name. Raises PathRefused."""
        if "\0" in path:
            raise PathRefused("the path contains a null character")
        for root in self.roots:
            real = os.path.realpath(os.path.join(root, path))
            allowed_place = self._find_place(real)
            if allowed_place is not None and os.path.exists(real):
                return allowed_place
        real = os.path.realpath(os.path.join(self.roots[0], path))
        if self._find_place(real) is None:
            raise PathRefused(
                f"{path} is outside of the folders that this server may use: {_names(self.roots)}"
            )
        return self._find_skill(path)

    def _find_place(self, real: str) -> AllowedPlace | None:
        for root in self.roots:
            inside = below(real, root)
            if inside is not None:
                return AllowedPlace(root, inside or os.curdir)
        return None

    def _find_skill(self, name: str) -> AllowedPlace:
        """The only skill whose folder has a name. Raises PathRefused."""
        skills = list(self._skills())
        matches = [skill for skill in skills if os.path.basename(skill.inside) == name]
        if len(matches) == 1:
            return matches[0]
        if matches:
            paths = _names(skill.inside for skill in matches)
            raise PathRefused(f"{len(matches)} skills are called {name}: {paths}; name a path")
        known_names = {os.path.basename(skill.inside) for skill in skills}
        known_names |= {skill.inside for skill in skills}
        advice = did_you_mean(name, known_names)
        raise PathRefused(f"there is no file, folder or skill {name}{advice}")

    def _skills(self) -> Iterator[AllowedPlace]:
        for root in self.roots:
            for inside in find_skills(DiskTree(root)):
                yield AllowedPlace(root, inside or os.curdir)


def allowed_folders(paths: Iterable[str]) -> AllowedFolders:
    """The existing ones of some folders. Raises PathRefused if there is none."""
    folders = list(paths)
    roots = dict.fromkeys(os.path.realpath(path) for path in folders if os.path.isdir(path))
    if not roots:
        raise PathRefused(f"there is no folder {_names(folders)}, so no path may be used")
    return AllowedFolders(tuple(roots))


def path_of_uri(uri: str) -> str:
    """The path of a `file:` URI of this machine, else ""."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    return url2pathname(parts.path)


def _names(paths: Iterable[str]) -> str:
    names = list(paths)
    return ", ".join([*names[:_MOST_NAMES], *(["…"] if names[_MOST_NAMES:] else [])])
