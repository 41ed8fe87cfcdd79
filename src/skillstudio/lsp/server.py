"""The language server: lifecycle, documents, published problems and requests.

The event loop reads messages and keeps the open documents, which are immutable values. One worker
thread does everything else, in order: a request sees the texts of the moment it was received.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import RPCMessage, RPCRequest

from skillstudio import __version__
from skillstudio.lsp.documents import EditorText, OpenDocument, open_document, path_of, uri_of
from skillstudio.lsp.reports import SOURCE, report, reports
from skillstudio.lsp.skills import Documents, SkillPlace, Skills, check_settings
from skillstudio.manifest.installed import DialectFailed
from skillstudio.manifest.locate import TOO_LARGE
from skillstudio.settings.settings import FILE
from skillstudio.text.safe import safe_text

T = TypeVar("T")
_NOT_INITIALIZED = -32002
_INVALID_REQUEST = -32600
REQUEST_FAILED = -32803


class Reports(NamedTuple):
    """The problems of one skill, or of one file that belongs to none, by path."""

    owner: str
    by_path: dict[str, list[types.Diagnostic]]


class RequestRefused(Exception):
    """A request that cannot be answered; the message is for the user."""


class SkillProtocol(LanguageServerProtocol):
    """The protocol, with answers to messages that come too early, too late or broken."""

    _server: SkillServer

    # pygls splits lines where the protocol does not (U+2028), and fails at positions beyond the
    # text. So these are not built in here, and the server's own handlers are called.

    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Not built in."""

    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Not built in."""

    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Not built in."""

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> Generator[Any, Any, None]:
        """End the message loop; `serve` returns the exit status."""
        raise SystemExit
        yield

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Answer a request with wrong parameters, which would otherwise wait for ever."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def handle_message(self, message: RPCMessage) -> None:
        """Handle one message, if the server is in the right state for it."""
        method = getattr(message, "method", "")
        is_initialized = self._workspace is not None
        early = not is_initialized and method not in (types.INITIALIZE, types.EXIT)
        if isinstance(message, RPCRequest):
            twice = is_initialized and method == types.INITIALIZE
            if early or twice or self._shutdown:
                code = _NOT_INITIALIZED if early else _INVALID_REQUEST
                reason = "not initialized" if early else "already initialized or shut down"
                error = types.ResponseError(code, f"the server is {reason}")
                self._send_response(message.id, error=error)
                return
        elif method and early:
            return
        super().handle_message(message)


class SkillServer(LanguageServer):
    """The open documents of one editor, and the worker that checks their skills."""

    def __init__(self) -> None:
        super().__init__(SOURCE, __version__, protocol_cls=SkillProtocol)
        self.open: dict[str, OpenDocument] = {}
        self.disk = 0
        self.skills = Skills()
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="skillstudio")
        self.is_shut_down = False
        self._pending_paths: dict[str, None] = {}  # Paths of documents to check, as an ordered set.
        self._publish_task: asyncio.Task[None] | None = None
        self._published_reports: dict[str, dict[str, list[types.Diagnostic]]] = {}

    @property
    def encoding(self) -> str:
        """The negotiated units of positions."""
        return types.PositionEncodingKind(self.workspace.position_encoding).value

    def documents(self) -> Documents:
        """The documents as they are now."""
        return Documents(
            {document.path: document for document in self.open.values() if document.path},
            self.encoding,
            self.disk,
        )

    async def run(self, job: Callable[[], T]) -> T:
        """Run a job in the worker; one that has not started is dropped with its request."""
        return await asyncio.get_running_loop().run_in_executor(self.worker, job)

    async def answer(self, uri: str, job: Callable[[SkillPlace], T], default: T) -> T:
        """The answer for a document of a skill; the default for all other documents."""
        document, documents = self.open.get(uri), self.documents()
        if document is None or not document.path:
            return default
        return await self._answer(document, documents, job, default)

    async def answer_for_file(self, path: str, job: Callable[[SkillPlace], T]) -> T | None:
        """The answer for a file of a skill, open or not; None for all other files."""
        documents = self.documents()
        document = documents.by_path.get(path)
        if document is None:
            document = OpenDocument(uri_of(path), path, None, documents.text_of(path))
        return await self._answer(document, documents, job, None)

    async def _answer(
        self,
        document: OpenDocument,
        documents: Documents,
        job: Callable[[SkillPlace], T],
        default: T,
    ) -> T:
        if len(document.text.text) > TOO_LARGE:
            return default  # Its problem says so.

        def work() -> T:
            place = self.skills.place(document, documents)
            return default if place is None else job(place)

        try:
            return await self.run(work)
        except RequestRefused as error:
            raise JsonRpcException(safe_text(str(error)), REQUEST_FAILED) from None
        except Exception as error:
            self.report_server_error(error, type(error))
            return default

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002
        """Write an error to the editor's log, without a traceback."""
        if isinstance(error, JsonRpcException | DialectFailed | ValueError):
            message = str(error)
        else:
            from skillstudio.files.state import state_folder
            from skillstudio.session.crash import report_crash

            folder = os.path.join(state_folder(), "reports")
            message = report_crash(error, folder, ["lsp"])
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, safe_text(message)))

    # Published problems

    @property
    def is_asked(self) -> bool:
        """Whether the editor asks for problems; else they are published."""
        document = self.client_capabilities.text_document
        return document is not None and document.diagnostic is not None

    def check_soon(self, *paths: str) -> None:
        """Publish the problems of these documents; only those of the latest texts are sent."""
        if self.is_asked:
            return
        self._pending_paths |= dict.fromkeys(path for path in paths if path)
        if self._publish_task is None or self._publish_task.done():
            self._publish_task = asyncio.ensure_future(self._publish())

    async def _publish(self) -> None:
        while self._pending_paths:
            path = next(iter(self._pending_paths))
            del self._pending_paths[path]
            documents = self.documents()
            try:
                skill_reports = await self.run(lambda: self.find_reports(path, documents))  # noqa: B023
            except Exception as error:
                self.report_server_error(error, type(error))
                continue
            if path not in self._pending_paths:
                self._send(skill_reports, documents)

    def find_reports(self, path: str, documents: Documents) -> Reports:
        """The problems of the skill that a document belongs to. Called in the worker."""
        document = documents.by_path.get(path)
        if document is not None and os.path.basename(path) == FILE:
            text = document.text
            diagnostics = [
                report(diagnostic, text) for diagnostic in check_settings(text.text, path)
            ]
            return Reports(path, {path: diagnostics})
        folder = self.skills.folder_of(path, documents)
        if not folder:
            return Reports(path, {path: []} if document is not None else {})
        by_path: dict[str, list[types.Diagnostic]] = {
            document_path: [] for document_path in documents.below(folder)
        }
        if not by_path:
            self.skills.drop(folder)
            return Reports(folder, {})
        return Reports(folder, by_path | reports(self.skills.check(folder, documents), documents))

    def _send(self, skill_reports: Reports, documents: Documents) -> None:
        before = self._published_reports.get(skill_reports.owner, {})
        for path in (
            *skill_reports.by_path,
            *(path for path in before if path not in skill_reports.by_path),
        ):
            items = skill_reports.by_path.get(path, [])
            document = documents.by_path.get(path)
            if document is None and before.get(path, []) == items:
                continue
            uri, version = (document.uri, document.version) if document else (uri_of(path), None)
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, items, version)
            )
        self._published_reports[skill_reports.owner] = skill_reports.by_path

    def disk_changed(self, paths: Sequence[str]) -> None:
        """Check the open skills again because files on disk changed."""
        self.disk += 1
        self.worker.submit(self.skills.forget, list(paths))
        if self.is_asked:
            workspace = self.client_capabilities.workspace
            if workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
                self.workspace_diagnostic_refresh(None)
        self.check_soon(*(document.path for document in self.open.values()))


def add_documents(server: SkillServer) -> None:
    """Add the messages about documents and files to a server."""

    @server.feature(types.INITIALIZED)
    def on_initialized(ls: SkillServer, _: types.InitializedParams) -> None:
        _watch(ls)
        ls.worker.submit(_warm_up)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: SkillServer, _: Any) -> None:
        ls.is_shut_down = True

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: SkillServer, params: types.DidOpenTextDocumentParams) -> None:
        document = open_document(params.text_document, ls.encoding)
        ls.open[document.uri] = document
        ls.check_soon(document.path)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: SkillServer, params: types.DidChangeTextDocumentParams) -> None:
        document = ls.open.get(params.text_document.uri)
        if document is None:
            return
        text: EditorText = document.text
        for change in params.content_changes:
            text = text.apply_change(change)
        ls.open[document.uri] = document._replace(text=text, version=params.text_document.version)
        ls.check_soon(document.path)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(ls: SkillServer, params: types.DidSaveTextDocumentParams) -> None:
        ls.disk_changed([path_of(params.text_document.uri)])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: SkillServer, params: types.DidCloseTextDocumentParams) -> None:
        document = ls.open.pop(params.text_document.uri, None)
        if document is not None:
            ls.check_soon(document.path)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(ls: SkillServer, params: types.DidChangeWatchedFilesParams) -> None:
        paths = [path for change in params.changes if (path := path_of(change.uri))]
        open_folders = {
            os.path.dirname(document.path) for document in ls.open.values() if document.path
        }
        if any(_concerns(path, open_folders) for path in paths):
            ls.disk_changed(paths)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configuration_changed(_: types.DidChangeConfigurationParams) -> None:
        """Ignored: all settings are in skillstudio.toml."""

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE
        ),
    )
    async def diagnostic(
        ls: SkillServer, params: types.DocumentDiagnosticParams
    ) -> types.DocumentDiagnosticReport:
        return await _pull_diagnostics(ls, params)


async def _pull_diagnostics(
    ls: SkillServer, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    """The problems of a document, and those of other files of its skill."""
    documents = ls.documents()
    document = ls.open.get(params.text_document.uri)
    if document is None or not document.path:
        return types.RelatedFullDocumentDiagnosticReport([])
    try:
        skill_reports = await ls.run(lambda: ls.find_reports(document.path, documents))
    except Exception as error:
        ls.report_server_error(error, type(error))
        return types.RelatedFullDocumentDiagnosticReport([])
    document_diagnostics = skill_reports.by_path.get(document.path, [])
    client = ls.client_capabilities.text_document
    related_reports: dict[str, Any] | None = None
    if client and client.diagnostic and client.diagnostic.related_document_support:
        related_reports = {
            (documents.by_path[path].uri if path in documents.by_path else uri_of(path)):
                types.FullDocumentDiagnosticReport(items)
            for path, items in skill_reports.by_path.items() if path != document.path
        }  # fmt: skip
    return types.RelatedFullDocumentDiagnosticReport(
        document_diagnostics, related_documents=related_reports
    )


def _concerns(path: str, folders: set[str]) -> bool:
    """Whether a changed file may change the result of a check of an open skill."""
    above = os.path.join(os.path.dirname(path), "")
    return any(
        os.path.join(folder, "").startswith(above) or above.startswith(os.path.join(folder, ""))
        for folder in folders
    )


def _watch(ls: SkillServer) -> None:
    """Ask the editor to report changed files, if it can."""
    workspace = ls.client_capabilities.workspace
    capability = workspace.did_change_watched_files if workspace else None
    if capability is None or not capability.dynamic_registration:
        return
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
    registration = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    ls.client_register_capability(types.RegistrationParams([registration]))


def _warm_up() -> None:
    """Import what the first check needs, before there is a document."""
    from skillstudio.manifest.rulebook import all_rules

    all_rules()
    # Collecting what is imported would take longer than a check.
    gc.collect()
    gc.freeze()
