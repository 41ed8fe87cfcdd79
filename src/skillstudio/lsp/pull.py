"""The problems that an editor asks for: of a document, or of the whole workspace.

A result has an id, which is a digest: what an editor has already is not sent again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from hashlib import blake2b
from typing import Any

from lsprotocol import types

from skillstudio.lsp.problems import Reports
from skillstudio.lsp.reports import SOURCE, Diagnostics
from skillstudio.lsp.server import SkillServer
from skillstudio.lsp.skills import Documents

OPTIONS = types.DiagnosticOptions(
    inter_file_dependencies=True, workspace_diagnostics=True, identifier=SOURCE
)


def add_pull_diagnostics(server: SkillServer) -> None:
    """Add the requests for problems to a server."""

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, OPTIONS)
    async def document_diagnostic(
        ls: SkillServer, params: types.DocumentDiagnosticParams
    ) -> types.DocumentDiagnosticReport:
        documents = ls.documents()
        document = ls.open.get(params.text_document.uri)
        if document is None or not document.path:
            return types.RelatedFullDocumentDiagnosticReport([])
        try:
            skill_reports = await ls.run(
                partial(ls.problems.find_reports, document.path, documents)
            )
        except Exception as error:
            ls.report_server_error(error, type(error))
            return types.RelatedFullDocumentDiagnosticReport([])
        if skill_reports.other_folders:
            ls.check_folders(skill_reports.other_folders)
        related_reports = _related(ls, skill_reports, document.path, documents)
        diagnostics = skill_reports.by_path.get(document.path, [])
        result_id = _digest(diagnostics)
        if result_id == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(
                result_id, related_documents=related_reports
            )
        return types.RelatedFullDocumentDiagnosticReport(
            diagnostics, result_id=result_id, related_documents=related_reports
        )

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(
        ls: SkillServer, params: types.WorkspaceDiagnosticParams
    ) -> types.WorkspaceDiagnosticReport:
        await ls.scan.wait()
        known_ids = {result.uri: result.value for result in params.previous_result_ids}
        return types.WorkspaceDiagnosticReport(
            await ls.run(partial(_workspace_reports, ls, ls.documents(), known_ids))
        )


def _related(
    ls: SkillServer, skill_reports: Reports, path: str, documents: Documents
) -> dict[str, Any] | None:
    """The problems of the other files of a skill, for an editor that takes them."""
    client = ls.client_capabilities.text_document
    if not (client and client.diagnostic and client.diagnostic.related_document_support):
        return None
    return {
        documents.uri(other): types.FullDocumentDiagnosticReport(items, result_id=_digest(items))
        for other, items in skill_reports.by_path.items()
        if other != path
    }


def _workspace_reports(
    ls: SkillServer, documents: Documents, known_ids: Mapping[str, str]
) -> list[types.WorkspaceDocumentDiagnosticReport]:
    """The problems of all skills and files; none for files whose problems are solved.

    Called in the worker.
    """
    by_path: dict[str, Diagnostics] = {}
    for path, file_report in ls.scan.file_reports.items():
        by_path.setdefault(path, []).extend(file_report.diagnostics)
    for folder in ls.scan.folders:
        for path, items in ls.scan.summary(folder, documents).reports.items():
            by_path.setdefault(path, []).extend(items)
    reports: list[types.WorkspaceDocumentDiagnosticReport] = []
    uris = {documents.uri(path): path for path, items in by_path.items() if items}
    for uri in (*uris, *(uri for uri in known_ids if uri not in uris)):
        path = uris.get(uri, "")
        items = by_path.get(path, [])
        document = documents.by_path.get(path)
        version = document.version if document is not None else None
        result_id = _digest(items)
        if known_ids.get(uri) == result_id:
            reports.append(
                types.WorkspaceUnchangedDocumentDiagnosticReport(uri, result_id, version)
            )
        else:
            reports.append(
                types.WorkspaceFullDocumentDiagnosticReport(
                    uri, items, version, result_id=result_id
                )
            )
    return reports


def _digest(diagnostics: Diagnostics) -> str:
    text = repr(diagnostics).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8).hexdigest()
