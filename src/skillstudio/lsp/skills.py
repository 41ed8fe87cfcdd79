"""The skills around open documents, and the results of their last checks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import Overlay
from skillstudio.lsp.documents import EditorText, OpenDocument, uri_of
from skillstudio.session.workspace import Workspace
from skillstudio.settings.settings import FILE, PYPROJECT
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.discover import is_skill, skill_around
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Source, decode


class Documents(NamedTuple):
    """All open documents at one moment, by their paths; the units of the editor."""

    by_path: Mapping[str, OpenDocument]
    encoding: str = "utf-16"
    disk: int = 0  # How often files on disk were known to change.

    def below(self, folder: str) -> dict[str, str]:
        """The texts of the open documents in a folder, by path."""
        start = os.path.join(folder, "")
        return {path: document.text.text for path, document in self.by_path.items()
                if path.startswith(start)}  # fmt: skip

    def uri(self, path: str) -> str:
        """The URI of a file, as the editor writes it if it is open."""
        document = self.by_path.get(path)
        return document.uri if document is not None else uri_of(path)

    def text_of(self, path: str, source: Source | None = None) -> EditorText:
        """The text of a file: as the editor has it, else `source`, else the file's on disk."""
        document = self.by_path.get(path)
        if document is not None:
            return document.text
        if source is None:
            try:
                folder, name = os.path.split(path)
                source = Source(decode(DiskTree(folder).read(name))[0])
            except OSError:
                source = Source("")
        return EditorText(source.text, self.encoding, int(source.line_starts[0] > 0))


class SkillCheck(NamedTuple):
    """The result of a check of the skill in a folder; `trouble` says why there is none."""

    folder: str
    analysis: Analysis | None = None
    trouble: str = ""

    def path(self, inside: str) -> str:
        """The path on disk of a file of the skill."""
        return os.path.join(self.folder, *inside.split("/"))

    def inside(self, path: str) -> str:
        """The path in the skill of a file on disk."""
        return os.path.relpath(path, self.folder).replace(os.sep, "/")


class SkillPlace(NamedTuple):
    """A document that belongs to a skill, with the skill's check."""

    check: SkillCheck
    documents: Documents
    document: OpenDocument

    @property
    def inside(self) -> str:
        """The document's path in the skill."""
        return self.check.inside(self.document.path)

    @property
    def text(self) -> EditorText:
        return self.document.text


class Skills:
    """Check skills with unsaved texts; used by one thread."""

    def __init__(self) -> None:
        self._workspaces: dict[str, Workspace] = {}
        self._folders: dict[str, str] = {}
        self._cached_checks: dict[str, tuple[object, SkillCheck]] = {}

    def folder_of(self, path: str, documents: Documents) -> str:
        """The folder of the skill that a file belongs to; "" if it belongs to none."""
        if path not in self._folders:
            self._folders[path] = _folder_of(path, documents)
        return self._folders[path]

    def check(self, folder: str, documents: Documents) -> SkillCheck:
        """Check the skill in a folder with unsaved texts, unless nothing changed since."""
        start = os.path.join(folder, "")
        # Texts are immutable, so equal ones are the same object.
        state = (
            documents.disk,
            {
                path: document.text
                for path, document in documents.by_path.items()
                if path.startswith(start)
            },
        )
        cache_entry = self._cached_checks.get(folder)
        if cache_entry is not None and cache_entry[0] == state:
            return cache_entry[1]
        try:
            analysis = self.workspace(folder).analyse("", documents.below(folder))
            skill_check = SkillCheck(folder, analysis)
        except OSError as error:
            skill_check = SkillCheck(folder, None, error.strerror or str(error))
        self._cached_checks[folder] = state, skill_check
        return skill_check

    def place(self, document: OpenDocument, documents: Documents) -> SkillPlace | None:
        """The document in its checked skill; None if it belongs to none."""
        folder = self.folder_of(document.path, documents) if document.path else ""
        if not folder:
            return None
        return SkillPlace(self.check(folder, documents), documents, document)

    def workspace(self, folder: str) -> Workspace:
        """The workspace whose root is the skill itself."""
        if folder not in self._workspaces:
            self._workspaces[folder] = Workspace(folder)
        return self._workspaces[folder]

    def forget(self, paths: list[str]) -> None:
        """Read again what changed files may change: settings, and which folders are skills."""
        self._folders.clear()
        if any(os.path.basename(path) in (FILE, PYPROJECT) for path in paths):
            for workspace in self._workspaces.values():
                workspace.forget_settings()

    def drop(self, folder: str) -> None:
        """Forget a skill of which no document is open."""
        self._workspaces.pop(folder, None)
        self._cached_checks.pop(folder, None)


def check_settings(text: str, path: str) -> tuple[Diagnostic, ...]:
    """The problems of a `skillstudio.toml`."""
    from skillstudio.manifest.rulebook import former_rule, rule_names
    from skillstudio.manifest.targets import recorded_targets
    from skillstudio.settings.read import read_settings

    settings = read_settings(Source(text, path))
    return (
        *settings.diagnostics,
        *settings.unknown_names(rule_names(), recorded_targets, former_rule),
    )


def _folder_of(path: str, documents: Documents) -> str:
    folder, name = os.path.split(path)
    document = documents.by_path.get(path)
    if document is not None:
        # The editor may have a manifest that is not on disk yet.
        unsaved_files = {name: document.text.text.encode()}
        if is_skill(Overlay(DiskTree(folder), unsaved_files)):
            return folder
    return skill_around(path)
