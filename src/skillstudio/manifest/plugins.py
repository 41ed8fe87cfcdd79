"""Claude Code plugins and marketplaces: the files in `.claude-plugin`, and the skills they name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.files.paths import is_absolute, judge_path, normalise
from skillstudio.files.tree import FileTree, Subtree
from skillstudio.manifest.finding import at_value, duplicate_names
from skillstudio.manifest.locate import LARGE, TOO_LARGE, read_file
from skillstudio.manifest.values import mappings, strings, text
from skillstudio.schema.diagnostics import schema_diagnostics
from skillstudio.schema.messages import listed
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.nearest import did_you_mean
from skillstudio.text.node import MOST_REPORTED, Document
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span
from skillstudio.text.versions import is_semver

if TYPE_CHECKING:
    from skillstudio.schema.outcome import Validator

PLUGIN = ".claude-plugin/plugin.json"
MARKETPLACE = ".claude-plugin/marketplace.json"

_PATHS = ("skills", "commands", "agents")  # Keys with paths of the plugin that must exist.
_COMPONENTS = ("skills", "commands", "agents", "hooks", "mcpServers", "outputStyles")
_SOURCES = {
    "github": ("repo",),
    "url": ("url",),
    "git-subdir": ("url", "path"),
    "npm": ("package",),
    "archive": ("url",),
    "command": ("command",),
}
"""The kinds of source outside of the marketplace's repository, and their required keys."""
_MOST_ENTRIES = 1000  # Of a folder that is searched for skills.


class PluginFile(NamedTuple):
    """A file of a plugin or marketplace: its path in the tree, its text and its problems."""

    path: str
    source: Source | None
    diagnostics: list[Diagnostic]


def check_plugin(tree: FileTree) -> Iterator[PluginFile]:
    """The plugin.json and the marketplace.json in a folder, with what Claude Code rejects there."""
    for path in (PLUGIN, MARKETPLACE):
        if tree.kind(path) is None:
            continue
        found: list[Diagnostic] = []
        source = read_file(tree, path, found)
        if source is not None:
            document = read(source, "json", Span(0, len(source.text)))
            found += (
                Diagnostic(fault.rule, fault.message, Span(fault.start, fault.end))
                for fault in document.faults[:MOST_REPORTED]
            )
            found += _schema_problems(document, path)
            checking = _PluginCheck(tree, document)
            found += checking.plugin() if path == PLUGIN else checking.marketplace()
        # No agent loads these files, and only the files of skills are fixed.
        kept = [each._replace(fixes=()) for each in found if each.rule != "file-large"]
        yield PluginFile(path, source, kept)


@cache
def _schema(path: str) -> tuple[dict[str, Any], Validator]:
    """The schema of a file; an entry in a marketplace may have all keys of a plugin."""
    from skillstudio.schema.engine import compile_schema

    with open(os.path.join(os.path.dirname(__file__), "plugins.json"), encoding="utf-8") as file:
        schemas: dict[str, dict[str, Any]] = json.load(file)
    plugin, marketplace = (schemas[each]["properties"] for each in (PLUGIN, MARKETPLACE))
    marketplace |= {"name": plugin["name"], "owner": plugin["author"]}
    entry = marketplace["plugins"]["items"]
    entry["properties"] = plugin | entry["properties"]
    return schemas[path], compile_schema(schemas[path])


def _schema_problems(document: Document, path: str) -> Iterator[Diagnostic]:
    schema, validator = _schema(path)
    errors = validator.errors(document.value, MOST_REPORTED)
    for each in schema_diagnostics(document, schema, errors):
        # Other programs may read further keys of the file; a misspelled one has no effect.
        misspelled = each.rule == "key-unknown" and each.fixes
        yield each._replace(severity="warning") if misspelled else each


class _PluginCheck:
    """The rules of a file that no schema expresses; `tree` is the folder with `.claude-plugin`."""

    def __init__(self, tree: FileTree, document: Document) -> None:
        self.tree = tree
        self.document = document
        self.value: Any = document.value
        self.with_skill: dict[str, bool] = {}
        self.plugins: dict[str, Any] = {}

    def plugin(self) -> Iterator[Diagnostic]:
        yield from self._version("", self.value)
        yield from self._paths("", self.value, "")

    def marketplace(self) -> Iterator[Diagnostic]:
        name, email = text(self.value, "name"), text(self.value, "owner", "email") or ""
        reserved = _schema(MARKETPLACE)[0]["x-reserved"]
        if name in reserved and not email.endswith("@anthropic.com"):
            message = f"Claude Code reserves the name {name} for Anthropic; choose another"
            yield at_value(self.document, "/name", "marketplace-name-reserved", message)
        entries = list(mappings(self.value, "plugins"))
        yield from duplicate_names(self.document, entries, "name", "plugin")
        folders = {where: folder_of(self.value, entry) for where, entry in entries}
        names = {(folders[where], text(entry, "name")) for where, entry in entries}
        for where, entry in entries:
            yield from self._version(where, entry)
            yield from self._source(f"{where}/source", entry.get("source"))
            folder = folders[where]
            if folder is not None and self.tree.kind(folder) is not None:
                yield from self._paths(where, entry, folder)
                declared = self._declared(folder)
                yield from self._agrees(where, entry, declared)
                own = text(declared, "name")
                # Further entries of one plugin are aliases.
                if own and own != text(entry, "name") and (folder, own) not in names:
                    message = f"{PLUGIN} of this plugin declares the name {listed([own])}"
                    yield self._at(f"{where}/name", "name-disagrees", message, "info")

    def _at(
        self, pointer: str, rule: str, message: str, severity: Severity | None = None
    ) -> Diagnostic:
        return at_value(self.document, pointer, rule, message, (), severity)

    def _version(self, where: str, declared: Any) -> Iterator[Diagnostic]:
        version = text(declared, "version")
        if version is not None and not is_semver(version):
            message = "write a semantic version such as 1.2.0; plugins cannot depend on a range"
            yield self._at(f"{where}/version", "version-not-semver", message, "info")

    def _source(self, where: str, source: Any) -> Iterator[Diagnostic]:
        if isinstance(source, str):
            root = text(self.value, "metadata", "pluginRoot")
            if root is not None and _is_bare(source):
                source = _under(root, source)
            yield from self._path(where, source, "", "marketplace", ".")
            return
        kind = text(source, "source")
        if kind is None:
            return
        for key in _SOURCES.get(kind, ()):
            if text(source, key) is None:
                message = f"a source of the kind {kind} needs the string {listed([key])}"
                yield self._at(where, "key-missing", message)
        if kind not in _SOURCES:
            known = f"; Claude Code knows {', '.join(_SOURCES)}"
            message = f"unknown kind of source{did_you_mean(kind, _SOURCES, known)}"
            yield self._at(f"{where}/source", "value-enum", message)

    def _paths(self, where: str, declared: Any, folder: str) -> Iterator[Diagnostic]:
        for key in _PATHS:
            given = text(declared, key)
            single = [(f"{where}/{key}", given)] if given is not None else []
            for pointer, path in single or strings(declared, key):
                at = pointer if single else f"{where}{pointer}"
                found = list(self._path(at, path, folder, "plugin", "." if key == "skills" else ""))
                yield from found
                # The folder of the plugin itself means all of its skills.
                if key == "skills" and not found and normalise(path):
                    yield from self._skills(at, _under(folder, path))

    def _path(
        self, pointer: str, path: str, folder: str, what: str, root: str
    ) -> Iterator[Diagnostic]:
        """The problem of a path in a folder of the tree; `root` is accepted without `./`."""
        shown = listed([path])
        inside = normalise(path)
        if is_absolute(path):
            message = f"the path is absolute; write it relative to the {what}, with ./"
            yield self._at(pointer, "path-absolute", message)
        elif inside is None:
            message = f"the path leaves the {what}; Claude Code rejects it or does not copy it"
            yield self._at(pointer, "path-outside", message)
        elif not path.startswith("./") and path != root:
            message = f"a path starts with ./ here: write {listed([f'./{path}'])}"
            yield self._at(pointer, "plugin-path-form", message)
        else:
            problem = judge_path(self.tree, _under(folder, path)).problem
            if problem is None and what == "marketplace" and self.tree.kind(inside) == "file":
                message = "this is a file; write the path of the plugin's folder"
                yield self._at(pointer, "path-missing", message)
            # A plugin may link to its marketplace, whose folder is known only for its own sources.
            if problem == "path-missing" or (problem and what == "marketplace"):
                message = f"{shown} does not exist in the {what}"
                if problem == "path-link-outside":
                    message = f"{shown} is a symbolic link out of the {what}"
                yield self._at(pointer, problem, message)

    def _skills(self, pointer: str, folder: str) -> Iterator[Diagnostic]:
        folder = normalise(folder) or ""
        if self.tree.kind(folder) == "file":
            message = "this is a file; write the path of the skill's folder"
            yield self._at(pointer, "plugin-skill-missing", message)
        elif not self._has_skill(folder):
            message = "no SKILL.md in this folder, nor in a folder directly below it"
            yield self._at(pointer, "plugin-skill-missing", message)

    def _has_skill(self, folder: str) -> bool:
        if folder not in self.with_skill:
            above = f"{folder}/" if folder else ""
            self.with_skill[folder] = self.tree.kind(f"{above}SKILL.md") is not None
            try:
                entries = self.tree.list(folder)[:_MOST_ENTRIES]
            except OSError:
                entries = []
            self.with_skill[folder] |= len(entries) == _MOST_ENTRIES or any(
                self.tree.kind(f"{above}{entry.name}/SKILL.md") is not None for entry in entries
            )
        return self.with_skill[folder]

    def _declared(self, folder: str) -> Any:
        """What the plugin.json of a plugin in the marketplace declares."""
        if folder not in self.plugins:
            self.plugins[folder] = read_value(self.tree, _under(folder, PLUGIN))
        return self.plugins[folder]

    def _agrees(self, where: str, entry: dict[str, Any], declared: Any) -> Iterator[Diagnostic]:
        version, own = text(entry, "version"), text(declared, "version")
        if version is not None and own is not None and version != own:
            message = f"{PLUGIN} of this plugin declares {listed([own])}, which Claude Code uses"
            yield self._at(f"{where}/version", "version-disagrees", message)
        both = [key for key in _COMPONENTS if isinstance(declared, dict) and key in declared]
        if entry.get("strict") is False and both:
            message = f"with strict: false, {PLUGIN} must not declare {both[0]}; remove it there"
            yield self._at(f"{where}/strict", "plugin-components-conflict", message)


class PluginSkill(NamedTuple):
    """The plugin in whose folder a skill is."""

    plugin: str
    listed: str  # Its name in a marketplace, as NAME@MARKETPLACE; "" if none lists it.
    folder: str
    found: bool  # Whether the plugin contains the skill: by its place, or by a list of skills.
    version: str = ""
    file: str = ""  # The file with the version.


def plugin_of(tree: FileTree, path: str) -> PluginSkill | None:
    """The plugin that contains the skill in a folder of a tree, or that has it in its folder.

    Looks in all parent folders. A plugin that a marketplace lists comes first.
    """
    found: list[PluginSkill] = []
    at: str | None = path
    while at is not None:
        base, inside = Subtree(tree, at), _below(path, at) or ""
        declared = read_value(base, PLUGIN)
        if isinstance(declared, dict):
            found.append(_plugin(base, at, inside, declared))
        marketplace = read_value(base, MARKETPLACE, TOO_LARGE)
        for _, entry in mappings(marketplace, "plugins"):
            source = folder_of(marketplace, entry)
            below = _below(inside, source) if source is not None else None
            if below is not None:
                folder = "/".join(filter(None, (at, source)))
                made = _plugin(Subtree(tree, folder), folder, below, None, entry, not source)
                listed = f"{text(entry, 'name')}@{text(marketplace, 'name')}"
                file = made.file or _under(at, MARKETPLACE)
                found.append(made._replace(listed=listed, file=file))
        at = at.rpartition("/")[0] if at else None
    return max(found, key=lambda each: (each.found, each.listed != ""), default=None)


def _plugin(
    tree: FileTree,
    folder: str,
    inside: str,
    declared: Any,
    entry: dict[str, Any] | None = None,
    shared: bool = False,
) -> PluginSkill:
    declared, entry = declared or read_value(tree, PLUGIN), entry or {}
    name = text(declared, "name") or text(entry, "name") or tree.name
    contains = _contains(tree, declared, entry, inside, shared)
    own = text(declared, "version")
    file = _under(folder, PLUGIN) if own else ""
    return PluginSkill(name, "", folder, contains, own or text(entry, "version") or "", file)


def _below(path: str, folder: str) -> str | None:
    """A path of a tree relative to a folder of it; None for one outside."""
    if not folder:
        return path
    if path == folder:
        return ""
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else None


def _contains(
    tree: FileTree, declared: Any, entry: dict[str, Any], inside: str, shared: bool = False
) -> bool:
    """Whether Claude Code loads a folder of a plugin as a skill.

    The lists add to `skills`, except that of an entry for the marketplace's own folder (`shared`).
    """
    own, listed = (_listed_folders(each) for each in (declared, entry))
    replaced = shared and listed and not {"", "skills"} & listed
    above = os.path.dirname(inside)
    if {inside, above} & (own | listed) - ({""} if inside else set()):
        return True
    if inside:
        return above == "skills" and not replaced
    return not own | listed and tree.kind("skills") is None


def _listed_folders(declared: Any) -> set[str]:
    given = text(declared, "skills")
    paths = [given] if given is not None else [path for _, path in strings(declared, "skills")]
    return {found for path in paths if (found := normalise(path)) is not None}


def read_value(tree: FileTree, path: str, most: int = LARGE) -> Any:
    """The value of a JSON file of at most `most` bytes; None if it cannot be read."""
    try:
        return json.loads(tree.read(path, most)) if tree.kind(path) == "file" else None
    except (OSError, ValueError, RecursionError):
        return None


def folder_of(marketplace: Any, entry: dict[str, Any]) -> str | None:
    """The folder of a listed plugin in the marketplace; None if it is elsewhere or not valid."""
    source, root = entry.get("source"), text(marketplace, "metadata", "pluginRoot")
    if not isinstance(source, str):
        return None
    if root is not None and _is_bare(source):
        return normalise(_under(root, source))
    return normalise(source) if source.startswith("./") or source == "." else None


def _is_bare(source: str) -> bool:
    return source not in ("", ".", "..") and "/" not in source and "\\" not in source


def _under(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path
