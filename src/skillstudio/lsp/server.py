"""The language server: lifecycle, documents, published problems and requests.

The event loop reads messages and keeps the open documents, which are immutable values. One worker
thread does everything else, requests first: each sees the texts of the moment it was received.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Generator, Sequence
from functools import partial
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import RPCMessage, RPCRequest

from skillstudio import __version__
from skillstudio.lsp.documents import EditorText, OpenDocument, open_document, path_of, uri_of
from skillstudio.lsp.problems import Problems
from skillstudio.lsp.reports import SOURCE
from skillstudio.lsp.scan import WorkspaceScan
from skillstudio.lsp.skills import ChangedPaths, Documents, SkillPlace, Skills
from skillstudio.lsp.worker import Worker, settle_memory
from skillstudio.manifest.installed import DialectFailed
from skillstudio.manifest.locate import TOO_LARGE
from skillstudio.manifest.registry import dialects
from skillstudio.settings.settings import has_settings, may_have_settings
from skillstudio.skill.workspace import PLUGIN_FOLDER
from skillstudio.text.safe import safe_text

T = TypeVar("T")
_NOT_INITIALIZED = -32002
_INVALID_REQUEST = -32600
REQUEST_FAILED = -32803


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

    def _send_response(
        self, msg_id: int | str, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        """Answer a request, but not one that was answered before the server was loaded."""
        if msg_id == self._server.answered_id:
            self._server.answered_id = None
            if error is not None:
                self._server.log(f"the parameters of initialize are invalid: {error.message}")
            return
        super()._send_response(msg_id, result, error)

    def handle_message(self, message: RPCMessage) -> None:
        """Handle one message, if the server is in the right state for it."""
        if not hasattr(message, "jsonrpc"):
            raise JsonRpcInvalidRequest("a message is not JSON-RPC")
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
        self.skills = Skills()
        self.scan = WorkspaceScan(self)
        self.problems = Problems(self)
        self.worker = Worker()
        self.is_shut_down = False
        self.answered_id: int | str | None = None
        """The number of the first request, if it has its answer."""
        self._documents: Documents | None = None

    @property
    def encoding(self) -> str:
        """The negotiated units of positions."""
        return types.PositionEncodingKind(self.workspace.position_encoding).value

    def documents(self) -> Documents:
        """The documents as they are now: the same value until one changes."""
        if self._documents is None:
            self._documents = Documents.of(self.open.values(), self.encoding)
        return self._documents

    def keep(self, document: OpenDocument) -> None:
        """Keep a document that was opened or changed, and check what it is a part of."""
        if self.open.pop(document.uri, None) is None:
            self.problems.forget(document.path)
            self._find_skills_again(document.path)
        # The document that was changed last is the last one: two can be the same file.
        self.open[document.uri] = document
        self._document_changed(document)

    def remove(self, uri: str) -> None:
        """Forget a document that was closed."""
        document = self.open.pop(uri, None)
        if document is not None:
            self.problems.forget(document.path)
            self._find_skills_again(document.path)
            self._document_changed(document)
            if any(other.path == document.path for other in self.open.values()):
                self.problems.publish_none(uri)

    def _find_skills_again(self, path: str) -> None:
        """Find anew which skill each document belongs to, if a manifest was opened or closed."""
        if path and _decides_about_skills(path):
            self.worker.submit_first(self.skills.forget_folders)
            folder = os.path.dirname(path)
            self.problems.check_soon(*(other.path for other in self.documents().inside(folder)))

    def _document_changed(self, document: OpenDocument) -> None:
        before, self._documents = self._documents, None
        is_setting = may_have_settings(document.path)
        if is_setting and (before is None or before.settings != self.documents().settings):
            self.scan.start()
            self.problems.refresh()
            self.problems.check_soon(*self.documents().paths)
        self.problems.check_soon(document.path)

    async def run(self, job: Callable[[], T], is_request: bool = True) -> T:
        """Run a job in the worker; one that has not started is dropped with its request."""
        return await asyncio.wrap_future(self.worker.submit(job, is_request))

    async def answer(
        self,
        uri: str,
        job: Callable[[SkillPlace], T],
        default: T,
        settings_job: Callable[[OpenDocument], T] | None = None,
    ) -> T:
        """The answer for a document of a skill, or for settings; the default for all others."""
        document, documents = self.open.get(uri), self.documents()
        if document is None or not document.path:
            return default
        if has_settings(document.path, document.text.text):
            if settings_job is None:
                return default
            return await self._run_safely(partial(settings_job, document), default)
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

        return await self._run_safely(work, default)

    async def _run_safely(self, job: Callable[[], T], default: T) -> T:
        """The result of a job; the default if it fails, which the editor's log says."""
        try:
            return await self.run(job)
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

    def log(self, message: str) -> None:
        """Write a line to the editor's log."""
        params = types.LogMessageParams(types.MessageType.Info, safe_text(message))
        self.window_log_message(params)

    def check_folders(self, folders: Collection[str]) -> None:
        """Check the open documents in some folders again, for another reason than their text."""
        self.problems.refresh()
        documents = self.documents()
        for folder in folders:
            self.problems.check_soon(*(document.path for document in documents.inside(folder)))
            if folder in documents.by_path:
                self.problems.check_soon(folder)

    async def files_changed(self, paths: Collection[str], new_paths: Collection[str] = ()) -> None:
        """Check again what changed files on disk may change; `new_paths` came or went."""
        is_searched = any(map(_decides_about_skills, paths)) or any(
            os.path.isdir(path) or self.scan.has_below(path) for path in new_paths
        )
        job = self.worker.submit_first(partial(self._forget, paths, self.documents()))
        # The scan starts after that job, and a request waits for both.
        self.scan.start(is_searched)
        has_forgotten, documents = await asyncio.wrap_future(job)
        self.problems.check_soon(*documents)
        if has_forgotten or is_searched:
            self.problems.refresh()

    def _forget(self, paths: Collection[str], documents: Documents) -> tuple[bool, list[str]]:
        """Forget what changed files may change: whether there is anything, and the open documents
        of these skills. Called in the worker."""
        changes = ChangedPaths(paths)
        self.skills.forget(changes)
        has_forgotten = self.scan.forget(changes)
        return has_forgotten, [
            path
            for path in documents.paths
            if changes.may_change(self.skills.folder_of(path, documents) or os.path.dirname(path))
        ]


def add_documents(server: SkillServer) -> None:
    """Add the messages about documents and files to a server."""

    @server.feature(types.INITIALIZED)
    def on_initialized(ls: SkillServer, _: types.InitializedParams) -> None:
        _watch(ls)
        ls.worker.submit(_warm_up)
        _open_roots(ls, list(ls.workspace.folders) or [ls.workspace.root_uri or ""])

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(ls: SkillServer, _: types.DidChangeWorkspaceFoldersParams) -> None:
        _open_roots(ls, list(ls.workspace.folders))
        ls.problems.check_soon(*ls.documents().paths)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: SkillServer, _: Any) -> None:
        ls.is_shut_down = True

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: SkillServer, params: types.DidOpenTextDocumentParams) -> None:
        ls.keep(open_document(params.text_document, ls.encoding))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: SkillServer, params: types.DidChangeTextDocumentParams) -> None:
        document = ls.open.get(params.text_document.uri)
        if document is None:
            return
        text: EditorText = document.text
        for change in params.content_changes:
            text = text.apply_change(change)
        ls.keep(document._replace(text=text, version=params.text_document.version))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(ls: SkillServer, params: types.DidSaveTextDocumentParams) -> None:
        if path := path_of(params.text_document.uri):
            await ls.files_changed([path])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: SkillServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.remove(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(ls: SkillServer, params: types.DidChangeWatchedFilesParams) -> None:
        if paths := {path for change in params.changes if (path := path_of(change.uri))}:
            changed = types.FileChangeType.Changed
            new_paths = {path_of(change.uri) for change in params.changes if change.type != changed}
            await ls.files_changed(paths, new_paths - {""})

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configuration_changed(_: types.DidChangeConfigurationParams) -> None:
        """Ignored: all settings are in skillstudio.toml."""


def _decides_about_skills(path: str) -> bool:
    """Whether which folders are skills, or how they are checked, may depend on a file."""
    name = os.path.basename(path)
    names = {dialect.file.lower() for dialect in dialects()}
    return (
        name.lower() in names
        or may_have_settings(path)
        or os.path.basename(os.path.dirname(path)) == PLUGIN_FOLDER
    )


def _open_roots(ls: SkillServer, uris: Sequence[str]) -> None:
    """Use the folders of the editor, and scan them."""
    roots = [path for uri in uris if (path := path_of(uri))]
    ls.worker.submit_first(partial(ls.skills.open_roots, roots))
    ls.worker.submit_first(ls.scan.clear)
    ls.scan.start()


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
    settle_memory()
