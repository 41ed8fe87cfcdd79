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

_NAMED = 5  # Folders or skills that a message names.


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
            found = self._containing(real)
            if found is not None and os.path.exists(real):
                return found
        real = os.path.realpath(os.path.join(self.roots[0], path))
        if self._containing(real) is None:
            raise PathRefused(
                f"{path} is outside of the folders that this server may use: {_names(self.roots)}"
            )
        return self._named(path)

    def _containing(self, real: str) -> AllowedPlace | None:
        for root in self.roots:
            inside = below(real, root)
            if inside is not None:
                return AllowedPlace(root, inside or os.curdir)
        return None

    def _named(self, name: str) -> AllowedPlace:
        """The only skill whose folder has a name. Raises PathRefused."""
        skills = list(self._skills())
        found = [skill for skill in skills if os.path.basename(skill.inside) == name]
        if len(found) == 1:
            return found[0]
        if found:
            paths = _names(skill.inside for skill in found)
            raise PathRefused(f"{len(found)} skills are called {name}: {paths}; name a path")
        known = {os.path.basename(skill.inside) for skill in skills}
        known |= {skill.inside for skill in skills}
        advice = did_you_mean(name, known)
        raise PathRefused(f"there is no file, folder or skill {name}{advice}")

    def _skills(self) -> Iterator[AllowedPlace]:
        for root in self.roots:
            for inside in find_skills(DiskTree(root)):
                yield AllowedPlace(root, inside or os.curdir)


def allowed_folders(paths: Iterable[str]) -> AllowedFolders:
    """The existing ones of some folders. Raises PathRefused if there is none."""
    given = list(paths)
    roots = dict.fromkeys(os.path.realpath(path) for path in given if os.path.isdir(path))
    if not roots:
        raise PathRefused(f"there is no folder {_names(given)}, so no path may be used")
    return AllowedFolders(tuple(roots))


def path_of_uri(uri: str) -> str:
    """The path of a `file:` URI of this machine, else ""."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    return url2pathname(parts.path)


def _names(paths: Iterable[str]) -> str:
    names = list(paths)
    return ", ".join([*names[:_NAMED], *(["…"] if names[_NAMED:] else [])])
