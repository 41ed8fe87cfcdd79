"""The life of a server: how it starts, which messages it refuses, and how it ends."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import EVERYTHING, Client, LspError, serving

from skillstudio.cli.main import main
from skillstudio.lsp.greeting import greet
from skillstudio.lsp.serve import make_server

TEXT = "---\nname: tea\ndescription: Makes tea. Use when asked.\n---\nMake tea.\n"
FOREVER = {"textDocument": {"uri": "file:///tea/SKILL.md"}, "position": {"line": 0, "character": 0}}


@pytest.fixture
def client() -> Iterator[Client]:
    with serving() as found:
        yield found


@pytest.mark.slow
def test_a_session_writes_only_messages_and_exits_with_0(client: Client, tmp_path: Path) -> None:
    capabilities = client.start(tmp_path)
    assert capabilities["textDocumentSync"] == {"openClose": True, "change": 2, "save": True}
    path = tmp_path / "tea" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(TEXT)
    assert client.problems(client.open(path, TEXT)) == []
    assert client.end() == 0
    assert client.strange == []
    assert client.process.stderr
    assert client.process.stderr.read() == b""


@pytest.mark.slow
def test_messages_in_the_wrong_state_are_refused(client: Client) -> None:
    with pytest.raises(LspError, match="not initialized") as early:
        client.request("textDocument/hover", **FOREVER)
    assert early.value.code == -32002
    with client.invalid():
        client.notify("textDocument/didOpen")
    client.start()
    with pytest.raises(LspError, match="already initialized"):
        client.request("initialize", processId=None, rootUri=None, capabilities={})
    assert client.request("shutdown") is None
    with pytest.raises(LspError, match="shut down") as late:
        client.request("textDocument/hover", **FOREVER)
    assert late.value.code == -32600
    client.notify("exit")
    assert client.process.wait(60) == 0


BROKEN: dict[str, bytes] = {
    "a body that is no JSON": b"Content-Length: 3\r\n\r\n{[}",
    "a body that is no message": b"Content-Length: 2\r\n\r\n[]",
    "a body that is not UTF-8": b'Content-Length: 5\r\n\r\n"\xff\xfe"',
    "a header without a length": b"Length: 3\r\n\r\n",
    "an unknown notification": b'Content-Length: 37\r\n\r\n{"jsonrpc":"2.0","method":"tea/made"}',
}


@pytest.mark.slow
def test_broken_messages_do_not_stop_the_server(client: Client) -> None:
    client.start()
    for data in BROKEN.values():
        client.write(data)
    with client.invalid():
        with pytest.raises(LspError) as wrong:
            client.request("textDocument/hover", textDocument=3, position="here")
        with pytest.raises(LspError) as unknown:
            client.answer(client.ask("tea/make"))
        client.notify("textDocument/didChange", textDocument={"uri": 1})
    assert wrong.value.code == -32602
    assert unknown.value.code == -32601
    client.notify("textDocument/didClose", textDocument={"uri": "file:///never/opened"})
    client.notify("$/cancelRequest", id=99)
    assert client.end() == 0


@pytest.mark.slow
@pytest.mark.parametrize("rest", [b"", b"Content-Length: 500\r\n\r\n{"], ids=["between", "within"])
def test_an_editor_that_ends_ends_the_server(client: Client, rest: bytes) -> None:
    client.start()
    client.write(rest)
    assert client.process.stdin
    client.process.stdin.close()
    assert client.process.wait(60) == 1
    assert client.process.stderr
    assert b"Traceback" not in client.process.stderr.read()


@pytest.mark.slow
def test_exit_without_shutdown_is_a_failure(client: Client) -> None:
    client.start()
    client.notify("exit")
    assert client.process.wait(60) == 1


def test_a_terminal_and_a_missing_package_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert main(["lsp"]) == 2
    assert "an editor starts this command" in capsys.readouterr().err
    find: Any = importlib.util.find_spec
    monkeypatch.setattr("skillstudio.cli.lsp.find_spec", lambda _: None)
    assert find("pygls")
    assert main(["lsp"]) == 3
    assert "`pip install 'skillstudio[lsp]'`" in capsys.readouterr().err


def test_other_commands_do_not_load_the_protocol() -> None:
    code = (
        "import sys; from skillstudio.cli.main import main; main(['config', 'keys']);"
        "print([name for name in ('pygls', 'lsprotocol', 'asyncio') if name in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert done.stdout.splitlines()[-1] == "[]"


CLIENTS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "everything": EVERYTHING,
    "null": {"general": None, "textDocument": None, "workspace": None},
    "UTF-8 first": {"general": {"positionEncodings": ["utf-7", "utf-8", "utf-16"]}},
    "an unknown encoding": {"general": {"positionEncodings": ["utf-7"]}},
    "rename without preparation": {"textDocument": {"rename": {"prepareSupport": False}}},
    "other operations on files": {"workspace": {"fileOperations": {"didRename": True}}},
}


@pytest.mark.parametrize("client_capabilities", CLIENTS.values(), ids=CLIENTS)
def test_the_early_answer_is_that_of_the_libraries(client_capabilities: dict[str, Any]) -> None:
    server = make_server()
    params = {"processId": None, "rootUri": None, "capabilities": client_capabilities}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    answers: list[dict[str, Any]] = []

    class Writer:
        def write(self, data: bytes) -> None:
            answers.append(json.loads(data))

        def close(self) -> None:
            """Nothing to close."""

    server.protocol.set_writer(Writer(), include_headers=False)
    data = json.dumps(message)
    server.protocol.handle_message(json.loads(data, object_hook=server.protocol.structure_message))
    server.worker.shutdown()
    assert answers == [early_answer(message)]


def early_answer(message: Any) -> Any:
    """What is answered before the libraries are loaded; None for nothing."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    output = BytesIO()
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as stdin:
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        greeting = greet(stdin, output)
    assert greeting.data.endswith(b"\r\n\r\n" + body)
    answer = output.getvalue().partition(b"\r\n\r\n")[2]
    return json.loads(answer) if answer else None


FIRST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
STRANGE: dict[str, Any] = {
    "another request": FIRST | {"method": "textDocument/hover"},
    "no parameters": FIRST,
    "no capabilities": FIRST | {"params": {}},
    "capabilities that are no object": FIRST | {"params": {"capabilities": 3}},
    "no id": {"jsonrpc": "2.0", "method": "initialize", "params": {"capabilities": {}}},
    "an id that is none": FIRST | {"id": True, "params": {"capabilities": {}}},
    "a list": [],
    "no JSON": b"{",
    "no UTF-8": b'"\xff"',
}


@pytest.mark.parametrize("message", STRANGE.values(), ids=STRANGE)
def test_only_a_plain_first_message_is_answered_early(message: Any) -> None:
    assert early_answer(message) is None


CUT: dict[str, bytes] = {
    "nothing": b"",
    "a header": b"Content-Le",
    "a body": b'Content-Length: 100\r\n\r\n{"jsonrpc"',
    "a length beyond all memory": b"Content-Length: 99999999999999\r\n\r\n{",
    "no end of line": b"x" * 300_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("data", CUT.values(), ids=CUT)
def test_a_message_that_is_cut_short_ends_the_server(data: bytes) -> None:
    command = [sys.executable, "-m", "skillstudio", "lsp"]
    done = subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"Traceback" not in done.stderr
