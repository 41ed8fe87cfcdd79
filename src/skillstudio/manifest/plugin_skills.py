"""The plugin that a skill is in, as each client with plugins finds its skills.

The records of targets say which files a client reads, and in which folders it looks (`[plugins]`).
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, NamedTuple

from skillstudio.files.paths import normalise
from skillstudio.files.tree import FileTree, Subtree
from skillstudio.manifest.locate import LARGE, TOO_LARGE
from skillstudio.manifest.targets import targets
from skillstudio.manifest.values import dig, mappings, strings, text

DEFAULT_FOLDER = "skills"
"""The folder of a plugin with the skills that no list names."""


class PluginSystem(NamedTuple):
    """How a client finds the skills of its plugins."""

    target: str
    files: tuple[str, ...]
    """The manifests of a plugin, of which it reads the first; its own one is the first."""
    marketplaces: tuple[str, ...]
    is_required: bool
    """Whether a plugin without a manifest is none, and its name must be that of its entry."""
    adds: bool
    """Whether the folders that a manifest lists add to `skills`; else they replace it."""
    depth: int
    """How many folders below a listed one SKILL.md may be."""
    reads_entries: bool
    """Whether the entry of a marketplace lists skills, too."""


class PluginSkill(NamedTuple):
    """The plugin in whose folder a skill is."""

    plugin: str
    listing: str  # Its name in a marketplace, as NAME@MARKETPLACE; "" if none lists it.
    folder: str
    contains_skill: bool  # By its place, or by a list of skills.
    version: str = ""
    file: str = ""  # The file with the version.


@cache
def plugin_systems() -> dict[str, PluginSystem]:
    """The clients with plugins, by target."""
    systems: dict[str, PluginSystem] = {}
    for id, target in targets().items():
        if (facts := target.get("plugins")) is not None:
            systems[id] = PluginSystem(
                id,
                tuple(facts["files"]["is"]),
                tuple(facts["marketplaces"]["is"]),
                facts["manifest"]["is"] == "required",
                facts["skills"]["is"] == "adds",
                facts["depth"]["is"],
                facts["entries"]["is"],
            )
    return systems


@cache
def plugin_files() -> tuple[str, ...]:
    """The manifests of plugins of all clients, and their marketplaces."""
    files = (
        file
        for system in plugin_systems().values()
        for file in (*system.files, *system.marketplaces)
    )
    return tuple(dict.fromkeys(files))


class DeclaredPlugin(NamedTuple):
    """A plugin of a system, as its manifest and a marketplace declare it."""

    plugin: PluginSkill
    manifest_folders: frozenset[str]
    """The folders that its manifest lists, relative to its own."""
    entry: frozenset[str]
    """Those that its entry in a marketplace lists."""
    is_shared: bool  # It is in the marketplace's own folder.
    has_default: bool  # It has a folder `skills`.
    direct: frozenset[str]
    """Those of its folders for skills that are a skill, so that no folder in them is one."""
    is_installable: bool


KnownDeclarations = dict[tuple[str, str], list[DeclaredPlugin]]
"""The plugins that the files in a folder of a tree declare, by target and folder."""


def plugin_of(
    tree: FileTree,
    path: str,
    target: str = "claude-code",
    declarations: KnownDeclarations | None = None,
) -> PluginSkill | None:
    """The plugin of a client that contains the skill in a folder of a tree, or is around it.

    Looks in all parent folders. A plugin that a marketplace lists comes first. `declarations` keeps
    what was read of the tree."""
    system, declarations = plugin_systems()[target], {} if declarations is None else declarations
    plugins: list[PluginSkill] = []
    at: str | None = path
    while at is not None:
        if (target, at) not in declarations:
            declarations[target, at] = _read_declarations(system, tree, at)
        for declaration in declarations[target, at]:
            plugin = declaration.plugin
            inside = _below(path, plugin.folder)
            if inside is not None:
                if system.is_required and plugin.listing:
                    # Its entry decides whether such a plugin can be installed.
                    plugins = [other for other in plugins if other.folder != plugin.folder]
                contains = declaration.is_installable and _contains(system, declaration, inside)
                plugins.append(plugin._replace(contains_skill=contains))
        at = at.rpartition("/")[0] if at else None
    return max(
        plugins,
        key=lambda candidate: (candidate.contains_skill, candidate.listing != ""),
        default=None,
    )


def _read_declarations(system: PluginSystem, tree: FileTree, at: str) -> list[DeclaredPlugin]:
    """The plugin in a folder, and those of its marketplace."""
    base = Subtree(tree, at)
    plugins: list[DeclaredPlugin] = []
    if isinstance(_first(base, system.files)[0], dict):
        plugins.append(_plugin(system, base, at))
    marketplace, file = _first(base, system.marketplaces, TOO_LARGE)
    for _, entry in mappings(marketplace, "plugins"):
        source = folder_of(marketplace, entry)
        if source is None:
            continue
        folder = "/".join(filter(None, (at, source)))
        declaration = _plugin(system, Subtree(tree, folder), folder, entry, not source)
        listing = f"{text(entry, 'name')}@{text(marketplace, 'name')}"
        version_in = declaration.plugin.file or under(at, file)
        declaration = declaration._replace(
            plugin=declaration.plugin._replace(listing=listing, file=version_in)
        )
        plugins.append(declaration)
    return plugins


def _first(tree: FileTree, files: tuple[str, ...], most: int = LARGE) -> tuple[Any, str]:
    """The value of the first of some files that exists, and its name."""
    file = next((file for file in files if tree.kind(file) == "file"), "")
    return (read_value(tree, file, most) if file else None), file


def _plugin(
    system: PluginSystem,
    tree: FileTree,
    folder: str,
    entry: dict[str, Any] | None = None,
    is_shared: bool = False,
) -> DeclaredPlugin:
    manifest, file = _first(tree, system.files)
    own_name, name = text(manifest, "name"), text(entry, "name")
    has_name = bool(manifest) and (own_name or tree.name) == name
    own_version = text(manifest, "version")
    manifest_folders = frozenset(listed_folders(manifest, "" if system.adds else "./"))
    in_entry = frozenset(listed_folders(entry) if system.reads_entries else ())
    roots = {*manifest_folders, *in_entry, DEFAULT_FOLDER}
    version, version_in = (
        own_version or text(entry, "version") or "",
        under(folder, file) if own_version else "",
    )
    return DeclaredPlugin(
        PluginSkill(own_name or name or tree.name, "", folder, False, version, version_in),
        manifest_folders,
        in_entry,
        is_shared,
        tree.kind(DEFAULT_FOLDER) is not None,
        frozenset(root for root in roots if tree.kind(under(root, "SKILL.md")) == "file"),
        has_name or entry is None or not system.is_required,
    )


def _contains(system: PluginSystem, declaration: DeclaredPlugin, inside: str) -> bool:
    """Whether a client loads a folder of a plugin as a skill.

    Where lists add to `skills`, that of an entry for the marketplace's own folder replaces it, and
    a folder for skills with a SKILL.md is the only skill in it.
    """
    folders, entry = declaration.manifest_folders, declaration.entry
    if not system.adds:
        roots = folders - {""} or {DEFAULT_FOLDER}
        depths = [_depth(inside, root) for root in roots]
        return any(depth is not None and depth <= system.depth for depth in depths)
    replaces_default = declaration.is_shared and entry and not {"", DEFAULT_FOLDER} & entry
    above = os.path.dirname(inside)
    roots = folders | entry if replaces_default else folders | entry | {DEFAULT_FOLDER}
    if not inside:
        return "" in roots or (not folders | entry and not declaration.has_default)
    return inside in roots or (above != "" and above in roots - declaration.direct)


def _depth(path: str, folder: str) -> int | None:
    """How many folders a path is below a folder; None outside of it."""
    inside = _below(path, folder)
    return None if inside is None else len(inside.split("/")) if inside else 0


def _below(path: str, folder: str) -> str | None:
    """A path of a tree relative to a folder of it; None for one outside."""
    if not folder:
        return path
    if path == folder:
        return ""
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else None


def listed_folders(manifest: Any, start: str = "") -> set[str]:
    """The folders of skills that a manifest lists, of those that start so."""
    single_path = text(manifest, "skills")
    paths = (
        [single_path]
        if single_path is not None
        else [path for _, path in strings(manifest, "skills")]
    )
    return {
        folder
        for path in paths
        if path.startswith(start) and (folder := normalise(path)) is not None
    }


def read_value(tree: FileTree, path: str, most: int = LARGE) -> Any:
    """The value of a JSON file of at most `most` bytes; None if it cannot be read."""
    try:
        return json.loads(tree.read(path, most)) if tree.kind(path) == "file" else None
    except (OSError, ValueError, RecursionError):
        return None


def folder_of(marketplace: Any, entry: dict[str, Any]) -> str | None:
    """The folder of a listed plugin in the marketplace; None if it is elsewhere or not valid."""
    source, root = entry.get("source"), text(marketplace, "metadata", "pluginRoot")
    if isinstance(source, dict) and source.get("source") == "local":
        source = dig(source, "path")  # As in a marketplace of Codex.
    if not isinstance(source, str):
        return None
    if root is not None and is_bare(source):
        return normalise(under(root, source))
    return normalise(source) if source.startswith("./") or source == "." else None


def is_bare(source: str) -> bool:
    """Whether a source is a name below the marketplace's `pluginRoot`."""
    return source not in ("", ".", "..") and "/" not in source and "\\" not in source


def under(folder: str, path: str) -> str:
    """A path in a folder of a tree; "" is the tree."""
    return f"{folder}/{path}" if folder else path
