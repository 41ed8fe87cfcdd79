"""The skills of an open workspace, and the results of their last checks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree, Overlay
from skillstudio.present.lines import count
from skillstudio.settings.settings import NO_SETTINGS, EditorSettings, SkillSettings

if TYPE_CHECKING:
    from skillstudio.settings.read import Settings
    from skillstudio.settings.settings import SettingsFile
    from skillstudio.skill.analysis import Analysis

Status = Literal["unread", "ok", "info", "warning", "error"]
WORDS: dict[Status, tuple[str, str]] = {
    "unread": ("·", "not checked"),
    "ok": ("✓", "ok"),
    "info": ("i", "notes"),
    "warning": ("!", "warnings"),
    "error": ("✗", "errors"),
}
_MOST_FOLDERS = 3
_MOST_OF_PLUGINS = 3


class FileProblems(NamedTuple):
    """The worst severity in a file, and how many problems have it."""

    severity: Status
    number: int


@dataclass(frozen=True)
class SkillEntry:
    """A skill of the workspace and the result of its last check."""

    path: str  # Its folder relative to the workspace, with `/`; empty for the workspace itself.
    name: str
    status: Status = "unread"
    counts: dict[str, int] = field(default_factory=dict)  # Severity to number of diagnostics.
    files: tuple[str, ...] = ()  # The files with manifests, relative to the skill.
    trouble: str = ""
    by_file: Mapping[str, FileProblems] = field(default_factory=dict)
    """The problems of each file that has some, by path in the skill."""
    outcomes: Mapping[str, str] = field(default_factory=dict)
    """The outcome at each selected target."""

    @property
    def summary(self) -> str:
        """The counts, such as `2E 1W`."""
        found = (("error", "E"), ("warning", "W"), ("info", "I"))
        return " ".join(f"{self.counts[s]}{letter}" for s, letter in found if self.counts.get(s))


class Workspace:
    """A folder with skills."""

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(root)
        self.tree = DiskTree(self.root)
        self.skills: dict[str, SkillEntry] = {}
        self.changed: frozenset[str] = frozenset()
        self.since = ""
        self.unreadable: list[tuple[str, str]] = []
        self.plugins: list[str] = []
        self._settings: tuple[Settings | None, SettingsFile | None] | None = None

    @classmethod
    def of(cls, path: str) -> tuple[Workspace, str]:
        """The workspace for a path: a folder, or the skill around a file; and that file, if any."""
        path = os.path.abspath(path)
        if os.path.isdir(path):
            return cls(path), ""
        from skillstudio.skill.discover import skill_around

        if folder := skill_around(path):
            return cls(folder), os.path.relpath(path, folder).replace(os.sep, "/")
        return cls(os.path.dirname(path)), ""

    def find(
        self,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> list[SkillEntry]:
        """Find the skills again. May be called in a thread, because it does not change `skills`.

        `progress` is called with the number of skills found so far.
        """
        from skillstudio.skill.discover import find_skills

        found = []
        self.unreadable, self.plugins = [], []

        def unreadable(path: str, error: OSError) -> None:
            self.unreadable.append((path, error.strerror or str(error)))

        for path in find_skills(self.tree, unreadable=unreadable, plugin=self.plugins.append):
            if cancelled():
                break
            name = path.rpartition("/")[2] if path else self.tree.name
            found.append(SkillEntry(path, name))
            progress(len(found))
        return found

    def take(self, found: Iterable[SkillEntry]) -> None:
        """Replace the skills, keeping the known results."""
        self.skills = {each.path: self.skills.get(each.path, each) for each in found}

    def add(self, folder: str) -> str | None:
        """Add a new skill; return its path in the workspace, None if it is elsewhere."""
        inside = os.path.relpath(folder, self.root)
        if inside == os.curdir or inside.split(os.sep)[0] == os.pardir or os.path.isabs(inside):
            return None
        path = inside.replace(os.sep, "/")
        self.skills.setdefault(path, SkillEntry(path, path.rpartition("/")[2]))
        return path

    def path(self, skill: str, file: str = "") -> str:
        """The path on disk of a skill, or of a file in it."""
        return self.tree.path("/".join(part for part in (skill, file) if part))

    def files(self, skill: str, unsaved: Mapping[str, str] | None = None) -> FileTree:
        """The tree of a skill, with unsaved texts by their path on disk."""
        root = self.path(skill)
        inside = {
            os.path.relpath(path, root).replace(os.sep, "/"): text.encode("utf-8")
            for path, text in (unsaved or {}).items()
            if path.startswith(root + os.sep)
        }
        return Overlay(DiskTree(root), inside) if inside else DiskTree(root)

    def settings(self, skill: str) -> SkillSettings:
        """The settings of a skill and the targets selected for it. Raises OSError."""
        from skillstudio.skill.selection import select_targets

        settings, file = self._read_settings()
        own, folder = NO_SETTINGS, self.path(skill)
        if settings is not None and file is not None:
            relative = os.path.relpath(folder, file.base)
            own = settings.for_skill(relative.replace(os.sep, "/"))
        return select_targets(own, folder)

    def editor_settings(self) -> EditorSettings:
        """The settings of the editor. Raises OSError."""
        settings, _ = self._read_settings()
        return EditorSettings() if settings is None else settings.editor

    def select_target(self, skill: str, target: str) -> str:
        """Add a target to those of the settings, besides the ones that a skill's place selects;
        the file's path. The user's own file is never changed. Raises EditRefused, OSError."""
        from skillstudio.files.saving.writer import saving
        from skillstudio.settings.read import own_part
        from skillstudio.settings.settings import FILE, find_settings, table_of
        from skillstudio.skill.lookup import workspace_of
        from skillstudio.text.diagnostic import Set
        from skillstudio.text.edit import resolve_edits
        from skillstudio.text.editing import EditRefused
        from skillstudio.text.reading import read
        from skillstudio.text.source import Source, Span, decode
        from skillstudio.text.splicing import apply

        selected = self.settings(skill).targets
        found = find_settings(self.path(skill))
        file = os.path.join(workspace_of(self.root), FILE)
        if found is not None and found.origin != "user":
            file = found.path
        with saving([file]) as write:
            text = ""
            if os.path.exists(file):
                with open(file, "rb") as stream:
                    text = decode(stream.read())[0]
            document = read(Source(text, file), "toml", Span(0, len(text)))
            if document.faults:
                line, _ = document.source.position(document.faults[0].start)
                raise EditRefused(f"{file}:{line}: {document.faults[0].message}; fix it first")
            own = own_part(document).value
            stated = own.get("targets") if isinstance(own, dict) else None
            before = stated if isinstance(stated, list) and stated else selected
            pointer = f"{table_of(file)}/targets"
            splices = resolve_edits(
                document, [Set(pointer, list(dict.fromkeys((*before, target))))]
            )
            write(file, apply(text, splices).encode("utf-8"))
        self.forget_settings()
        return file

    def settings_faults(self) -> list[str]:
        """The problems of the settings with their places, including unknown rules."""
        from skillstudio.manifest.rulebook import rule_names
        from skillstudio.manifest.targets import judging

        try:
            settings, file = self._read_settings()
        except OSError as error:
            return [f"the settings cannot be read: {error.strerror or error}"]
        if settings is None or file is None:
            return []
        shown = os.path.relpath(file.path, self.root).replace(os.sep, "/")
        source = settings.document.source
        found = []
        for each in (*settings.diagnostics, *settings.unknown_names(rule_names(), judging)):
            line, column = source.position(each.span.start) if each.span else (1, 1)
            found.append(f"{shown}:{line}:{column}: {each.message}")
        return found

    def folders_passed_over(self) -> list[str]:
        """One message for each folder that could not be listed, with a limit."""
        found = [
            f"{path or self.tree.name} cannot be listed: {why}"
            for path, why in self.unreadable[:_MOST_FOLDERS]
        ]
        more = len(self.unreadable) - _MOST_FOLDERS
        return [*found, f"{count(more, 'more folder')} cannot be listed"] if more > 0 else found

    def plugin_faults(self) -> list[str]:
        """The first errors in the files of plugins and marketplaces, with their places."""
        from skillstudio.manifest.plugins import check_plugin
        from skillstudio.manifest.rulebook import severity_of
        from skillstudio.manifest.suppress import is_ignored

        found: list[str] = []
        for folder in self.plugins:
            try:
                settings = self.settings(folder)
            except OSError:
                return []  # `settings_faults` reports it.
            levels, tree = settings.severities, DiskTree(self.tree.path(folder))
            for path, source, diagnostics in check_plugin(tree):
                for each in diagnostics:
                    if (
                        levels.get(each.rule) or each.severity or severity_of(each.rule)
                    ) == "error" and not is_ignored(each, path, tree.name, settings, set()):
                        span = each.span
                        line, column = source.position(span.start) if source and span else (1, 1)
                        shown = f"{folder}/{path}" if folder else path
                        found.append(f"{shown}:{line}:{column}: {each.message}")
        more = len(found) - _MOST_OF_PLUGINS
        rest = (
            [f"{count(more, 'more error')} in plugins; run skillstudio check"] if more > 0 else []
        )
        return [*found[:_MOST_OF_PLUGINS], *rest]

    def _read_settings(self) -> tuple[Settings | None, SettingsFile | None]:
        from skillstudio.settings.settings import find_settings

        if self._settings is None:
            settings, file = None, find_settings(self.root)
            if file is not None:
                from skillstudio.settings.read import read_settings_file

                settings, _ = read_settings_file(file)
            self._settings = settings, file
        return self._settings

    def forget_settings(self) -> None:
        """Read the settings again when they are next needed."""
        self._settings = None

    def analyse(self, skill: str, unsaved: Mapping[str, str] | None = None) -> Analysis:
        """Check a skill with unsaved texts. Raises OSError."""
        from skillstudio.skill.analysis import analyse

        return analyse(self.files(skill, unsaved), self.settings(skill))

    def examine(self, entry: SkillEntry) -> SkillEntry:
        """Check a skill on disk; return a new entry. May be called in a thread."""
        try:
            return _seen(entry, self.analyse(entry.path))
        except OSError as error:
            return SkillEntry(
                entry.path, entry.name, "error", {"error": 1}, (), error.strerror or str(error)
            )

    def note(self, skill: str, analysis: Analysis) -> SkillEntry | None:
        """Store the result of a check."""
        entry = self.skills.get(skill)
        if entry is not None:
            entry = self.skills[skill] = _seen(entry, analysis)
        return entry

    def find_changed(self, ref: str) -> frozenset[str]:
        """The skills with files changed since a git revision. Raises GitError."""
        from skillstudio.files.git import changed_files

        root, files = changed_files(self.root, ref)
        base = os.path.relpath(os.path.realpath(self.root), root).replace(os.sep, "/")
        prefix = "" if base == "." else base + "/"
        inside = [file[len(prefix) :] for file in files if file.startswith(prefix)]
        return frozenset(
            skill
            for skill in self.skills
            if any(not skill or file.startswith(skill + "/") for file in inside)
        )

    def matching(self, query: str, unsaved: Iterable[str] = ()) -> list[SkillEntry]:
        """The skills that match a filter of words, `state:` and `since:`."""
        kept = list(self.skills.values())
        open_skills = frozenset(unsaved)
        for word in query.split():
            what, colon, value = word.partition(":")
            if colon and what == "state":
                kept = [e for e in kept if _in_state(e, value.lower(), open_skills)]
            elif colon and what == "since":
                kept = [e for e in kept if value != self.since or e.path in self.changed]
            else:
                wanted = word.casefold()
                kept = [e for e in kept if wanted in f"{e.path}\n{e.name}".casefold()]
        return kept


def since(query: str) -> str:
    """The revision of `since:` in a filter; empty if there is none."""
    return next((word[6:] for word in query.split() if word.startswith("since:")), "")


def _seen(entry: SkillEntry, analysis: Analysis) -> SkillEntry:
    counts: Counter[str] = Counter(each.severity or "error" for each in analysis.diagnostics)
    levels: tuple[Status, ...] = ("error", "warning", "info")
    by_file: dict[str, Counter[str]] = {}
    for each in analysis.diagnostics:
        if each.path:
            by_file.setdefault(each.path, Counter())[each.severity or "error"] += 1
    return SkillEntry(
        entry.path,
        analysis.name or entry.name,
        next((level for level in levels if level in counts), "ok"),
        dict(counts),
        tuple(dict.fromkeys(manifest.path for manifest in analysis.manifests)),
        by_file={
            path: next(FileProblems(level, found[level]) for level in levels if found[level])
            for path, found in by_file.items()
        },
        outcomes={target: each.outcome for target, each in analysis.judged.items()},
    )


def _in_state(entry: SkillEntry, state: str, unsaved: frozenset[str]) -> bool:
    """Whether a skill has a state, of which a prefix is enough."""
    if not state:
        return True
    if "unsaved".startswith(state) and len(state) > 2:
        return entry.path in unsaved
    return entry.status.startswith(state)
