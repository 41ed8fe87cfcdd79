"""The log of strace, call by call.

A line that is neither a call nor the end of a process is passed over and counted: then something
happened that is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

TRACED = (
    *("execve", "execveat", "open", "openat", "openat2", "creat", "truncate"),
    *("unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "mkdir", "mkdirat"),
    *("symlink", "symlinkat", "link", "linkat", "mknod", "mknodat"),
    *("chmod", "fchmodat", "chown", "lchown", "fchownat", "utimensat", "setxattr", "lsetxattr"),
    *("chdir", "fchdir", "clone", "clone3", "fork", "vfork"),
    *("socket", "connect", "sendto", "sendmsg", "sendmmsg", "bind"),
    *("kill", "tkill", "tgkill", "ptrace", "io_uring_setup", "mount", "unshare", "setns"),
    *("sethostname", "process_vm_writev", "keyctl", "add_key", "bpf"),
)
"""The calls that a log holds; an architecture may lack some of them."""
TEXT_LIMIT = 512
"""How many bytes of a text the log repeats. Paths are always whole."""

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
    """One call of a process."""

    pid: int
    name: str
    arguments: tuple[str, ...]
    """As they are written in the log."""
    result: int | None
    """None where the call did not return."""
    error: str
    """`EACCES` and the like; "" of a call that succeeded."""
    opened: str = ""
    """What was opened, no link in its path; "" where that is not told, or has no name."""


class Started(NamedTuple):
    """A call that has not returned yet: what it started may show up before it does."""

    pid: int
    name: str


class Gaps:
    """What is missing in a log, or could not be read."""

    def __init__(self) -> None:
        self.unread = 0
        """Lines that mean nothing here."""
        self.first = ""
        """The first of them."""
        self.running: set[int] = set()
        """Processes and threads whose end is not in the log, so far."""

    def pass_over(self, line: str) -> None:
        """Count a line that means nothing."""
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
            gaps.pass_over(text)
            continue
        pid = int(head[1] or 0)
        gaps.running.add(pid)
        if text.endswith(_UNFINISHED):
            waiting[pid] = text.removesuffix(_UNFINISHED)
            yield Started(pid, head[2])
            continue
        found = None
        if "resumed>" in head[0]:
            begun = waiting.pop(pid, "")
            whole = begun + text[head.end() :]
            if begun and (head := _HEAD.match(whole)):
                found = _call(pid, head[2], whole, head.end())
        else:
            found = _call(pid, head[2], text, head.end())
        if found is None:
            gaps.pass_over(text)
        else:
            yield found


def _end(end: re.Match[str], waiting: dict[int, str], gaps: Gaps) -> None:
    pid = int(end[1])
    if end[2] is None:
        gaps.running.discard(pid)
        waiting.pop(pid, None)
        return
    # A thread started a program: it goes on under the number of the whole process.
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
    """The arguments from behind the opening parenthesis, and where the closing one stands."""
    found: list[str] = []
    open_: list[str] = []
    start = at
    while at < len(text):
        letter = text[at]
        if letter == '"':
            at = _behind_text(text, at)
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


def _behind_text(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def text_of(argument: str) -> bytes | None:
    """The bytes of a quoted text, as far as the log repeats it; None of anything else."""
    if not argument.startswith('"'):
        return None
    inner = argument[1 : _behind_text(argument, 0) - 1]
    made = bytearray()
    at = 0
    for escape in _ESCAPE.finditer(inner):
        made += inner[at : escape.start()].encode("utf-8", "surrogateescape")
        what = escape[1]
        if what[0] == "x" and len(what) == 3:
            made.append(int(what[1:], 16))
        elif what[0].isdigit():
            made.append(int(what, 8) & 255)
        elif what in _ESCAPES:
            made.append(_ESCAPES[what])
        else:
            made += what.encode()
        at = escape.end()
    made += inner[at:].encode("utf-8", "surrogateescape")
    return bytes(made)


def items_of(argument: str) -> list[str]:
    """The parts of a list or a structure, `[...]` or `{...}`."""
    return _arguments(argument[1:-1] + ")", 0)[0] if argument[:1] in ("[", "{") else []


def fd_path(argument: str) -> str | None:
    """The path that the log tells of a descriptor, `3</tmp/x>`; None of sockets and pipes."""
    start = argument.find("<")
    if start < 0 or not argument.endswith(">"):
        return None
    inner = text_of(f'"{argument[start + 1 : -1]}"') or b""
    path = inner.decode("utf-8", "surrogateescape")
    return path.removesuffix(" (deleted)") if path.startswith("/") else None
