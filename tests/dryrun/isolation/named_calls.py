"""What a run has to name, and what it must not, one attempt after another; run by path as
`python -I -S named_calls.py FOLDER`. FOLDER is outside the copies and does not exist.

Each attempt is a process of its own, which first tries to write `none/NAME` in that folder: so its
events can be told by its number.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable

OUTSIDE = sys.argv[1]
LIBC = ctypes.CDLL(None, use_errno=True)
NEWUSER = 0x10000000
ATTEMPTS: dict[str, Callable[[], object]] = {}


def attempt(function: Callable[[], object]) -> Callable[[], object]:
    ATTEMPTS[function.__name__.replace("_", "-")] = function
    return function


def call(number: int, *arguments: object) -> None:
    LIBC.syscall(ctypes.c_long(number), *arguments)


def status(process: object, field: str) -> int:
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        return int(next(line.split()[1] for line in file if line.startswith(f"{field}:")))


def connected(kind: int, port: int) -> socket.socket:
    client = socket.socket(socket.AF_INET, kind)
    client.settimeout(0.1)
    client.connect_ex(("127.0.0.1", port))
    return client


@attempt
def list_folder() -> None:
    os.listdir("/etc")


@attempt
def list_own_folder() -> None:
    os.listdir(".")


@attempt
def watch_folder() -> None:
    LIBC.inotify_add_watch(LIBC.inotify_init(), b"/etc", 2)


@attempt
def connected_datagram() -> None:
    os.write(connected(socket.SOCK_DGRAM, 9).fileno(), b"out")


@attempt
def datagram_to_port_53() -> None:
    os.write(connected(socket.SOCK_DGRAM, 53).fileno(), b"out")


@attempt
def words_to_port_53() -> None:
    connected(socket.SOCK_DGRAM, 53).send(b"no question at all")


@attempt
def stream_to_port_53() -> None:
    connected(socket.SOCK_STREAM, 53)


@attempt
def question() -> None:
    connected(socket.SOCK_DGRAM, 53).send(
        b"\xb8\1\1\0\0\1\0\0\0\0\0\0\3api\7example\4test\0\0\1\0\1"
    )


@attempt
def reopened_descriptor() -> None:
    with open("in.txt") as file:
        os.close(os.open(f"/proc/self/fd/{file.fileno()}", os.O_WRONLY))


@attempt
def own_state() -> None:
    with open("/proc/self/comm", "w") as file:
        file.write("other")


@attempt
def times_by_descriptor() -> None:
    with open("in.txt") as file:
        os.utime(file.fileno())


@attempt
def new_attribute_call() -> None:
    call(463, -100, b"in.txt", 0, b"user.x", 0, 0)


@attempt
def flags_of_a_file() -> None:
    with open("in.txt") as file:
        LIBC.ioctl(file.fileno(), ctypes.c_ulong(0x40086602), ctypes.byref(ctypes.c_long(0)))


@attempt
def local_service() -> None:
    socket.socket(socket.AF_UNIX).connect_ex("/run/truth-none.sock")


@attempt
def abstract_service() -> None:
    socket.socket(socket.AF_UNIX).connect_ex("\0truth-none")


@attempt
def datagram_to_a_service() -> None:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", "/run/truth-none.sock")


@attempt
def own_pair() -> None:
    one, other = socket.socketpair()
    one.send(b"x")
    other.recv(1)


@attempt
def raw_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


@attempt
def packet_socket() -> None:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)


@attempt
def addresses_of_the_machine() -> None:
    socket.if_nameindex()
    pointer = ctypes.c_void_p()
    if LIBC.getifaddrs(ctypes.byref(pointer)) == 0:
        LIBC.freeifaddrs(pointer)


@attempt
def unknown_call() -> None:
    call(5000)


@attempt
def tracing() -> None:
    LIBC.ptrace(16, 4_194_000, 0, 0)


@attempt
def namespaces_by_pointer() -> None:
    flags = (ctypes.c_uint64 * 11)(NEWUSER, 0, 0, 0, 17)
    call(435, ctypes.byref(flags), 88)


@attempt
def namespaces() -> None:
    clone = 56 if os.uname().machine == "x86_64" else 220
    if LIBC.syscall(ctypes.c_long(clone), NEWUSER | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        os._exit(0)
    os.wait()


@attempt
def call_of_the_other_kind() -> None:
    call(0x40000000 | 39)  # getpid of x32


@attempt
def route_change() -> None:
    client = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    client.bind((0, 0))
    client.send(struct.pack("=IHHII", 16, 24, 1, 0, 0))  # RTM_NEWROUTE without a route


@attempt
def mode_through_a_link() -> None:
    os.symlink("in.txt", "link")
    os.chmod("link", 0o600)


@attempt
def mode_through_proc() -> None:
    fd = os.open("in.txt", os.O_PATH)
    os.chmod(f"/proc/self/fd/{fd}", 0o600)


@attempt
def opened_folder() -> None:
    os.close(os.open(".", os.O_RDONLY))


@attempt
def own_server() -> None:
    server = socket.socket()
    with contextlib.suppress(OSError):
        server.bind(("127.0.0.1", 18111))
    server.listen()


@attempt
def unnamed_server() -> None:
    socket.socket().listen()


@attempt
def flags_that_change() -> None:
    """Prints the files that were opened for writing, by flags that another process changes."""
    how = mmap.mmap(-1, 24)  # `struct open_how` begins with the flags.
    address = ctypes.addressof(ctypes.c_char.from_buffer(how))
    changing = os.fork()
    if changing == 0:
        while True:
            how[0] = os.O_RDONLY
            how[0] = os.O_RDWR
    written: list[str] = []
    while not written:
        for name in sorted(os.listdir("race")):
            path = f"race/{name}".encode()
            fd = LIBC.syscall(
                ctypes.c_long(437), -100, path, ctypes.c_void_p(address), ctypes.c_size_t(24)
            )
            if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR:
                written.append(name)
            os.close(fd)
    print(*written, flush=True)
    os.kill(changing, signal.SIGKILL)
    os.wait()


@attempt
def relative_service() -> None:
    socket.socket(socket.AF_UNIX).connect_ex("none.sock")


@attempt
def signal_to_others() -> None:
    os.kill(4_194_000, signal.SIGTERM)


@attempt
def signal_to_its_own() -> None:
    pid = os.fork()
    if pid == 0:
        signal.pause()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.kill(pid, signal.SIGTERM)


@attempt
def signals_to_who_observes() -> None:
    tracer = status("self", "TracerPid")
    launcher = status(tracer, "PPid")
    # Any of them would end the run, or keep it from ending.
    for pid in (tracer, launcher, -os.getpgid(tracer)):
        for number in (signal.SIGSTOP, signal.SIGKILL):
            with contextlib.suppress(PermissionError):
                os.kill(pid, number)


@attempt
def signals_by_descriptor() -> None:
    read, _ = os.pipe()
    LIBC.fcntl(read, fcntl.F_SETOWN, 4_194_000)
    LIBC.fcntl(read, fcntl.F_SETOWN, os.getpid())
    LIBC.fcntl(read, 15, struct.pack("ii", 2, 4_194_001))
    LIBC.ioctl(socket.socketpair()[0].fileno(), 0x8901, struct.pack("i", 4_194_002))


@attempt
def priority_of_its_own() -> None:
    os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))


@attempt
def priority_of_all() -> None:
    os.setpriority(os.PRIO_USER, 0, 0)


@attempt
def watched_folder() -> None:
    fcntl.fcntl(os.open(".", os.O_RDONLY), fcntl.F_NOTIFY, 1)


@attempt
def datagram_without_a_family() -> None:
    address = struct.pack("<H", 0) + struct.pack(">H", 9997) + bytes((192, 0, 2, 1)) + bytes(8)
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    LIBC.sendto(client.fileno(), b"x", 1, 0, address, 16)


@attempt
def datagram_to_no_port() -> None:
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect_ex(("127.0.0.1", 0))
    with contextlib.suppress(OSError):
        client.send(b"x")
    # What is written is not observed, so that it must not be sent.
    with contextlib.suppress(OSError):
        os.write(client.fileno(), b"x")
        os.write(1, b"sent\n")


@attempt
def file_under_another_name() -> None:
    os.rename("moved.txt", "other.txt")
    os.open("other.txt", os.O_RDONLY)
    os.link("other.txt", "linked.txt")
    os.chmod("linked.txt", 0o600)


@attempt
def existing_file_is_not_made() -> None:
    os.open("in.txt", os.O_RDONLY | os.O_CREAT)


@attempt
def local_server_without_a_name() -> None:
    socket.socket(socket.AF_UNIX).listen()


@attempt
def multicast_group() -> None:
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.setsockopt(socket.SOL_SOCKET, 35, 1)
    group = socket.inet_aton("224.0.0.251") + socket.inet_aton("127.0.0.1")
    client.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)


@attempt
def memory_of_others() -> None:
    LIBC.shmget(0x5EED, 1, 0)


@attempt
def memory_of_its_own() -> None:
    number = LIBC.shmget(0, 1, 0o600)
    LIBC.shmctl(number, 0, None)


@attempt
def missing_program() -> None:
    os.execv("/usr/bin/truth-none", ["truth-none"])


def begin(name: str) -> None:
    os.open(f"{OUTSIDE}/none/{name}", os.O_WRONLY | os.O_CREAT)


for name, function in ATTEMPTS.items():
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(OSError):
            begin(name)
        with contextlib.suppress(OSError):
            function()
        os._exit(0)
    os.waitpid(pid, 0)
