"""The scan of the folders that are open in the editor: their skills, symbols and problems.

The search for skills runs in a thread of its own; then the worker checks one skill after another,
and answers requests in between.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lsprotocol import types
from lsprotocol.converters import get_converter

from skillstudio.lsp.documents import EditorText
from skillstudio.lsp.host import ServerHost
from skillstudio.lsp.reports import MOST, Diagnostics, report, reports
from skillstudio.lsp.skills import ChangedPaths, Documents, SkillCheck, Skills, SkillState
from skillstudio.lsp.symbols import find_symbols
from skillstudio.lsp.worker import settle_memory
from skillstudio.session.result_cache import ResultCache, is_right_outside
from skillstudio.skill.analysis import analyse
from skillstudio.skill.facts import facts_of, pack_facts, unpack_facts

if TYPE_CHECKING:
    from skillstudio.session.workspace import SkillEntry, Workspace
    from skillstudio.skill.workspace import WorkspaceSearch

T = TypeVar("T")
_CONVERTER = get_converter()
_GROWTH = 50  # Skills more that are kept.
_MANY = 40  # From this number of skills on, the cache takes less time than it saves.
_MOST_FOLDERS = 50_000  # Folders of one root that are searched: a home folder may be opened.
_MOST_SKILLS = 20_000


class SkillSummary(NamedTuple):
    """What the scan keeps of a skill: its problems by path of the file, and its symbols."""

    reports: Mapping[str, Diagnostics] = {}
    symbols: tuple[types.WorkspaceSymbol, ...] | None = ()
    """None if nobody requested them since the skill was checked, which happens at each key."""


class FileReport(NamedTuple):
    """The problems of a file or folder that belongs to no skill, and the file's text."""

    text: str | None
    diagnostics: Diagnostics


class WorkspaceScan:
    """The last scan, which is made again after files changed.

    The worker alone uses `summary` and `forget`.
    """

    def __init__(self, server: ServerHost) -> None:
        self._server = server
        self.folders: tuple[str, ...] = ()
        """The skills of the open folders."""
        self._folder_set: frozenset[str] = frozenset()
        self.file_reports: dict[str, FileReport] = {}
        """The problems that belong to no skill, by path of the file or folder."""
        self.changed_folders: set[str] = set()
        """The skills whose problems may differ because another one was changed."""
        self._summaries: dict[str, tuple[SkillState, SkillSummary]] = {}
        self._searches: dict[str, tuple[int, list[SkillEntry]]] = {}
        """The skills of the searched folders, and for which request these were searched."""
        self._requested = self._searched_at = self._finished = 0
        self._has_finished = asyncio.Event()
        self._is_cancelled = False
        self._task: asyncio.Task[None] | None = None

    def start(self, is_searched: bool = True) -> None:
        """Scan what is not known or was forgotten; with a new search, also for other skills."""
        self._requested += 1
        if is_searched:
            self._searched_at = self._requested
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._run())

    def has_below(self, path: str) -> bool:
        """Whether a skill is in a folder, or is that folder."""
        start = os.path.join(path, "")
        return any(folder == path or folder.startswith(start) for folder in self.folders)

    def cancel(self) -> None:
        """End a search, which must not outlive the server."""
        self._is_cancelled = True

    async def wait(self) -> None:
        """Wait until all is scanned that was requested until now."""
        requested = self._requested
        while self._finished < requested and not self._is_cancelled:
            await self._has_finished.wait()

    async def _run(self) -> None:
        while self._finished < self._requested and not self._is_cancelled:
            requested = self._requested
            try:
                await self._scan(requested)
            except Exception as error:
                self._server.report_server_error(error, type(error))
            self._finished = requested
            self._has_finished.set()
            self._has_finished.clear()

    async def _scan(self, requested: int) -> None:
        server, skills = self._server, self._server.skills
        pending_roots = list(_outermost(await server.run(lambda: skills.roots)))
        workspaces: dict[str, Workspace] = {}
        folders: dict[str, None] = {}
        while pending_roots and not self._is_cancelled:
            workspace = await self._run_later(partial(skills.workspace, pending_roots.pop()))
            workspaces[workspace.root] = workspace
            searched_for, entries = self._searches.get(workspace.root, (0, []))
            if searched_for < self._searched_at:
                entries = await self._search(workspace)
                self._searches[workspace.root] = requested, entries
            cache = None
            if len(entries) >= _MANY:
                cache = await asyncio.to_thread(ResultCache, ["lsp", server.documents().encoding])
            for entry in entries:
                if self._is_cancelled:
                    return
                folder = workspace.path(entry.path)
                folders[folder] = None
                root = await self._run_later(
                    partial(self._examine, folder, server.documents(), workspace, cache)
                )
                if root not in workspaces and root not in pending_roots:
                    pending_roots.append(root)
            if cache is not None:
                await asyncio.to_thread(cache.save)
        self.folders, self._folder_set = tuple(folders), frozenset(folders)
        file_reports: dict[str, FileReport] = {}
        changed_folders: set[str] = set()
        for workspace in workspaces.values():
            changed_folders |= await self._run_later(partial(self._relate, workspace, file_reports))
        if file_reports != self.file_reports:
            changed_folders |= file_reports.keys() | self.file_reports.keys()
        self.file_reports = file_reports
        if changed_folders:
            server.check_folders(changed_folders)

    async def _search(self, workspace: Workspace) -> list[SkillEntry]:
        """Search one root, in a thread of its own."""
        search, entries, is_complete = await asyncio.to_thread(self._search_now, workspace)
        if not is_complete:
            self._server.log(
                f"{workspace.root} has more than {_MOST_FOLDERS:,} folders or {_MOST_SKILLS:,} "
                "skills; the others are checked when you open them"
            )
        await self._run_later(partial(workspace.use_search, search, entries))
        return entries

    def _search_now(self, workspace: Workspace) -> tuple[WorkspaceSearch, list[SkillEntry], bool]:
        """Search one root; whether all of it was searched."""
        number = 0

        def is_enough() -> bool:
            nonlocal number
            number += 1
            return self._is_cancelled or number > _MOST_FOLDERS

        search, entries = workspace.search_skills(is_enough)
        is_complete = number <= _MOST_FOLDERS and len(entries) <= _MOST_SKILLS
        return search, entries[:_MOST_SKILLS], is_complete

    async def _run_later(self, job: Callable[[], T]) -> T:
        return await self._server.run(job, is_request=False)

    # Called in the worker

    def summary(
        self, folder: str, documents: Documents, cache: ResultCache | None = None
    ) -> SkillSummary:
        """The problems and symbols of a skill, with unsaved texts and beside the other skills."""
        skills = self._server.skills
        skills.use_settings(documents)
        state = skills.state(folder, documents)
        entry = self._summaries.get(folder)
        if entry is not None and entry[0] == state:
            return entry[1]
        workspace, path = skills.find(folder)
        before = workspace.facts(path)
        if state.texts or path in workspace.related_skills:
            skill_check = skills.check(folder, documents, is_request=False)
            result = SkillSummary(reports(skill_check, documents), None)
        else:
            result = _summarise_cached(skills, folder, documents, cache)
        others = {workspace.path(other) for other in workspace.relate_changed(path, before)}
        self._forget_folders(others)
        self.changed_folders |= others
        if folder not in self._summaries and len(self._summaries) % _GROWTH == 0:
            settle_memory()
        self._summaries[folder] = state, result
        return result

    def symbols(self, folder: str, documents: Documents) -> tuple[types.WorkspaceSymbol, ...]:
        """The symbols of a skill, with unsaved texts."""
        summary = self.summary(folder, documents)
        if summary.symbols is not None:
            return summary.symbols
        skills = self._server.skills
        skill_check = skills.check(folder, documents, is_request=False)
        symbols = find_symbols(skill_check, documents)
        state = skills.state(folder, documents)
        self._summaries[folder] = state, summary._replace(symbols=symbols)
        return symbols

    def has_symbols(self, folder: str, documents: Documents) -> bool:
        """Whether the symbols of a skill are known."""
        entry = self._summaries.get(folder)
        if entry is None or entry[1].symbols is None:
            return False
        return entry[0] == self._server.skills.state(folder, documents)

    def forget(self, changes: ChangedPaths) -> bool:
        """Check again what changed files may change; whether there is anything."""
        folders = [folder for folder in self._summaries if changes.may_change(folder)]
        for folder in folders:
            del self._summaries[folder]
        return bool(folders)

    def clear(self) -> None:
        """Forget all skills."""
        self._summaries.clear()

    def _forget_folders(self, folders: Iterable[str]) -> None:
        self._server.skills.forget_checks(folders)
        for folder in folders:
            self._summaries.pop(folder, None)

    def close(self, folder: str, documents: Documents) -> None:
        """Take a skill of which no document is open as it is on disk; forget it if it is in no
        open folder."""
        if folder in self._folder_set:
            self.summary(folder, documents)
        else:
            self._summaries.pop(folder, None)

    def _examine(
        self, folder: str, documents: Documents, searched: Workspace, cache: ResultCache | None
    ) -> str:
        """Check a skill, if it is checked with the searched workspace; the root of the one that it
        is checked with."""
        skills = self._server.skills
        skills.use_settings(documents)
        workspace = skills.find(folder).workspace
        if workspace is searched:
            self.summary(folder, documents, cache)
        return workspace.root

    def _relate(self, workspace: Workspace, file_reports: dict[str, FileReport]) -> set[str]:
        """Check how the skills go together; the folders of skills whose problems change by it."""
        before = workspace.related_skills
        workspace.relate(())
        changed_skills = before | workspace.related_skills
        folders = {workspace.path(skill) for skill in changed_skills}
        self._forget_folders(folders)
        documents = self._server.documents()
        known_problems: set[object] = {
            (path, str(item.range), item.code, item.message)
            for path, file_report in file_reports.items()
            for item in file_report.diagnostics
        }
        for problem in workspace.problems:
            path = os.path.abspath(os.path.join(workspace.root, problem.path))
            text = problem.source.text if problem.source is not None else None
            diagnostic = report(problem.diagnostic, EditorText(text or "", documents.encoding))
            diagnostics = file_reports.setdefault(path, FileReport(text, [])).diagnostics
            # A root inside of another one is searched with it, too.
            key = path, str(diagnostic.range), diagnostic.code, diagnostic.message
            if key not in known_problems and len(diagnostics) < MOST:
                diagnostics.append(diagnostic)
            known_problems.add(key)
        return folders


def _summarise_cached(
    skills: Skills, folder: str, documents: Documents, cache: ResultCache | None
) -> SkillSummary:
    """The same of a skill without unsaved texts, from the cache if it has not changed."""
    workspace, path = skills.find(folder)
    try:
        skill_path = workspace.skill_path(path)
        value = cache.get(skill_path, is_right_outside) if cache is not None else None
        if value is not None:
            summary, packed_facts, outside = value
            facts = unpack_facts(path, folder, skill_path.settings, packed_facts)
            answers = tuple((above, other, answer) for above, other, answer in outside)
            workspace.remember(facts._replace(outside=answers))
            return _unpack(summary)
        # This tree knows what the problems depend on outside of the skill.
        analysis = analyse(skill_path.tree, skill_path.settings)
    except OSError as error:
        trouble = error.strerror or str(error)
        return SkillSummary(reports(SkillCheck(folder, None, trouble), documents))
    facts = facts_of(path, analysis)
    workspace.remember(facts)
    skill_check = SkillCheck(folder, analysis)
    symbols = find_symbols(skill_check, documents)
    result = SkillSummary(reports(skill_check, documents), symbols)
    packed = pack_facts(facts)
    if cache is not None and packed is not None:
        cache.add(skill_path, [_pack(result), packed, facts.outside])
    return result


def _pack(summary: SkillSummary) -> list[Any]:
    return [_CONVERTER.unstructure(dict(summary.reports)), _CONVERTER.unstructure(summary.symbols)]


def _unpack(values: Any) -> SkillSummary:
    skill_reports, symbols = values
    return SkillSummary(
        _CONVERTER.structure(skill_reports, dict[str, list[types.Diagnostic]]),
        _CONVERTER.structure(symbols, tuple[types.WorkspaceSymbol, ...]),
    )


def _outermost(roots: Iterable[str]) -> Iterator[str]:
    """The folders that are in no other one of them."""
    last = ""
    for root in sorted(os.path.join(root, "") for root in roots):
        if not last or not root.startswith(last):
            yield os.path.normpath(root)
            last = root
