"""Parse a log of strace into calls, and count each unknown line as unread."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

_HEAD = re.compile(r"(?:(\d+)\s+)?(?:<\.\.\. )?(\w+|\?{3,4})(?: resumed>|\()")
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
_STRING = re.compile(r'"((?:[^"\\]|\\.?)*)"?', re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|([0-7]{1,3})|(.))", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f", b"a": b"\a",
            b"b": b"\b", b"e": b"\x1b"}  # fmt: skip
_SIGN = re.compile(rf"{_STRING.pattern}|<(?!<)|[(\[{{>)\]}},]", re.DOTALL)
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


@dataclass
class Gaps:
    """What is missing in a log or could not be read."""

    unread: int = 0  # Number of lines that could not be parsed.
    first: str = ""  # The first of them.
    running: set[int] = field(default_factory=set)
    """Processes and threads whose end is not in the log so far."""
    last: str = ""  # The last line.
    cut: bool = False  # Whether the rest of the log was not read.

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
        whole = text
        if "resumed>" in head[0]:
            begun = waiting.pop(pid, "")
            whole = begun and begun + text[head.end() :]
        call = _call(pid, whole)
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


def _call(pid: int, text: str) -> Call | None:
    head = _HEAD.match(text)
    if head is None:
        return None
    arguments, end = _arguments(text, head.end())
    result = _RESULT.match(text, end)
    if result is None:
        return None
    value = None if result[1] == "?" else int(result[1], 0)
    failed = value is None or value < 0
    opened = (fd_path(result[2]) or "") if result[2] else ""
    error = (result[3] or "") if failed else ""
    return Call(pid, head[2], tuple(arguments), value, error, opened)


def _arguments(text: str, at: int) -> tuple[list[str], int]:
    """The arguments that start at `at`, and the position of the closing parenthesis."""
    found: list[str] = []
    open_: list[str] = []
    for sign in _SIGN.finditer(text, at):
        if open_ and sign[0] == open_[-1]:
            open_.pop()
        elif sign[0] in _CLOSING:
            open_.append(_CLOSING[sign[0]])
        elif not open_ and sign[0] in (",", ")"):
            if argument := text[at : sign.start()].strip():
                found.append(argument)
            at = sign.end()
            if sign[0] == ")":
                return found, sign.start()
    return found, len(text)


def text_of(argument: str) -> bytes | None:
    """The bytes of a quoted string, possibly shortened by the tracer; None for anything else."""
    quoted = _STRING.match(argument)
    if quoted is None:
        return None
    return _ESCAPE.sub(_unescaped, quoted[1].encode("utf-8", "surrogateescape"))


def _unescaped(escape: re.Match[bytes]) -> bytes:
    hexadecimal, octal, letter = escape.groups()
    if letter:
        return _ESCAPES.get(letter, letter)
    return bytes([int(hexadecimal, 16) if hexadecimal else int(octal, 8) & 255])


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
