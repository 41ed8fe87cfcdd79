"""The skills around open documents, and the results of their last checks."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.lsp.documents import EditorText, OpenDocument, uri_of
from skillstudio.manifest.registry import dialects
from skillstudio.session.workspace import Workspace
from skillstudio.settings.settings import (
    SettingsFile,
    may_have_settings,
    settings_from_elsewhere,
)
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.discover import is_skill
from skillstudio.skill.settings_files import find_settings
from skillstudio.skill.workspace import with_unsaved
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Source, decode

if TYPE_CHECKING:
    from skillstudio.session.comparing.comparing import ComparisonResult, SkillComparer

_MOST_CHECKS = 16  # Results that are kept: each has all texts and trees of its skill.
_NO_TEXTS: Mapping[str, str] = {}


class Documents(NamedTuple):
    """All open documents at one moment."""

    by_path: Mapping[str, OpenDocument]
    paths: Sequence[str] = ()
    """Their paths in order."""
    settings: Mapping[str, str] = _NO_TEXTS
    """The texts of those with settings, by path."""
    encoding: str = "utf-16"
    """The units of the editor."""

    @classmethod
    def of(cls, documents: Iterable[OpenDocument], encoding: str = "utf-16") -> Documents:
        """The open documents that are files."""
        by_path = {document.path: document for document in documents if document.path}
        settings = {
            path: document.text.text
            for path, document in by_path.items()
            if path.endswith(".toml") and may_have_settings(path)
        }
        return cls(by_path, sorted(by_path), settings, encoding)

    def inside(self, folder: str) -> Iterator[OpenDocument]:
        """The documents in a folder."""
        start = os.path.join(folder, "")
        for number in range(bisect_left(self.paths, start), len(self.paths)):
            path = self.paths[number]
            if not path.startswith(start):
                return
            yield self.by_path[path]

    def below(self, folder: str) -> dict[str, str]:
        """The texts of the documents in a folder, by path."""
        return {document.path: document.text.text for document in self.inside(folder)}

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
        return os.path.normpath(os.path.join(self.folder, *inside.split("/")))

    def inside(self, path: str) -> str:
        """The path in the skill of a file on disk."""
        return make_relative(path, self.folder).replace(os.sep, "/")


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


class SkillState(NamedTuple):
    """What the results for a skill depend on in the editor: open texts of it, and settings."""

    texts: tuple[tuple[str, EditorText], ...]
    settings: Mapping[str, str]


class SkillInWorkspace(NamedTuple):
    """A skill by its path in a workspace."""

    workspace: Workspace
    path: str


class Skills:
    """Check skills with unsaved texts; used by one thread."""

    def __init__(self) -> None:
        self.roots: tuple[str, ...] = ()
        """The folders that are open in the editor."""
        self._workspaces: dict[str, Workspace] = {}
        self._folders: dict[str, str] = {}
        self._skills: dict[str, SkillInWorkspace] = {}
        self._checks: OrderedDict[str, tuple[object, SkillCheck]] = OrderedDict()
        """The results of the skills that were last asked for, the latest last."""
        self._comparers: OrderedDict[str, SkillComparer] = OrderedDict()
        self._comparisons: dict[str, tuple[object, ComparisonResult]] = {}
        self._settings: Mapping[str, str] = _NO_TEXTS

    def folder_of(self, path: str, documents: Documents) -> str:
        """The folder of the skill that a file belongs to; "" if it belongs to none."""
        folder = self._folders.get(path, "")
        if not folder and (folder := _folder_of(path, documents)):
            self._folders[path] = folder
        return folder

    def check(self, folder: str, documents: Documents, is_request: bool = True) -> SkillCheck:
        """Check the skill in a folder with unsaved texts, unless nothing changed since.

        What is not a request of the editor, of which there may be thousands, displaces no result.
        """
        self.use_settings(documents)
        state = self.state(folder, documents)
        entry = self._checks.get(folder)
        if entry is not None and entry[0] == state:
            self._checks.move_to_end(folder)
            return entry[1]
        workspace, skill = self.find(folder)
        try:
            analysis = workspace.analyse(skill, documents.below(folder))
            skill_check = SkillCheck(folder, analysis)
        except OSError as error:
            skill_check = SkillCheck(folder, None, error.strerror or str(error))
        if not is_request and entry is None and len(self._checks) >= _MOST_CHECKS:
            return skill_check
        self._checks[folder] = state, skill_check
        self._checks.move_to_end(folder)
        if len(self._checks) > _MOST_CHECKS:
            self._checks.popitem(last=False)
        return skill_check

    def use_settings(self, documents: Documents) -> None:
        """Use the unsaved texts of files with settings for all later checks."""
        if documents.settings == self._settings:
            return
        self._settings = documents.settings
        self._skills.clear()
        self._checks.clear()
        for workspace in self._workspaces.values():
            workspace.use_settings(self._settings)

    def place(self, document: OpenDocument, documents: Documents) -> SkillPlace | None:
        """The document in its checked skill; None if it belongs to none."""
        folder = self.folder_of(document.path, documents) if document.path else ""
        if not folder:
            return None
        return SkillPlace(self.check(folder, documents), documents, document)

    def find(self, folder: str) -> SkillInWorkspace:
        """The skill in a folder, in the workspace whose skills it is checked with.

        That is the innermost open folder around it, or the folder of settings that are nearer; for
        a skill outside of all open folders, its own folder.
        """
        if folder not in self._skills:
            root = self._root_of(folder)
            path = "" if folder == root else make_relative(folder, root).replace(os.sep, "/")
            self._skills[folder] = SkillInWorkspace(self.workspace(root), path)
        return self._skills[folder]

    def workspace(self, root: str) -> Workspace:
        """The workspace of a folder."""
        if root not in self._workspaces:
            self._workspaces[root] = Workspace(root)
            self._workspaces[root].use_settings(self._settings)
        return self._workspaces[root]

    def _root_of(self, folder: str) -> str:
        roots = [root for root in self.roots if _contains(root, folder)]
        if not roots:
            return folder
        root = max(roots, key=len)
        settings = find_settings(folder, self._settings)
        if settings is not None and settings.origin == "workspace":
            base = os.path.abspath(settings.base)
            if _contains(root, base):
                return base
        return root

    def open_roots(self, roots: Iterable[str]) -> None:
        """Use other folders that are open in the editor."""
        self.roots = tuple(dict.fromkeys(map(os.path.abspath, roots)))
        self._workspaces.clear()
        self._skills.clear()
        self._checks.clear()

    def forget(self, changes: ChangedPaths) -> None:
        """Read again what changed files may change."""
        self._folders.clear()
        for results in (self._checks, self._comparisons):
            for folder in list(results):
                if changes.may_change(folder):
                    del results[folder]
        if changes.has_settings:
            self._skills.clear()
            for workspace in self._workspaces.values():
                workspace.forget_settings()

    def compare(self, folder: str, documents: Documents) -> ComparisonResult:
        """Compare a skill with its last version, unless nothing changed since. It starts git."""
        known_result = self.compared(folder, documents)
        if known_result is not None:
            return known_result
        self.use_settings(documents)
        workspace, skill = self.find(folder)
        comparer = self._comparers.get(folder)
        if comparer is None or comparer.workspace is not workspace:
            from skillstudio.session.comparing.comparing import SkillComparer

            comparer = SkillComparer(workspace, skill)
        elif comparer.is_outdated:
            comparer.forget()
        result = comparer.compare(comparer.sides, documents.below(folder))
        self._comparers[folder] = comparer
        self._comparers.move_to_end(folder)
        self._comparisons[folder] = self.state(folder, documents), result
        if len(self._comparers) > _MOST_CHECKS:
            oldest, _ = self._comparers.popitem(last=False)
            self._comparisons.pop(oldest, None)
        return result

    def compared(self, folder: str, documents: Documents) -> ComparisonResult | None:
        """The last comparison of a skill, if nothing changed since."""
        comparer, entry = self._comparers.get(folder), self._comparisons.get(folder)
        if comparer is None or entry is None or comparer.is_outdated:
            return None
        return entry[1] if entry[0] == self.state(folder, documents) else None

    def state(self, folder: str, documents: Documents) -> SkillState:
        """What the results for a skill depend on in the editor."""
        # Texts are immutable, so equal ones are the same object.
        texts = tuple((document.path, document.text) for document in documents.inside(folder))
        return SkillState(texts, documents.settings)

    def settings_file(self, folder: str, documents: Documents) -> SettingsFile:
        """The file for settings of a skill, which may not exist yet. It is never the user's own."""
        from skillstudio.skill.versions.waiving import workspace_settings

        root = self.find(folder).workspace.root
        return workspace_settings(folder, documents.settings, root)

    def forget_folders(self) -> None:
        """Find anew which skill a file belongs to."""
        self._folders.clear()

    def forget_checks(self, folders: Iterable[str]) -> None:
        """Check these skills again at the next request."""
        for folder in folders:
            self._checks.pop(folder, None)

    def drop(self, folder: str) -> None:
        """Forget a skill of which no document is open."""
        self._checks.pop(folder, None)
        if self._skills.get(folder, (None, None))[1] == "" and folder not in self.roots:
            self._workspaces.pop(folder, None)
            self._skills.pop(folder, None)


class ChangedPaths:
    """Files that changed on disk."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = frozenset(paths)
        self._is_anywhere = not self.paths.isdisjoint(settings_from_elsewhere())
        self._folders = {folder for path in self.paths for folder in _upwards(path)}
        self._above = {os.path.dirname(path) for path in self.paths}

    def may_change(self, folder: str) -> bool:
        """Whether they may change the problems of a skill: one is in it, or beside a parent."""
        if self._is_anywhere:
            return True
        return folder in self._folders or not self._above.isdisjoint(_upwards(folder))

    @property
    def has_settings(self) -> bool:
        return any(map(may_have_settings, self.paths))


def _upwards(path: str) -> Iterator[str]:
    """A path and the folders above it."""
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _contains(folder: str, path: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def check_settings(text: str, path: str) -> tuple[Diagnostic, ...]:
    """The problems of a file with settings."""
    from skillstudio.manifest.registry import dialect_ids
    from skillstudio.manifest.rulebook import former_rule, rule_names
    from skillstudio.manifest.targets import recorded_targets
    from skillstudio.settings.read import read_settings

    settings = read_settings(Source(text, path))
    return (
        *settings.diagnostics,
        *settings.unknown_names(rule_names(), recorded_targets, dialect_ids, former_rule),
    )


def _folder_of(path: str, documents: Documents) -> str:
    names = {dialect.file for dialect in dialects()} | {os.path.basename(path)}
    at = path
    while (above := os.path.dirname(at)) != at:
        at = above
        # The editor may have a manifest that is not on disk yet.
        unsaved_files = {
            name: document.text.text.encode()
            for name in names
            if (document := documents.by_path.get(os.path.join(at, name))) is not None
        }
        if is_skill(with_unsaved(at, unsaved_files) if unsaved_files else DiskTree(at)):
            return at
    return ""
