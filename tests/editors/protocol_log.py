"""Start a language server and log what an editor and it write to each other.

An editor starts this file instead of the server: `protocol_log.py LOG COMMAND [ARGUMENT …]`. Each
line of the log is a JSON object with the sender and the message. `protocol_log.py LOG` prints how
often which message was sent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import IO, Any

CANCELLED = -32800


class LogEntry(dict[str, Any]):
    """A message and its sender."""

    @property
    def sender(self) -> Any:
        return self["sender"]

    @property
    def message(self) -> dict[str, Any]:
        message: dict[str, Any] = self["message"]
        return message


def read_log(path: Path) -> list[LogEntry]:
    """The entries of a log, without a last line that a killed process left incomplete."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [LogEntry(json.loads(line)) for line in lines]


def count_messages(entries: list[LogEntry]) -> Counter[str]:
    """The number of messages by sender and method; of responses by the request's method."""
    count: Counter[str] = Counter()
    asked: dict[tuple[str, object], str] = {}
    for entry in entries:
        message, kind = entry.message, "notification"
        method = message.get("method")
        if method is None:
            other = "server" if entry.sender == "client" else "client"
            method = asked.get((other, message["id"]), "unknown")
            code = message.get("error", {}).get("code")
            kind = {None: "response", CANCELLED: "cancelled"}.get(code, "error")
        elif "id" in message:
            asked[entry.sender, message["id"]] = method
            kind = "request"
        count[f"{entry.sender} {kind} {method}"] += 1
    return count


def copy_messages(source: IO[bytes], sink: IO[bytes], sender: str, log: IO[str]) -> None:
    """Copy messages from one side to the other, and write each to the log."""
    while header := source.readline():
        lines = [header]
        while lines[-1].strip():
            lines.append(source.readline())
        length = next(
            int(line.partition(b":")[2])
            for line in lines
            if line.lower().startswith(b"content-length:")
        )
        body = source.read(length)
        log.write(json.dumps({"sender": sender, "message": json.loads(body)}) + "\n")
        log.flush()
        try:
            sink.write(b"".join(lines) + body)
            sink.flush()
        except BrokenPipeError:
            return
    sink.close()


def serve(log_path: Path, command: list[str]) -> int:
    with log_path.open("a", encoding="utf-8") as log:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert server.stdin
        assert server.stdout
        streams = (sys.stdin.buffer, server.stdin, "client", log)
        threading.Thread(target=copy_messages, args=streams, daemon=True).start()
        copy_messages(server.stdout, sys.stdout.buffer, "server", log)
        return server.wait()


if __name__ == "__main__":
    path, *words = sys.argv[1:]
    if words:
        # The thread that reads standard input does not end; a normal exit would wait for its lock.
        os._exit(serve(Path(path), words))
    for line, number in sorted(count_messages(read_log(Path(path))).items()):
        print(f"{number:4} {line}")
