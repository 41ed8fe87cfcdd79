"""Claude Code plugins and marketplaces: the files in `.claude-plugin`, and the skills they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.files.paths import is_absolute, judge_path, normalise
from skillstudio.files.tree import FileTree, Subtree
from skillstudio.manifest.finding import at_value, duplicate_names
from skillstudio.manifest.locate import locate, read_file
from skillstudio.manifest.plugin_schemas import (
    COMPONENT_FILES,
    MARKETPLACE,
    PLUGIN,
    schema_of,
    schema_problems,
)
from skillstudio.manifest.plugin_skills import (
    folder_of,
    is_bare,
    listed_folders,
    read_value,
    under,
)
from skillstudio.manifest.target_values import unknown_event
from skillstudio.manifest.targets import targets
from skillstudio.manifest.values import dig, mapping, mappings, members, strings, text
from skillstudio.schema.diagnostics import root_span
from skillstudio.schema.messages import format_values
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.nearest import did_you_mean
from skillstudio.text.node import MOST_REPORTED, Document
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span
from skillstudio.text.versions import is_semver

_EXPERIMENTAL = ("themes", "monitors")  # Keys also below `experimental`.
_FILE_ENDS = {
    "agents": (".md",),
    "hooks": (".json",),
    "lspServers": (".json",),
    "mcpServers": (".json", ".mcpb", ".dxt"),
    "monitors": (".json",),
}
"""Keys whose paths must be of files, and how these end."""
_PATHS = ("skills", "commands", "workflows", "outputStyles", "themes", *_FILE_ENDS)
"""Keys with paths of the plugin that must exist."""
_COMPONENTS = ("skills", "commands", "agents", "hooks", "mcpServers", "outputStyles")
_MOST_FILES = 50  # Component files that are read in one plugin.
_URL = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]+://")
_BUNDLED_FILE = lazy_pattern(
    r"""\$\{CLAUDE_PLUGIN_ROOT\}["']?/([\w.@/-]*\.\w+)(?=["'\s;|&)]|$)""", re.ASCII
)
"""A file of the plugin in a command; one that ends with a variable is not known."""
_TESTS = lazy_pattern(r"(?:^|[\s(!])(?:\[\[?|test)\s")
"""A command that tests whether a file exists."""
_INSTALL_FOLDERS = frozenset(["node_modules", ".venv", "venv", "target"])
"""Folders whose files an installation makes."""
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
    """The plugin.json, the files that it configures its components with, and the marketplace.json
    in a folder, with what Claude Code rejects there."""
    for path in (PLUGIN, MARKETPLACE):
        if tree.kind(path) is None:
            continue
        diagnostics: list[Diagnostic] = []
        document = _read_json(tree, path, diagnostics)
        check = None
        if document is not None:
            diagnostics += _schema_problems(document, path, document.value)
            check = _PluginCheck(tree, document)
            diagnostics += check.plugin() if path == PLUGIN else check.marketplace()
        yield _make_file(path, document, diagnostics)
        if path == PLUGIN and check is not None:
            yield from _component_files(tree, check)


def _make_file(path: str, document: Document | None, diagnostics: list[Diagnostic]) -> PluginFile:
    # No agent loads these files, and only the files of skills are fixed.
    kept_diagnostics = [
        diagnostic._replace(fixes=())
        for diagnostic in diagnostics
        if diagnostic.rule != "file-large"
    ]
    return PluginFile(path, document.source if document is not None else None, kept_diagnostics)


def _read_json(tree: FileTree, path: str, diagnostics: list[Diagnostic]) -> Document | None:
    """A JSON file with its syntax errors in `diagnostics`."""
    source = read_file(tree, path, diagnostics)
    if source is None:
        return None
    document = read(source, "json", Span(0, len(source.text)))
    diagnostics += (
        Diagnostic(fault.rule, fault.message, Span(fault.start, fault.end))
        for fault in document.faults[:MOST_REPORTED]
    )
    return document


def _component_files(tree: FileTree, check: _PluginCheck) -> Iterator[PluginFile]:
    """The files with hooks, servers and monitors: the default ones and those of plugin.json."""
    files = {file: key for key, file in COMPONENT_FILES.items() if tree.kind(file) is not None}
    files |= check.files
    for path, key in list(files.items())[:_MOST_FILES]:
        diagnostics: list[Diagnostic] = []
        document = _read_json(tree, path, diagnostics)
        if document is not None:
            within: tuple[str, ...] = ()
            # A file of servers may also contain them without this key.
            if key == "hooks" or (key == "mcpServers" and key in mapping(document.value)):
                within = (key,)
            value = document.value
            if key == "hooks" and isinstance(value, dict) and key not in value:
                message = 'the hooks must be below the key "hooks"'
                diagnostics.append(Diagnostic("key-missing", message, root_span(document)))
            elif not within or isinstance(value, dict):
                inner = dig(value, *within)
                diagnostics += _schema_problems(document, key, inner, within)
                diagnostics += _PluginCheck(tree, document).component(key, inner, _pointer(within))
            else:
                diagnostics += _schema_problems(document, key, value)
        yield _make_file(path, document, diagnostics)


def _pointer(within: tuple[str, ...]) -> str:
    return "".join(f"/{key}" for key in within)


@cache
def _events() -> list[str]:
    """The events of hooks that Claude Code has."""
    for target in targets().values():
        if PLUGIN in target.get("plugins", {}).get("files", {"is": ()})["is"][:1]:
            rules = target["fields"]["rules"]
            return [name for rule in rules if rule["wrong"] == "hooks" for name in rule["values"]]
    return []


def _schema_problems(
    document: Document, what: str, value: Any, within: tuple[str, ...] = ()
) -> Iterator[Diagnostic]:
    for problem in schema_problems(document, what, value, within):
        # Other programs may read further keys of the file; a misspelled one has no effect.
        is_misspelled = problem.rule == "key-unknown" and problem.fixes
        yield problem._replace(severity="warning") if is_misspelled else problem


class _PluginCheck:
    """The rules of a file that no schema expresses; `tree` is the folder with `.claude-plugin`."""

    def __init__(self, tree: FileTree, document: Document) -> None:
        self.tree = tree
        self.document = document
        self.value: Any = document.value
        self.with_skill: dict[str, bool] = {}
        self.plugins: dict[str, Any] = {}
        self.files: dict[str, str] = {}
        """The files of components that were found, with the key in plugin.json."""

    def plugin(self) -> Iterator[Diagnostic]:
        yield from self._version("", self.value)
        yield from self._agrees_with_skill("", self.value, "")
        yield from self._declares("", self.value, "")

    def component(self, key: str, value: Any, where: str, folder: str = "") -> Iterator[Diagnostic]:
        """The problems of the hooks, servers or monitors at a pointer that no schema expresses."""
        if key == "hooks":
            # Each unknown event is compared with all known ones.
            for at, event, _ in islice(members(value), MOST_REPORTED):
                if event not in _events():
                    text_, advice, fixes = unknown_event(event, _events(), f"{where}{at}")
                    message = f"Claude Code {text_}; {advice}"
                    span = self.document.key_span(f"{where}{at}")
                    yield Diagnostic("key-unknown", message, span, f"{where}{at}", fixes, "warning")
                for group, matcher_group in mappings(value, event):
                    for hook, handler in mappings(matcher_group, "hooks"):
                        yield from self._command(f"{where}{group}{hook}", handler, folder)
        elif key == "monitors":
            monitors = [(f"{where}{at}", monitor) for at, monitor in mappings(value)]
            yield from duplicate_names(self.document, monitors, "name", "monitor")
            for at, monitor in monitors:
                yield from self._command(at, monitor, folder)
        else:
            for at, _, server in members(value):
                yield from self._command(f"{where}{at}", server, folder, shell=False)

    def _command(
        self, where: str, value: Any, folder: str, shell: bool = True
    ) -> Iterator[Diagnostic]:
        """The files of the plugin that a command names, and settings of users in a shell."""
        command = text(value, "command")
        if command is None or _TESTS.search(command):
            return
        if shell and "args" not in value and "${user_config." in command:
            instead = "use args" if "type" in value else "let the program read a file"
            message = f"Claude Code puts no ${{user_config}} into a shell command; {instead}"
            yield self._at(f"{where}/command", "value-format", message)
        for at, part in [("/command", command), *strings(value, "args")]:
            for match in _BUNDLED_FILE.finditer(part):
                path = normalise(match[1])
                if path is None or _INSTALL_FOLDERS & set(path.split("/")):
                    continue
                if judge_path(self.tree, under(folder, path)).problem == "path-missing":
                    message = f"{format_values([path])} does not exist in the plugin"
                    yield self._at(f"{where}{at}", "path-missing", message, "warning")

    def marketplace(self) -> Iterator[Diagnostic]:
        name, email = text(self.value, "name"), text(self.value, "owner", "email") or ""
        reserved_names = schema_of(MARKETPLACE)["x-reserved"]
        if name in reserved_names and not email.endswith("@anthropic.com"):
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
                yield from self._declares(where, entry, folder)
                manifest = self._read_manifest(folder)
                yield from self._agrees(where, entry, manifest)
                if text(manifest, "version") is None:
                    yield from self._agrees_with_skill(where, entry, folder, not folder)
                own_name = text(manifest, "name")
                # Further entries of one plugin are aliases.
                if own_name and own_name != text(entry, "name") and (folder, own_name) not in names:
                    message = (
                        f"{PLUGIN} of this plugin declares the name {format_values([own_name])}"
                    )
                    yield self._at(f"{where}/name", "name-disagrees", message, "info")

    def _at(
        self, pointer: str, rule: str, message: str, severity: Severity | None = None
    ) -> Diagnostic:
        return at_value(self.document, pointer, rule, message, (), severity)

    def _version(self, where: str, declaration: Any) -> Iterator[Diagnostic]:
        version = text(declaration, "version")
        if version is not None and not is_semver(version):
            message = "write a semantic version such as 1.2.0; plugins cannot depend on a range"
            yield self._at(f"{where}/version", "version-not-semver", message, "info")

    def _source(self, where: str, source: Any) -> Iterator[Diagnostic]:
        if isinstance(source, str):
            root = text(self.value, "metadata", "pluginRoot")
            if root is not None and is_bare(source):
                source = under(root, source)
            yield from self._path(where, source, "", "marketplace", ".")
            return
        kind = text(source, "source")
        if kind is None:
            return
        for key in _SOURCES.get(kind, ()):
            if text(source, key) is None:
                message = f"a source of the kind {kind} needs the string {format_values([key])}"
                yield self._at(where, "key-missing", message)
        if kind not in _SOURCES:
            advice = f"; Claude Code knows {', '.join(_SOURCES)}"
            message = f"unknown kind of source{did_you_mean(kind, _SOURCES, advice)}"
            yield self._at(f"{where}/source", "value-enum", message)

    def _declares(self, where: str, declaration: Any, folder: str) -> Iterator[Diagnostic]:
        """The problems of the components of a plugin, declared at a pointer."""
        if not isinstance(declaration, dict):
            return
        for key in ("experimental", "metadata"):
            if key in declaration and not isinstance(declaration[key], dict):
                message = "Claude Code ignores it, because it is not a mapping"
                yield self._at(f"{where}/{key}", "value-type", message, "warning")
        for key in _PATHS:
            yield from self._paths(f"{where}/{key}", key, declaration.get(key), folder)
        for key in _EXPERIMENTAL:
            value = dig(declaration, "experimental", key)
            yield from self._paths(f"{where}/experimental/{key}", key, value, folder)
        for at, name, command in members(declaration, "commands"):
            if (source := text(command, "source")) is not None:
                yield from self._path(f"{where}{at}/source", source, folder, "plugin", "")
            elif isinstance(command, dict) and "content" not in command:
                message = f"the command {format_values([name])} needs a source or its content"
                yield self._at(f"{where}{at}", "key-missing", message)
        yield from self._channels(where, declaration, folder)

    def _channels(self, where: str, declaration: Any, folder: str) -> Iterator[Diagnostic]:
        servers = declaration.get("mcpServers")
        files = [COMPONENT_FILES["mcpServers"], *([servers] if isinstance(servers, str) else [])]
        if isinstance(servers, list):
            return
        server_names = set(mapping(servers))
        for file in files:
            path = normalise(under(folder, file))
            value = read_value(self.tree, path) if path else None
            server_names |= set(mapping(value, "mcpServers") or mapping(value))
        for at, channel in mappings(declaration, "channels"):
            name = text(channel, "server")
            if name and name not in server_names:
                message = f"no server of mcpServers has this name{did_you_mean(name, server_names)}"
                yield self._at(f"{where}{at}/server", "value-enum", message)

    def _paths(self, where: str, key: str, value: Any, folder: str) -> Iterator[Diagnostic]:
        """The problems of the paths in a value, and of components that are written there."""
        if isinstance(value, dict):
            if key in COMPONENT_FILES:
                yield from self.component(key, value, where, folder)
            return
        if key == "monitors" and isinstance(value, list):
            yield from self.component(key, value, where, folder)
            return
        items = value if isinstance(value, list) else [value]
        for index, path in enumerate(items):
            at = f"{where}/{index}" if isinstance(value, list) else where
            if isinstance(path, dict) and key in COMPONENT_FILES:
                yield from self.component(key, path, at, folder)
            elif isinstance(path, str) and not (key == "mcpServers" and _URL.match(path)):
                yield from self._component_path(at, key, path, folder)

    def _component_path(self, at: str, key: str, path: str, folder: str) -> Iterator[Diagnostic]:
        diagnostics = list(self._path(at, path, folder, "plugin", "." if key == "skills" else ""))
        ends, inside = _FILE_ENDS.get(key), normalise(path)
        yield from diagnostics
        if diagnostics or inside is None:
            return
        if ends is not None and not path.endswith(ends):
            only = "list the .md files one by one" if key == "agents" else "write a .json file"
            message = f"Claude Code accepts no folder here and loads no plugin with it; {only}"
            yield self._at(at, "plugin-path-form", message)
        elif key == "hooks" and inside == COMPONENT_FILES[key]:
            message = "Claude Code reads this file anyway, and reports an error; remove the key"
            yield self._at(at, "plugin-hooks-duplicate", message)
        elif key in COMPONENT_FILES and path.endswith(".json"):
            self.files[under(folder, inside)] = key
        # The folder of the plugin itself means all of its skills.
        elif key == "skills" and inside:
            yield from self._skills(at, under(folder, path))

    def _path(
        self, pointer: str, path: str, folder: str, what: str, root: str
    ) -> Iterator[Diagnostic]:
        """The problem of a path in a folder of the tree; `root` is accepted without `./`."""
        quoted_path = format_values([path])
        inside = normalise(path)
        if is_absolute(path):
            message = f"the path is absolute; write it relative to the {what}, with ./"
            yield self._at(pointer, "path-absolute", message)
        elif inside is None:
            message = f"the path leaves the {what}; Claude Code rejects it or does not copy it"
            yield self._at(pointer, "path-outside", message)
        elif not path.startswith("./") and path != root:
            message = f"a path starts with ./ here: write {format_values([f'./{path}'])}"
            yield self._at(pointer, "plugin-path-form", message)
        else:
            problem = judge_path(self.tree, under(folder, path)).problem
            if problem is None and what == "marketplace" and self.tree.kind(inside) == "file":
                message = "this is a file; write the path of the plugin's folder"
                yield self._at(pointer, "path-missing", message)
            # A plugin may link to its marketplace, whose folder is known only for its own sources.
            if problem == "path-missing" or (problem and what == "marketplace"):
                message = f"{quoted_path} does not exist in the {what}"
                if problem == "path-link-outside":
                    message = f"{quoted_path} is a symbolic link out of the {what}"
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

    def _read_manifest(self, folder: str) -> Any:
        """What the plugin.json of a plugin in the marketplace declares."""
        if folder not in self.plugins:
            self.plugins[folder] = read_value(self.tree, under(folder, PLUGIN))
        return self.plugins[folder]

    def _agrees(self, where: str, entry: dict[str, Any], manifest: Any) -> Iterator[Diagnostic]:
        version, own_version = text(entry, "version"), text(manifest, "version")
        if version is not None and own_version is not None and version != own_version:
            message = (
                f"{PLUGIN} of this plugin declares {format_values([own_version])}, which Claude "
                "Code uses"
            )
            yield self._at(f"{where}/version", "version-disagrees", message)
        both = [key for key in _COMPONENTS if isinstance(manifest, dict) and key in manifest]
        if entry.get("strict") is False and both:
            message = f"with strict: false, {PLUGIN} must not declare {both[0]}; remove it there"
            # 2.1.332 refuses it only if the entry declares components, too.
            is_refused = any(key in entry for key in _COMPONENTS)
            level: Severity | None = None if is_refused else "info"
            yield self._at(f"{where}/strict", "plugin-components-conflict", message, level)

    def _agrees_with_skill(
        self, where: str, declaration: Any, folder: str, is_shared: bool = False
    ) -> Iterator[Diagnostic]:
        """The version of a plugin's only skill, if it differs; of several, each has its own."""
        version = text(declaration, "version")
        skill = self._only_skill(declaration, folder, is_shared) if version is not None else None
        if skill is None:
            return
        for manifest in locate(Subtree(self.tree, skill) if skill else self.tree).skill.manifests:
            value = manifest.document.value
            own_version = text(value, "metadata", "version") or text(value, "version")
            if own_version and own_version != version:
                file = under(skill, manifest.path)
                message = (
                    f"{file}, the only skill, declares {format_values([own_version])}; write one "
                    "version"
                )
                # Some repositories number their plugins together, and each skill separately.
                yield self._at(f"{where}/version", "version-disagrees", message, "info")
                return

    def _only_skill(self, declaration: Any, folder: str, is_shared: bool) -> str | None:
        """The folder of the only skill of a plugin; None if it has none or several."""
        paths = listed_folders(declaration)
        paths = paths if is_shared and paths else {"skills", *paths}
        skills: set[str] = set()
        for path in paths:
            at = under(folder, path) if path else folder
            above = f"{at}/" if at else ""
            if self.tree.kind(f"{above}SKILL.md") is not None:
                skills.add(at)
                continue
            with suppress(OSError):
                for entry in self.tree.list(at)[:_MOST_ENTRIES]:
                    if self.tree.kind(f"{above}{entry.name}/SKILL.md") is not None:
                        skills.add(f"{above}{entry.name}")
                    if len(skills) > 1:
                        return None
        if not skills and self.tree.kind(under(folder, "SKILL.md")) is not None:
            skills.add(folder)
        return next(iter(skills)) if len(skills) == 1 else None
