"""An open workspace without a screen: which skills are there, and what is known of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree, Overlay
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings

if TYPE_CHECKING:
    from skillstudio.settings.read import Settings
    from skillstudio.skill.analysis import Analysis

Status = Literal["unread", "ok", "info", "warning", "error"]
WORDS: dict[Status, tuple[str, str]] = {
    "unread": ("·", "not checked"),
    "ok": ("✓", "ok"),
    "info": ("i", "notes"),
    "warning": ("!", "warnings"),
    "error": ("✗", "errors"),
}
"""A glyph and a word for each state: colour is never the only sign."""

MOST_TOLD = 3
"""So many folders that cannot be listed are named; of the others the number is told."""


@dataclass(frozen=True)
class SkillEntry:
    """One skill of the workspace and what its last check found."""

    path: str
    """Its folder relative to the workspace, with `/`; empty for the workspace itself."""
    name: str
    status: Status = "unread"
    counts: dict[str, int] = field(default_factory=dict)
    """Severity to number of diagnostics."""
    files: tuple[str, ...] = ()
    """The files with manifests, relative to the skill."""
    trouble: str = ""
    """Why it could not be checked."""

    @property
    def summary(self) -> str:
        """The counts in few letters, as `2E 1W`."""
        found = (("error", "E"), ("warning", "W"), ("info", "I"))
        return " ".join(f"{self.counts[s]}{letter}" for s, letter in found if self.counts.get(s))


class Workspace:
    """A folder with skills. It reads the disk when asked and keeps only what was found."""

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(root)
        self.tree = DiskTree(self.root)
        self.skills: dict[str, SkillEntry] = {}
        self.changed: frozenset[str] = frozenset()
        """The skills changed since `since`."""
        self.since = ""
        self.unreadable: list[tuple[str, str]] = []
        """Folders that could not be listed, and why."""
        self._settings: tuple[Settings | None, str] | None = None

    @classmethod
    def of(cls, path: str) -> tuple[Workspace, str]:
        """The workspace for a path that a user gave, and the file in it that was meant, if any.

        A file stands for its folder's skill; in a folder below a skill's own, for that skill.
        """
        path = os.path.abspath(path)
        if os.path.isdir(path):
            return cls(path), ""
        from skillstudio.skill.discover import find_skills

        folder = os.path.dirname(path)
        while True:
            if next(iter(find_skills(DiskTree(folder))), None) == "":
                return cls(folder), os.path.relpath(path, folder).replace(os.sep, "/")
            above = os.path.dirname(folder)
            if above == folder:
                return cls(os.path.dirname(path)), ""
            folder = above

    def find(self, cancelled: Callable[[], bool] = lambda: False) -> list[SkillEntry]:
        """Look for the skills anew. May be called in a thread: it changes nothing."""
        from skillstudio.skill.discover import find_skills

        found = []
        self.unreadable = []

        def unreadable(path: str, error: OSError) -> None:
            self.unreadable.append((path, error.strerror or str(error)))

        for path in find_skills(self.tree, unreadable=unreadable):
            if cancelled():
                break
            name = path.rpartition("/")[2] if path else self.tree.name
            found.append(SkillEntry(path, name))
        return found

    def take(self, found: Iterable[SkillEntry]) -> None:
        """Make these the skills, keeping what is known of those that were there."""
        self.skills = {each.path: self.skills.get(each.path, each) for each in found}

    def add(self, folder: str) -> str | None:
        """Take note of a skill that was made; its path here, None where it lies elsewhere."""
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
        tree = DiskTree(root)
        inside = {}
        for path, text in (unsaved or {}).items():
            if path.startswith(root + os.sep):
                inside[os.path.relpath(path, root).replace(os.sep, "/")] = text.encode("utf-8")
        return Overlay(tree, inside) if inside else tree

    def settings(self, skill: str) -> SkillSettings:
        """What `skillstudio.toml` says for a skill. Raises OSError where it cannot be read."""
        settings, file = self._read_settings()
        if settings is None:
            return NO_SETTINGS
        relative = os.path.relpath(self.path(skill), os.path.dirname(file))
        return settings.for_skill(relative.replace(os.sep, "/"))

    def settings_faults(self) -> list[str]:
        """What is wrong with `skillstudio.toml`, each with its place, rules unknown included."""
        from skillstudio.manifest.rulebook import all_rules

        try:
            settings, file = self._read_settings()
        except OSError as error:
            return [f"the settings cannot be read: {error.strerror or error}"]
        if settings is None:
            return []
        shown = os.path.relpath(file, self.root).replace(os.sep, "/")
        source = settings.document.source
        said = []
        for each in (*settings.diagnostics, *settings.unknown_rules(all_rules())):
            line, column = source.position(each.span.start) if each.span else (1, 1)
            said.append(f"{shown}:{line}:{column}: {each.message}")
        return said

    def folders_passed_over(self) -> list[str]:
        """What to say of the folders that could not be listed."""
        said = [
            f"{path or self.tree.name} cannot be listed: {why}"
            for path, why in self.unreadable[:MOST_TOLD]
        ]
        more = len(self.unreadable) - MOST_TOLD
        return [*said, f"{more} more folders cannot be listed"] if more > 0 else said

    def _read_settings(self) -> tuple[Settings | None, str]:
        from skillstudio.settings.settings import find_settings

        if self._settings is None:
            file = find_settings(self.root)
            self._settings = (None, "") if file is None else (_settings(file), file)
        return self._settings

    def forget_settings(self) -> None:
        """Read `skillstudio.toml` again when it is next needed."""
        self._settings = None

    def analyse(self, skill: str, unsaved: Mapping[str, str] | None = None) -> Analysis:
        """Check one skill as it would be with the unsaved texts. Raises OSError."""
        from skillstudio.skill.analysis import analyse

        return analyse(self.files(skill, unsaved), self.settings(skill))

    def examine(self, entry: SkillEntry) -> SkillEntry:
        """What a check of a skill on disk finds, as a new entry. May be called in a thread."""
        try:
            return _seen(entry, self.analyse(entry.path))
        except OSError as error:
            return SkillEntry(
                entry.path, entry.name, "error", {"error": 1}, (), error.strerror or str(error)
            )

    def note(self, skill: str, analysis: Analysis) -> SkillEntry | None:
        """Keep what a check found of a skill."""
        entry = self.skills.get(skill)
        if entry is not None:
            entry = self.skills[skill] = _seen(entry, analysis)
        return entry

    def find_changed(self, ref: str) -> frozenset[str]:
        """The skills with a file changed since a git revision. Raises GitError."""
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
        """The skills that a filter lets through.

        Words are looked for in path and name; `state:` takes a status or `unsaved`; `since:`
        lets through those in `changed`, which belong to the revision `since`.
        """
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
    """The revision that a filter names with `since:`; empty when none."""
    return next((word[6:] for word in query.split() if word.startswith("since:")), "")


def _seen(entry: SkillEntry, analysis: Analysis) -> SkillEntry:
    counts: dict[str, int] = {}
    for diagnostic in analysis.diagnostics:
        severity = diagnostic.severity or "error"
        counts[severity] = counts.get(severity, 0) + 1
    levels: tuple[Status, ...] = ("error", "warning", "info")
    return SkillEntry(
        entry.path,
        analysis.name or entry.name,
        next((level for level in levels if counts.get(level)), "ok"),
        counts,
        tuple(dict.fromkeys(manifest.path for manifest in analysis.manifests)),
    )


def _in_state(entry: SkillEntry, state: str, unsaved: frozenset[str]) -> bool:
    """Whether a skill is in a state; the beginning of the word is enough."""
    if not state:
        return True
    if "unsaved".startswith(state) and len(state) > 2:
        return entry.path in unsaved
    return entry.status.startswith(state)


def _settings(file: str) -> Settings:
    from skillstudio.settings.read import read_settings
    from skillstudio.text.source import Source, decode

    with open(file, "rb") as stream:
        text, _ = decode(stream.read())
    return read_settings(Source(text, file))
