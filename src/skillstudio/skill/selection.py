"""Select the targets of a skill: by options, by settings, or by its place."""

from __future__ import annotations

import os
from collections.abc import Iterable
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


KnownPlugins = dict[str, "SkillHome | None"]
"""The plugins of folders that were looked for."""


def select_targets(
    settings: SkillSettings, folder: str, known_plugins: KnownPlugins | None = None
) -> SkillSettings:
    """The settings of a skill in a folder, with the targets that it must work at.

    Without any in the settings, those of the place count; no targets means all.
    """
    home = home_of(folder, known_plugins)
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


def home_of(folder: str, known_plugins: KnownPlugins | None = None) -> SkillHome | None:
    """The nearest root of a client, or plugin, that contains a folder; None outside of all."""
    path = os.path.abspath(folder)
    place = path.replace(os.sep, "/")
    root = _root_of(place) if "/." in place else None
    if root is not None:
        root = _linked_from(path, root)
    plugin = _plugin_of(path, {} if known_plugins is None else known_plugins)
    if root is None or (plugin is not None and len(plugin.folder) > len(root.folder)):
        return plugin
    return root


def _root_of(place: str) -> SkillHome | None:
    best: SkillHome | None = None
    for root, ids in _roots().items():
        at = f"{place}/".rfind(f"/{root}/")
        end = at + len(root) + 1
        if at >= 0 and (best is None or end > len(best.folder)):
            best = SkillHome(place[:end], ids, f"the skill is in {root}")
    return best


def _linked_from(path: str, home: SkillHome) -> SkillHome:
    """The home of a skill with the clients in whose roots a link leads to it, as of npx skills."""
    own_root = next(root for root in _roots() if f"{home.folder}/".endswith(f"/{root}/"))
    base = home.folder[: -len(own_root)]
    inside = path.replace(os.sep, "/")[len(home.folder) :]
    for root, ids in _roots().items():
        link = f"{base}{root}{inside}"
        if root != own_root and os.path.islink(link) and _is_same(link, path):
            targets = tuple(dict.fromkeys((*home.targets, *ids)))
            home = home._replace(targets=targets, reason=f"{home.reason}, linked from {root}")
    return home


def _is_same(link: str, path: str) -> bool:
    try:
        return os.path.samefile(link, path)
    except OSError:  # A broken link.
        return False


def _plugin_of(path: str, known_plugins: KnownPlugins) -> SkillHome | None:
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
