"""The answer to `initialize`, before the libraries of the server are loaded.

To load them takes several times as long as all else at the start, and an editor that has the answer
prepares itself in the meantime. `capabilities.json` is what the libraries compute for an editor
that supports everything; a test holds them equal.
"""

from __future__ import annotations

import json
import os
import stat
from typing import Any, BinaryIO, NamedTuple

from skillstudio import __version__

_CAPABILITIES = os.path.join(os.path.dirname(__file__), "capabilities.json")
_ENCODINGS = ("utf-8", "utf-16", "utf-32")
_LONGEST_HEADER = 64 * 1024


class Greeting(NamedTuple):
    """The first message of an editor with its header, and the number of the answered request."""

    data: bytes
    answered_id: int | str | None = None


def is_pipe(stdin: BinaryIO) -> bool:
    """Whether the event loop can read standard input: not a file, and not on Windows."""
    mode = os.fstat(stdin.fileno()).st_mode
    return os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def greet(stdin: BinaryIO, stdout: BinaryIO) -> Greeting:
    """Read the first message of a pipe, and answer it if it is a plain `initialize`.

    The server answers everything else.
    """
    return _greet(stdin.fileno(), stdout) if is_pipe(stdin) else Greeting(b"")


def _greet(stdin: int, stdout: BinaryIO) -> Greeting:
    header = b""
    while not header.endswith(b"\r\n\r\n") and len(header) < _LONGEST_HEADER:
        byte = os.read(stdin, 1)
        if not byte:
            return Greeting(header)
        header += byte
    length = next(
        (
            line.removeprefix(b"Content-Length:").strip()
            for line in header.split(b"\r\n")
            if line.startswith(b"Content-Length:")
        ),
        b"",
    )
    if not length.isdigit():
        return Greeting(header)
    body = b""
    while len(body) < int(length) and (part := os.read(stdin, int(length) - len(body))):
        body += part
    answer = _answer(body)
    if answer is None:
        return Greeting(header + body)
    data = json.dumps(answer).encode()
    stdout.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    stdout.flush()
    return Greeting(header + body, answer["id"])


def _answer(body: bytes) -> dict[str, Any] | None:
    """The answer to `initialize`; None for another message, or a strange one."""
    try:
        message = json.loads(body)
        if message["jsonrpc"] != "2.0" or message["method"] != "initialize":
            return None
        number, client = message["id"], message["params"]["capabilities"]
        result = {
            "capabilities": capabilities_for(client),
            "serverInfo": {"name": "skillstudio", "version": __version__},
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if isinstance(number, bool) or not isinstance(number, int | str):
        return None
    return {"jsonrpc": "2.0", "id": number, "result": result}


def capabilities_for(client: dict[str, Any]) -> dict[str, Any]:
    """The server's capabilities for an editor with these capabilities."""
    with open(_CAPABILITIES, encoding="utf-8") as file:
        capabilities: dict[str, Any] = json.load(file)
    encodings = (client.get("general") or {}).get("positionEncodings") or ()
    known_encodings = (encoding for encoding in encodings if encoding in _ENCODINGS)
    capabilities["positionEncoding"] = next(known_encodings, "utf-16")
    rename = (client.get("textDocument") or {}).get("rename") or {}
    if not rename.get("prepareSupport"):
        capabilities["renameProvider"] = True
    operations = (client.get("workspace") or {}).get("fileOperations") or {}
    if not operations.get("willRename"):
        capabilities["workspace"]["fileOperations"] = {}
    return capabilities
