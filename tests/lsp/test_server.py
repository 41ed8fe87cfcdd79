"""A server in this process: what it sends when something inside it fails."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import at

from skillstudio.lsp import language
from skillstudio.lsp.serve import make_server
from skillstudio.lsp.server import SkillServer
from skillstudio.lsp.skills import Skills

TEXT = "---\nname: tea\ndescription: Makes tea. Use when asked.\n---\nMake tea.\n"


class Editor:
    """Messages to a server, and what it sends."""

    def __init__(self, server: SkillServer) -> None:
        self.server = server
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        server.protocol.set_writer(self, include_headers=False)

    def write(self, data: bytes) -> None:
        self.sent.put_nowait(json.loads(data))

    def close(self) -> None:
        """Nothing to close."""

    def send(self, method: str, number: int | None = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        data = json.dumps(message if number is None else message | {"id": number})
        protocol = self.server.protocol
        protocol.handle_message(json.loads(data, object_hook=protocol.structure_message))

    async def next(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.sent.get(), 60)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SkillServer]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    found = make_server()
    yield found
    found.worker.shutdown()


def opened(editor: Editor, tmp_path: Path) -> str:
    path = tmp_path / "tea" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(TEXT)
    editor.send("initialize", 1, processId=None, rootUri=None, capabilities={})
    item = {"uri": path.as_uri(), "languageId": "markdown", "version": 1, "text": TEXT}
    editor.send("textDocument/didOpen", textDocument=item)
    return path.as_uri()


def broken(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("tea is out")


async def test_a_failed_request_is_reported_and_answered(
    server: SkillServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "hover_at", broken)
    editor = Editor(server)
    uri = opened(editor, tmp_path)
    assert (await editor.next())["id"] == 1
    assert (await editor.next())["params"]["diagnostics"] == []
    for number in (2, 3):
        editor.send("textDocument/hover", number, **at(uri, 1, 1))
        report, answer = await editor.next(), await editor.next()
        assert report["method"] == "window/logMessage"
        assert "ZeroDivisionError: tea is out" in report["params"]["message"]
        assert "Traceback" not in str(report)
        assert (answer["id"], answer["result"]) == (number, None)


async def test_a_failed_check_is_reported_and_the_next_one_is_published(
    server: SkillServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = Editor(server)
    with monkeypatch.context() as during:
        during.setattr(Skills, "check", broken)
        uri = opened(editor, tmp_path)
        assert (await editor.next())["id"] == 1
        assert "tea is out" in (await editor.next())["params"]["message"]
    change = {"text": TEXT.replace("tea:", "tea")}
    document = {"uri": uri, "version": 2}
    editor.send("textDocument/didChange", textDocument=document, contentChanges=[change])
    assert (await editor.next())["params"]["version"] == 2


async def test_changes_during_a_check_are_checked_once_more(
    server: SkillServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, changed = Skills.check, threading.Event()

    def held(*arguments: Any, **options: Any) -> Any:
        assert changed.wait(60)
        return check(*arguments, **options)

    monkeypatch.setattr(Skills, "check", held)
    editor = Editor(server)
    uri = opened(editor, tmp_path)
    assert (await editor.next())["id"] == 1
    for version in range(2, 12):
        document = {"uri": uri, "version": version}
        editor.send("textDocument/didChange", textDocument=document, contentChanges=[{"text": ""}])
    changed.set()
    assert (await editor.next())["params"]["version"] == 11
    assert editor.sent.empty()
