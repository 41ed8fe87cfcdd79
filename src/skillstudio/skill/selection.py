"""Select the targets of a skill: by options, by settings, or by its place."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from skillstudio.manifest.targets import recorded_targets
from skillstudio.settings.settings import FILE, SkillSettings

# Most skills are in no plugin, and reading the records of targets takes 20 ms.
PLUGIN_FOLDERS = (".claude-plugin", ".codex-plugin", ".cursor-plugin")
"""The folders in a plugin that clients read its manifest from."""
OPTION = "--target"


class SkillHome(NamedTuple):
    """The folder in which clients find a skill, those that it belongs to, and why."""

    folder: str
    targets: tuple[str, ...]
    reason: str
    is_plugin: bool = False


class KnownHomes:
    """What was read of the folders above skills, so that each is read once."""

    def __init__(self) -> None:
        self.plugins: dict[str, SkillHome | None] = {}
        """The plugin of each folder, if it is in one."""
        self._links: dict[str, dict[str, list[str]]] = {}

    def links_in(self, folder: str) -> dict[str, list[str]]:
        """The roots of clients in a folder that links lead from, by where they lead."""
        if folder not in self._links:
            self._links[folder] = _links_in(folder)
        return self._links[folder]


def select_targets(
    settings: SkillSettings, folder: str, known_homes: KnownHomes | None = None
) -> SkillSettings:
    """The settings of a skill in a folder, with the targets that it must work at.

    Without any in the settings, those of the place count; no targets means all.
    """
    home = home_of(folder, known_homes)
    listed_in = _listed_in(folder, home)
    if settings.targets:
        return settings._replace(selected_by=_by_settings(settings), listed_in=listed_in)
    if home is None:
        return settings._replace(listed_in=listed_in)
    return settings._replace(
        targets=home.targets,
        selected_by=home.reason,
        listed_in=listed_in,
        by_place=True,
        home=home.folder,
    )


def _listed_in(folder: str, home: SkillHome | None) -> str:
    above = os.path.dirname(os.path.abspath(folder)).replace(os.sep, "/")
    if home is None or above == f"{home.folder}/skills":
        return above
    # Only the manifest of a plugin says whether it contains other skills.
    return "" if home.is_plugin else home.folder


def _by_settings(settings: SkillSettings) -> str:
    return f"targets in {settings.file or FILE}"


def request_targets(
    settings: SkillSettings, requested_ids: Iterable[str], by: str = OPTION
) -> SkillSettings:
    """The settings with the targets that `by` asks for, which replace those of the place."""
    settings_reason = _by_settings(settings)
    settings_targets = settings.targets if settings.selected_by in ("", settings_reason) else ()
    reason = f"{by}, {settings_reason}" if settings_targets else by
    targets = tuple(dict.fromkeys((*settings_targets, *requested_ids)))
    return settings._replace(targets=targets, selected_by=reason, by_place=False)


def home_of(folder: str, known_homes: KnownHomes | None = None) -> SkillHome | None:
    """The nearest root of a client, or plugin, that contains a folder or a link to it; None
    outside of all."""
    known_homes = KnownHomes() if known_homes is None else known_homes
    path = os.path.abspath(folder)
    place = path.replace(os.sep, "/")
    home = _root_of(place) if "/." in place else None
    plugin = _plugin_of(path, known_homes.plugins)
    if home is None or (plugin is not None and len(plugin.folder) > len(home.folder)):
        home = plugin
    return _with_links(path, home, known_homes)


def _root_of(place: str) -> SkillHome | None:
    best: SkillHome | None = None
    for root, ids in _roots().items():
        at = f"{place}/".rfind(f"/{root}/")
        end = at + len(root) + 1
        if at >= 0 and (best is None or end > len(best.folder)):
            best = SkillHome(place[:end], ids, f"the skill is in {root}")
    return best


def _with_links(path: str, home: SkillHome | None, known_homes: KnownHomes) -> SkillHome | None:
    """The home of a skill with the clients in whose roots a link leads to it, as of npx skills.

    Those of its repository count: a link elsewhere is the matter of one user.
    """
    at, real = path, ""
    targets = home.targets if home is not None else ()
    folders: dict[str, str] = {}
    while not os.path.exists(os.path.join(at, ".git")) and (above := os.path.dirname(at)) != at:
        at = above
        if not (links := known_homes.links_in(at)):
            continue
        real = real or os.path.realpath(path)
        for root in (*links.get(real, ()), *links.get(os.path.dirname(real), ())):
            if not set(_roots()[root]) <= set(targets):
                targets = tuple(dict.fromkeys((*targets, *_roots()[root])))
                folders[root] = f"{at.replace(os.sep, '/').rstrip('/')}/{root}"
    if not folders:
        return home
    roots = " and ".join(folders)
    if home is None:
        return SkillHome(next(iter(folders.values())), targets, f"the skill is linked from {roots}")
    return home._replace(targets=targets, reason=f"{home.reason}, linked from {roots}")


def _links_in(folder: str) -> dict[str, list[str]]:
    """The roots of clients in a folder that are links or contain links, by where they lead."""
    links: dict[str, list[str]] = {}
    for root in _roots():
        client_folder = os.path.join(folder, *root.split("/"))
        if not os.path.isdir(client_folder):
            continue
        if (real := os.path.realpath(client_folder)) != os.path.join(
            os.path.realpath(folder), *root.split("/")
        ):
            links.setdefault(real, []).append(root)
        for target in linked_folders(client_folder):
            links.setdefault(target, []).append(root)
    return links


def linked_folders(folder: str) -> dict[str, list[str]]:
    """The names of the symbolic links to folders in a folder, by where they lead."""
    links: dict[str, list[str]] = {}
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            # Unlike that of the entry, this is false for a link that leads to itself.
            if entry.is_symlink() and os.path.isdir(entry.path):
                links.setdefault(os.path.realpath(entry.path), []).append(entry.name)
    return links


def _plugin_of(path: str, known_plugins: dict[str, SkillHome | None]) -> SkillHome | None:
    """The nearest folder with the manifest of a plugin, up to the root of the repository."""
    at, visited_folders, plugin = path, [path], None
    while at not in known_plugins:
        plugin = _plugin_in(at)
        above = os.path.dirname(at)
        if plugin is not None or above == at or os.path.exists(os.path.join(at, ".git")):
            break
        at = above
        visited_folders.append(at)
    else:
        plugin = known_plugins[at]
    known_plugins.update(dict.fromkeys(visited_folders, plugin))
    return plugin


def _plugin_in(folder: str) -> SkillHome | None:
    files = [
        file
        for name in PLUGIN_FOLDERS
        if os.path.isfile(os.path.join(folder, file := f"{name}/plugin.json"))
    ]
    if not files:
        return None
    from skillstudio.manifest.plugin_skills import plugin_systems

    ids = tuple(id for id, system in plugin_systems().items() if system.files[0] in files)
    if not ids:
        return None
    reason = f"the skill is in a plugin with {' and '.join(files)}"
    return SkillHome(folder.replace(os.sep, "/"), ids, reason, True)


@cache
def _roots() -> dict[str, tuple[str, ...]]:
    """The recorded targets that each root belongs to; a shared root belongs to several."""
    ids_by_root: dict[str, tuple[str, ...]] = {}
    for id, target in recorded_targets().items():
        discovery = target["discovery"]
        borrowed_roots = discovery.get("borrowed", {"is": ()})["is"]
        for root in discovery.get("roots", {"is": ()})["is"]:
            ids = ids_by_root.setdefault(root.removeprefix("~/"), ())
            if root not in borrowed_roots and id not in ids:
                ids_by_root[root.removeprefix("~/")] = (*ids, id)
    return {root: ids for root, ids in ids_by_root.items() if ids}
