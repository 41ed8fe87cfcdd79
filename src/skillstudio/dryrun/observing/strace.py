"""Parse a log of strace into calls, and count each unknown line as unread."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_HEAD = re.compile(r"(?:(\d+)\s+)?(?:<\.\.\. )?(\w+|\?{4})(?: resumed>|\()")
_RESULT = re.compile(
    r"\)?\s*=\s*(-?\d+|\?|0x[0-9a-f]+)(<(?:[^>\\]|\\.)*>(?!\(deleted))?"
    r"(?:\s+([A-Z][A-Z0-9_]*))?"
)
_UNFINISHED = " <unfinished ...>"
_END = re.compile(
    r"(\d+) +\+\+\+ (?:exited with \d+|killed by \w+(?: \(core dumped\))?"
    r"|superseded by execve in pid (\d+)) \+\+\+"
)
_SIGNAL = re.compile(r"(?:\d+ +)?--- .* ---")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "v": 11, "f": 12, "a": 7, "b": 8, "e": 27}
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|[0-7]{1,3}|.)", re.DOTALL)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Call(NamedTuple):
    """A system call of a process."""

    pid: int
    name: str
    arguments: tuple[str, ...]  # As written in the log.
    result: int | None  # None when the call did not return.
    error: str  # Such as `EACCES`; "" when the call succeeded.
    opened: str = ""  # The opened path with links resolved; "" when unknown or without a name.


class Started(NamedTuple):
    """A call that has not returned yet; the process it starts may appear before it does."""

    pid: int
    name: str


class Gaps:
    """What is missing in a log or could not be read."""

    def __init__(self) -> None:
        self.unread = 0
        """Number of lines that could not be parsed."""
        self.first = ""
        self.running: set[int] = set()
        """Processes and threads whose end is not in the log so far."""

    def add_unread(self, line: str) -> None:
        self.unread += 1
        self.first = self.first or line


def calls(lines: Iterable[str], gaps: Gaps) -> Iterator[Call | Started]:
    """Every call of a log, in the order in which they returned; `gaps` collects the rest."""
    waiting: dict[int, str] = {}
    for line in lines:
        text = line.rstrip("\n")
        if end := _END.fullmatch(text):
            _end(end, waiting, gaps)
            continue
        if _SIGNAL.fullmatch(text):
            continue
        head = _HEAD.match(text)
        if head is None:
            gaps.add_unread(text)
            continue
        pid = int(head[1] or 0)
        gaps.running.add(pid)
        if text.endswith(_UNFINISHED):
            waiting[pid] = text.removesuffix(_UNFINISHED)
            yield Started(pid, head[2])
            continue
        call = None
        if "resumed>" in head[0]:
            begun = waiting.pop(pid, "")
            whole = begun + text[head.end() :]
            if begun and (head := _HEAD.match(whole)):
                call = _call(pid, head[2], whole, head.end())
        else:
            call = _call(pid, head[2], text, head.end())
        if call is None:
            gaps.add_unread(text)
        else:
            yield call


def _end(end: re.Match[str], waiting: dict[int, str], gaps: Gaps) -> None:
    pid = int(end[1])
    if end[2] is None:
        gaps.running.discard(pid)
        waiting.pop(pid, None)
        return
    # A thread started a program, which continues under the process's own number.
    thread = int(end[2])
    gaps.running.discard(thread)
    if thread in waiting:
        waiting[pid] = waiting.pop(thread)


def _call(pid: int, name: str, text: str, at: int) -> Call | None:
    arguments, end = _arguments(text, at)
    result = _RESULT.match(text, end)
    if result is None:
        return None
    value = None if result[1] == "?" else int(result[1], 0)
    failed = value is None or value < 0
    opened = (fd_path(result[2]) or "") if result[2] else ""
    error = (result[3] or "") if failed else ""
    return Call(pid, name, tuple(arguments), value, error, opened)


def _arguments(text: str, at: int) -> tuple[list[str], int]:
    """The arguments that start at `at`, and the position of the closing parenthesis."""
    found: list[str] = []
    open_: list[str] = []
    start = at
    while at < len(text):
        letter = text[at]
        if letter == '"':
            at = _after_string(text, at)
            continue
        if open_ and letter == open_[-1]:
            open_.pop()
        elif letter in _CLOSING and not (letter == "<" and text[at : at + 2] == "<<"):
            open_.append(_CLOSING[letter])
        elif not open_ and letter in ",)":
            if argument := text[start:at].strip():
                found.append(argument)
            start = at + 1
            if letter == ")":
                return found, at
        at += 1
    return found, at


def _after_string(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def text_of(argument: str) -> bytes | None:
    """The bytes of a quoted string, possibly shortened by the tracer; None for anything else."""
    if not argument.startswith('"'):
        return None
    inner = argument[1 : _after_string(argument, 0) - 1]
    decoded = bytearray()
    at = 0
    for escape in _ESCAPE.finditer(inner):
        decoded += inner[at : escape.start()].encode("utf-8", "surrogateescape")
        what = escape[1]
        if what[0] == "x" and len(what) == 3:
            decoded.append(int(what[1:], 16))
        elif what[0].isdigit():
            decoded.append(int(what, 8) & 255)
        elif what in _ESCAPES:
            decoded.append(_ESCAPES[what])
        else:
            decoded += what.encode()
        at = escape.end()
    decoded += inner[at:].encode("utf-8", "surrogateescape")
    return bytes(decoded)


def items_of(argument: str) -> list[str]:
    """The elements of a list or structure, `[...]` or `{...}`."""
    return _arguments(argument[1:-1] + ")", 0)[0] if argument[:1] in ("[", "{") else []


def fd_path(argument: str) -> str | None:
    """The path of a descriptor such as `3</tmp/x>`; None for sockets and pipes."""
    start = argument.find("<")
    if start < 0 or not argument.endswith(">"):
        return None
    inner = text_of(f'"{argument[start + 1 : -1]}"') or b""
    path = inner.decode("utf-8", "surrogateescape")
    return path.removesuffix(" (deleted)") if path.startswith("/") else None
