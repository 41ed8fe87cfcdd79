"""Turn a tracer's log into the observation of a run."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any, NamedTuple, TextIO

from skillstudio.dryrun.observing.strace import (
    Call,
    Gaps,
    Started,
    calls,
    fd_path,
    items_of,
    text_of,
)
from skillstudio.dryrun.report import Event, EventKind, Observation
from skillstudio.files.paths import below
from skillstudio.resources import toml_table

NOT_THERE = frozenset({"ENOENT", "ENOTDIR", "ENAMETOOLONG", "EINTR", "EEXIST", "ELOOP", "EISDIR"})
"""Errors that mean a path was only looked for, not that access was refused."""
_WRITING = re.compile(r"\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b")
_ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
_PORT = re.compile(r"sin6?_port=htons\((\d+)\)")
_LOCAL = re.compile(r"sun_path=(@?\"(?:[^\"\\]|\\.)*\")")
_FAMILY = re.compile(r"\bAF_(INET6?|PACKET|NETLINK|VSOCK|ALG|UNIX)\b")
_DATA = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAME_SERVER = ":53"
_DNS_HEADER = 12
_LONGEST_NAME = 253
# Call to the kind of its event and to which of its arguments are paths.
_PATHS: dict[str, tuple[EventKind, tuple[int, ...]]] = {
    "unlink": ("remove", (0,)), "unlinkat": ("remove", (1,)), "rmdir": ("remove", (0,)),
    "mkdir": ("write", (0,)), "mkdirat": ("write", (1,)), "truncate": ("write", (0,)),
    "rename": ("write", (0, 1)), "renameat": ("write", (1, 3)), "renameat2": ("write", (1, 3)),
    "symlink": ("write", (1,)), "symlinkat": ("write", (2,)), "link": ("write", (1,)),
    "linkat": ("write", (3,)), "mknod": ("write", (0,)), "mknodat": ("write", (1,)),
    "chmod": ("write", (0,)), "fchmodat": ("write", (1,)), "chown": ("write", (0,)),
    "lchown": ("write", (0,)), "fchownat": ("write", (1,)), "utimensat": ("write", (1,)),
    "setxattr": ("write", (0,)), "lsetxattr": ("write", (0,)), "creat": ("write", (0,)),
}  # fmt: skip
_FOLDERS_AT = frozenset(
    name for name, (_, at) in _PATHS.items() if name.endswith(("at", "at2")) or 3 in at
)
_POWERS = frozenset(
    ("ptrace", "io_uring_setup", "mount", "unshare", "setns", "sethostname", "keyctl", "add_key",
     "process_vm_writev", "bpf")
)  # fmt: skip
_STARTING = frozenset({"clone", "clone3", "fork", "vfork"})


def events(
    calls: Iterable[Call | Started],
    cwd: str,
    secrets: Sequence[str] = (),
    is_hidden: Callable[[str], bool] = lambda _: False,
) -> Iterator[Event]:
    """The events of a log, in order; the first process starts in `cwd`. A missing file is reported
    only below `secrets`, or when `is_hidden` says that it was hidden from the program."""
    missing = _MissingFiles(secrets, is_hidden)
    processes = ObservedProcesses(cwd)
    prefixes: set[str] = set()
    for call in calls:
        processes.note(call)
        if not isinstance(call, Call):
            continue
        process = processes.of(call.pid)
        if call.name == "chdir":
            path = text_of(call.arguments[0]) if call.arguments else None
            if path is not None and not call.error:
                process.cwd = _joined(process.cwd, os.fsdecode(path))
            continue
        if call.name in ("execve", "execveat"):
            event = _exec(call, process)
            if prefix := prefix_of(process.program):
                prefixes.add(prefix)
            made: Iterable[Event] = () if event is None else (event,)
        else:
            made = _of(call, process, frozenset(prefixes), missing)
        if not process.shim:
            yield from made


class _MissingFiles(NamedTuple):
    """Decides which "no such file" errors were refusals."""

    secrets: Sequence[str]
    is_hidden: Callable[[str], bool]

    def is_refused(self, path: str, error: str, is_created: bool) -> bool:
        if any(below(path, each) is not None for each in self.secrets):
            return True
        # A hidden file is missing for the program; any other error it would get elsewhere too.
        return error == "ENOENT" and self.is_hidden(os.path.dirname(path) if is_created else path)


def _exec(call: Call, process: ObservedProcess) -> Event | None:
    at = 1 if call.name == "execveat" else 0
    given = text_of(call.arguments[at]) if len(call.arguments) > at + 1 else None
    if given is None or call.error in NOT_THERE or call.result is None:
        return None
    path = _joined(process.cwd, os.fsdecode(given))
    words = tuple(
        os.fsdecode(word) + ("…" if item.endswith("...") else "")
        for item in items_of(call.arguments[at + 1])
        if (word := text_of(item)) is not None
    )
    if call.error:
        return None if process.shim else _executed(call, words or (path,))
    if is_shim(path, words):
        if not process.shim:
            process.shim, process.owner = True, call.pid
        return None
    if process.shim:
        # The requested program runs now; what the shim started before only looked for it.
        if process.owner != call.pid:
            return None
        process.shim = False
    own = process.script
    process.program, process.script = path, (os.fsdecode(given), *words[1:])
    process.names = frozenset(os.path.basename(each) for each in (path, *words[1:2]))
    if own and len(words) > len(own) and words[-len(own) :] == own:
        # `#!/usr/bin/env python3`: the interpreter of a script that has not been read yet.
        process.script = ()
        return None
    return _executed(call, words or (path,))


def _executed(call: Call, argv: tuple[str, ...]) -> Event:
    return Event("exec", shlex.join(argv), call.error, call.pid, argv)


def _of(
    call: Call, process: ObservedProcess, prefixes: frozenset[str], missing: _MissingFiles
) -> Iterator[Event]:
    if call.name in ("open", "openat", "openat2"):
        yield from _open(call, process, prefixes, missing)
    elif call.name in _PATHS:
        yield from _changed(call, process, missing)
    elif call.name == "socket":
        yield from _socket(call)
    elif call.name in ("connect", "bind"):
        yield from _connect(call, process)
    elif call.name in ("sendto", "sendmsg", "sendmmsg"):
        yield from _send(call, process)
    elif call.name in ("kill", "tkill", "tgkill") and call.error in ("EPERM", "EACCES"):
        yield Event("signal", f"process {call.arguments[0]}", call.error, call.pid)
    elif call.name in _POWERS:
        yield Event("other", call.name, call.error, call.pid)


def _open(
    call: Call, process: ObservedProcess, prefixes: frozenset[str], missing: _MissingFiles
) -> Iterator[Event]:
    at = 0 if call.name == "open" else 1
    path = _path(call, at, process)
    if path is None or call.result is None:
        return
    if process.script and path == _joined(process.cwd, process.script[0]):
        process.script = ()
    flags = " ".join(call.arguments[at + 1 :])
    if call.error in NOT_THERE and not missing.is_refused(path, call.error, "O_CREAT" in flags):
        return
    real = call.opened or path  # A link may lead elsewhere.
    if _WRITING.search(flags):
        if not is_device(path):
            yield Event("write", real, call.error, call.pid)
    elif "O_DIRECTORY" in flags or any(is_noise_read(each, prefixes) for each in (path, real)):
        return
    elif not is_own_read(path, process.names):
        by_git = any(name == "git" or name.startswith("git-") for name in process.names)
        yield Event("read", real, call.error, call.pid, program="git" if by_git else "")


def _changed(call: Call, process: ObservedProcess, missing: _MissingFiles) -> Iterator[Event]:
    if call.result is None:
        return
    kind, places = _PATHS[call.name]
    for at in places:
        path = _path(call, at, process)
        if path is None or is_device(path):
            continue
        if call.error not in NOT_THERE or missing.is_refused(path, call.error, kind == "write"):
            yield Event(kind, path, call.error, call.pid)


def _path(call: Call, at: int, process: ObservedProcess) -> str | None:
    """The absolute path of an argument; the log shows the folder it is relative to."""
    if len(call.arguments) <= at:
        return None
    given = text_of(call.arguments[at])
    if given is None:
        return None
    folder = process.cwd
    if at and (call.name in _FOLDERS_AT or call.name.startswith("openat")):
        folder_at = fd_path(call.arguments[at - 1])
        if folder_at is not None:
            folder = folder_at
            if call.arguments[at - 1].startswith("AT_FDCWD"):
                process.cwd = folder_at
    return _joined(folder, os.fsdecode(given))


def _joined(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))


def _socket(call: Call) -> Iterator[Event]:
    """A refused network socket. Local ones are skipped: the C library opens one in almost every
    program to look up users and hosts, and the address is not known yet."""
    family = _FAMILY.search(call.arguments[0]) if call.arguments else None
    refused = call.error in ("EACCES", "EPERM", "EAFNOSUPPORT")
    if refused and family is not None and family[1] not in ("NETLINK", "UNIX"):
        yield Event("socket", f"network socket ({family[0]})", call.error, call.pid)


def _connect(call: Call, process: ObservedProcess) -> Iterator[Event]:
    if len(call.arguments) < 2:
        return
    peer = _peer(call.arguments[1])
    if peer is None:
        return
    process.peers[_number(call.arguments[0])] = peer
    if call.name == "bind" or peer.endswith(_NAME_SERVER):
        return
    if peer.startswith("unix:"):
        # Some local sockets belong to the C library.
        if _starts(peer[5:], _noise()["sockets"]) or call.error in NOT_THERE:
            return
    elif "_port=htons(0)" in call.arguments[1] or "SOCK_DGRAM" in call.arguments[0]:
        # The C library asks for a route this way.
        return
    refused = "" if call.error == "EINPROGRESS" else call.error
    yield Event("connect", peer, refused, call.pid)


def _send(call: Call, process: ObservedProcess) -> Iterator[Event]:
    whole = ", ".join(call.arguments[1:])
    peer = _peer(whole) or process.peers.get(_number(call.arguments[0]) if call.arguments else -1)
    if peer is None or peer.startswith("unix:"):
        return
    if not peer.endswith(_NAME_SERVER):
        if _peer(whole) is not None:
            yield Event("send", peer, call.error, call.pid)
        return
    for data in _DATA.findall(whole):
        name = asked_name(text_of(data) or b"")
        if name is not None:
            yield Event("resolve", name, call.error, call.pid)


def asked_name(message: bytes) -> str | None:
    """The host name in a DNS question (RFC 1035, section 4.1); None when absent or cut off."""
    if len(message) <= _DNS_HEADER or message[2] & 0x80 or message[4:6] == b"\0\0":
        return None
    labels: list[str] = []
    at = _DNS_HEADER
    while at < len(message) and message[at]:
        length = message[at]
        label = message[at + 1 : at + 1 + length]
        # A larger length is a pointer, which a question cannot start with.
        if length > 63 or len(label) < length:
            return None
        labels.append(label.decode("ascii", "replace"))
        at += 1 + length
    name = ".".join(labels)
    return name if at < len(message) and 0 < len(name) <= _LONGEST_NAME else None


def _peer(argument: str) -> str | None:
    """`host:port`, `[host]:port` or `unix:path`; None without an address."""
    local = _LOCAL.search(argument)
    if local is not None:
        abstract = local[1].startswith("@")
        path = text_of(local[1].removeprefix("@")) or b""
        return f"unix:{'@' if abstract else ''}{os.fsdecode(path)}"
    address, port = _ADDRESS.search(argument), _PORT.search(argument)
    if address is None or port is None:
        return None
    host = address[1] or f"[{address[2]}]"
    return f"{host}:{port[1]}"


def _number(argument: str) -> int:
    digits = re.match(r"\d+", argument)
    return int(digits[0]) if digits else -1


@dataclass
class ObservedProcess:
    """The known state of one process; its threads share it."""

    cwd: str
    program: str = ""  # The path of the program started last.
    names: frozenset[str] = frozenset()
    """The names of the program and of the script given to an interpreter."""
    script: tuple[str, ...] = ()
    """The argv it was started with, while it may be a script that `env` finds a program for."""
    shim: bool = False  # Whether it only looks for the program to run, like a version manager.
    owner: int = 0  # The process the shim looks for a program for.
    peers: dict[int, str] = field(default_factory=dict)
    """Socket descriptor to the address it is connected to."""


class ObservedProcesses:
    """All processes of a log, by number."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._known: dict[int, ObservedProcess] = {}
        self._starting: list[int] = []

    def of(self, pid: int) -> ObservedProcess:
        """A process; an unknown one is a child of the process that is starting one."""
        process = self._known.get(pid)
        if process is None:
            parent = self._known.get(self._starting[-1]) if self._starting else None
            process = self._known[pid] = self._child(parent)
        return process

    def note(self, call: Call | Started) -> None:
        """Follow new processes and `fchdir`."""
        if call.name in _STARTING:
            self._start(call)
        elif isinstance(call, Call) and call.name == "fchdir" and not call.error and call.arguments:
            path = fd_path(call.arguments[0])
            if path is not None:
                self.of(call.pid).cwd = path

    def _start(self, call: Call | Started) -> None:
        parent = self.of(call.pid)
        if isinstance(call, Started):
            self._starting.append(call.pid)
            return
        if call.pid in self._starting:
            self._starting.remove(call.pid)
        if not call.result or call.error:
            return
        if any("CLONE_THREAD" in argument for argument in call.arguments):
            self._known[call.result] = parent
        elif call.result not in self._known:
            self._known[call.result] = self._child(parent)

    def _child(self, parent: ObservedProcess | None) -> ObservedProcess:
        if parent is None:
            return ObservedProcess(self._cwd)
        return replace(parent, script=(), peers=dict(parent.peers))


def is_noise_read(path: str, prefixes: frozenset[str]) -> bool:
    """Whether a loader or interpreter reads this; `prefixes` are the programs' install folders."""
    table = _noise()
    if _starts(path, table["reads"]) or _starts(path, table["devices"]):
        return True
    return any(
        _starts(path, [f"{prefix}/{library}" for library in table["libraries"]])
        for prefix in prefixes
    )


def is_own_read(path: str, names: frozenset[str]) -> bool:
    """Whether a program of one of these names reads this itself, such as its settings."""
    return any(
        path.endswith(end) or (end[-1] == "/" and end in path)
        for name in names
        for end in _noise()["own"].get(name, ())
    )


def is_device(path: str) -> bool:
    """Whether writing there stores nothing."""
    return _starts(path, _noise()["devices"]) or path.startswith("/proc/self/")


def is_shim(path: str, argv: Sequence[str]) -> bool:
    """Whether a program only looks for another one to run: `env`, a version manager's shim."""
    if os.path.basename(path) == "env" and len(argv) > 1:
        return True
    return any(part in each for part in _noise()["shims"] for each in (path, *argv[1:2]))


def prefix_of(program: str) -> str | None:
    """The folder a program is installed in: `/opt/x` for `/opt/x/bin/y`."""
    folder, _, _ = os.path.realpath(program).rpartition("/")
    above, _, name = folder.rpartition("/")
    return above if name in ("bin", "sbin") and above.count("/") > 1 else None


def _starts(path: str, starts: list[str]) -> bool:
    return any(path == each or (each[-1] == "/" and path.startswith(each)) for each in starts)


def _noise() -> dict[str, Any]:
    return toml_table(__file__, "noise.toml")


MAX_LOG = 64 << 20  # Bytes of a log that are read.
MAX_EVENTS = 5_000  # Distinct events that are kept.
_LINES = 1024  # Lines between two checks of `stopped`.
_QUOTED = 100
_ON_PATHS = frozenset({"read", "write", "remove"})


def observe(
    log: str,
    cwd: str,
    shown: Callable[[str], str],
    secrets: Sequence[str] = (),
    is_hidden: Callable[[str], bool] = lambda _: False,
    stopped: Callable[[], bool] = lambda: False,
) -> Observation:
    """Read a log of strace from the program's start on; each distinct event appears once. `shown`
    maps a path to the one shown to people, the others are those of `events`; when `stopped` returns
    true, the rest is cut off. Raises OSError."""
    gaps = Gaps()
    seen: dict[tuple[str, str, str], Event] = {}
    cut = False
    with open(log, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        lines = _BoundedLines(file, MAX_LOG, stopped)
        for event in events(_of_program(calls(lines, gaps)), cwd, secrets, is_hidden):
            if event.kind in _ON_PATHS:
                event = event._replace(subject=shown(event.subject))
            key = (event.kind, event.subject, event.refused)
            if key not in seen:
                if len(seen) == MAX_EVENTS:
                    cut = True
                    break
                seen[key] = event
        cut = cut or lines.cut
    incomplete = () if cut else tuple(_missing(gaps, lines.last))
    return Observation(tuple(seen.values()), True, cut, incomplete)


def _of_program(calls: Iterable[Call | Started]) -> Iterator[Call | Started]:
    """Skip the calls of the launcher, which starts the program with the second `execve`."""
    started = 0
    every = iter(calls)
    for call in every:
        if isinstance(call, Call) and call.name == "execve" and not call.error:
            started += 1
            if started == 2:
                yield from chain((call,), every)


def _missing(gaps: Gaps, last: str) -> Iterator[str]:
    """What is missing in the log or could not be read, a sentence each."""
    if gaps.unread:
        lines = "1 line" if gaps.unread == 1 else f"{gaps.unread:,} lines"
        yield f"{lines} of the tracer's log could not be read, first: {gaps.first[:_QUOTED]}"
    if not last.endswith("\n"):
        yield "the tracer's log ends in the middle of a line" if last else "the log is empty"
    if gaps.running:
        count = len(gaps.running)
        what = "1 process" if count == 1 else f"{count:,} processes"
        yield f"the tracer did not record how {what} ended"


class _BoundedLines:
    """Lines up to `limit` characters in all, so that one endless line ends it too."""

    def __init__(self, file: TextIO, limit: int, stopped: Callable[[], bool]) -> None:
        self._read = file.readline
        self._left = limit
        self._stopped = stopped
        self.cut = False
        self.last = ""

    def __iter__(self) -> Iterator[str]:
        for number in count():
            if not (line := self._read(self._left + 1)):
                return
            self._left -= len(line)
            if self._left < 0 or (number % _LINES == 0 and self._stopped()):
                self.cut = True
                return
            self.last = line
            yield line
