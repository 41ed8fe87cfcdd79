"""Programs that filter their own system calls to blind or overrule the tracer; run by path as
`python -I -S own_filters.py FACTS`.

FACTS is JSON: a port and a socket outside. Each attempt runs in a process of its own and prints a
line of JSON: its name, and what each of its calls returned (0, or the name of the error).
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import socket
import struct
import sys
import threading
from collections.abc import Callable

F = json.loads(sys.argv[1])
X86 = os.uname().machine == "x86_64"
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
ALLOW, TRACE, LISTEN, LOG = 0x7FFF0000, 0x7FF00000, 0x7FC00000, 0x7FFC0000
SECCOMP, GETPID, OPENAT, EXECVE = (317, 39, 257, 59) if X86 else (277, 172, 56, 221)
SOCKET, CONNECT, SENDTO = (41, 42, 44) if X86 else (198, 203, 206)
ADD_KEY, UNSHARE, PTRACE = (248, 272, 101) if X86 else (217, 97, 117)
IO_URING, MOUNT = 425, (165 if X86 else 40)
GUARDED = (SECCOMP, OPENAT, EXECVE, SOCKET, CONNECT, SENDTO, ADD_KEY, UNSHARE, PTRACE)
GUARDED += (IO_URING, MOUNT)
NEW_LISTENER, TSYNC, TSYNC_ESRCH, KILLABLE = 8, 1, 16, 32


class Filter(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


def name_of(result: int) -> str | int:
    return errno.errorcode[ctypes.get_errno()] if result < 0 else 0


def call(number: int, *arguments: object) -> str | int:
    converted = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return name_of(LIBC.syscall(ctypes.c_long(number), *converted))


def filter_calls(action: int, calls: tuple[int, ...] = GUARDED, flags: int | None = None) -> object:
    """Install a filter with one answer for some calls; by prctl without flags."""
    lines = [(0x20, 0, 0, 0)]
    lines += [line for number in calls for line in ((0x15, 0, 1, number), (6, 0, 0, action))]
    lines.append((6, 0, 0, ALLOW))
    program = Filter(len(lines), b"".join(struct.pack("=HBBI", *line) for line in lines))
    LIBC.prctl(38, ctypes.c_ulong(1), 0, 0, 0)
    if flags is None:
        return name_of(LIBC.prctl(22, ctypes.c_ulong(2), ctypes.byref(program), 0, 0))
    return call(SECCOMP, 1, flags, ctypes.byref(program))


def refused_calls() -> dict[str, object]:
    """Calls that a level refuses; each reaches something outside when it is not."""
    results: dict[str, object] = {}
    for name, family, address in (
        ("udp", socket.AF_INET, ("127.0.0.1", F["port"])),
        ("unix", socket.AF_UNIX, F["socket"]),
    ):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as client:
                client.connect(address)
                client.send(b"out", socket.MSG_DONTWAIT)  # The receiver reads at the end.
            results[name] = 0
        except OSError as error:
            results[name] = errno.errorcode[error.errno or 0]
    results["add_key"] = call(ADD_KEY, b"user", b"left", b"here", 4, -4)
    results["io_uring_setup"] = call(IO_URING, 1, ctypes.create_string_buffer(120))
    results["unshare"] = call(UNSHARE, 0x10000000)
    results["ptrace"] = call(PTRACE, 16, os.getppid(), 0, 0)
    return results


def seen_calls() -> dict[str, object]:
    """Calls that a level allows, and the tracer must see: a marker tells each attempt apart."""
    try:
        os.close(os.open(F["read"], os.O_RDONLY))
        read: str | int = 0
    except OSError as error:
        read = errno.errorcode[error.errno or 0]
    pid = os.fork()
    if pid == 0:
        os.execv("/bin/true", ["true", NAME])
    return {"read": read, "started": os.waitpid(pid, 0)[1]}


def overruling(*actions: int, flags: int | None = None) -> dict[str, object]:
    installed = [filter_calls(action, flags=flags) for action in actions]
    return {"installed": installed, **refused_calls(), **seen_calls()}


def in_thread(attempt: Callable[[], dict[str, object]]) -> dict[str, object]:
    results: dict[str, object] = {}
    thread = threading.Thread(target=lambda: results.update(attempt()))
    thread.start()
    thread.join()
    return results


def from_thread() -> dict[str, object]:
    """A thread gives its filter to the one that goes on."""
    installed = in_thread(lambda: {"installed": [filter_calls(TRACE, flags=TSYNC)]})
    return {**installed, **refused_calls(), **seen_calls()}


def in_child() -> dict[str, object]:
    """A filter is inherited over fork and exec."""
    installed = [filter_calls(TRACE)]
    told, tell = os.pipe()
    if os.fork() == 0:
        os.write(tell, json.dumps({**refused_calls(), **seen_calls()}).encode())
        os._exit(0)
    os.wait()
    return {"installed": installed, **json.loads(os.read(told, 4096))}


def listening(flags: int, before: int | None = None) -> dict[str, object]:
    """A listener that would answer for the kernel; one that is refused changes nothing."""
    first = [] if before is None else [filter_calls(before, flags=0)]
    return {
        "installed": first,
        "listener": filter_calls(LISTEN, flags=flags),
        **refused_calls(),
        **seen_calls(),
    }


def without_listener() -> dict[str, object]:
    """Nobody listens, so the kernel fails these calls."""
    installed = [filter_calls(LISTEN, calls=(ADD_KEY, GETPID), flags=0)]
    return {"installed": installed, "getpid": call(GETPID), **refused_calls(), **seen_calls()}


def own_calls() -> dict[str, object]:
    """A call that stops for the program's own tracer alone; there is none."""
    installed = [filter_calls(TRACE | 7, calls=(GETPID,))]
    return {"installed": installed, "getpid": call(GETPID), **refused_calls(), **seen_calls()}


ATTEMPTS: dict[str, Callable[[], dict[str, object]]] = {
    "no-filter": lambda: {"installed": [], **refused_calls(), **seen_calls()},
    "harmless": lambda: overruling(LOG, ALLOW),
    "trace-0-by-prctl": lambda: overruling(TRACE),
    "trace-0-by-seccomp": lambda: overruling(TRACE, flags=0),
    "trace-other-error": lambda: overruling(TRACE | 110),
    "trace-highest": lambda: overruling(TRACE | 0xFFFF),
    "trace-stacked": lambda: overruling(TRACE, TRACE | 5, TRACE),
    "trace-under-allow": lambda: overruling(TRACE, ALLOW),
    "trace-in-thread": lambda: in_thread(lambda: overruling(TRACE)),
    "trace-from-thread": from_thread,
    "trace-with-tsync": lambda: overruling(TRACE, flags=TSYNC),
    "trace-in-child": in_child,
    "listener": lambda: listening(NEW_LISTENER),
    "listener-with-tsync": lambda: listening(NEW_LISTENER | TSYNC | TSYNC_ESRCH),
    "listener-killable": lambda: listening(NEW_LISTENER | KILLABLE),
    "listener-in-thread": lambda: in_thread(lambda: listening(NEW_LISTENER)),
    "listener-overruled": lambda: listening(NEW_LISTENER, before=TRACE),
    "listener-with-high-bits": lambda: listening(NEW_LISTENER | 1 << 40),
    "nobody-listens": without_listener,
    "own-calls": own_calls,
}

for NAME in ATTEMPTS:
    told, tell = os.pipe()
    if os.fork() == 0:
        os.close(told)
        os.write(tell, json.dumps(ATTEMPTS[NAME]()).encode())
        os._exit(0)
    os.close(tell)
    with open(told, "rb") as results:
        line = results.read()
    print(json.dumps({"name": NAME, **(json.loads(line) if line else {})}), flush=True)
    os.wait()
