"""The problems of open documents: whose they are, and what the editor has of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, Protocol

from lsprotocol import types

from skillstudio.lsp.documents import uri_of
from skillstudio.lsp.host import ServerHost
from skillstudio.lsp.reports import MOST, Diagnostics, report
from skillstudio.lsp.scan import WorkspaceScan
from skillstudio.lsp.skills import Documents, check_settings
from skillstudio.settings.settings import has_settings


class Reports(NamedTuple):
    """The problems of one skill, or of one file that belongs to none, by path."""

    owner: str
    by_path: dict[str, Diagnostics]
    documents: tuple[str, ...] = ()
    """The open documents whose texts were checked."""
    other_folders: frozenset[str] = frozenset()
    """Other skills whose problems may differ because of this one."""


class ProblemHost(ServerHost, Protocol):
    """The server, as far as problems use it."""

    scan: WorkspaceScan

    @property
    def client_capabilities(self) -> types.ClientCapabilities:
        """What the editor supports."""

    def text_document_publish_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
        """Send the problems of a document."""

    def workspace_diagnostic_refresh(self, params: None) -> object:
        """Let the editor ask again."""


class Problems:
    """The problems that the editor has: published ones, or those that it asked for."""

    def __init__(self, server: ProblemHost) -> None:
        self._server = server
        self._pending_paths: dict[str, None] = {}  # Paths of documents to check, as an ordered set.
        self._publish_task: asyncio.Task[None] | None = None
        self._reports: dict[str, dict[str, Diagnostics]] = {}
        """The problems of a file by the skills that have them."""
        self._owned_paths: dict[str, frozenset[str]] = {}
        """The files in which a skill has problems, or has open documents."""
        self._published: dict[str, tuple[int | None, Diagnostics] | None] = {}
        """What was published last for a file; None if it was opened or closed since."""

    def forget(self, path: str) -> None:
        """Publish the problems of a file again, because it was opened or closed."""
        self._published[path] = None

    def publish_none(self, uri: str) -> None:
        """Take the problems from a closed document whose file is open in another one."""
        if not self.is_asked:
            params = types.PublishDiagnosticsParams(uri, [])
            self._server.text_document_publish_diagnostics(params)

    @property
    def is_asked(self) -> bool:
        """Whether the editor asks for problems; else they are published."""
        document = self._server.client_capabilities.text_document
        return document is not None and document.diagnostic is not None

    def check_soon(self, *paths: str) -> None:
        """Publish the problems of these documents; only those of the latest texts are sent."""
        if self.is_asked:
            return
        self._pending_paths |= dict.fromkeys(path for path in paths if path)
        if self._publish_task is None or self._publish_task.done():
            self._publish_task = asyncio.ensure_future(self._publish())

    def refresh(self) -> None:
        """Let an editor that asks for problems ask again."""
        workspace = self._server.client_capabilities.workspace
        diagnostics = workspace.diagnostics if workspace else None
        if self.is_asked and diagnostics and diagnostics.refresh_support:
            self._server.workspace_diagnostic_refresh(None)

    async def _publish(self) -> None:
        while self._pending_paths:
            path = next(iter(self._pending_paths))
            del self._pending_paths[path]
            documents = self._server.documents()
            try:
                job = partial(self.find_reports, path, documents)
                skill_reports = await self._server.run(job, is_request=False)
                former_owners = {
                    owner
                    for other in (path, *skill_reports.documents)
                    for owner in self._reports.get(other, ())
                }
                all_reports = [skill_reports]
                for owner in former_owners - {skill_reports.owner}:
                    owner_job = partial(self.find_owner_reports, owner, documents)
                    all_reports.append(await self._server.run(owner_job, is_request=False))
            except Exception as error:
                self._server.report_server_error(error, type(error))
                continue
            now = self._server.documents()
            for other in skill_reports.documents:
                # This check was of its text, too.
                if now.by_path.get(other) is documents.by_path.get(other):
                    self._pending_paths.pop(other, None)
            if path not in self._pending_paths:
                self._send(all_reports, documents)
            if skill_reports.other_folders:
                self._server.check_folders(skill_reports.other_folders)

    def find_reports(self, path: str, documents: Documents) -> Reports:
        """The problems of the skill that a document belongs to. Called in the worker."""
        document = documents.by_path.get(path)
        text = document.text if document is not None else None
        file_report = self._server.scan.file_reports.get(path)
        known_diagnostics = None
        if text is not None and file_report is not None and file_report.text == text.text:
            known_diagnostics = file_report.diagnostics
        if text is not None and has_settings(path, text.text):
            diagnostics = known_diagnostics
            if diagnostics is None:
                problems = check_settings(text.text, path)[:MOST]
                diagnostics = [report(diagnostic, text) for diagnostic in problems]
            return Reports(path, {path: diagnostics}, (path,))
        folder = self._server.skills.folder_of(path, documents)
        if not folder:
            return Reports(path, {path: known_diagnostics or []} if text is not None else {})
        paths = tuple(
            other.path
            for other in documents.inside(folder)
            if self._server.skills.folder_of(other.path, documents) == folder
        )
        if not paths:
            self._server.skills.drop(folder)
            self._server.scan.close(folder, documents)
            return Reports(folder, {}, (), self._take_changed_folders())
        by_path: dict[str, Diagnostics] = {other: [] for other in paths}
        summary = self._server.scan.summary(folder, documents)
        others = self._take_changed_folders()
        return Reports(folder, by_path | dict(summary.reports), paths, others)

    def _take_changed_folders(self) -> frozenset[str]:
        folders, self._server.scan.changed_folders = self._server.scan.changed_folders, set()
        return frozenset(folders)

    def find_owner_reports(self, owner: str, documents: Documents) -> Reports:
        """The problems of a skill or file that had problems of a document before."""
        document = next(
            (
                document.path
                for document in documents.inside(owner)
                if self._server.skills.folder_of(document.path, documents) == owner
            ),
            owner,
        )
        owner_reports = self.find_reports(document, documents)
        return owner_reports if owner_reports.owner == owner else Reports(owner, {})

    def _send(self, all_reports: Sequence[Reports], documents: Documents) -> None:
        """Publish what the problems of skills change, or the versions of their documents."""
        paths: dict[str, None] = {}
        for owner, by_path, *_ in all_reports:
            former_paths = self._owned_paths.pop(owner, frozenset())
            for path in (*by_path, *(former_paths - by_path.keys())):
                paths[path] = None
                owners = self._reports.setdefault(path, {})
                owners.pop(owner, None)
                if path in by_path:
                    owners[owner] = by_path[path]
            if by_path:
                self._owned_paths[owner] = frozenset(by_path)
        for path in paths:
            owners = self._reports[path]
            items = [item for owner_items in owners.values() for item in owner_items]
            document = documents.by_path.get(path)
            uri, version = (document.uri, document.version) if document else (uri_of(path), None)
            if self._published.get(path, (None, [])) != (version, items):
                params = types.PublishDiagnosticsParams(uri, items, version)
                self._server.text_document_publish_diagnostics(params)
            if owners or version is not None:
                self._published[path] = version, items
            else:
                self._published.pop(path, None)
                del self._reports[path]
