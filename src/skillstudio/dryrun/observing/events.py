"""Turn a tracer's log into the observation of a run."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TextIO

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
    "open": ("read", (0,)), "openat": ("read", (1,)), "openat2": ("read", (1,)),
}  # fmt: skip
_FOLDERS_AT = frozenset(
    name for name, (_, at) in _PATHS.items() if name.endswith(("at", "at2")) or 3 in at
)
"""Calls with the descriptor of a folder before each path."""
_POWERS = frozenset(
    ("ptrace", "io_uring_setup", "mount", "unshare", "setns", "sethostname", "keyctl", "add_key",
     "process_vm_writev", "bpf")
)  # fmt: skip
_STARTING = frozenset({"clone", "clone3", "fork", "vfork"})


@dataclass
class ObservedProcess:
    """The known state of one process; its threads share it."""

    cwd: str
    names: frozenset[str] = frozenset()
    """The names of the program and of the script given to an interpreter."""
    script: tuple[str, ...] = ()
    """The argv it was started with, while it may be a script that `env` finds a program for."""
    shim: bool = False  # Whether it only looks for the program to run, like a version manager.
    owner: int = 0  # The process the shim looks for a program for.
    peers: dict[str, str] = field(default_factory=dict)
    """Socket descriptor to the address it is connected to."""

    def child(self) -> ObservedProcess:
        """A process that this one starts."""
        return replace(self, script=(), peers=dict(self.peers))


def events(
    calls: Iterable[Call | Started],
    cwd: str,
    secrets: Sequence[str] = (),
    is_hidden: Callable[[str], bool] = lambda _: False,
) -> Iterator[Event]:
    """The events of a log, in order; the first process starts in `cwd`. A missing file is reported
    only below `secrets`, or when `is_hidden` says that it was hidden from the program."""
    observer = _Observer(cwd, secrets, is_hidden)
    for call in calls:
        yield from observer.events(call)


class _Observer:
    """Follows the processes of a log, by number."""

    def __init__(self, cwd: str, secrets: Sequence[str], is_hidden: Callable[[str], bool]) -> None:
        self._cwd = cwd
        self._secrets = secrets
        self._is_hidden = is_hidden
        self._known: dict[int, ObservedProcess] = {}
        self._starting: list[int] = []
        self._prefixes: set[str] = set()

    def events(self, call: Call | Started) -> Iterator[Event]:
        """The events of a call."""
        if call.name in _STARTING:
            self._start(call)
        if not isinstance(call, Call):
            return
        process = self._process(call.pid)
        if call.name in ("chdir", "fchdir"):
            _change_folder(call, process)
        elif call.name in ("execve", "execveat"):
            yield from self._exec(call, process)
        elif process.shim:
            return
        elif call.name in _PATHS:
            yield from self._on_paths(call, process)
        elif call.name == "socket":
            yield from _socket(call)
        elif call.name in ("connect", "bind"):
            yield from _connect(call, process)
        elif call.name in ("sendto", "sendmsg", "sendmmsg"):
            yield from _send(call, process)
        elif call.name in ("kill", "tkill", "tgkill") and call.error in ("EPERM", "EACCES"):
            yield _event(call, "signal", f"process {call.arguments[0]}")
        elif call.name in _POWERS:
            yield _event(call, "other", call.name)

    def _process(self, pid: int) -> ObservedProcess:
        """A process; an unknown one is a child of the process that is starting one."""
        if pid not in self._known:
            parent = self._known.get(self._starting[-1]) if self._starting else None
            self._known[pid] = parent.child() if parent else ObservedProcess(self._cwd)
        return self._known[pid]

    def _start(self, call: Call | Started) -> None:
        parent = self._process(call.pid)
        if isinstance(call, Started):
            self._starting.append(call.pid)
            return
        if call.pid in self._starting:
            self._starting.remove(call.pid)
        if not call.result or call.error:
            return
        if any("CLONE_THREAD" in argument for argument in call.arguments):
            self._known[call.result] = parent
        else:
            self._known.setdefault(call.result, parent.child())

    def _exec(self, call: Call, process: ObservedProcess) -> Iterator[Event]:
        at = 1 if call.name == "execveat" else 0
        given = text_of(call.arguments[at]) if len(call.arguments) > at + 1 else None
        if given is None or call.error in NOT_THERE or call.result is None:
            return
        path = _joined(process.cwd, os.fsdecode(given))
        words = tuple(
            os.fsdecode(word) + ("…" if item.endswith("...") else "")
            for item in items_of(call.arguments[at + 1])
            if (word := text_of(item)) is not None
        )
        if not call.error and is_shim(path, words):
            if not process.shim:
                process.shim, process.owner = True, call.pid
            return
        # What a shim starts before the requested program only looks for it.
        if process.shim and (call.error or process.owner != call.pid):
            return
        if not call.error:
            own = process.script
            process.shim = False
            process.script = (os.fsdecode(given), *words[1:])
            process.names = frozenset(os.path.basename(each) for each in (path, *words[1:2]))
            if prefix := prefix_of(path):
                self._prefixes.add(prefix)
            if own and len(words) > len(own) and words[-len(own) :] == own:
                # `#!/usr/bin/env python3`: the interpreter of a script that has not been read yet.
                process.script = ()
                return
        argv = words or (path,)
        yield _event(call, "exec", shlex.join(argv))._replace(argv=argv)

    def _on_paths(self, call: Call, process: ObservedProcess) -> Iterator[Event]:
        kind, places = _PATHS[call.name]
        for at in places:
            path = _path(call, at, process)
            if path is None or call.result is None:
                continue
            is_open = kind == "read"
            flags = " ".join(call.arguments[at + 1 :]) if is_open else ""
            if is_open and process.script and path == _joined(process.cwd, process.script[0]):
                process.script = ()
            is_created = kind == "write" or "O_CREAT" in flags
            if call.error in NOT_THERE and not self._is_refused(path, call.error, is_created):
                continue
            # A link may lead elsewhere.
            real = call.opened if is_open and call.opened else path
            if not is_open or _WRITING.search(flags):
                if not is_device(path):
                    yield _event(call, "write" if is_open else kind, real)
            elif not (
                "O_DIRECTORY" in flags
                or any(is_noise_read(each, self._prefixes) for each in (path, real))
                or is_own_read(path, process.names)
            ):
                by_git = any(name == "git" or name.startswith("git-") for name in process.names)
                yield _event(call, "read", real)._replace(program="git" if by_git else "")

    def _is_refused(self, path: str, error: str, is_created: bool) -> bool:
        """Whether "no such file" was a refusal."""
        if any(below(path, each) is not None for each in self._secrets):
            return True
        # A hidden file is missing for the program; any other error it would get elsewhere too.
        return error == "ENOENT" and self._is_hidden(os.path.dirname(path) if is_created else path)


def _event(call: Call, kind: EventKind, subject: str) -> Event:
    return Event(kind, subject, call.error, call.pid)


def _change_folder(call: Call, process: ObservedProcess) -> None:
    if call.error or not call.arguments:
        return
    if call.name == "fchdir":
        process.cwd = fd_path(call.arguments[0]) or process.cwd
    elif (path := text_of(call.arguments[0])) is not None:
        process.cwd = _joined(process.cwd, os.fsdecode(path))


def _path(call: Call, at: int, process: ObservedProcess) -> str | None:
    """The absolute path of an argument; the log shows the folder it is relative to."""
    given = text_of(call.arguments[at]) if len(call.arguments) > at else None
    if given is None:
        return None
    folder = process.cwd
    if at and call.name in _FOLDERS_AT:
        folder = fd_path(call.arguments[at - 1]) or folder
        if call.arguments[at - 1].startswith("AT_FDCWD"):
            process.cwd = folder
    return _joined(folder, os.fsdecode(given))


def _joined(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))


def _socket(call: Call) -> Iterator[Event]:
    """A refused network socket. Local ones are skipped: the C library opens one in almost every
    program to look up users and hosts, and the address is not known yet."""
    family = _FAMILY.search(call.arguments[0]) if call.arguments else None
    refused = call.error in ("EACCES", "EPERM", "EAFNOSUPPORT")
    if refused and family is not None and family[1] not in ("NETLINK", "UNIX"):
        yield _event(call, "socket", f"network socket ({family[0]})")


def _connect(call: Call, process: ObservedProcess) -> Iterator[Event]:
    peer = _peer(call.arguments[1]) if len(call.arguments) > 1 else None
    if peer is None:
        return
    process.peers[_descriptor(call)] = peer
    if call.name == "bind" or peer.endswith(_NAME_SERVER):
        return
    if peer.startswith("unix:"):
        # Some local sockets belong to the C library.
        is_noise = _starts(peer[5:], _noise()["sockets"]) or call.error in NOT_THERE
    else:
        # The C library asks for a route this way.
        is_noise = "_port=htons(0)" in call.arguments[1] or "SOCK_DGRAM" in call.arguments[0]
    if not is_noise:
        refused = "" if call.error == "EINPROGRESS" else call.error
        yield Event("connect", peer, refused, call.pid)


def _send(call: Call, process: ObservedProcess) -> Iterator[Event]:
    whole = ", ".join(call.arguments[1:])
    named = _peer(whole)
    peer = named or process.peers.get(_descriptor(call))
    if peer is None or peer.startswith("unix:"):
        return
    if peer.endswith(_NAME_SERVER):
        names = (asked_name(text_of(data) or b"") for data in _DATA.findall(whole))
        yield from (_event(call, "resolve", name) for name in names if name is not None)
    elif named is not None:
        yield _event(call, "send", peer)


def _descriptor(call: Call) -> str:
    return call.arguments[0].partition("<")[0] if call.arguments else ""


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


def is_noise_read(path: str, prefixes: Iterable[str]) -> bool:
    """Whether a loader or interpreter reads this; `prefixes` are the programs' install folders."""
    table = _noise()
    libraries = (f"{prefix}/{library}" for prefix in prefixes for library in table["libraries"])
    return _starts(path, chain(table["reads"], table["devices"], libraries))


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


def _starts(path: str, starts: Iterable[str]) -> bool:
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
    with open(log, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        found = calls(_lines(file, gaps, stopped), gaps)
        for event in events(_of_program(found), cwd, secrets, is_hidden):
            if event.kind in _ON_PATHS:
                event = event._replace(subject=shown(event.subject))
            key = event[:3]
            if key not in seen and len(seen) == MAX_EVENTS:
                gaps.cut = True
                break
            seen.setdefault(key, event)
    incomplete = () if gaps.cut else tuple(_missing(gaps))
    return Observation(tuple(seen.values()), True, gaps.cut, incomplete)


def _of_program(calls: Iterable[Call | Started]) -> Iterator[Call | Started]:
    """Skip the calls of the launcher, which starts the program with the second `execve`."""
    started = 0
    for call in calls:
        if isinstance(call, Call) and call.name == "execve" and not call.error:
            started += 1
        if started > 1:
            yield call


def _missing(gaps: Gaps) -> Iterator[str]:
    """What is missing in the log or could not be read, a sentence each."""
    if gaps.unread:
        lines = "1 line" if gaps.unread == 1 else f"{gaps.unread:,} lines"
        yield f"{lines} of the tracer's log could not be read, first: {gaps.first[:_QUOTED]}"
    if not gaps.last.endswith("\n"):
        yield "the tracer's log ends in the middle of a line" if gaps.last else "the log is empty"
    if gaps.running:
        count = len(gaps.running)
        what = "1 process" if count == 1 else f"{count:,} processes"
        yield f"the tracer did not record how {what} ended"


def _lines(file: TextIO, gaps: Gaps, stopped: Callable[[], bool]) -> Iterator[str]:
    """Lines up to `MAX_LOG` characters in all, so that one endless line ends it too."""
    left = MAX_LOG
    number = 0
    while line := file.readline(left + 1):
        left -= len(line)
        if left < 0 or (number % _LINES == 0 and stopped()):
            gaps.cut = True
            return
        number += 1
        gaps.last = line
        yield line
