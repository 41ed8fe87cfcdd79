"""Read the records of the tracer's log, which `isolation/tracer.py` describes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from typing import NamedTuple


class Call(NamedTuple):
    """A record: a system call of a process."""

    name: str
    pid: int
    error: str = ""  # Such as `EACCES`; "" when the call succeeded.
    number: int = 0
    texts: tuple[str, ...] = ()


class Gaps:
    """What is missing in a log."""

    def __init__(self) -> None:
        self.has_end = False  # Whether the log has its last record.
        self.unread = False  # Whether a part of it is not a record.
        self.missing: list[str] = []  # What the tracer could not see.
        self.cut = False  # Whether the tracer reached the limit of the log.


def calls(data: bytes, gaps: Gaps) -> Iterator[Call]:
    """Every call of a log, in the order in which they returned; `gaps` collects the rest."""
    fields = data.split(b"\0")
    at, last = 0, len(fields) - 1  # Each field ends with NUL.
    gaps.unread = bool(fields[last])
    while at < last:
        try:
            count = int(fields[at])
            name, *rest = fields[at + 1 : at + 1 + count]
            pid, error, number = map(int, rest[:3])
            call = Call(
                name.decode(), pid, _error(error), number, tuple(map(os.fsdecode, rest[3:]))
            )
        except ValueError:
            gaps.unread = True
            return
        if at + 1 + count > last:
            gaps.unread = True
            return
        at += 1 + count
        if name == b"gap":
            gaps.missing.append(call.texts[0])
        elif name == b"cut":
            gaps.cut = True
        elif name == b"end":
            gaps.has_end = True
        else:
            yield call


def _error(number: int) -> str:
    return errno.errorcode.get(number, f"error {number}") if number else ""


def address_of(text: str) -> str | None:
    """`host:port`, `[host]:port` or `unix:path` of a socket address; None for other families."""
    data = bytes.fromhex(text)
    family = int.from_bytes(data[:2], "little")
    if family == 1:
        abstract = data[2:3] == b"\0"
        path = data[3:] if abstract else data[2:].partition(b"\0")[0]
        return f"unix:{'@' if abstract else ''}{os.fsdecode(path)}" if path else None
    # Most runs connect to nothing, and this import takes as long as reading a log.
    import socket

    port = int.from_bytes(data[2:4], "big")
    if family == 2 and len(data) >= 8:
        return f"{socket.inet_ntoa(data[4:8])}:{port}"
    if family == 10 and len(data) >= 24:
        return f"[{socket.inet_ntop(socket.AF_INET6, data[8:24])}]:{port}"
    return None
