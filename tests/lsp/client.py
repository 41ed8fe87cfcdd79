"""A client of the language server for tests: a process, its messages, and what they must be.

It is written without the server's library, so that both sides cannot share an error. Every message
of both sides is validated with the protocol's own model.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.lsp.meta_model import Conversation, load_meta_model

TIMEOUT = 60.0
ANSWERS: dict[str, Any] = {
    "workspace/applyEdit": {"applied": True},
    "window/showDocument": {"success": True},
}
"""What the client answers to requests of the server; null to all others."""
EVERYTHING: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename"]},
        "fileOperations": {"willRename": True},
    },
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True}},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "rename": {"prepareSupport": True},
    },
}
"""An editor that supports what the server uses, and has problems published to it."""


class LspError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    """One server process and the messages that it sent."""

    def __init__(self, command: list[str] | None = None, **environment: str) -> None:
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "skillstudio", "lsp"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | environment,
        )  # fmt: skip
        self.number = 0
        self.strange: list[bytes] = []
        """What was not a message on standard output."""
        self.log: list[str] = []
        self.asked: list[dict[str, Any]] = []  # Requests of the server.
        self.diagnostics: dict[str, dict[str, Any]] = {}
        self.published = 0
        self.is_strict = True
        self._conversation = Conversation()
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._answers: dict[Any, dict[str, Any]] = {}
        self._answered: set[Any] = set()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        while header := self.process.stdout.readline():
            if not header.startswith(b"Content-Length: "):
                self.strange.append(header)
                continue
            while self.process.stdout.readline().strip():
                pass
            self._messages.put(json.loads(self.process.stdout.read(int(header[16:]))))
        self._messages.put(None)

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        message = {"jsonrpc": "2.0"} | message
        error = self._conversation.check(message, "client")
        assert error is None or not self.is_strict, error
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    @contextmanager
    def invalid(self) -> Iterator[None]:
        """Allow the client to send messages that the protocol forbids."""
        self.is_strict = False
        yield
        self.is_strict = True

    def notify(self, method: str, **params: Any) -> None:
        self._call({"method": method}, params)

    def _call(self, message: dict[str, Any], params: dict[str, Any]) -> None:
        if params or load_meta_model().has_params(message["method"]):
            message["params"] = params
        self.send(message)

    def ask(self, method: str, **params: Any) -> int:
        """Send a request; return its number."""
        self.number += 1
        self._call({"id": self.number, "method": method}, params)
        return self.number

    def answer(self, number: int | None) -> Any:
        """The result of a request. Raises LspError."""
        self.wait(lambda: number in self._answers)
        found = self._answers.pop(number)
        if "error" in found:
            raise LspError(found["error"])
        return found["result"]

    def request(self, method: str, **params: Any) -> Any:
        return self.answer(self.ask(method, **params))

    def wait(self, done: Callable[[], bool]) -> None:
        """Read messages until something is so."""
        while not done():
            message = self._messages.get(timeout=TIMEOUT)
            assert message is not None, "the server ended"
            self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        error = self._conversation.check(message, "server")
        assert error is None, error
        method, params = message.get("method"), message.get("params")
        if method is None:
            assert message["id"] not in self._answered, "a request has two answers"
            self._answered.add(message["id"])
            self._answers[message["id"]] = message
        elif "id" in message:
            self.asked.append(message)
            self.send({"id": message["id"], "result": ANSWERS.get(str(method))})
        elif method == "textDocument/publishDiagnostics" and params:
            self.diagnostics[params["uri"]] = params
            self.published += 1
        elif params:
            self.log.append(str(params.get("message")))

    def start(self, folder: Path | None = None, **capabilities: Any) -> Any:
        """Initialize; return the server's capabilities."""
        uri = folder.as_uri() if folder else None
        result = self.request(
            "initialize", processId=None, rootUri=uri,
            capabilities=capabilities or EVERYTHING,
        )  # fmt: skip
        self.notify("initialized")
        return result["capabilities"]

    def open(self, path: Path | str, text: str, version: int = 1) -> str:
        """Open a document; return its URI."""
        uri = path if isinstance(path, str) else path.as_uri()
        item = {"uri": uri, "languageId": "markdown", "version": version, "text": text}
        self.notify("textDocument/didOpen", textDocument=item)
        return uri

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=[*changes])

    def problems(self, uri: str, version: int | None = 1) -> list[dict[str, Any]]:
        """The published problems of this version of a document."""
        self.wait(lambda: self.diagnostics.get(uri, {"version": -1}).get("version") == version)
        found: list[dict[str, Any]] = self.diagnostics[uri]["diagnostics"]
        return found

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", textDocument={"uri": uri})
        self.diagnostics.pop(uri, None)

    def end(self) -> int:
        """Shut down and exit; the exit status."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(TIMEOUT)


@contextmanager
def serving(**environment: str) -> Iterator[Client]:
    client = Client(**environment)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.wait()
        for stream in (client.process.stdin, client.process.stderr):
            if stream:
                with suppress(BrokenPipeError):
                    stream.close()


def place(line: int, start: int, end: int | None = None, last: int | None = None) -> dict[str, Any]:
    """A range of one line, or up to another."""
    return {
        "start": {"line": line, "character": start},
        "end": {"line": line if last is None else last, "character": start if end is None else end},
    }


def at(uri: str, line: int, character: int) -> dict[str, Any]:
    """The parameters of a request at a position."""
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
