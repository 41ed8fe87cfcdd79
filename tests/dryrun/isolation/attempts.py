"""Attempts to get out of an isolation level, each a function; run by path as `python -I -S
attempts.py FACTS`.

FACTS is JSON: what the one who tries could find out anyway. Each attempt runs in a process of its
own and prints its name with `done` or `refused`; whether it had an effect is looked at outside.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import sys
import tempfile
import time

F = json.loads(sys.argv[1])
LIBC = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
PAGE = os.sysconf("SC_PAGE_SIZE")


class NotHere(Exception):
    """This machine cannot try it at all."""


def call(number: int, *arguments: object) -> int:
    converted = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return checked(LIBC.syscall(ctypes.c_long(number), *converted))


def checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def outside(name: str, entry: str = "file") -> str:
    return os.path.join(F["outside"], name, entry)


def original(name: str) -> str:
    return os.path.join(F["original"], name, "file")


def append(path: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write("changed\n")


# Files


def write_outside() -> None:
    append(outside("write-outside"))


def write_original() -> None:
    append(original("write-original"))


def create_outside() -> None:
    append(outside("create-outside", "new"))


def write_by_dots() -> None:
    append(os.path.relpath(outside("write-by-dots")))


def write_through_link() -> None:
    os.symlink(outside("write-through-link"), "link")
    append("link")


def write_through_hard_link() -> None:
    os.link(outside("write-through-hard-link"), "hard")
    append("hard")


def rename_over() -> None:
    append("new")
    os.rename("new", outside("rename-over"))


def move_out() -> None:
    append("moving")
    os.rename("moving", outside("move-out", "moved"))


def move_in() -> None:
    os.rename(outside("move-in"), "taken")


def remove_outside() -> None:
    os.unlink(outside("remove-outside"))


def make_folder_outside() -> None:
    os.mkdir(outside("make-folder-outside", "new"))


def link_outside() -> None:
    os.symlink("/", outside("link-outside", "new"))


def bind_outside() -> None:
    os.mkfifo(outside("bind-outside", "fifo"))


def truncate_outside() -> None:
    os.truncate(outside("truncate-outside"), 0)


def empty_outside() -> None:
    os.close(os.open(outside("empty-outside"), os.O_WRONLY | os.O_TRUNC))


def chmod_original() -> None:
    os.chmod(original("chmod-original"), 0o777)


def chown_original() -> None:
    os.chown(original("chown-original"), 1234, -1)


def utime_original() -> None:
    os.utime(original("utime-original"), (1, 1))


def xattr_original() -> None:
    os.setxattr(original("xattr-original"), "user.left", b"here")


def write_by_memory_program() -> None:
    with open("/bin/sh", "rb") as file:
        program = file.read()
    fd = os.memfd_create("program", 0)
    os.write(fd, program)
    path = outside("write-by-memory-program")
    os.execv(f"/proc/self/fd/{fd}", ["sh", "-c", f"echo changed >> {path}"])


def write_shared_memory() -> None:
    append(F["shm"])


def write_shared_temporary() -> None:
    append(F["shared"])


def read_secret() -> None:
    with open(F["secret"], encoding="utf-8") as file:
        assert file.read() == "s3cret\n"


def read_any(*paths: str) -> None:
    told = []
    for path in paths:
        try:
            with open(path, "rb") as file:
                told += [path] * (file.read(64) == b"s3cret\n")
        except OSError as error:
            refused = error
    if not told:
        raise refused
    print("#", *told)


def read_state_among_tools() -> None:
    read_any(F["state"])


def read_home_of_another() -> None:
    read_any(F["other"])


def read_outside() -> None:
    read_any(F["unrelated"])


def read_through_link() -> None:
    os.symlink(os.path.dirname(F["secret"]), "up")
    read_any("up/id")


def read_through_process() -> None:
    read_any(f"/proc/self/root{F['secret']}", f"/proc/{os.getppid()}/root{F['secret']}")


def read_hard_link() -> None:
    read_any(F["hard_link"])


def read_bind_mount() -> None:
    read_any(bound(F["bind_mount"]))


def read_tool() -> None:
    read_any(F["tool"])


def read_hard_link_among_tools() -> None:
    read_any(F["tool_hard_link"])


def read_bind_mount_among_tools() -> None:
    read_any(bound(F["tool_bind_mount"]))


def bound(path: str | None) -> str:
    if path is None:
        raise NotHere("only root can mount")
    return path


def read_system() -> None:
    with open("/etc/passwd", "rb") as file:
        assert file.read(1)


def send_to_pipe(path: str, flags: int) -> None:
    fd = os.open(path, flags | os.O_NONBLOCK)
    os.write(fd, b"out")


def write_pipe() -> None:
    send_to_pipe(F["pipes"]["write-pipe"], os.O_WRONLY)


def write_pipe_among_tools() -> None:
    send_to_pipe(F["pipes"]["write-pipe-among-tools"], os.O_WRONLY)


def write_pipe_through_link() -> None:
    os.symlink(F["pipes"]["write-pipe-through-link"], "pipe")
    send_to_pipe("pipe", os.O_WRONLY)


def write_pipe_both_ways() -> None:
    send_to_pipe(F["pipes"]["write-pipe-both-ways"], os.O_RDWR)


def take_from_pipe(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    assert os.read(fd, 16) == b"s3cret\n"


def read_pipe() -> None:
    take_from_pipe(F["pipes"]["read-pipe"])


def read_pipe_among_tools() -> None:
    take_from_pipe(F["pipes"]["read-pipe-among-tools"])


def tracer() -> int:
    with open("/proc/self/status", "rb") as file:
        found = int(file.read().partition(b"\nTracerPid:")[2].split()[0])
    if not found:
        raise NotHere("nobody traces it")
    return found


def hold_descriptor() -> None:
    tracer()
    held = set(os.listdir(f"/proc/{F['first']}/fd")) - {"0", "1", "2"}
    if not held:
        raise PermissionError("the standard ones alone")


def reach_tracer() -> None:
    pid = tracer()
    for name in os.listdir(f"/proc/{pid}/fd"):
        os.close(os.open(f"/proc/{pid}/fd/{name}", os.O_WRONLY | os.O_NONBLOCK))


def end_tracer() -> None:
    pid = tracer()
    # Stopped and let go at once: ended, it would tell of nothing that comes after.
    os.kill(pid, signal.SIGCONT)


def open_by_handle() -> None:
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    path = F["secret"].encode()
    call(303 if X86 else 264, -100, path, handle, ctypes.byref(mount), 0)
    at = os.open("/", os.O_RDONLY)
    fd = call(304 if X86 else 265, at, handle, os.O_RDONLY)
    assert os.read(fd, 16) == b"s3cret\n"


def read_disk() -> None:
    for name in sorted(os.listdir("/sys/block")):
        try:
            with open(f"/dev/{name}", "rb", 0) as file:
                if file.read(512):
                    return
        except OSError:
            continue
    raise NotHere("no disk that can be read")


def make_device() -> None:
    os.mknod("device", 0o600 | 0o020000, os.makedev(1, 3))


# Other processes


def proc_root() -> None:
    append(f"/proc/{F['victim']}/root{outside('proc-root')}")


def proc_cwd() -> None:
    append(f"/proc/{F['victim']}/cwd/proc-cwd/file")


def proc_fd() -> None:
    append(f"/proc/{F['victim']}/fd/{F['victim_fd']}")


def proc_memory() -> None:
    os.close(os.open(f"/proc/{F['victim']}/mem", os.O_RDWR))


def proc_environment() -> None:
    with open(f"/proc/{F['victim']}/environ", "rb") as file:
        assert b"s3cret" in file.read()


def trace_foreign() -> None:
    LIBC.ptrace.restype = ctypes.c_long
    checked(LIBC.ptrace(16, F["victim"], None, None))
    os.waitpid(F["victim"], 0x40000000)
    LIBC.ptrace(17, F["victim"], None, None)


def write_foreign_memory() -> None:
    mine = ctypes.create_string_buffer(b"changed")
    local = (ctypes.c_size_t * 2)(ctypes.addressof(mine), 7)
    remote = (ctypes.c_size_t * 2)(F["victim_address"], 7)
    call(311 if X86 else 271, F["victim"], local, 1, remote, 1, 0)


def take_descriptor() -> None:
    call(438, os.pidfd_open(F["victim"]), F["victim_fd"], 0)


def end_foreign() -> None:
    os.kill(F["victims"]["end-foreign"], signal.SIGKILL)


def end_foreign_by_descriptor() -> None:
    fd = os.pidfd_open(F["victims"]["end-foreign-by-descriptor"])
    signal.pidfd_send_signal(fd, signal.SIGKILL)


def limit_foreign() -> None:
    import resource

    resource.prlimit(F["victims"]["limit-foreign"], resource.RLIMIT_NOFILE, (7, 7))


def pin_foreign() -> None:
    os.sched_setaffinity(F["victims"]["pin-foreign"], os.sched_getaffinity(0))


def shared_segment() -> None:
    segment = checked(LIBC.shmget(F["shm_key"], 0, 0))
    LIBC.shmat.restype = ctypes.c_void_p
    LIBC.shmat(segment, None, 0)


# Sockets


def send(family: int, kind: int, address: object) -> None:
    with socket.socket(family, kind) as made:
        made.settimeout(2)
        made.connect(address)
        made.send(b"\0AUTH EXTERNAL\r\n")


def unix_path() -> None:
    send(socket.AF_UNIX, socket.SOCK_STREAM, F["sockets"]["unix-path"])


def unix_abstract() -> None:
    send(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + F["sockets"]["unix-abstract"])


def desktop_bus() -> None:
    send(socket.AF_UNIX, socket.SOCK_STREAM, F["sockets"]["desktop-bus"])


def unix_datagram() -> None:
    send(socket.AF_UNIX, socket.SOCK_DGRAM, F["sockets"]["unix-datagram"])


def pair_connected_anew() -> None:
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.connect(F["sockets"]["pair-connected-anew"])
    one.send(b"out")


def raw_pair_connected_anew() -> None:
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)
    one.connect(F["sockets"]["raw-pair-connected-anew"])
    one.send(b"out")


def tcp() -> None:
    send(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", F["sockets"]["tcp"]))


def udp() -> None:
    send(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", F["sockets"]["udp"]))


def udp_6() -> None:
    send(socket.AF_INET6, socket.SOCK_DGRAM, ("::1", F["sockets"]["udp-6"]))


def fast_open() -> None:
    with socket.socket() as made:
        made.settimeout(2)
        made.sendto(b"out", 0x20000000, ("127.0.0.1", F["sockets"]["fast-open"]))


def raw_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


def packet_socket() -> None:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()


def netlink() -> None:
    if len(socket.if_nameindex()) < 2:
        raise PermissionError("no device but the loop")


def virtual_machine_socket() -> None:
    try:
        socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
    except OSError as error:
        if error.errno == 97:
            raise NotHere("no such sockets") from None
        raise


# The kernel


def io_uring() -> None:
    call(425, 1, ctypes.create_string_buffer(120))


def keyring() -> None:
    # All processes of a user share the ring, and the key of a name.
    key = call(248 if X86 else 217, b"user", b"left %d" % os.getpid(), b"here", 4, -4)
    call(250 if X86 else 219, 9, key, -4)


def kernel_program() -> None:
    attributes = struct.pack("IIII", 2, 4, 4, 1) + bytes(112)
    call(321 if X86 else 280, 0, attributes, len(attributes))


def kernel_counters() -> None:
    attributes = struct.pack("IIQQQQQ", 1, 112, 0, 0, 0, 0, 0b1100001) + bytes(64)
    call(298 if X86 else 241, attributes, 0, -1, -1, 0)


def page_faults() -> None:
    call(323 if X86 else 282, 1)


def kernel_log() -> None:
    checked(LIBC.klogctl(3, ctypes.create_string_buffer(64), 64))


def host_name() -> None:
    socket.sethostname(socket.gethostname())


def mount() -> None:
    target = os.path.join(F["outside"], "mount")
    checked(LIBC.mount(b"none", target.encode(), b"tmpfs", 0, None))
    LIBC.umount2(target.encode(), 2)


def other_root() -> None:
    os.chroot(F["outside"])


def new_namespace() -> None:
    checked(LIBC.unshare(0x10000000))


def cloned_namespace() -> None:
    pid = call(56 if X86 else 220, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def cloned_namespace_3() -> None:
    arguments = struct.pack("11Q", 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 0)
    pid = call(435, arguments, len(arguments))
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def enter_namespace() -> None:
    fd = os.open(f"/proc/{F['victim']}/ns/uts", os.O_RDONLY)
    checked(LIBC.setns(fd, 0))


def kernel_setting() -> None:
    os.close(os.open("/proc/sys/kernel/printk", os.O_WRONLY))


def system_request() -> None:
    if not os.path.exists("/proc/sysrq-trigger"):
        raise NotHere("no such file")
    os.close(os.open("/proc/sysrq-trigger", os.O_WRONLY))


def become_root() -> None:
    import subprocess

    if not os.path.exists(F["setuid"]):
        raise NotHere("only root can make a set-user-ID program")
    done = subprocess.run([F["setuid"], "-u"], capture_output=True, check=False)
    if done.stdout != b"0\n":
        raise PermissionError("still " + done.stdout.decode())


def type_into_terminal() -> None:
    os.setsid()
    fd = os.open(F["terminal"], os.O_RDWR)
    fcntl.ioctl(fd, 0x5412, b"x")


# Living on


def stay(name: str) -> None:
    """Hold a lock that is looked at outside, until somebody ends this."""
    fd = os.open(os.path.join(F["copy_seen"], f"alive-{name}"), os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    os.write(fd, str(os.getpid()).encode())


def leave(name: str, sessions: int, forks: int) -> None:
    told, tell = os.pipe()
    if os.fork() == 0:
        for number in range(forks):
            if number < sessions:
                os.setsid()
            if number and os.fork():
                os._exit(0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        stay(name)
        os.write(tell, b".")
        for fd in (0, 1, 2, told, tell):
            os.close(fd)
        while True:
            time.sleep(60)
    os.close(tell)
    assert os.read(told, 1) == b"."


def survive() -> None:
    leave("survive", sessions=0, forks=1)


def survive_in_session() -> None:
    leave("survive-in-session", sessions=1, forks=1)


def survive_as_daemon() -> None:
    leave("survive-as-daemon", sessions=1, forks=2)


def attempt(name: str) -> None:
    with tempfile.TemporaryDirectory(dir=".") as own:
        os.chdir(own)
        try:
            if name in F["paths"]:
                read_any(*F["paths"][name])
            else:
                globals()[name.replace("-", "_")]()
            print(name, "done", flush=True)
        except NotHere as error:
            print(name, "not-here", error, flush=True)
        except (OSError, AssertionError) as error:
            print(name, "refused", error, flush=True)
        finally:
            os._exit(0)


def main() -> None:
    os.chdir(F["cwd"])
    F["first"] = os.getpid()
    for name in F["attempts"]:
        pid = os.fork()
        if pid == 0:
            attempt(name)
        _, how = os.waitpid(pid, 0)
        if how:
            print(name, "refused", f"ended with {how}", flush=True)


main()
