"""Observe a program and everything that it starts, by ptrace at the system calls that a seccomp
filter stops. It runs beside the launcher and imports nothing of skillstudio; the launcher gets it
as compiled code, because inside bwrap no file of skillstudio can be read.

The log is a sequence of records. A record is the number of its fields and its fields: name, number
of the process, error number, a number, texts; each ends with a NUL character, which no text
contains. Names are those of system calls and

    exec    a started program: path, argv          number: 0
    fork    a new process or (`thread`) a thread   number: the new one
    open    a path, and the one that was opened    number: flags; O_CREAT only where it was missing
    list    a folder whose entries were read
    connect, bind, listen, send: a socket address as hex   number: type of the socket
    query   a message to a name server as hex, and its address if it is known
    family  a socket that is not one of the usual  number: family; text: its kind
    netlink a socket to the kernel, and the type of a message to it, which is 0 when it is made
    multicast: a group of receivers is joined
    signal  a signal to a process of others        number: the process
    private, shared: memory that is used under no key, or by its number: the call
    filter  a filter of system calls that a program gave itself
    unknown a call that is in no table             number: of the call
    foreign a call of the processor's other kind
    gap     something that was not observed: a sentence
    cut     the log has reached its limit
    end     everything that was observed has ended; nothing follows
"""

from __future__ import annotations

import ctypes
import os

_CONT, _SYSCALL, _POKE, _EVENT_MESSAGE, _SEIZE, _LISTEN = 7, 24, 6, 0x4201, 0x4206, 0x4208
_GET_REGISTERS, _SET_REGISTERS, _GET_CALL = 0x4204, 0x4205, 0x420E
_GENERAL, _ARM_CALL = 1, 0x404
_OPTIONS = 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x80 | 0x100000
"""Marked stops at calls; fork, vfork, clone, exec, seccomp; nothing outlives the tracer."""
_FORK, _VFORK, _CLONE, _EXEC, _SECCOMP, _STOP_EVENT = 1, 2, 3, 4, 7, 128
_WALL, _CALL_STOP, _TRAP, _KILL = 0x40000000, 0x85, 5, 9
_STOPS = (19, 20, 21, 22)
_PIDFD_OPEN, _PIDFD_GETFD = 434, 438
_SOL_SOCKET, _SO_TYPE, _TCP, _TCP_INFO, _TCP_CLOSE = 1, 3, 6, 11, 7
_UNIX, _INET, _INET6, _NETLINK, _STREAM, _DATAGRAM = 1, 2, 10, 16, 1, 2
_PROTOCOLS = (0, 6, 17, 136, 262)  # TCP, UDP, UDP-Lite and multipath TCP: they have ports.
_ANY_ADDRESS = b"\2" + bytes(7)  # Of AF_INET: where a socket without an address listens.
_KINDS = {1: b"stream", 2: b"datagram", 3: b"raw"}
_NO_FOLLOW = 0x100  # AT_SYMLINK_NOFOLLOW
_EPERM, _EACCES, _EINVAL, _ENOSYS, _EINPROGRESS, _ECONNREFUSED = 1, 13, 22, 38, 115, 111
_RESTART = 512
_MULTICAST = {0: (35, 39, 42, 46), 41: (20, 27, 42, 46)}
"""Options of IPv4 and IPv6 that join a group: IP_ADD_MEMBERSHIP and the like."""
_HERE = -100
_RESET_RECORDS = frozenset(
    (
        "fork",
        "thread",
        "exec",
        "rename",
        "renameat",
        "renameat2",
        "link",
        "linkat",
        "unlink",
        "unlinkat",
    )
)
"""Records after which the same call may have another meaning."""
_SET_OWNER_BY_TYPE = 15  # F_SETOWN_EX
_X86 = os.uname().machine == "x86_64"
_BY_POINTER = 1 << 62  # In flags of `open`: they were in the program's memory.
_DIRECTORY = os.O_DIRECTORY
_WRITE_FLAGS = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
_PAGE = 4096
_LONGEST = 256  # Bytes of an argument that are recorded.
_WORDS = 64  # Arguments that are recorded.
_COMMAND = _WORDS << 17  # Bytes of a command line; an argument has at most this share of them.
_INTERPRETERS = 16  # Words that the interpreters of a script may put first.
_EXEC_NAME = 31  # AT_EXECFN: the path that a program was started by.
_MESSAGE = 512  # Bytes of a message to a name server.
_NAME_SERVER = b"\x005"  # Port 53.
_NO_PORT = bytes(2)
_LOOKUP_PORTS = (_NAME_SERVER, _NO_PORT)
"""Ports to which the C library connects a datagram socket: to ask for names, and for a route."""
_BUFFER = 1 << 15
_MAX_RECORDS = 100_000  # Records remembered, so that each is written once.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    Rule = dict[str, Any]  # As in `calls.toml`, with `error`.
    Recorded = tuple[str, int, list[bytes]]  # Name, number, texts.
    Describe = Callable[[int, str, Rule], Recorded | None]

_libc = ctypes.CDLL(None, use_errno=True)
_ptrace = _libc.ptrace
_ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
_ptrace.restype = ctypes.c_long
_libc.syscall.argtypes = (ctypes.c_long,) * 4
_libc.syscall.restype = ctypes.c_long
_pointer, _size = ctypes.c_void_p, ctypes.c_ulong
_libc.process_vm_readv.argtypes = (ctypes.c_int, _pointer, _size, _pointer, _size, _size)
_libc.process_vm_readv.restype = ctypes.c_ssize_t


class Vector(ctypes.Structure):
    """`struct iovec`."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


class SystemCall(ctypes.Structure):
    """`struct ptrace_syscall_info` at a stop before a call."""

    _fields_ = (
        ("op", ctypes.c_uint8),
        ("arch", ctypes.c_uint32),
        ("at", ctypes.c_uint64),
        ("stack", ctypes.c_uint64),
        ("number", ctypes.c_uint64),
        ("arguments", ctypes.c_uint64 * 6),
        ("data", ctypes.c_uint32),
        ("more", ctypes.c_uint32),
    )


class ReturnedCall(ctypes.Structure):
    """`struct ptrace_syscall_info` at a stop after a call."""

    _fields_ = (
        ("op", ctypes.c_uint8),
        ("arch", ctypes.c_uint32),
        ("at", ctypes.c_uint64),
        ("stack", ctypes.c_uint64),
        ("result", ctypes.c_int64),
        ("is_error", ctypes.c_uint8),
        ("padding", ctypes.c_uint8 * 55),
    )


class NotObserved(Exception):
    """An errno, when the program may not be observed."""


def seize(pid: int) -> None:
    """Start to observe a process, which waits. Raises NotObserved."""
    if _ptrace(_SEIZE, pid, None, _OPTIONS) < 0:
        raise NotObserved(ctypes.get_errno())


def _was_killed(pid: int) -> bool:
    """Whether a process that stopped at the start of a program was killed there: its memory is
    freed, and it has run nothing of the program."""
    try:
        with open(f"/proc/{pid}/statm", "rb", 0) as file:
            return file.read(2) == b"0 "  # Its size in pages. `auxv` is root's by then.
    except (FileNotFoundError, ProcessLookupError):
        return True
    except OSError:
        return False


def rule_of(about: Rule, arguments: Sequence[int]) -> Rule | None:
    """The rule that decides on a call, by the table alone: a filter of the program can stop a call
    as well, and what it hands over is the program's word. None when the call is its own."""
    for rule in about["rules"]:
        if _holds(rule, arguments):
            return rule  # type: ignore[no-any-return]
    return None


def _holds(condition: Rule, arguments: Sequence[int]) -> bool:
    """As the filter decides it: by the low 32 bits of an argument."""
    if "argument" not in condition:
        return True
    value = arguments[condition["argument"]] & condition.get("mask", 0xFFFFFFFF)
    excluded_values = condition.get("other_than", (value,))
    return bool(
        value & condition.get("any_of", 0)
        or value in condition.get("equal", ())
        or value not in excluded_values
    )


class Tracer:
    """Observes processes until all of them have ended."""

    def __init__(self, log: int, policy: dict[str, Any], pid: int) -> None:
        """`policy` has `arch`, the token of the processor; `foreign`, the bit of calls of its other
        kind; `refuses_foreign`, whether those are refused; `network`, whether the program has a
        network of its own; `calls`, number to the rules of a call; `own`, the numbers of all other
        known calls; `quiet`, folders whose files are no effect when they are read; `most`, the size
        of the log; `processes`, how many there may be at once."""
        self._log = log
        self._arch: int = policy["arch"]
        self._foreign: int = policy["foreign"]
        self._refuses_foreign: bool = policy["refuses_foreign"]
        self._has_network: bool = policy["network"]
        self._calls: dict[int, dict[str, Any]] = policy["calls"]
        self._own_calls: frozenset[int] = policy["own"]
        self._quiet: tuple[bytes, ...] = policy["quiet"]
        self._log_budget: int = policy["most"]
        self._processes: int = policy["processes"]
        """How many processes there may be at once."""
        self._supervisors = (os.getpid(), os.getppid())
        self._number = 1  # How many there are.
        self._is_over = False
        self._buffer: list[bytes] = []
        self._size = 0
        self._known_lines: set[bytes] = set()
        self._pending_calls: dict[int, tuple[str, int, list[bytes], int]] = {}
        """Process to the call that has not returned: name, number, texts, descriptor."""
        self._groups: dict[int, int] = {pid: pid}  # Thread to its process.
        self._ended_processes: set[int] = set()  # Processes that have been observed to their end.
        self._early: set[int] = set()  # New processes that stopped before their start was seen.
        self._replaced_sockets: dict[bytes, int] = {}
        """Sockets that only look like the requested one: the type of that."""
        self._refused_names: dict[bytes, bytes] = {}
        """Replaced sockets with the address that they were to have."""
        self._local: set[bytes] = set()
        """Replaced sockets that were to be local ones."""
        self._netlinks: set[bytes] = set()
        """Sockets to the kernel's network settings."""
        self._arguments: dict[int, tuple[int, ...]] = {}
        """Process to the arguments of a call that was given others."""
        self._resolver_sockets: dict[bytes, bytes] = {}
        """Sockets that are connected to port 53, with their address."""
        self._describers: dict[str, Describe] = {
            "open": self._describe_open,
            "handle": self._by_handle,
            "paths": self._changed_paths,
            "link": self._describe_link,
            "watch": self._describe_watch,
            "descriptor": self._of_descriptor,
            "list": self._of_descriptor,
            "exec": self._execution,
            "listen": self._describe_listen,
            "option": self._socket_option,
            "owner": self._signal_owner,
            "signal": self._of_process,
            "process": self._of_process,
            "clone": self._describe_clone,
            "private": self._memory,
            "shared": self._memory,
            "filter": self._filter,
        }
        self._call = SystemCall()
        self._returned_call = ReturnedCall()
        self._page = ctypes.create_string_buffer(_PAGE + 1)
        self._here, self._there = Vector(), Vector()
        self._message = ctypes.c_ulong()

    def run(self) -> None:
        """Observe until nothing is left."""
        ptrace, waitpid = _ptrace, os.waitpid
        while True:
            try:
                pid, status = waitpid(-1, _WALL)
            except ChildProcessError:
                break
            if status & 0xFF != 0x7F:
                self._pending_calls.pop(pid, None)
                if self._groups.pop(pid, None) == pid:
                    self._number -= 1
                    self._ended_processes.add(pid)
                continue
            if self._is_over:
                self._kill(pid)
                continue
            try:
                how, signal_number = self._stop(pid, status >> 8 & 0xFF, status >> 16)
            except Exception as error:
                # Calls that are refused have been refused by now.
                self._record(
                    "gap", 0, texts=(b"a call could not be read: " + repr(error).encode(),)
                )
                how, signal_number = _CONT, 0
            if how:
                ptrace(how, pid, None, signal_number)
        self._record("end", 0)
        self._flush()

    def _kill(self, pid: int) -> None:
        try:  # noqa: SIM105 - contextlib takes longer to import than this takes
            os.kill(pid, _KILL)
        except OSError:
            pass

    def _kill_all(self) -> None:
        """Kill every process: whoever forks waits for the tracer, so that none gets away."""
        self._is_over = True
        for pid in {*self._groups.values(), *self._early}:
            self._kill(pid)
        text = f"the run was ended: it had more than {self._processes:,} processes at once"
        self._record("gap", 0, texts=(text.encode(),))

    # Records

    def _record(
        self, name: str, pid: int, error: int = 0, number: int = 0, texts: Any = ()
    ) -> None:
        head = (b"%d" % (4 + len(texts)), name.encode(), b"%d" % pid, b"%d" % error, b"%d" % number)
        line = b"\0".join((*head, *texts, b""))
        if name in _RESET_RECORDS:
            # Who does it, and which file a path names by then, decides what a call means.
            self._known_lines.clear()
        else:
            # A loop that opens the same file again is recorded once.
            if line in self._known_lines:
                return
            if len(self._known_lines) < _MAX_RECORDS:
                self._known_lines.add(line)
        self._log_budget -= len(line)
        if self._log_budget < 0 and name != "end":
            if self._log_budget + len(line) >= 0:
                self._buffer.append(b"4\0cut\x000\x000\x000\0")
            return
        self._buffer.append(line)
        self._size += len(line)
        if self._size > _BUFFER:
            self._flush()

    def _flush(self) -> None:
        data = memoryview(b"".join(self._buffer))
        while data:
            data = data[os.write(self._log, data) :]
        self._buffer, self._size = [], 0

    # Stops

    def _stop(self, pid: int, signal: int, event: int) -> tuple[int, int]:
        """A process has stopped: how it goes on, with which signal; 0 when it has to wait."""
        if event == _SECCOMP:
            return (_SYSCALL if self._enter(pid) else _CONT), 0
        if signal == _CALL_STOP:
            self._leave(pid)
        elif event in (_FORK, _VFORK, _CLONE):
            self._fork(pid)
            # A call that makes a process and is recorded has not returned yet.
            return (_SYSCALL if pid in self._pending_calls else _CONT), 0
        elif event == _EXEC:
            self._exec(pid)
        elif event == _STOP_EVENT:
            if pid not in self._groups:
                self._early.add(pid)
                return 0, 0
            return (_LISTEN if signal in _STOPS else _CONT), 0
        else:
            return _CONT, signal
        return _CONT, 0

    def _enter(self, pid: int) -> bool:
        """Before a call: whether to stop when it returns."""
        call = self._call
        if _ptrace(_GET_CALL, pid, ctypes.sizeof(call), ctypes.addressof(call)) <= 0:
            return False
        if call.arch != self._arch or call.number & self._foreign:
            if self._refuses_foreign:
                self._refuse(pid, _ENOSYS)
                self._record("foreign", pid, _ENOSYS)
            else:
                self._record("gap", 0, texts=(b"a program made system calls of another processor",))
            return False
        about = self._calls.get(call.number)
        rule = rule_of(about, call.arguments) if about is not None else None
        if about is None or rule is None:
            # Stopped by a filter of the program alone: without a tracer of its own the call fails.
            self._refuse(pid, _ENOSYS)
            if about is None and call.number not in self._own_calls:
                self._record("unknown", pid, _ENOSYS, call.number)
            return False
        name, error = about["name"], rule["error"]
        if rule["kind"] == "family":
            return self._family(pid, error)
        if error:
            self._refuse(pid, error)
        if rule["kind"] == "address":
            return self._address(pid, name, error)
        if rule["kind"] == "send":
            return self._send(pid, rule)
        record = self._describe(pid, name, rule)
        if record is None:
            return False
        if record[0] == "signal" and self._ends_observation(record[1]):
            error = _EPERM
            self._refuse(pid, error)
        if error:
            self._record(record[0], pid, error, *record[1:])
            return False
        self._pending_calls[pid] = (*record, -1)
        return True

    def _describe(self, pid: int, name: str, rule: Rule) -> Recorded | None:
        """What is recorded of a call; None for nothing."""
        return self._describers.get(rule["kind"], self._by_name)(pid, name, rule)

    def _by_name(self, _pid: int, name: str, rule: Rule) -> Recorded | None:
        return None if rule.get("unnamed") else (name, 0, [])

    def _filter(self, _pid: int, _name: str, _rule: Rule) -> Recorded:
        return "filter", 0, []

    def _memory(self, _pid: int, name: str, rule: Rule) -> Recorded:
        """Memory of System V, used under no key or by its number."""
        return rule["kind"], 0, [name.encode()]

    def _describe_open(self, pid: int, _name: str, rule: Rule) -> Recorded | None:
        path = self._path(pid, rule["paths"][0])
        if path is None:
            return None
        flags = self._flags(pid, rule)
        if flags & os.O_CREAT and os.path.exists(path):
            flags ^= os.O_CREAT
        return "open", flags, [path]

    def _by_handle(self, _pid: int, name: str, rule: Rule) -> Recorded:
        if rule["error"]:
            return name, 0, []
        return "open", self._call.arguments[rule["flags"]] & 0xFFFFFFFF, [b""]

    def _changed_paths(self, pid: int, name: str, rule: Rule) -> Recorded | None:
        follows = rule.get("follows")
        is_followed = follows is not None and (
            follows < 0 or not self._call.arguments[follows] & _NO_FOLLOW
        )
        paths = []
        for places in rule["paths"]:
            path = self._path(pid, places)
            if path is None:
                return None
            paths.append(_real(path, is_followed))
        return name, 0, paths

    def _describe_link(self, pid: int, name: str, rule: Rule) -> Recorded | None:
        old, new = (self._path(pid, places) for places in rule["paths"])
        if old is None or new is None:
            return None
        # The file of a descriptor is linked by its name in /proc.
        return name, 0, [_real(old, old.startswith(b"/proc/")), _real(new, False)]

    def _describe_watch(self, pid: int, _name: str, rule: Rule) -> Recorded | None:
        path = self._path(pid, rule["paths"][0])
        return None if path is None else ("list", 0, [_real(path, True)])

    def _of_descriptor(self, pid: int, name: str, rule: Rule) -> Recorded | None:
        """A file that is changed, or a folder that is listed."""
        path = self._fd(pid, _int(self._call.arguments[0]))
        is_list = rule["kind"] == "list"
        if not path.startswith(b"/") or (is_list and self._is_quiet(path + b"/")):
            return None
        return "list" if is_list else name, 0, [path]

    def _execution(self, pid: int, _name: str, rule: Rule) -> Recorded | None:
        path = self._path(pid, rule["paths"][0])
        if path is None:
            return None
        if path.startswith(b"/proc/"):
            # A descriptor may be closed by the call.
            path = self._link(path) or path
        return "exec", 0, [path, *self._words(pid, self._call.arguments[rule["words"]])]

    def _describe_listen(self, pid: int, _name: str, _rule: Rule) -> Recorded | None:
        fd = _int(self._call.arguments[0])
        address = self._own_address(pid, fd)
        place = self._fd(pid, fd)
        if place in self._local and place not in self._refused_names:
            self._refuse(pid, _EINVAL)  # As a local socket without a name is.
            return None
        if len(address) < 4 and place in self._replaced_sockets:
            address = self._refused_names.get(place, _ANY_ADDRESS)
        return ("listen", 0, [address.hex().encode()]) if address else None

    def _socket_option(self, pid: int, _name: str, _rule: Rule) -> Recorded | None:
        fd, level, option = map(_int, self._call.arguments[:3])
        # A local socket refuses the options of network sockets; programs then give up.
        if self._fd(pid, fd) in self._replaced_sockets:
            self._refuse(pid, 0)
        return ("multicast", 0, []) if option in _MULTICAST.get(level, ()) else None

    def _signal_owner(self, pid: int, _name: str, rule: Rule) -> Recorded | None:
        target = self._find_outsider(self._owner(pid, rule))
        return None if target is None else ("signal", target, [])

    def _of_process(self, pid: int, name: str, rule: Rule) -> Recorded | None:
        """A signal to another process, or a change of it."""
        target = self._target(pid, rule)
        if target is None or rule["kind"] == "process":
            return None if target is None else (name, 0, [])
        # Signal 0 only asks whether there is such a process.
        is_sent = _int(self._call.arguments[rule["signal"]])
        return ("signal", target, []) if is_sent else None

    def _describe_clone(self, pid: int, name: str, rule: Rule) -> Recorded | None:
        flags = int.from_bytes(self._read(pid, self._call.arguments[0], 8), "little")
        return (name, 0, []) if flags & rule["named_flags"] else None

    def _target(self, pid: int, rule: Rule) -> int | None:
        """The process that a call is about, a group as a negative number; None for one of those
        that are observed."""
        number = _int(self._call.arguments[rule["process"]])
        if rule.get("by_descriptor"):
            try:
                with open(f"/proc/{pid}/fdinfo/{number}", "rb", 0) as file:
                    fields = file.read(_PAGE).partition(b"\nPid:")[2].split()
                number = int(fields[0])
            except (OSError, IndexError, ValueError):
                return None
        if "of_user" in rule and _int(self._call.arguments[0]) == rule["of_user"]:
            return -1
        return self._find_outsider(number)

    def _owner(self, pid: int, rule: Rule) -> int:
        """Who gets the signals of a descriptor, a group as a negative number."""
        arguments = self._call.arguments
        if rule.get("by_pointer"):
            return int.from_bytes(self._read(pid, arguments[2], 4), "little", signed=True)
        if _int(arguments[1]) != _SET_OWNER_BY_TYPE:
            return _int(arguments[2])
        data = self._read(pid, arguments[2], 8)
        number = int.from_bytes(data[4:], "little", signed=True)
        return -number if data[:1] == b"\2" else number  # F_OWNER_PGRP

    def _find_outsider(self, number: int) -> int | None:
        """A process or a group, a negative number; None for one of those that are observed."""
        if not number or any(
            number in pids for pids in (self._groups, self._early, self._ended_processes)
        ):
            return None
        if -number in self._ended_processes:
            return None
        if number < -1:
            try:
                if any(os.getpgid(group) == -number for group in {*self._groups.values()}):
                    return None
            except OSError:
                pass  # One has just ended.
        return number

    def _ends_observation(self, target: int) -> bool:
        """Whether a signal to a process, or a group as a negative number, reaches the tracer or the
        launcher, without whom nothing is observed."""
        if target >= 0:
            return target in self._supervisors
        try:
            return any(os.getpgid(pid) == -target for pid in self._supervisors)
        except OSError:
            return False  # The launcher has ended, and the kernel ends the rest.

    def _leave(self, pid: int) -> None:
        """After a call."""
        pending_call = self._pending_calls.pop(pid, None)
        returned_call = self._returned_call
        if pending_call is None:
            return
        if (
            _ptrace(_GET_CALL, pid, ctypes.sizeof(returned_call), ctypes.addressof(returned_call))
            <= 0
        ):
            return
        name, number, texts, fd = pending_call
        error = -returned_call.result if returned_call.is_error else 0
        if name == "socket":
            if number:
                # On ARM the place of the first argument holds the result.
                self._set(pid, self._arguments.pop(pid, ()), 0 if _X86 else 1)
            if not error:
                self._remember_socket(pid, self._fd(pid, returned_call.result), number, texts[0])
            return
        if error >= _RESTART:
            return  # It is made again after a signal.
        if name == "open":
            path = texts[0]
            opened_path = (
                self._link(b"/proc/%d/fd/%d" % (pid, returned_call.result)) if not error else path
            )
            if not path and error:
                self._record("open_by_handle_at", pid, error)
                return
            if not path:
                path = texts[0] = opened_path
            if number & _BY_POINTER:
                number = self._opened_flags(pid, returned_call.result, number ^ _BY_POINTER)
            is_quiet = not number & _WRITE_FLAGS and self._is_quiet(path)
            # Shared memory may have named another file by the time of the call.
            if is_quiet and (self._is_quiet(opened_path) or os.path.realpath(path) == opened_path):
                return
            if not error:
                texts.append(opened_path)
                if not number & _WRITE_FLAGS and os.path.isdir(
                    b"/proc/%d/fd/%d" % (pid, returned_call.result)
                ):
                    number |= _DIRECTORY
        if name == "connect" and not error and number == _DATAGRAM:
            self._ask_only(pid, fd, bytes.fromhex(texts[0].decode()))
        if error == _EINPROGRESS and fd >= 0:
            state = self._option(pid, fd, _TCP, _TCP_INFO) & 0xFF
            error = _ECONNREFUSED if state == _TCP_CLOSE else error
        self._record(name, pid, error, number, texts)

    def _remember_socket(self, pid: int, place: bytes, requested_type: int, family: bytes) -> None:
        """A socket has been made; `requested_type` is the type of the requested one."""
        if requested_type:
            self._replaced_sockets[place] = requested_type
        if requested_type and family == b"unix":
            self._local.add(place)
        if family == b"netlink":
            self._netlinks.add(place)
            self._record("netlink", pid, _EACCES if requested_type else 0)

    def _fork(self, pid: int) -> None:
        _ptrace(_EVENT_MESSAGE, pid, None, ctypes.addressof(self._message))
        new_pid = int(self._message.value)
        group = self._groups.get(pid, pid)
        is_thread = os.path.exists(f"/proc/{group}/task/{new_pid}")
        self._groups[new_pid] = group if is_thread else new_pid
        self._record("thread" if is_thread else "fork", group, 0, new_pid)
        self._number += not is_thread
        if self._number > self._processes:
            self._kill_all()
        if new_pid in self._early:
            self._early.discard(new_pid)
            _ptrace(_CONT, new_pid, None, None)

    def _exec(self, pid: int) -> None:
        """A program has been started; the thread that did it has become the process."""
        _ptrace(_EVENT_MESSAGE, pid, None, ctypes.addressof(self._message))
        pending_call = self._pending_calls.pop(int(self._message.value), None)
        self._groups[pid] = pid
        if pending_call is not None:
            name, number, texts, _ = pending_call
            self._record(name, pid, 0, number, self._read_command(pid, texts))

    def _read_command(self, pid: int, texts: list[bytes]) -> list[bytes]:
        """The path and the words that a program was started with: those that were read before the
        call, unless shared memory was changed after that."""
        path, *words = texts
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                actual_words = [_cut(word) for word in file.read(_COMMAND).split(b"\0")[:-1]]
            with open(f"/proc/{pid}/auxv", "rb", 0) as file:
                vector = memoryview(file.read(_PAGE)[: _PAGE & ~15]).cast("Q").tolist()
            exec_name = (
                self._text(pid, dict(zip(vector[::2], vector[1::2], strict=True))[_EXEC_NAME])
                or b""
            )
            program = self._link(b"/proc/%d/exe" % pid)
        except (OSError, KeyError):
            if not _was_killed(pid):
                self._record("gap", 0, texts=(b"the memory of a process could not be read",))
            return texts
        is_named = path.endswith(exec_name) or exec_name.startswith((b"/dev/fd/", b"/proc/"))
        if os.path.realpath(path) == program:
            is_same = actual_words[:_WORDS] == (words or [b""])
        else:
            # A script: its interpreter comes first, and its path in the place of its name.
            after = [_cut(exec_name), *words[1:]]
            is_same = any(actual_words[at:][:_WORDS] == after for at in range(1, _INTERPRETERS))
        if (is_named and is_same) or _was_killed(pid):
            return texts
        self._record("gap", 0, texts=(b"a program changed its command line while it was read",))
        return [program, *actual_words[:_WORDS]]

    def _is_quiet(self, path: bytes) -> bool:
        return path.startswith(self._quiet) and b"/.." not in path

    def _refuse(self, pid: int, error: int) -> None:
        """Skip the call, which returns an error, or success; a process for which that fails is
        killed."""
        if _X86:
            is_done = (
                _ptrace(_POKE, pid, 15 * 8, -1) == 0 and _ptrace(_POKE, pid, 10 * 8, -error) == 0
            )
        else:
            number = ctypes.c_int(-1)
            is_done = self._registers(_SET_REGISTERS, pid, _ARM_CALL, number)
            is_done = is_done and self._set(pid, ((1 << 64) - error if error else 0,))
        if not is_done:
            os.kill(pid, _KILL)

    def _replace(self, pid: int) -> bool:
        """Give a program that may not have a socket another one that leads nowhere, but shows whom
        the program asks for. Without a network of its own it is a local one: `connect` and `bind`
        are refused. Else it is one of the network, which no path of a local one can be given to."""
        family, kind, protocol = self._call.arguments[:3]
        other = _INET if self._has_network else _UNIX
        if not self._set(pid, (other, kind & ~0xF | _STREAM, 0)):
            os.kill(pid, _KILL)
        # Programs rely on the registers of arguments being left as they are.
        self._arguments[pid] = (family, kind, protocol)
        texts = [{_NETLINK: b"netlink", _UNIX: b"unix"}.get(_int(family), b"")]
        self._pending_calls[pid] = ("socket", kind & 0xF, texts, -1)
        return True

    def _set(self, pid: int, values: tuple[int, ...], start: int = 0) -> bool:
        """Set the arguments of a call from the one at `start` on."""
        if _X86:
            places = (14 * 8, 13 * 8, 12 * 8)[: len(values)]
            results = [_ptrace(_POKE, pid, *pair) for pair in zip(places, values, strict=True)]
            return not any(results)
        registers = (ctypes.c_uint64 * 34)()
        if not self._registers(_GET_REGISTERS, pid, _GENERAL, registers):
            return False
        for at in range(start, len(values)):
            registers[at] = values[at]
        return self._registers(_SET_REGISTERS, pid, _GENERAL, registers)

    def _registers(self, how: int, pid: int, which: int, place: Any) -> bool:
        vector = Vector(ctypes.addressof(place), ctypes.sizeof(place))
        result: int = _ptrace(how, pid, which, ctypes.addressof(vector))
        return result == 0

    # Arguments

    def _read(self, pid: int, address: int, size: int) -> bytes:
        """Bytes of a process's memory; fewer where it ends."""
        here, there = self._here, self._there
        here.base, here.length = ctypes.addressof(self._page), min(size, _PAGE)
        there.base, there.length = address, min(size, _PAGE)
        got = _libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
        if got < 0:
            if address and ctypes.get_errno() in (_EPERM, _EACCES):
                self._record("gap", 0, texts=(b"the memory of a process could not be read",))
            return b""
        return memoryview(self._page)[:got].tobytes()

    def _text(self, pid: int, address: int, most: int = _PAGE) -> bytes | None:
        """A text of a process, up to `most` bytes; None where there is none."""
        text = b""
        while len(text) < most:
            # Up to the end of a page, since the next one may not exist.
            size = min(_PAGE - (address & (_PAGE - 1)), most - len(text))
            data = self._read(pid, address, size)
            if not data:
                return text or None
            end = data.find(b"\0")
            if end >= 0:
                return text + data[:end]
            text += data
            address += len(data)
        return text

    def _path(self, pid: int, places: tuple[int, int]) -> bytes | None:
        """An absolute path from the positions of a folder (-1 for the current one) and a path."""
        folder, at = places
        fd = _int(self._call.arguments[folder]) if folder >= 0 else _HERE
        place = self._call.arguments[at]
        # Without a path, `utimensat` changes the file of the descriptor.
        path = b"" if not place and fd != _HERE else self._text(pid, place)
        if path is None:
            return None
        if path.startswith(b"/"):
            return self._as_others_see(pid, path)
        link = b"/proc/%d/cwd" % pid if fd == _HERE else b"/proc/%d/fd/%d" % (pid, fd)
        above = self._link(link)
        return above + b"/" + path if path else above

    def _as_others_see(self, pid: int, path: bytes) -> bytes:
        """A path below `/proc/self`, or one of the devices that lead there, as others know it."""
        group = self._groups.get(pid, pid)
        for start, place in (
            (b"/proc/self/", b"/proc/%d/" % group),
            (b"/proc/thread-self/", b"/proc/%d/task/%d/" % (group, pid)),
            (b"/dev/fd/", b"/proc/%d/fd/" % group),
        ):
            if path.startswith(start):
                return place + path[len(start) :]
        return path

    def _flags(self, pid: int, about: Rule) -> int:
        at: int = about["flags"]
        if at < 0:
            return -at
        value: int = self._call.arguments[at]
        if about.get("by_pointer"):
            return int.from_bytes(self._read(pid, value, 8), "little") | _BY_POINTER
        return value & 0xFFFFFFFF

    def _opened_flags(self, pid: int, fd: int, flags: int) -> int:
        """The flags of a descriptor, which may have been others by the time of the call."""
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}", "rb", 0) as file:
                return flags | int(file.read(_PAGE).partition(b"flags:")[2].split()[0], 8)
        except (OSError, IndexError, ValueError):
            return flags

    def _link(self, path: bytes) -> bytes:
        try:
            return os.readlink(path).removesuffix(b" (deleted)")
        except OSError:
            return b""

    def _words(self, pid: int, address: int) -> list[bytes]:
        """The words of a command line, each cut off when it is long."""
        words: list[bytes] = []
        pointers = self._read(pid, address, 8 * _WORDS)
        for at in range(0, len(pointers) - 7, 8):
            pointer = int.from_bytes(pointers[at : at + 8], "little")
            if not pointer:
                break
            words.append(_cut(self._text(pid, pointer, _LONGEST + 1) or b""))
        return words

    # Sockets

    def _fd(self, pid: int, fd: int) -> bytes:
        """What a descriptor leads to, such as `socket:[1234]`."""
        return self._link(b"/proc/%d/fd/%d" % (pid, fd))

    def _family(self, pid: int, error: int) -> bool:
        """A new socket: the usual ones are observed by what is done with them."""
        family, kind, protocol = map(_int, self._call.arguments[:3])
        kind &= 0xF
        is_usual = family == _UNIX or (family == _NETLINK and not protocol)
        if family in (_INET, _INET6):
            is_usual = kind in (_STREAM, _DATAGRAM) and protocol in _PROTOCOLS
        if is_usual and error:
            return self._replace(pid)
        if is_usual:
            if family == _NETLINK:
                self._pending_calls[pid] = ("socket", 0, [b"netlink"], -1)
            return family == _NETLINK
        texts = [_KINDS.get(kind, b"")]
        if error:
            self._refuse(pid, error)
            self._record("family", pid, error, family, texts)
            return False
        self._pending_calls[pid] = ("family", family, texts, -1)
        return True

    def _address(self, pid: int, name: str, error: int) -> bool:
        """A socket is connected, or given an address of its own."""
        call = self._call
        fd = _int(call.arguments[0])
        address = self._read(pid, call.arguments[1], min(call.arguments[2] & 0xFFFF, 128))
        if len(address) < 2:
            return False
        family = address[0]
        if name == "bind" and not family:
            address = _as_internet(address)
            family = address[0]
        place = self._fd(pid, fd)
        if name == "bind" and error and place in self._netlinks:
            # So that it asks for what it wants to know.
            self._refuse(pid, 0)
            return False
        requested_type = self._replaced_sockets.get(place, 0)
        if requested_type and not error and family == _UNIX:
            error = _EACCES
            self._refuse(pid, error)
        kind = requested_type or self._option(pid, fd, _SOL_SOCKET, _SO_TYPE)
        texts = [self._absolute(pid, address).hex().encode()]
        if name == "bind":
            if family not in (_UNIX, _INET, _INET6):
                return False
            if requested_type:
                self._refused_names[place] = address
            if family != _UNIX:
                # A datagram socket listens from now on; others call `listen`, unless this fails.
                if kind != _DATAGRAM and not error:
                    return False
                name = "listen"
        elif family in (_INET, _INET6) and address[2:4] in _LOOKUP_PORTS and kind == _DATAGRAM:
            self._resolver_sockets[place] = address
            if error and address[2:4] == _NAME_SERVER:
                # So that it asks for the name.
                self._refuse(pid, 0)
        else:
            self._resolver_sockets.pop(place, None)
        if error:
            self._record(name, pid, error, kind, texts)
            return False
        self._pending_calls[pid] = (name, kind, texts, fd)
        return True

    def _absolute(self, pid: int, address: bytes) -> bytes:
        """The address of a local socket with its path from the root, without links."""
        if address[0] != _UNIX or address[2:3] in (b"", b"\0"):
            return address
        path = os.path.join(self._link(b"/proc/%d/cwd" % pid), address[2:].partition(b"\0")[0])
        return address[:2] + os.path.realpath(self._as_others_see(pid, path))

    def _messages(self, pid: int, how: str) -> Iterator[tuple[bytes, bytes]]:
        """The address of each message of a call, b"" without one, and the start of its text."""
        arguments = self._call.arguments
        if how == "plain":
            address = self._read(pid, arguments[4], 128) if arguments[4] else b""
            data = self._read(pid, arguments[1], min(arguments[2], _MESSAGE))
            yield _as_internet(address[: arguments[5] & 0xFFFF]), data
            return
        step, count = (64, min(arguments[2], 8)) if how == "several" else (56, 1)
        heads = self._read(pid, arguments[1], step * count)
        for at in range(0, len(heads) - 55, step):
            name, length, vectors, several = (
                int.from_bytes(heads[at + place : at + place + 8], "little")
                for place in (0, 8, 16, 24)
            )
            vector = self._read(pid, vectors, 16) if several else b""
            data = b""
            if len(vector) == 16:
                size = min(int.from_bytes(vector[8:], "little"), _MESSAGE)
                data = self._read(pid, int.from_bytes(vector[:8], "little"), size)
            address = self._read(pid, name, min(length & 0xFFFF, 128)) if name else b""
            yield _as_internet(address), data

    def _send(self, pid: int, rule: Rule) -> bool:
        """A message: whom it is for, unless a connection says so, and what name servers and the
        kernel are asked."""
        arguments = self._call.arguments
        is_addressed = rule["message"] != "plain" or arguments[4]
        if not (is_addressed or self._resolver_sockets or self._netlinks):
            return False  # The commonest call by far.
        place = self._fd(pid, _int(arguments[0]))
        is_replaced = place in self._replaced_sockets
        server = self._resolver_sockets.get(place, b"")
        if is_replaced:
            self._refuse(pid, _EACCES)
        for address, data in self._messages(pid, rule["message"]):
            if place in self._netlinks:
                number = int.from_bytes(data[4:6], "little")
                self._record("netlink", pid, _EACCES if is_replaced else 0, number)
            elif server if not address else address[2:4] == _NAME_SERVER and address[0] != _UNIX:
                texts = [data.hex().encode(), (address or server).hex().encode()]
                self._record("query", pid, 0, 0, texts)
            elif address:
                texts = [self._absolute(pid, address).hex().encode()]
                if is_replaced:
                    self._record("send", pid, _EACCES, 0, texts)
                else:
                    self._pending_calls[pid] = ("send", 0, texts, -1)
        return pid in self._pending_calls

    def _socket(self, pid: int, fd: int) -> int:
        """A copy of a process's descriptor; -1 when there is none."""
        pidfd = _libc.syscall(_PIDFD_OPEN, self._groups.get(pid, pid), 0, 0)
        if pidfd < 0:
            return -1
        try:
            copy: int = _libc.syscall(_PIDFD_GETFD, pidfd, fd, 0)
            return copy
        finally:
            os.close(pidfd)

    def _ask_only(self, pid: int, fd: int, address: bytes) -> None:
        """Let a datagram socket that is connected to no port ask for the route there, but send
        nothing: what is written to it is not observed."""
        if address[0] in (_INET, _INET6) and address[2:4] == _NO_PORT:
            copy = self._socket(pid, fd)
            if copy >= 0:
                _libc.shutdown(copy, 1)
                os.close(copy)

    def _option(self, pid: int, fd: int, level: int, option: int) -> int:
        """The first byte or number of an option of a socket; 0 when there is none."""
        copy = self._socket(pid, fd)
        if copy < 0:
            return 0
        value, length = ctypes.c_int(0), ctypes.c_uint(4)
        _libc.getsockopt(copy, level, option, ctypes.byref(value), ctypes.byref(length))
        os.close(copy)
        return value.value

    def _own_address(self, pid: int, fd: int) -> bytes:
        copy = self._socket(pid, fd)
        if copy < 0:
            return b""
        length = ctypes.c_uint(128)
        result = _libc.getsockname(copy, self._page, ctypes.byref(length))
        os.close(copy)
        return b"" if result else self._page.raw[: min(length.value, 128)]


def _as_internet(address: bytes) -> bytes:
    """An address without a family, which network sockets take for one of AF_INET."""
    return bytes((_INET, 0)) + address[2:] if address[:2] == bytes(2) else address


def _int(argument: int) -> int:
    """An argument as the signed 32-bit number that it is."""
    return ctypes.c_int(argument & 0xFFFFFFFF).value


def _real(path: bytes, is_followed: bool) -> bytes:
    """A path without links to folders, and without one at its end where that is followed."""
    if is_followed:
        return os.path.realpath(path)
    folder, name = os.path.split(path)
    if name in (b"", b".", b".."):
        return os.path.realpath(path)
    return os.path.join(os.path.realpath(folder), name)


def _cut(word: bytes) -> bytes:
    return word if len(word) <= _LONGEST else word[:_LONGEST] + "…".encode()


def observe(pid: int, log: int, policy: dict[str, Any]) -> None:
    """Observe a process that has been seized, until it and everything that it starts has ended."""
    Tracer(log, policy, pid).run()
