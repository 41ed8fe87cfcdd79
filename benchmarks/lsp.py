"""A keystroke in an editor until its problems are published: `python benchmarks/lsp.py`.

Types into the description of a manifest of 60, 200 and 2,000 lines, as `didChange` of one
character, and waits for the diagnostics of that version: in this process, with the library's own
handling of messages, and over standard input and output of `skillstudio lsp`. Prints a Markdown
table of milliseconds.
"""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from skillstudio.lsp.serve import make_server

LINES = (60, 200, 2_000)
KEYS = 200
FIRST = 20  # Keystrokes that are not counted: imports and caches.
HEAD = """---
manifest_version: "1.0"
name: tea
version: "1.0.0"
description: Makes tea. Use when asked.
inputs:
  optional:
"""
INPUT = """    - name: kind_{}
      description: The kind of tea number {}, as the menu lists it.
      schema: {{type: string, default: green}}
"""
LINE = 4
BAR = {"in process": 20.0, "over stdio": 30.0}


def manifest(lines: int) -> str:
    """A manifest of about so many lines with a short body."""
    inputs = (lines - 12) // 3
    return HEAD + "".join(INPUT.format(n, n) for n in range(inputs)) + "---\n# Tea\n\nMake tea.\n"


def messages(path: Path, text: str) -> list[dict[str, Any]]:
    """Open a document, then type at the end of its description."""
    document = {"uri": path.as_uri(), "languageId": "markdown", "version": 1, "text": text}
    found: list[dict[str, Any]] = [
        {"method": "textDocument/didOpen", "params": {"textDocument": document}}
    ]
    column = len(HEAD.split("\n")[LINE])
    for number in range(KEYS):
        place = {"line": LINE, "character": column + number}
        change = {"range": {"start": place, "end": place}, "text": "abcde fghi"[number % 10]}
        document = {"uri": path.as_uri(), "version": number + 2}
        params = {"textDocument": document, "contentChanges": [change]}
        found.append({"method": "textDocument/didChange", "params": params})
    return found


def encoded(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0"} | message).encode()


def published(message: dict[str, Any]) -> bytes:
    """What the published problems of a message's version contain."""
    return b'"version": %d' % message["params"]["textDocument"]["version"]


START: list[dict[str, Any]] = [
    {"id": 1, "method": "initialize",
     "params": {"processId": None, "rootUri": None, "capabilities": {}}},
    {"method": "initialized", "params": {}},
]  # fmt: skip


class Writer:
    """Takes what the server sends, and wakes who waits for the problems of a version."""

    def __init__(self) -> None:
        self.published = asyncio.Event()
        self.wanted = b""

    def write(self, data: bytes) -> None:
        if self.wanted in data:
            self.published.set()

    def close(self) -> None:
        """Nothing to close."""


async def in_process(path: Path, text: str) -> list[float]:
    server, writer = make_server(), Writer()
    server.protocol.set_writer(writer)

    def handle(data: bytes) -> None:
        message = json.loads(data, object_hook=server.protocol.structure_message)
        server.protocol.handle_message(message)

    for each in START:
        handle(encoded(each))
    taken = []
    for each in messages(path, text):
        data = encoded(each)
        writer.published.clear()
        writer.wanted = published(each)
        start = time.perf_counter()
        handle(data)
        await writer.published.wait()
        taken.append((time.perf_counter() - start) * 1000)
    server.worker.shutdown()
    return taken[FIRST:]


def over_stdio(path: Path, text: str) -> list[float]:
    command = [str(Path(sys.executable).parent / "skillstudio"), "lsp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:

        def send(message: dict[str, Any]) -> None:
            assert process.stdin
            data = encoded(message)
            process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
            process.stdin.flush()

        def wait(wanted: bytes) -> None:
            assert process.stdout
            while True:
                length = int(process.stdout.readline()[16:])
                while process.stdout.readline().strip():
                    pass
                if wanted in process.stdout.read(length):
                    return

        for each in START:
            send(each)
        taken = []
        for each in messages(path, text):
            start = time.perf_counter()
            send(each)
            wait(published(each))
            taken.append((time.perf_counter() - start) * 1000)
        send({"id": 2, "method": "shutdown"})
        wait(b'"id": 2')
        send({"method": "exit"})
    return taken[FIRST:]


def row(name: str, lines: int, taken: list[float]) -> str:
    ordered = sorted(taken)
    half, high = ordered[len(ordered) // 2], ordered[len(ordered) * 95 // 100]
    bar = BAR[name] if lines == 200 else None
    verdict = "" if bar is None else f"≤ {bar:.0f}: {'yes' if high <= bar else 'no'}"
    return f"| {name} | {lines:,} | {half:.1f} | {high:.1f} | {ordered[-1]:.1f} | {verdict} |"


def main() -> int:
    print("| | lines | p50 ms | p95 ms | most ms | p95 |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tea" / "SKILL.md"
        path.parent.mkdir()
        for lines in LINES:
            text = manifest(lines)
            path.write_text(text, encoding="utf-8")
            gc.collect()
            print(row("in process", lines, asyncio.run(in_process(path, text))), flush=True)
            print(row("over stdio", lines, over_stdio(path, text)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
