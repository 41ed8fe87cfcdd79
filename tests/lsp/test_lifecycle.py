"""The life of a server: how it starts, which messages it refuses, and how it ends."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import Client, LspError, serving

from skillstudio.cli.main import main

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
