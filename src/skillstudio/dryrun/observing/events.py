"""Turn a tracer's log into the observation of a run."""

from __future__ import annotations

import copy
import functools
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from skillstudio.dryrun.observing.log import Call, Gaps, address_of, calls
from skillstudio.dryrun.report import Event, EventKind, Observation
from skillstudio.files.paths import below
from skillstudio.resources import toml_table
from skillstudio.text.lazy_pattern import lazy_pattern

NOT_THERE = frozenset(
    {"ENOENT", "ENOTDIR", "ENAMETOOLONG", "EINTR", "EEXIST", "ELOOP", "EISDIR", "ENOTEMPTY"}
)
"""Errors that mean a path was only looked for, not that access was refused."""
_WRITE_FLAGS = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
"""O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND and O_TMPFILE of Linux."""
_CREATE = 0o100
_PATH_ONLY = 0o10000000
"""O_PATH: neither reads nor lists."""
_DATAGRAM = 2
_NAME_SERVER = ":53"
_ASKS = 2  # The last two bits of a message to the kernel's network settings that only asks.
_DNS_HEADER = 12
_LONGEST_NAME = 253
_LONGEST_LIST = 1 << 16  # Characters of a file of paths.
_BYTECODE = lazy_pattern(r"[a-z]+-\d+(?:\.opt-\d)?\.pyc(?:\.\d+)?")
_REMOVE_CALLS = frozenset({"unlink", "unlinkat", "rmdir"})
_RENAME_CALLS = frozenset({"rename", "renameat", "renameat2"})
_LINK_CALLS = frozenset({"link", "linkat"})
_CREATE_CALLS = frozenset({"mkdir", "mkdirat", "mknod", "mknodat", "symlink", "symlinkat"})
_EMPTY = 0o1000  # O_TRUNC
_WITHOUT_NAME = 0o20000000  # The bit of O_TMPFILE that is not O_DIRECTORY.
_MEMORY_KINDS = {"shmget": "shm", "semget": "sem", "msgget": "msg"}


class ObservedProcess:
    """The known state of one process; its threads share it."""

    def __init__(self) -> None:
        self.names: frozenset[str] = frozenset()
        """The names of the program and of the script given to an interpreter."""
        self.title = ""  # The program and what it was given first, such as a script.
        self.place = ""  # The path of that script.
        self.shim = False  # Whether it only looks for the program to run, like a version manager.
        self.owner = 0  # The process the shim looks for a program for.
        self.looks_up = False  # Whether the C library has read how users are looked up.
        self._begin()

    def _begin(self) -> None:
        """Forget what a process that it starts does not inherit."""
        self.script: tuple[str, ...] = ()
        """The argv it was started with, while it may be a script that `env` finds a program for."""
        self.pending_query: Event | None = None
        """A connection to port 53 over which nothing was asked yet."""
        self.pending_settings: Event | None = None
        """A socket to the kernel over which nothing was asked yet."""
        self.pending_server: Event | None = None
        """A datagram socket without a port that has sent nothing yet."""
        self.missing_programs: dict[str, Event] = {}
        """Programs that were to be started and are not there, by name."""

    def child(self) -> ObservedProcess:
        """A process that this one starts."""
        child = copy.copy(self)
        child._begin()
        return child


def events(
    calls: Iterable[Call],
    secrets: Sequence[str] = (),
    is_hidden: Callable[[str], bool] = lambda _: False,
    copies: Sequence[str] = (),
    home: str = "",
) -> Iterator[Event]:
    """The events of a log, in order. A missing file is reported only below `secrets`, when
    `is_hidden` says that it was hidden from the program, or when it was to be changed below `home`,
    which is empty at first. No program is installed in `copies`."""
    observer = _Observer(secrets, is_hidden, copies, home)
    for call in calls:
        yield from observer.events(call)
    yield from observer.rest()


class _Observer:
    """Follows the processes of a log, by number."""

    def __init__(
        self,
        secrets: Sequence[str],
        is_hidden: Callable[[str], bool],
        copies: Sequence[str],
        home: str,
    ) -> None:
        self._secrets = secrets
        self._copies = copies
        self._home = home
        self._is_hidden = is_hidden
        self._processes: dict[int, ObservedProcess] = {}
        self._prefixes: set[str] = set()
        self._module_folders: set[str] = set()  # Folders of modules that installed packages name.
        self._own_sockets: set[str] = set()  # Addresses of local sockets that the run has itself.
        self._own_memory: set[str] = set()  # Kinds of System V memory that the run has itself.
        self._created_files: set[str] = set()  # Files that the run has made.
        self._before: dict[str, str] = {}
        """Paths of files and folders that were there before under another one, with that."""

    def rest(self) -> Iterator[Event]:
        """What a run leaves open: connections that nothing explains."""
        processes = {id(process): process for process in self._processes.values()}
        for process in processes.values():
            yield from filter(
                None, (process.pending_query, process.pending_settings, process.pending_server)
            )
            yield from process.missing_programs.values()

    def events(self, call: Call) -> Iterator[Event]:
        """The events of a call."""
        process = self._processes.setdefault(call.pid, ObservedProcess())
        if call.name in ("fork", "thread"):
            self._processes[call.number] = process if call.name == "thread" else process.child()
        elif call.name == "exec":
            yield from self._exec(call, process)
        elif process.shim:
            return
        elif call.name == "open":
            yield from self._open(call, process)
        elif call.name in ("connect", "bind", "listen", "send"):
            yield from self._network(call, process)
        elif call.name == "query":
            yield from _question(call, process)
        elif call.name == "family":
            yield _socket(call)
        elif call.name == "netlink":
            yield from _netlink(call, process)
        elif call.name == "multicast":
            yield _event(call, "listen", "a multicast group")
        elif call.name == "signal":
            yield _event(call, "signal", _receiver(call.number))
        elif call.name in ("private", "shared"):
            yield from self._share_memory(call)
        elif call.name == "unknown":
            yield _event(call, "other", f"system call {call.number}")
        elif call.name == "foreign":
            yield _event(call, "other", "a system call of another processor")
        elif call.name == "list":
            if not self._is_noise_listing(os.path.normpath(call.texts[0]), process):
                yield _by(process, _event(call, "list", call.texts[0]))
        elif call.name == "filter":
            # The kernel takes none that is faulty.
            if call.error in ("", "EPERM"):
                yield _event(call, "filter", process.title)
        elif call.texts:
            yield from self._change(call, process)
        else:
            yield _event(call, "other", call.name)

    def _exec(self, call: Call, process: ObservedProcess) -> Iterator[Event]:
        given_path, *words = call.texts
        path = os.path.normpath(given_path)
        name = os.path.basename(path)
        if call.error in NOT_THERE:
            # It may be found in another folder of PATH.
            if not process.shim:
                argv = tuple(words) or (path,)
                event = _event(call, "exec", shlex.join(argv))._replace(argv=argv)
                process.missing_programs.setdefault(name, event)
            return
        process.missing_programs.pop(name, None)
        if not call.error and is_shim(path, words):
            if not process.shim:
                process.shim, process.owner = True, call.pid
            return
        # What a shim starts before the requested program only looks for it.
        if process.shim and (call.error or process.owner != call.pid):
            return
        if not call.error:
            previous_script = process.script
            process.shim = False
            process.script = (words[0] if words else given_path, *words[1:])
            process.place = path
            process.title = shlex.join(map(os.path.basename, (path, *words[1:2])))
            process.names = frozenset(os.path.basename(word) for word in (path, *words[1:2]))
            for prefix in prefixes_of(path):
                if not any(below(prefix, copy) is not None for copy in self._copies):
                    self._prefixes.add(prefix)
                    self._module_folders.update(added_folders(prefix))
            process.looks_up = False
            if (
                previous_script
                and len(words) > len(previous_script)
                and tuple(words[-len(previous_script) :]) == previous_script
            ):
                # `#!/usr/bin/env python3`: the interpreter of a script that has not been read yet.
                process.script = ()
                return
        argv = tuple(words) or (path,)
        yield _event(call, "exec", shlex.join(argv))._replace(argv=argv)

    def _open(self, call: Call, process: ObservedProcess) -> Iterator[Event]:
        path = os.path.normpath(call.texts[0])
        if process.script and path == process.place:
            process.script = ()
        if self._was_missing(path, call, bool(call.number & _CREATE)):
            return
        if call.error and call.number & os.O_DIRECTORY and not call.number & _WRITE_FLAGS:
            if not self._is_noise_listing(path, process):
                yield _by(process, _event(call, "list", path))
            return
        # A link may lead elsewhere.
        opened_path = call.texts[1] if len(call.texts) > 1 else ""
        real = opened_path if opened_path.startswith("/") else path
        if call.number & (_CREATE | _WITHOUT_NAME) and not call.error:
            self._created_files.add(real)
            self._before.pop(real, None)
        real = self._named_before(real)
        if call.number & _WRITE_FLAGS:
            # An interpreter writes bytecode under another name first.
            is_quiet = is_bytecode(path) and path[-1].isdigit()
            if not (is_device(real) or is_quiet or self._is_own(real, process)):
                is_new = bool(call.number & (_CREATE | _EMPTY))
                yield _by(process, _event(call, "write", real)._replace(is_new=is_new))
        elif path == "/etc/nsswitch.conf":
            process.looks_up = True
        elif not (
            call.number & (os.O_DIRECTORY | _PATH_ONLY)
            # The C library closes its files on exec, a shell's redirection does not.
            or (real in _noise()["users"] and process.looks_up and call.number & os.O_CLOEXEC)
            or self._is_noise(real, process)
            or is_own_read(path, process.names)
        ):
            yield _by(process, _event(call, "read", real))

    def _is_noise(self, path: str, process: ObservedProcess) -> bool:
        if path.startswith("/proc/"):
            return self._is_own(path, process) or is_noise_process(path)
        return _starts(path, self._module_folders) or is_noise_read(path, self._prefixes)

    def _is_own(self, path: str, process: ObservedProcess) -> bool:
        """Whether a path in /proc describes the process itself, or is no file at all."""
        number = path.removeprefix("/proc/").partition("/")[0]
        return path.startswith("/proc/") and (
            number in ("self", "thread-self")
            or (number.isdigit() and self._processes.get(int(number)) is process)
        )

    def _is_noise_listing(self, path: str, process: ObservedProcess) -> bool:
        """Whether a loader or interpreter lists this, or a program asks for its own descriptors."""
        return (
            path in _noise()["listed"]
            or is_device(path)
            or (path != "/proc" and self._is_noise(f"{path}/", process))
            or is_own_read(f"{path}/", process.names)
        )

    def _network(self, call: Call, process: ObservedProcess) -> Iterator[Event]:
        if call.error == "EINPROGRESS":
            call = call._replace(error="")
        address = address_of(call.texts[0])
        if address is None:
            return
        is_local = address.startswith("unix:")
        if call.name == "bind":
            if call.error:
                yield _event(call, "other", f"a local socket {address[5:]}")
            elif is_local:
                self._own_sockets.add(address)
                if address[5:6] == "/":
                    yield _by(process, _event(call, "write", address[5:]))
        elif call.name == "listen":
            if call.number == _DATAGRAM and address.endswith(":0"):
                # A client may ask for any port, too.
                process.pending_server = process.pending_server or _event(call, "listen", address)
            elif not is_local:
                yield _event(call, "listen", address)
        elif is_local:
            # Some local sockets belong to the C library, some to the run itself.
            if address not in self._own_sockets and not _starts(address[5:], _noise()["sockets"]):
                yield _event(call, "connect", address)
        elif call.name == "send":
            process.pending_server = None
            yield _event(call, "send", address)
        # The C library asks for a route by connecting to no port.
        elif call.number != _DATAGRAM or not address.endswith(":0"):
            event = _event(call, "connect", address)
            process.pending_server = None
            if address.endswith(_NAME_SERVER) and call.number == _DATAGRAM:
                process.pending_query = process.pending_query or event
            else:
                yield event

    def _share_memory(self, call: Call) -> Iterator[Event]:
        """Memory of System V: what the run has not made itself belongs to other programs."""
        name = call.texts[0]
        if call.name == "private":
            self._own_memory.add(_MEMORY_KINDS[name])
        elif name[:3] not in self._own_memory:
            yield _event(call, "other", name)

    def _change(self, call: Call, process: ObservedProcess) -> Iterator[Event]:
        kind: EventKind = "remove" if call.name in _REMOVE_CALLS else "write"
        paths = [os.path.normpath(text) for text in call.texts]
        original_paths = [self._named_before(path) for path in paths]
        if not call.error:
            self._follow(call.name, paths)
        for path in original_paths[1:] if call.name in _LINK_CALLS else original_paths:
            if is_device(path) or is_bytecode(path) or self._is_own(path, process):
                continue
            in_home = self._home and call.error == "ENOENT" and below(path, self._home)
            if in_home or not self._was_missing(path, call, kind == "write"):
                yield _by(process, _event(call, kind, path))

    def _follow(self, name: str, paths: Sequence[str]) -> None:
        """Keep which file a path names after a call."""
        last = paths[-1]
        if name in _RENAME_CALLS or name in _LINK_CALLS:
            first = paths[0]
            is_created = [path in self._created_files for path in (first, last)]
            before = [self._named_before(path) for path in (first, last)]
            # They may have been exchanged; else there is nothing at the first path.
            pairs = [(last, is_created[0], before[0]), (first, is_created[1], before[1])]
            for path, is_new, old in pairs if name in _RENAME_CALLS else pairs[:1]:
                self._created_files.discard(path)
                self._before.pop(path, None)
                if is_new:
                    self._created_files.add(path)
                elif old != path:
                    self._before[path] = old
            is_socket = name in _RENAME_CALLS and f"unix:{first}" in self._own_sockets
            self._own_sockets -= {f"unix:{path}" for path in (first, last)[is_socket:]}
            self._own_sockets |= {f"unix:{last}"} if is_socket else set()
        elif name in _CREATE_CALLS:
            self._created_files.add(last)
        elif name in _REMOVE_CALLS:
            self._created_files.discard(last)
            self._before.pop(last, None)
            self._own_sockets.discard(f"unix:{last}")

    def _named_before(self, path: str) -> str:
        """The path that a file had before the run, or when it was made."""
        if path in self._created_files or not self._before:
            return path
        at = len(path)
        while at > 0:
            if path[:at] in self._created_files:
                return path
            if (old := self._before.get(path[:at])) is not None:
                return old + path[at:]
            at = path.rfind("/", 0, at)
        return path

    def _was_missing(self, path: str, call: Call, is_created: bool) -> bool:
        """Whether the path does not exist, and that is no refusal."""
        if call.error not in NOT_THERE:
            return False
        if any(below(path, secret) is not None for secret in self._secrets):
            return False
        if call.name == "open" and is_created and call.error in ("ENOENT", "ENOTDIR"):
            return False  # Its folder may exist elsewhere.
        # A hidden file is missing for the program; any other error it would get elsewhere too.
        place = os.path.dirname(path) if is_created else path
        return call.error != "ENOENT" or not self._is_hidden(place)


def _event(call: Call, kind: EventKind, subject: str) -> Event:
    return Event(kind, subject, call.error, call.pid)


def _receiver(number: int) -> str:
    """Who gets a signal."""
    if number == -1:
        return "every process"
    return f"process group {-number}" if number < 0 else f"process {number}"


def _is_git(name: str) -> bool:
    """Whether a program is git, or one that git starts, such as `git-receive-pack`."""
    return name == "git" or name.startswith("git-")


def _by(process: ObservedProcess, event: Event) -> Event:
    if any(map(_is_git, process.names)):
        return event._replace(program="git")
    return event._replace(program="sqlite3" if "sqlite3" in process.names else "")


def _question(call: Call, process: ObservedProcess) -> Iterator[Event]:
    """A message to port 53: a look-up if it is one, else a message like any other."""
    data, *address = call.texts
    name = asked_name(bytes.fromhex(data))
    if name is not None:
        process.pending_query = process.pending_server = None
        yield _event(call, "resolve", name)
    elif peer := address_of(address[0]) if address else None:
        yield _event(call, "send", peer)


def _netlink(call: Call, process: ObservedProcess) -> Iterator[Event]:
    """A socket to the kernel's network settings: the C library asks for addresses there."""
    if not call.number:
        event = _event(call, "other", "a socket to the network settings")
        # Over one that is refused nothing can be sent.
        process.pending_settings = process.pending_settings or (None if call.error else event)
        return
    process.pending_settings = None
    if call.number & 3 != _ASKS:
        yield _event(call, "other", "a change of the network settings")


def _socket(call: Call) -> Event:
    """A socket of an unusual kind; some families lead to the kernel and not to a network."""
    family = _noise()["families"].get(str(call.number), f"family {call.number}")
    if call.number in _noise()["kernel_families"]:
        return _event(call, "other", f"a socket to the kernel ({family})")
    kind = "".join(f"{text} " for text in call.texts if text == "raw")
    return _event(call, "socket", f"{kind}network socket ({family})")


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


def is_noise_read(path: str, prefixes: Iterable[str]) -> bool:
    """Whether a loader or interpreter reads this; `prefixes` are the programs' install folders."""
    table = _noise()
    libraries = (f"{prefix}/{library}" for prefix in prefixes for library in table["libraries"])
    return _starts(path, chain(table["reads"], table["devices"], libraries))


def is_noise_process(path: str) -> bool:
    """Whether a file of /proc describes the system, or of a process only what it runs."""
    first, _, rest = path.removeprefix("/proc/").partition("/")
    return not first.isdigit() or rest.rpartition("/")[2] in _noise()["processes"]


def is_own_read(path: str, names: frozenset[str]) -> bool:
    """Whether a program of one of these names reads this itself, such as its settings."""
    return any(
        path.endswith(end) or (end[-1] == "/" and end in path)
        for name in names
        for end in _noise()["own"].get("git" if _is_git(name) else name, ())
    )


def is_bytecode(path: str) -> bool:
    """Whether an interpreter stores the compiled form of a source file there, or is about to."""
    folder, _, name = path.rpartition("/")
    if not folder.endswith("/__pycache__"):
        return name == "__pycache__"
    module, _, rest = name.partition(".")
    is_compiled = _BYTECODE.fullmatch(rest) is not None
    return is_compiled and os.path.lexists(f"{os.path.dirname(folder)}/{module}.py")


def is_device(path: str) -> bool:
    """Whether writing there stores nothing."""
    return _starts(path, _noise()["devices"]) or path.startswith(tuple(_noise()["caches"]))


def is_shim(path: str, argv: Sequence[str]) -> bool:
    """Whether a program only looks for another one to run: `env`, a version manager's shim."""
    if os.path.basename(path) == "env" and len(argv) > 1:
        return True
    return any(part in word for part in _noise()["shims"] for word in (path, *argv[1:2]))


def prefixes_of(program: str) -> Iterator[str]:
    """The folders a program is installed in: `/opt/x` for `/opt/x/bin/y`, and a virtual environment
    as well as what it was made from."""
    for path in dict.fromkeys((program, os.path.realpath(program))):
        above, _, name = os.path.dirname(path).rpartition("/")
        if name in ("bin", "sbin", "Scripts") and above.count("/") > 1:
            yield above


@functools.cache
def added_folders(prefix: str) -> tuple[str, ...]:
    """The folders, with a last `/`, that an installed Python searches for modules besides its own,
    from its `.pth` files: https://docs.python.org/3/library/site.html."""
    import glob

    folders = []
    for path in glob.glob(f"{glob.escape(prefix)}/lib/python3*/site-packages/*.pth"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = file.read(_LONGEST_LIST).splitlines()
        except OSError:
            continue  # Python skips it, too.
        folders += [f"{line.rstrip().rstrip('/')}/" for line in lines if line.startswith("/")]
    return tuple(folders)


def _starts(path: str, starts: Iterable[str]) -> bool:
    return any(path == start or (start[-1] == "/" and path.startswith(start)) for start in starts)


def _noise() -> dict[str, Any]:
    return toml_table(__file__, "noise.toml")


MAX_EVENTS = 5_000  # Distinct events that are kept.
_CHECK_INTERVAL = 1024  # Records between two checks of `is_stopped`.
_ON_PATHS = frozenset({"read", "write", "remove", "list"})


def observe(
    log: str,
    show_path: Callable[[str], str],
    secrets: Sequence[str] = (),
    is_hidden: Callable[[str], bool] = lambda _: False,
    is_stopped: Callable[[], bool] = lambda: False,
    copies: Sequence[str] = (),
    home: str = "",
) -> Observation:
    """Read a log from the program's start on; each distinct event appears once. `show_path` maps a
    path to the one shown to people, the others are those of `events`; when `is_stopped` returns
    true, the rest is cut off. Raises OSError."""
    gaps = Gaps()
    unique_events: dict[Event, Event] = {}
    with open(log, "rb") as file:
        data = file.read()
    program_calls = _until(_of_program(calls(data, gaps)), gaps, is_stopped)
    for event in events(program_calls, secrets, is_hidden, copies, home):
        if event.kind in _ON_PATHS:
            event = event._replace(subject=show_path(event.subject))
        key = event._replace(pid=0)
        if key not in unique_events and len(unique_events) == MAX_EVENTS:
            gaps.cut = True
            break
        unique_events.setdefault(key, event)
    incomplete = () if gaps.cut else tuple(_missing(gaps))
    return Observation(tuple(unique_events.values()), True, gaps.cut, incomplete)


def _of_program(calls: Iterable[Call]) -> Iterator[Call]:
    """Skip the calls of the launcher, which becomes the program with the first `exec`."""
    has_started = False
    for call in calls:
        has_started = has_started or (call.name == "exec" and not call.error)
        if has_started:
            yield call


def _until(calls: Iterable[Call], gaps: Gaps, is_stopped: Callable[[], bool]) -> Iterator[Call]:
    for number, call in enumerate(calls):
        if number % _CHECK_INTERVAL == 0 and is_stopped():
            gaps.cut = True
            return
        yield call


def _missing(gaps: Gaps) -> Iterator[str]:
    """What is missing in the log or could not be read, a sentence each."""
    yield from gaps.missing
    if gaps.unread:
        yield "a part of the tracer's log could not be read"
    if not gaps.has_end:
        yield "the tracer was ended before the program"
