"""The language server beside yaml-language-server: `python -m benchmarks.lsp`.

Both get the same manifest of 60, 200 and 2,000 lines, ours as the frontmatter of a SKILL.md and the
other as a YAML file with our schema. A key is typed into the description, as `didChange` of one
character, and the time is taken until its problems are published, and until a completion that is
requested with it is answered. yaml-language-server publishes 200 ms after the last key, so only
its completions can be compared. Then 1,000 of the manifests are opened at once, with a request
after each tenth and until all have their problems. `in process` is the library's own handling of
messages without a pipe. Prints Markdown tables of milliseconds.

npm's yaml-language-server is looked for on the PATH; SKILLSTUDIO_YAML_SERVER names it elsewhere.
agnix publishes its server with its releases only, in no registry, so it is timed as a process for
each check (`agnix FILE`), if SKILLSTUDIO_AGNIX names it or it is on the PATH.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.measure import process

from skillstudio.lsp.serve import make_server

LINES = (60, 200, 2_000)
KEYS = 200
FIRST = 20  # Keys that are not counted: imports and caches.
SLOW_KEYS = 30  # Keys for a server that waits before it publishes.
SKILLS = 1_000
STARTS = 7
STUDIO = str(Path(sys.executable).parent / "skillstudio")
SCHEMA = Path(__file__).parents[1] / "src/skillstudio/manifest/frontmatter/schema.json"
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
COLUMN = len(HEAD.split("\n")[LINE])
BARS = {("in process", 200): 20, ("skillstudio", 200): 30, ("skillstudio", 2_000): 60}


class Server(NamedTuple):
    """A program that speaks the protocol, and the file that it gets."""

    name: str
    command: list[str]
    file: str
    keys: int = KEYS

    def text(self, lines: int, name: str = "tea") -> str:
        """A manifest of about so many lines."""
        inputs = (lines - 12) // 3
        text = HEAD + "".join(INPUT.format(number, number) for number in range(inputs))
        text = text.replace("name: tea", f"name: {name}", 1)
        if self.file.endswith(".md"):
            return text + "---\n# Tea\n\nMake tea.\n"
        return text.replace("---", f"# yaml-language-server: $schema={SCHEMA.as_uri()}", 1)


class Editor:
    """A process of a server, and the messages with it."""

    def __init__(self, server: Server) -> None:
        self.process = subprocess.Popen(
            server.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0
        self.published: set[str] = set()

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        assert self.process.stdin
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        data = json.dumps(message if number is None else message | {"id": number}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        length = 0
        while header := self.process.stdout.readline().strip():
            if header.startswith(b"Content-Length:"):
                length = int(header[15:])
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        if "id" in message and "method" in message:  # A request of the server.
            items = message["params"].get("items", []) if message["params"] else []
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": [None for _ in items]}
            data = json.dumps(answer).encode()
            assert self.process.stdin
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
            self.process.stdin.flush()
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published.add(message["params"]["uri"])
        return message

    def request(self, method: str, params: Any) -> Any:
        self.number += 1
        self.send(method, params, self.number)
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result")

    def wait_for_problems(self, uri: str, version: int) -> None:
        """Wait for the problems of a version, or of any if the server names none."""
        while True:
            message = self.receive()
            if message.get("method") != "textDocument/publishDiagnostics":
                continue
            params = message["params"]
            if params["uri"] == uri and params.get("version", version) == version:
                return

    def start(self, root: Path) -> None:
        params = {
            "processId": None, "rootUri": root.as_uri(),
            "capabilities": {"workspace": {"configuration": True}},
        }  # fmt: skip
        self.request("initialize", params)
        self.send("initialized", {})

    def open(self, path: Path, text: str) -> str:
        uri = path.as_uri()
        language = "markdown" if path.suffix == ".md" else "yaml"
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": document})
        return uri

    @property
    def memory(self) -> float:
        """Megabytes in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def typed(uri: str, number: int) -> dict[str, Any]:
    """The message of one key at the end of the description; the first is number 0."""
    position = {"line": LINE, "character": COLUMN + number}
    change = {"range": {"start": position, "end": position}, "text": "abcde fghi"[number % 10]}
    document = {"uri": uri, "version": number + 2}
    return {"textDocument": document, "contentChanges": [change]}


def milliseconds(start: float) -> float:
    return (time.perf_counter() - start) * 1000


class Writer:
    """Takes what a server in this process sends, and wakes who waits for some problems."""

    def __init__(self) -> None:
        self.published = asyncio.Event()
        self.wanted = b""

    def write(self, data: bytes) -> None:
        if self.wanted in data:
            self.published.set()

    def close(self) -> None:
        """Nothing to close."""


async def type_in_process(path: Path, text: str) -> list[float]:
    server, writer = make_server(), Writer()
    server.protocol.set_writer(writer)

    def handle(method: str, params: Any, **more: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", "method": method, "params": params} | more)
        message = json.loads(data, object_hook=server.protocol.structure_message)
        server.protocol.handle_message(message)

    handle("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=1)
    handle("initialized", {})
    document = {"uri": path.as_uri(), "languageId": "markdown", "version": 1, "text": text}
    handle("textDocument/didOpen", {"textDocument": document})
    times = []
    for number in range(KEYS):
        writer.published.clear()
        writer.wanted = b'"version": %d' % (number + 2)
        start = time.perf_counter()
        handle("textDocument/didChange", typed(path.as_uri(), number))
        await writer.published.wait()
        times.append(milliseconds(start))
    server.worker.shutdown()
    return times[FIRST:]


def type_here(folder: Path, lines: int) -> list[float]:
    server = servers()[0]
    path = folder / server.file
    path.write_text(server.text(lines), encoding="utf-8")
    return asyncio.run(type_in_process(path, server.text(lines)))


def type_in(server: Server, folder: Path, lines: int) -> tuple[list[float], list[float]]:
    """The times of keys until problems, and until a completion."""
    path = folder / server.file
    path.write_text(server.text(lines), encoding="utf-8")
    editor = Editor(server)
    editor.start(folder)
    uri = editor.open(path, server.text(lines))
    editor.wait_for_problems(uri, 1)
    problems, completions = [], []
    for number in range(server.keys):
        start = time.perf_counter()
        editor.send("textDocument/didChange", typed(uri, number))
        editor.wait_for_problems(uri, number + 2)
        problems.append(milliseconds(start))
    for number in range(server.keys, server.keys + KEYS):
        start = time.perf_counter()
        editor.send("textDocument/didChange", typed(uri, number))
        position = {"line": LINE + 1, "character": 0}
        params = {"textDocument": {"uri": uri}, "position": position}
        assert editor.request("textDocument/completion", params) is not None
        completions.append(milliseconds(start))
    editor.end()
    return problems[min(FIRST, server.keys // 3) :], completions[FIRST:]


def start_times(server: Server, folder: Path) -> tuple[float, float]:
    """The median time until `initialize` is answered, and until the first problems."""
    answers, problems = [], []
    path = folder / server.file
    path.write_text(server.text(200), encoding="utf-8")
    for _ in range(STARTS):
        start = time.perf_counter()
        editor = Editor(server)
        editor.start(folder)
        answers.append(milliseconds(start))
        editor.wait_for_problems(editor.open(path, server.text(200)), 1)
        problems.append(milliseconds(start))
        editor.end()
    return median(answers), median(problems)


def open_many(server: Server, folder: Path, lines: int) -> tuple[list[float], float, float]:
    """The waits of requests while many files are opened, the whole time, and the memory."""
    paths = []
    for number in range(SKILLS):
        path = folder / f"tea-{number}" / server.file
        path.parent.mkdir()
        path.write_text(server.text(lines, f"tea-{number}"), encoding="utf-8")
        paths.append(path)
    texts = [path.read_text(encoding="utf-8") for path in paths]
    editor = Editor(server)
    editor.start(folder)
    first = editor.open(paths[0], texts[0])
    editor.wait_for_problems(first, 1)
    waits = []

    def hover() -> None:
        start = time.perf_counter()
        position = {"line": LINE, "character": 3}
        params = {"textDocument": {"uri": first}, "position": position}
        editor.request("textDocument/hover", params)
        waits.append(milliseconds(start))

    start = time.perf_counter()
    for number, (path, text) in enumerate(zip(paths[1:], texts[1:], strict=True)):
        editor.open(path, text)
        if number % 10 == 0:
            hover()
    while len(editor.published) < SKILLS:
        hover()
    total, memory = milliseconds(start) / 1000, editor.memory
    editor.end()
    return waits, total, memory


def high(times: list[float]) -> float:
    return sorted(times)[len(times) * 95 // 100]


def servers() -> list[Server]:
    found_servers = [Server("skillstudio", [STUDIO, "lsp"], "SKILL.md")]
    yaml = os.environ.get("SKILLSTUDIO_YAML_SERVER") or shutil.which("yaml-language-server")
    if yaml:
        command = [yaml, "--stdio"]
        found_servers.append(Server("yaml-language-server", command, "tea.yaml", SLOW_KEYS))
    return found_servers


def in_folder(measure: Callable[[Path], Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tea"
        path.mkdir()
        gc.collect()
        return measure(path)


def print_keys() -> None:
    print("| | lines | problems p50 | p95 | bar | completion p50 | p95 |")
    print("|---|---|---|---|---|---|---|")
    for lines in LINES:
        rows = [("in process", (in_folder(partial(type_here, lines=lines)), []))]
        rows += [
            (server.name, in_folder(partial(type_in, server, lines=lines))) for server in servers()
        ]
        for name, (problems, completions) in rows:
            bar = BARS.get((name, lines))
            verdict = f"≤ {bar}: {'yes' if high(problems) <= bar else 'no'}" if bar else ""
            cells = f"{median(problems):.1f} | {high(problems):.1f} | {verdict}"
            rest = f"{median(completions):.1f} | {high(completions):.1f}" if completions else " | "
            print(f"| {name} | {lines:,} | {cells} | {rest} |", flush=True)
    agnix = os.environ.get("SKILLSTUDIO_AGNIX") or shutil.which("agnix")
    if agnix:

        def check(folder: Path) -> list[float]:
            path = folder / "SKILL.md"
            path.write_text(servers()[0].text(200), encoding="utf-8")
            once = process([agnix, str(path)])
            return [once() for _ in range(KEYS)]

        times = in_folder(check)
        print(f"| agnix, a process | 200 | {median(times):.1f} | {high(times):.1f} | | | |")


def print_starts() -> None:
    print("\n| | `initialize` | first problems |")
    print("|---|---|---|")
    for server in servers():
        answer, problems = in_folder(partial(start_times, server))
        print(f"| {server.name} | {answer:.0f} | {problems:.0f} |", flush=True)


def print_load() -> None:
    print("\n| 1,000 files of 200 lines | wait p50 | p95 | longest | all, s | memory, MB |")
    print("|---|---|---|---|---|---|")
    for server in servers():
        waits, total, memory = in_folder(partial(open_many, server, lines=200))
        cells = f"{median(waits):.1f} | {high(waits):.1f} | {max(waits):.0f}"
        print(f"| {server.name} | {cells} | {total:.1f} | {memory:.0f} |", flush=True)


def main() -> int:
    print_keys()
    print_starts()
    print_load()
    return 0


if __name__ == "__main__":
    sys.exit(main())
