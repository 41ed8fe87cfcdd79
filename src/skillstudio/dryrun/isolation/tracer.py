"""Observe a program and everything that it starts, by ptrace at the system calls that a seccomp
filter stops. It runs beside the launcher and imports nothing of skillstudio; the launcher gets it
as compiled code, because inside bwrap no file of skillstudio can be read.

The log is a sequence of records. A record is the number of its fields and its fields: name, number
of the process, error number, a number, texts; each ends with a NUL character, which no text
contains. Names are those of system calls and

    exec    a started program: path, argv          number: 0
    fork    a new process or (`thread`) a thread   number: the new one
    open    a path, and the one that was opened    number: flags
    connect, listen, send, a socket address as hex number: type of the socket
    query   a message to a name server as hex
    filter  a filter of system calls that a program gave itself
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
_FORK, _VFORK, _CLONE, _EXEC, _SECCOMP, _STOPPED = 1, 2, 3, 4, 7, 128
_WALL, _CALL_STOP, _TRAP, _KILL = 0x40000000, 0x85, 5, 9
_STOPS = (19, 20, 21, 22)
_PIDFD_OPEN, _PIDFD_GETFD = 434, 438
_SOL_SOCKET, _SO_TYPE, _TCP, _TCP_INFO, _CLOSED = 1, 3, 6, 11, 7
_UNIX, _INET, _INET6, _STREAM, _DATAGRAM = 1, 2, 10, 1, 2
_EPERM, _EACCES, _ENOSYS, _EINPROGRESS, _ECONNREFUSED, _RESTART = 1, 13, 38, 115, 111, 512
_HERE = -100
_X86 = os.uname().machine == "x86_64"
_WRITING = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
_PAGE = 4096
_LONGEST = 256  # Bytes of an argument that are recorded.
_WORDS = 64  # Arguments that are recorded.
_COMMAND = _WORDS << 17  # Bytes of a command line; an argument has at most this share of them.
_INTERPRETERS = 16  # Words that the interpreters of a script may put first.
_NAMED = 31  # AT_EXECFN: the path that a program was started by.
_MESSAGE = 512  # Bytes of a message to a name server.
_NAME_SERVER = b"\x005"  # Port 53.
_BUFFER = 1 << 15
_KNOWN = 100_000  # Records remembered, so that each is written once.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

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


def refusal(about: dict[str, Any], arguments: Sequence[int]) -> int:
    """The error with which a call is refused, by the table alone: a filter of the program can stop
    a call as well, and what it hands over is the program's word. 0 when it is not refused."""
    for denied in about["denied"]:
        if _holds(denied, arguments):
            error: int = denied["error"]
            return error
    return 0


def is_observed(about: dict[str, Any], arguments: Sequence[int]) -> bool:
    """Whether a call that is not refused stops for the tracer."""
    return not about.get("refused") and _holds(about.get("when", {}), arguments)


def _holds(condition: dict[str, Any], arguments: Sequence[int]) -> bool:
    """As the filter decides it: by the low 32 bits of an argument."""
    if "argument" not in condition:
        return True
    value = arguments[condition["argument"]] & condition.get("mask", 0xFFFFFFFF)
    others = condition.get("other_than", (value,))
    return bool(
        value & condition.get("any_of", 0)
        or value in condition.get("equal", ())
        or value not in others
    )


class Tracer:
    """Observes processes until all of them have ended."""

    def __init__(self, log: int, policy: dict[str, Any], pid: int) -> None:
        """`policy` has `arch`, the token of the processor; `foreign`, the bit of calls of its other
        kind; `calls`, number to what is recorded of a call and when it is refused; `quiet`, folders
        whose files are no effect when they are read; `most`, the size of the log; `processes`, how
        many there may be at once."""
        self._log = log
        self._arch: int = policy["arch"]
        self._foreign: int = policy["foreign"]
        self._calls: dict[int, dict[str, Any]] = policy["calls"]
        self._quiet: tuple[bytes, ...] = policy["quiet"]
        self._left: int = policy["most"]
        self._processes: int = policy["processes"]
        """How many processes there may be at once."""
        self._number = 1  # How many there are.
        self._is_over = False
        self._buffer: list[bytes] = []
        self._size = 0
        self._known: set[bytes] = set()
        self._waiting: dict[int, tuple[str, int, list[bytes], int]] = {}
        """Process to the call that has not returned: name, number, texts, descriptor."""
        self._groups: dict[int, int] = {pid: pid}  # Thread to its process.
        self._early: set[int] = set()  # New processes that stopped before their start was seen.
        self._replaced: dict[tuple[int, int], int] = {}
        """Processes and their descriptors that only look like a network socket: its type."""
        self._arguments: dict[int, tuple[int, ...]] = {}
        """Process to the arguments of a call that was given others."""
        self._resolving: set[tuple[int, int]] = set()
        """Processes and their descriptors that are connected to a name server."""
        self._call = SystemCall()
        self._returned = ReturnedCall()
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
                self._waiting.pop(pid, None)
                if self._groups.pop(pid, None) == pid:
                    self._number -= 1
                continue
            if self._is_over:
                self._kill(pid)
                continue
            try:
                how, sent = self._stop(pid, status >> 8 & 0xFF, status >> 16)
            except Exception as error:
                # Calls that are refused have been refused by now.
                self._record(
                    "gap", 0, texts=(b"a call could not be read: " + repr(error).encode(),)
                )
                how, sent = _CONT, 0
            if how:
                ptrace(how, pid, None, sent)
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
        if name in ("fork", "thread", "exec"):
            # Who does it decides what a call means.
            self._known.clear()
        else:
            # A loop that opens the same file again is recorded once.
            if line in self._known:
                return
            if len(self._known) < _KNOWN:
                self._known.add(line)
        self._left -= len(line)
        if self._left < 0 and name != "end":
            if self._left + len(line) >= 0:
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
        elif event == _EXEC:
            self._exec(pid)
        elif event == _STOPPED:
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
            self._record("gap", 0, texts=(b"a program made system calls of another processor",))
            return False
        about = self._calls.get(call.number)
        refused = refusal(about, call.arguments) if about is not None else 0
        if about is None or (not refused and not is_observed(about, call.arguments)):
            # Stopped by a filter of the program alone: without a tracer of its own the call fails.
            self._refuse(pid, _ENOSYS)
            return False
        name: str = about["name"]
        kind = about["kind"]
        if refused:
            if kind == "family" and self._replace(pid):
                return True
            self._refuse(pid, refused)
        texts: list[bytes] = []
        number, fd = 0, -1
        if kind == "open":
            path = self._path(pid, about["paths"][0])
            number = self._flags(pid, about)
            if path is None:
                return False
            name, texts = "open", [path]
        elif kind == "paths":
            for each in about["paths"]:
                path = self._path(pid, each)
                if path is None:
                    return False
                texts.append(path)
        elif kind == "descriptor":
            path = self._link(b"/proc/%d/fd/%d" % (pid, _int(call.arguments[0])))
            if not path.startswith(b"/"):
                return False
            texts = [path]
        elif kind == "exec":
            path = self._path(pid, about["paths"][0])
            if path is None:
                return False
            name, texts = "exec", [path, *self._words(pid, call.arguments[about["words"]])]
        elif kind == "address":
            fd = _int(call.arguments[0])
            address = self._read(pid, call.arguments[1], min(call.arguments[2] & 0xFFFF, 128))
            if len(address) < 2:
                return False
            texts = [address.hex().encode()]
            place = self._groups.get(pid, pid), fd
            number = self._replaced.get(place) or self._option(pid, fd, _SOL_SOCKET, _SO_TYPE)
            if name == "bind":
                if address[0] not in (_INET, _INET6):
                    return False
                # A datagram socket with a port listens; others call `listen`, unless this fails.
                if address[2:4] == b"\0\0" if number == _DATAGRAM else not refused:
                    return False
                name = "listen"
            elif address[2:4] == _NAME_SERVER and address[0] in (_INET, _INET6):
                self._resolving.add(place)
                if refused:
                    # So that it asks for the name.
                    self._refuse(pid, 0)
                    return False
            else:
                self._resolving.discard(place)
        elif kind == "listen":
            address = self._own_address(pid, _int(call.arguments[0]))
            if not address:
                return False
            texts = [address.hex().encode()]
        elif kind == "send":
            return self._send(pid, about)
        elif kind == "option":
            # A local socket refuses the options of network sockets; programs then give up.
            if (self._groups.get(pid, pid), _int(call.arguments[0])) in self._replaced:
                self._refuse(pid, 0)
            return False
        elif kind == "family" or kind == "process":
            number = _int(call.arguments[0])
        elif kind == "filter":
            name = "filter"
        if refused:
            self._record(name, pid, refused, number, texts)
            return False
        self._waiting[pid] = (name, number, texts, fd)
        return True

    def _leave(self, pid: int) -> None:
        """After a call."""
        waiting = self._waiting.pop(pid, None)
        returned = self._returned
        if waiting is None:
            return
        if _ptrace(_GET_CALL, pid, ctypes.sizeof(returned), ctypes.addressof(returned)) <= 0:
            return
        name, number, texts, fd = waiting
        error = -returned.result if returned.is_error else 0
        if name == "socket":
            self._replaced[self._groups.get(pid, pid), returned.result] = number & 0xF
            # On ARM the place of the first argument holds the result.
            self._set(pid, self._arguments.pop(pid, ()), 0 if _X86 else 1)
            return
        if error >= _RESTART:
            return  # It is made again after a signal.
        if name == "open":
            path = texts[0]
            opened = self._link(b"/proc/%d/fd/%d" % (pid, returned.result)) if not error else path
            is_quiet = not number & _WRITING and self._is_quiet(path)
            # Shared memory may have named another file by the time of the call.
            if is_quiet and (self._is_quiet(opened) or os.path.realpath(path) == opened):
                return
            if not error:
                texts.append(opened)
        if error == _EINPROGRESS and fd >= 0:
            state = self._option(pid, fd, _TCP, _TCP_INFO) & 0xFF
            error = _ECONNREFUSED if state == _CLOSED else error
        self._record(name, pid, error, number, texts)

    def _fork(self, pid: int) -> None:
        _ptrace(_EVENT_MESSAGE, pid, None, ctypes.addressof(self._message))
        made = int(self._message.value)
        group = self._groups.get(pid, pid)
        is_thread = os.path.exists(f"/proc/{group}/task/{made}")
        self._groups[made] = group if is_thread else made
        self._record("thread" if is_thread else "fork", group, 0, made)
        self._number += not is_thread
        if self._number > self._processes:
            self._kill_all()
        if made in self._early:
            self._early.discard(made)
            _ptrace(_CONT, made, None, None)

    def _exec(self, pid: int) -> None:
        """A program has been started; the thread that did it has become the process."""
        _ptrace(_EVENT_MESSAGE, pid, None, ctypes.addressof(self._message))
        waiting = self._waiting.pop(int(self._message.value), None)
        self._groups[pid] = pid
        if waiting is not None:
            name, number, texts, _ = waiting
            self._record(name, pid, 0, number, self._started(pid, texts))

    def _started(self, pid: int, texts: list[bytes]) -> list[bytes]:
        """The path and the words that a program was started with: those that were read before the
        call, unless shared memory was changed after that."""
        path, *words = texts
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                given = [_cut(each) for each in file.read(_COMMAND).split(b"\0")[:-1]]
            with open(f"/proc/{pid}/auxv", "rb", 0) as file:
                vector = memoryview(file.read(_PAGE)[: _PAGE & ~15]).cast("Q").tolist()
            named = (
                self._text(pid, dict(zip(vector[::2], vector[1::2], strict=True))[_NAMED]) or b""
            )
            program = self._link(b"/proc/%d/exe" % pid)
        except (OSError, KeyError):
            if not _was_killed(pid):
                self._record("gap", 0, texts=(b"the memory of a process could not be read",))
            return texts
        is_named = path.endswith(named) or named.startswith(b"/dev/fd/")
        if os.path.realpath(path) == program:
            is_same = given[:_WORDS] == (words or [b""])
        else:
            # A script: its interpreter comes first, and its path in the place of its name.
            after = [_cut(named), *words[1:]]
            is_same = any(given[at:][:_WORDS] == after for at in range(1, _INTERPRETERS))
        if (is_named and is_same) or _was_killed(pid):
            return texts
        self._record("gap", 0, texts=(b"a program changed its command line while it was read",))
        return [program, *given[:_WORDS]]

    def _is_quiet(self, path: bytes) -> bool:
        return path.startswith(self._quiet) and b"/.." not in path

    def _refuse(self, pid: int, error: int) -> None:
        """Skip the call, which returns an error, or success; a process for which that fails is
        killed."""
        if _X86:
            done = _ptrace(_POKE, pid, 15 * 8, -1) == 0 and _ptrace(_POKE, pid, 10 * 8, -error) == 0
        else:
            number = ctypes.c_int(-1)
            done = self._registers(_SET_REGISTERS, pid, _ARM_CALL, number)
            done = done and self._set(pid, ((1 << 64) - error if error else 0,))
        if not done:
            os.kill(pid, _KILL)

    def _replace(self, pid: int) -> bool:
        """Give a program that may have no network socket a local one without a name: it leads
        nowhere, because `connect` and `bind` are refused, but shows whom the program asks for."""
        family, kind, protocol = self._call.arguments[:3]
        if _int(family) not in (_INET, _INET6) or kind & 0xF not in (_STREAM, _DATAGRAM):
            return False
        if not self._set(pid, (_UNIX, kind & ~0xF | _STREAM, 0)):
            os.kill(pid, _KILL)
        # Programs rely on the registers of arguments being left as they are.
        self._arguments[pid] = (family, kind, protocol)
        self._waiting[pid] = ("socket", kind & 0xF, [], -1)
        return True

    def _set(self, pid: int, values: tuple[int, ...], start: int = 0) -> bool:
        """Set the arguments of a call from the one at `start` on."""
        if _X86:
            places = (14 * 8, 13 * 8, 12 * 8)[: len(values)]
            done = [_ptrace(_POKE, pid, *each) for each in zip(places, values, strict=True)]
            return not any(done)
        registers = (ctypes.c_uint64 * 34)()
        if not self._registers(_GET_REGISTERS, pid, _GENERAL, registers):
            return False
        for at in range(start, len(values)):
            registers[at] = values[at]
        return self._registers(_SET_REGISTERS, pid, _GENERAL, registers)

    def _registers(self, how: int, pid: int, which: int, place: Any) -> bool:
        vector = Vector(ctypes.addressof(place), ctypes.sizeof(place))
        done: int = _ptrace(how, pid, which, ctypes.addressof(vector))
        return done == 0

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
        found = b""
        while len(found) < most:
            # Up to the end of a page, since the next one may not exist.
            size = min(_PAGE - (address & (_PAGE - 1)), most - len(found))
            data = self._read(pid, address, size)
            if not data:
                return found or None
            end = data.find(b"\0")
            if end >= 0:
                return found + data[:end]
            found += data
            address += len(data)
        return found

    def _path(self, pid: int, places: tuple[int, int]) -> bytes | None:
        """An absolute path from the positions of a folder (-1 for the current one) and a path."""
        folder, at = places
        path = self._text(pid, self._call.arguments[at])
        if path is None or path.startswith(b"/"):
            return path
        fd = _int(self._call.arguments[folder]) if folder >= 0 else _HERE
        link = b"/proc/%d/cwd" % pid if fd == _HERE else b"/proc/%d/fd/%d" % (pid, fd)
        above = self._link(link)
        return above + b"/" + path if path else above

    def _flags(self, pid: int, about: dict[str, Any]) -> int:
        at: int = about["flags"]
        if at < 0:
            return -at
        value: int = self._call.arguments[at]
        if about.get("by_pointer"):
            return int.from_bytes(self._read(pid, value, 8), "little")
        return value & 0xFFFFFFFF

    def _link(self, path: bytes) -> bytes:
        try:
            return os.readlink(path).removesuffix(b" (deleted)")
        except OSError:
            return b""

    def _words(self, pid: int, address: int) -> list[bytes]:
        """The words of a command line, each cut off when it is long."""
        found: list[bytes] = []
        pointers = self._read(pid, address, 8 * _WORDS)
        for at in range(0, len(pointers) - 7, 8):
            pointer = int.from_bytes(pointers[at : at + 8], "little")
            if not pointer:
                break
            found.append(_cut(self._text(pid, pointer, _LONGEST + 1) or b""))
        return found

    # Sockets

    def _send(self, pid: int, about: dict[str, Any]) -> bool:
        """A message; without an address only those to name servers matter."""
        arguments = self._call.arguments
        fd = _int(arguments[0])
        is_query = (self._groups.get(pid, pid), fd) in self._resolving
        sent: list[tuple[bytes, bytes]] = []
        if about["message"] == "plain":
            if not arguments[4] and not is_query:
                return False
            address = self._read(pid, arguments[4], 128) if arguments[4] else b""
            data = self._read(pid, arguments[1], min(arguments[2], _MESSAGE))
            sent.append((address[: arguments[5] & 0xFFFF], data))
        else:
            step, count = (64, min(arguments[2], 8)) if about["message"] == "several" else (56, 1)
            heads = self._read(pid, arguments[1], step * count)
            for at in range(0, len(heads) - 55, step):
                name, length, vectors, several = (
                    int.from_bytes(heads[at + each : at + each + 8], "little")
                    for each in (0, 8, 16, 24)
                )
                if not name and not is_query:
                    continue
                vector = self._read(pid, vectors, 16) if several else b""
                data = b""
                if len(vector) == 16:
                    size = min(int.from_bytes(vector[8:], "little"), _MESSAGE)
                    data = self._read(pid, int.from_bytes(vector[:8], "little"), size)
                address = self._read(pid, name, min(length & 0xFFFF, 128)) if name else b""
                sent.append((address, data))
        is_replaced = (self._groups.get(pid, pid), fd) in self._replaced
        if is_replaced:
            self._refuse(pid, _EACCES)
        for address, data in sent:
            if is_query if not address else address[2:4] == _NAME_SERVER:
                self._record("query", pid, texts=(data.hex().encode(),))
            elif address and is_replaced:
                self._record("send", pid, _EACCES, 0, [address.hex().encode()])
            elif address:
                self._waiting[pid] = ("send", 0, [address.hex().encode()], -1)
        return pid in self._waiting

    def _socket(self, pid: int, fd: int) -> int:
        """A copy of a process's descriptor; -1 when there is none."""
        held = _libc.syscall(_PIDFD_OPEN, self._groups.get(pid, pid), 0, 0)
        if held < 0:
            return -1
        try:
            copy: int = _libc.syscall(_PIDFD_GETFD, held, fd, 0)
            return copy
        finally:
            os.close(held)

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
        failed = _libc.getsockname(copy, self._page, ctypes.byref(length))
        os.close(copy)
        return b"" if failed else self._page.raw[: min(length.value, 128)]


def _int(argument: int) -> int:
    """An argument as the signed 32-bit number that it is."""
    return ctypes.c_int(argument & 0xFFFFFFFF).value


def _cut(word: bytes) -> bytes:
    return word if len(word) <= _LONGEST else word[:_LONGEST] + "…".encode()


def observe(pid: int, log: int, policy: dict[str, Any]) -> None:
    """Observe a process that has been seized, until it and everything that it starts has ended."""
    Tracer(log, policy, pid).run()
