"""Where clients look for a skill on disk: its place in the project, links to it, its plugin."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.targets import targets
from skillstudio.settings.settings import ClientPlace, Overlooked, PluginPlace
from skillstudio.skill.lookup import KnownRepositories, plugin_around
from skillstudio.skill.selection import PLUGIN_FOLDERS, linked_folders

if TYPE_CHECKING:
    from skillstudio.skill.installers import Installable

_MARKETPLACE = ".agents/plugins/marketplace.json"
"""A marketplace outside of the folders of plugins."""


class ClientFolder(NamedTuple):
    """A folder of a project, or of the user, that a client searches."""

    where: str
    disk: str
    real: str  # Without symbolic links.
    links: dict[str, list[str]]
    """The names of the links in it, by the folder that they lead to."""


class KnownPlaces:
    """What was read of the folders above skills, so that each is read once."""

    def __init__(self) -> None:
        self.home = os.path.realpath(os.path.expanduser("~"))
        self.real: dict[str, str] = {}
        self.prefixes: dict[str, tuple[str, str]] = {}
        """The start of the place of each skill in a folder, if no client searches it by links, and
        the project."""
        self._projects: dict[str, str | None] = {}
        self._plugins: dict[str, bool] = {}
        self._client_folders: dict[str | None, list[ClientFolder]] = {}
        self._installable: dict[str, list[Installable]] = {}
        self.repositories = KnownRepositories()

    def project_of(self, folder: str) -> str | None:
        """The root of the project that contains a folder: its repository, else the parent of a
        client's folder above it. None for the user's own folders and in all other cases."""
        root = self._repository_of(folder)
        # The path of a client's folder contains `/.`; reading the records takes 20 ms.
        if root is not None or f"{os.sep}." not in folder:
            return root
        parts = folder.split(os.sep)
        for client_parts in client_folders():
            size = len(client_parts)
            for start in range(1, len(parts) - size + 1):
                root = os.sep.join(parts[:start])
                if parts[start : start + size] == client_parts and root != self.home:
                    return root
        return None

    def _repository_of(self, folder: str) -> str | None:
        at, visited_folders, root = folder, [], None
        while at != self.home and os.path.dirname(at) != at:
            if at in self._projects:
                root = self._projects[at]
                break
            if os.path.exists(os.path.join(at, ".git")):
                root = at
            # The folders of skills are too many to be kept.
            if at != folder:
                visited_folders.append(at)
            if root is not None:
                break
            at = os.path.dirname(at)
        self._projects.update(dict.fromkeys(visited_folders, root))
        return root

    def may_be_in_plugin(self, folder: str) -> bool:
        """Whether a folder, or one above it, contains the manifest of a plugin or marketplace."""
        return _is_of_plugins(folder) or self._is_below_plugin(os.path.dirname(folder))

    def _is_below_plugin(self, folder: str) -> bool:
        at, visited_folders, is_below = folder, [], False
        while True:
            if at in self._plugins:
                is_below = self._plugins[at]
                break
            visited_folders.append(at)
            is_below = _is_of_plugins(at)
            above = os.path.dirname(at)
            if is_below or above == at:
                break
            at = above
        self._plugins.update(dict.fromkeys(visited_folders, is_below))
        return is_below

    def client_folders(self, project: str | None) -> list[ClientFolder]:
        """The folders that clients search, in a project and in the home folder."""
        if project not in self._client_folders:
            self._client_folders[project] = [
                ClientFolder(
                    f"{prefix}{'/'.join(client_parts)}", disk, os.path.realpath(disk), links
                )
                for client_parts in client_folders()
                for above, prefix in ((project, ""), (self.home, "~/"))
                if above is not None
                for disk in (os.path.join(above, *client_parts),)
                if os.path.isdir(disk)
                for links in (linked_folders(disk),)
            ]
        return self._client_folders[project]

    def find_oversights(self, project: str | None, where: str) -> tuple[Overlooked, ...]:
        """The installers that do not find the skill in a folder of a project."""
        if project is None:
            return ()
        from skillstudio.skill.installers import find_installable, installers

        if project not in self._installable:
            tree = DiskTree(project)
            self._installable[project] = [find_installable(tree, id) for id in installers()]
        folder = "" if where == "." else where
        reasons = (installable.overlooks(folder) for installable in self._installable[project])
        return tuple(reason for reason in reasons if reason is not None)

    def note_parent(self, above: str, project: str, folder: str, prefix: str) -> None:
        """Note the start of places for the skills beside one that is in no plugin."""
        beside = os.path.dirname(folder) + os.sep
        if not any(
            real.startswith(beside) or beside.startswith(f"{client.real}{os.sep}")
            for client in self.client_folders(project)
            for real in (f"{client.real}{os.sep}", *client.links)
        ):
            self.prefixes[above] = prefix, project

    def where_is(self, folder: str, root: str | None) -> str:
        """A folder relative to its project, or to the home folder as `~/…`."""
        if root is not None:
            inside = folder[len(root) :].strip(os.sep)
            return inside.replace(os.sep, "/") or "."
        if folder.startswith(self.home + os.sep):
            return "~/" + folder[len(self.home) + 1 :].replace(os.sep, "/")
        return os.path.basename(folder)


def place_of(disk: str, known_places: KnownPlaces | None = None) -> ClientPlace:
    """Where targets look for the skill in a folder on disk."""
    known_places = KnownPlaces() if known_places is None else known_places
    above, _, name = disk.rpartition(os.sep)
    prefix, project = known_places.prefixes.get(above, ("", None))
    # Most skills have a folder of many, of which only the name differs.
    if project is not None and name and not _is_special(disk):
        where = prefix + name
        return ClientPlace(where, oversights=known_places.find_oversights(project, where))
    folder = real_parent(disk, known_places)
    project = known_places.project_of(folder)
    where = known_places.where_is(folder, project)
    plugins: tuple[PluginPlace, ...] = ()
    if known_places.may_be_in_plugin(folder):
        plugins = tuple(_plugins(folder, known_places))
    elif project is not None and where.endswith(f"/{name}") and os.path.isabs(disk):
        known_places.note_parent(above, project, folder, where.removesuffix(name))
    links, linked_places = _links_to(folder, where, project, known_places)
    return ClientPlace(
        where, links, plugins, known_places.find_oversights(project, where), linked_places
    )


def _plugins(folder: str, known_places: KnownPlaces) -> Iterator[PluginPlace]:
    from skillstudio.manifest.plugin_skills import plugin_systems

    for target in plugin_systems():
        if (plugin := plugin_around(folder, target, known_places.repositories)) is not None:
            where = known_places.where_is(plugin.folder, known_places.project_of(plugin.folder))
            yield PluginPlace(target, plugin.plugin, plugin.listing, where, plugin.contains_skill)


def _is_of_plugins(folder: str) -> bool:
    """Whether a folder contains the manifest of a plugin or a marketplace."""
    if any(os.path.isdir(os.path.join(folder, name)) for name in PLUGIN_FOLDERS):
        return True
    return os.path.isfile(os.path.join(folder, _MARKETPLACE))


def _is_special(folder: str) -> bool:
    """Whether a folder may not have the place that others beside it have."""
    return (
        os.path.exists(f"{folder}{os.sep}.git") or _is_of_plugins(folder) or os.path.islink(folder)
    )


def real_parent(disk: str, known_places: KnownPlaces) -> str:
    """A folder with no links above it. Clients follow a link to the skill's folder, so its own
    name and place count."""
    above, name = os.path.split(disk)
    if not name or not os.path.isabs(disk) or name in (os.curdir, os.pardir):
        above, name = os.path.split(os.path.abspath(disk))
    if above not in known_places.real:
        known_places.real[above] = os.path.realpath(above)
    return os.path.join(known_places.real[above], name)


def _links_to(
    folder: str, where: str, project: str | None, known_places: KnownPlaces
) -> tuple[tuple[str, ...], frozenset[str]]:
    """The other places of a skill, and those of its places at which its folder is a link."""
    clients = known_places.client_folders(project)
    if not clients:
        return (), frozenset()
    is_link = os.path.islink(folder)
    real = os.path.realpath(folder) if is_link else folder
    places: set[str] = set()
    linked_places: set[str] = {where} if is_link else set()
    for client in clients:
        if real == client.real:
            places.add(client.where)
        elif real.startswith(client.real + os.sep):
            inside = real[len(client.real) + 1 :].replace(os.sep, "/")
            places.add(f"{client.where}/{inside}")
        linked_places |= {f"{client.where}/{name}" for name in client.links.get(real, ())}
    return tuple(sorted((places | linked_places) - {where})), frozenset(linked_places - places)


@cache
def client_folders() -> list[list[str]]:
    """The roots of all targets, without their `~/`, each once."""
    names = {
        root.removeprefix("~/")
        for target in targets().values()
        for root in target["discovery"].get("roots", {"is": ()})["is"]
    }
    return [name.split("/") for name in sorted(names)]
