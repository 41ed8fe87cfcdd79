"""The process between skillstudio and a program on Linux: it confines it and ends its tree.

Run as compiled code by `python -I -S -c`, with three descriptors: POLICY CONTROL STATUS. It imports
only fast modules and nothing of skillstudio. The policy is marshalled, because parsing JSON would
take longer than starting Python.

CONTROL: `T` asks every process to end, `K` and the end of the pipe kill them all.
STATUS, a line each: `error NUMBER WHERE`, `exit CODE`, `signal NUMBER`, `left COUNT`.

With a log in its policy a second process, the tracer, observes the program: see tracer.py. Neither
is confined; the program is, and closes every descriptor, so that it reaches neither of them.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import sys

_SET_PDEATHSIG, _CAPBSET_DROP, _SET_SECCOMP, _SET_SECUREBITS = 1, 24, 22, 28
_SET_PTRACER, _SET_SUBREAPER, _SET_NO_NEW_PRIVS, _CAP_AMBIENT, _AMBIENT_CLEAR = (
    0x59616D61,
    36,
    38,
    47,
    4,
)
_FILTER, _NO_ROOT = 2, 0b1111
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_FILE_ACCESS = 0b1 | 0b10 | 0b100 | 1 << 14 | 1 << 15  # The Landlock rights that apply to a file.
_TERM, _KILL, _STOP, _CONT, _CHLD = 15, 9, 19, 18, 17
_MANY = 256  # Processes of a tree that is killed at once: asking them to end lets them fork.
_NOBODY = -1  # No process: the program itself has ended.
_GRACE = 0.3  # Seconds that the processes of a program have to end after it.
_FREEZE_TIME = 3.0  # Seconds in which a tree is killed while its tracer is stopped.
_SWEEPS = 500  # Quick checks for children between two checks of all processes.
_TRACER_PATIENCE = 5.0  # Seconds that an idle tracer has to end after all that it traces has ended.
_TRACER_LIMIT = 30.0
"""Seconds that a tracer has even while it waits for a processor, as on a loaded machine."""
_UNDONE = tuple(number for number in range(1, 32) if number not in (_KILL, _STOP))
"""Signals that Python, this program or the calling shell may ignore; the program gets defaults."""

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would take longer than all else here
    from typing import Any

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class SetupError(Exception):
    """An errno and the step that failed."""


def main(policy_fd: int, control: int, status: int) -> None:
    with open(policy_fd, "rb") as file:
        policy = marshal.load(file)  # noqa: S302 - written by the parent
    # Inside a mount namespace the folder is a path, because a descriptor would lead out.
    folder_fds = [policy["cwd"]] if isinstance(policy["cwd"], int) else []
    for fd in (control, status, *folder_fds):
        os.set_inheritable(fd, False)
    _prctl(_SET_SUBREAPER, 1, "subreaper")
    if policy["network"]:
        try:
            _pass_sockets(*policy["network"])
        except OSError as error:
            os.write(status, f"error {error.errno} network\n".encode())
            return
    # A byte arrives for each child that ends, so that one poll covers everything.
    wake, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    _on_child(woken)
    failure_reader, failure_writer = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(failure_reader, False)
    seizure_reader, seizure_writer = os.pipe2(os.O_CLOEXEC) if policy["observe"] else (-1, -1)
    child = os.fork()
    if child == 0:
        _become(policy, failure_writer, seizure_reader, seizure_writer)
    tracer = _trace(policy, child, failure_writer, seizure_writer) if policy["observe"] else 0
    os.close(failure_writer)
    log = [policy["observe"]["log"], seizure_reader, seizure_writer] if policy["observe"] else []
    for fd in (0, 1, 2, *folder_fds, *log, *policy["keep"]):
        os.close(fd)
    _watch(child, tracer, control, wake, _Status(status, failure_reader))


def _pass_sockets(fd: int, ports: tuple[int, ...]) -> None:
    """Listen at ports of this network namespace, and pass the sockets to whoever is outside."""
    import _socket

    sockets = []
    for port in ports:
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
        sockets.append(listener)
    numbers = b"".join(socket.fileno().to_bytes(4, sys.byteorder) for socket in sockets)
    out = _socket.socket(fileno=fd)
    out.sendmsg([b"n"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])
    for socket in (out, *sockets):
        socket.close()


def _trace(policy: dict[str, Any], child: int, failure_writer: int, seizure_writer: int) -> int:
    """Start the tracer of a process, which waits until it has been seized."""
    pid = os.fork()
    if pid:
        return pid
    import _signal  # type: ignore[import-not-found]

    code = 1
    try:
        _default(_CHLD)
        _signal.set_wakeup_fd(-1)
        _prctl(_SET_PDEATHSIG, _KILL, "death signal")
        log = policy["observe"]["log"]
        _close_all_but((log, failure_writer, seizure_writer))
        names: dict[str, Any] = {"__name__": "tracer"}
        exec(policy["observe"]["tracer"], names)  # noqa: S102 - tracer.py, compiled by the parent
        names["seize"](child)
        os.write(seizure_writer, b"1")
        os.close(seizure_writer)
        os.close(failure_writer)
        names["observe"](child, log, policy["observe"])
        code = 0
    except Exception as error:
        # Closed by now, once the program runs: the log then lacks its end.
        try:  # noqa: SIM105
            _fail(failure_writer, error, "observation")
        except OSError:
            pass
    finally:
        os._exit(code)


class _Status:
    """Writes the status lines; a failure to start comes before how the process ended."""

    def __init__(self, fd: int, failure_reader: int) -> None:
        self._fd = fd
        self._failure_reader = failure_reader

    def say(self, line: str) -> None:
        try:
            if error := os.read(self._failure_reader, 4096):
                self._write(error + b"\n")
        except BlockingIOError:
            pass
        self._write(line.encode() + b"\n")

    def _write(self, data: bytes) -> None:
        # The reader may have ended; the tree is ended all the same.
        try:  # noqa: SIM105 - contextlib takes longer to import than this takes to write
            os.write(self._fd, data)
        except OSError:
            pass


def _on_child(woken: int) -> None:
    import _signal

    _signal.set_wakeup_fd(woken)
    _signal.signal(_CHLD, lambda *_: None)
    for number in (1, 2, 13, _TERM):
        _signal.signal(number, _signal.SIG_IGN)


def _become(
    policy: dict[str, Any], failure_writer: int, seizure_reader: int, seizure_writer: int
) -> None:
    """In the child: drop what is not needed and become the program. Never returns."""
    import _signal

    where = "start"
    try:
        for number in _UNDONE:
            _default(number)
        _signal.set_wakeup_fd(-1)
        os.setsid()
        _prctl(_SET_PDEATHSIG, _KILL, "death signal")
        if policy["observe"]:
            os.close(seizure_writer)
            # Where only ancestors may trace, the tracer is made an exception until it has begun.
            _libc.prctl(_SET_PTRACER, ctypes.c_ulong(-1), 0, 0, 0)
            if not os.read(seizure_reader, 1):
                return
            _libc.prctl(_SET_PTRACER, ctypes.c_ulong(0), 0, 0, 0)
        where = "folder"
        os.chdir(policy["cwd"])
        where = "start"
        _close_all_but((0, 1, 2, failure_writer, *policy["keep"]))
        for fd in policy["keep"]:
            os.set_inheritable(fd, True)
        where = "limits"
        _limit(policy["limits"])
        _confine(policy)
        where = "start"
        os.execvpe(policy["argv"][0], policy["argv"], policy["env"])  # noqa: S606
    except (SetupError, OSError) as error:
        _fail(failure_writer, error, where)
    finally:
        os._exit(127)


def _fail(failure_writer: int, error: Exception, where: str = "start") -> None:
    if isinstance(error, SetupError):
        number, where = error.args
    elif error.args and not isinstance(error, OSError):
        number = error.args[0] if isinstance(error.args[0], int) else 0
    else:
        number = getattr(error, "errno", 0)
    os.write(failure_writer, f"error {number} {where}".encode())


def _default(number: int) -> None:
    import _signal

    _signal.signal(number, _signal.SIG_DFL)


def _close_all_but(kept_fds: tuple[int, ...]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept_fds:
            try:  # noqa: SIM105
                os.close(int(name))
            except OSError:
                pass  # The descriptor of the listing itself.


def _confine(policy: dict[str, Any]) -> None:
    if policy["confine"]:
        _drop_capabilities()
    # A filter needs it, at the level `copy` only the one of the observation.
    if policy["confine"] or policy["filter"]:
        _prctl(_SET_NO_NEW_PRIVS, 1, "no new privileges")
    if policy["landlock"]:
        _landlock(policy["landlock"], policy["rules"])
    if policy["filter"]:
        _filter(policy["filter"])


def _limit(limits: list[tuple[int, int, int]]) -> None:
    import resource

    for kind, soft, hard in limits:
        _, most = resource.getrlimit(kind)
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(kind, (soft, hard))


def _drop_capabilities() -> None:
    """Drop all capabilities for good. Without any, dropping the bounds fails and is not needed."""
    _libc.prctl(_CAP_AMBIENT, _AMBIENT_CLEAR, 0, 0, 0)
    number = 0
    while _libc.prctl(_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    _libc.prctl(_SET_SECUREBITS, _NO_ROOT, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _check_result(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capabilities")


def _landlock(attributes: bytes, rules: list[tuple[str | int, int]]) -> None:
    """`rules` have paths, or descriptors that the gate opened."""
    handled_access = int.from_bytes(attributes[:8], sys.byteorder)
    ruleset_fd = _libc.syscall(
        ctypes.c_long(_LANDLOCK_CREATE), attributes, ctypes.c_size_t(len(attributes)), 0
    )
    _check_result(ruleset_fd, "Landlock")
    for path, access in rules:
        try:
            if isinstance(path, int):
                fd = os.dup(path)
            else:
                fd = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue  # Removed meanwhile: what does not exist needs no grant.
        is_folder = os.fstat(fd).st_mode & 0o170000 == 0o040000
        granted_access = access & handled_access & (-1 if is_folder else _FILE_ACCESS)
        if granted_access:
            rule = granted_access.to_bytes(8, sys.byteorder) + fd.to_bytes(4, sys.byteorder)
            result = _libc.syscall(
                ctypes.c_long(_LANDLOCK_ADD), ctypes.c_int(ruleset_fd), 1, ctypes.c_char_p(rule), 0
            )
            _check_result(result, "Landlock")
        os.close(fd)
    _check_result(
        _libc.syscall(ctypes.c_long(_LANDLOCK_RESTRICT), ctypes.c_int(ruleset_fd), 0), "Landlock"
    )
    os.close(ruleset_fd)


def _filter(lines: bytes) -> None:
    class LauncherFilter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))

    program = LauncherFilter(len(lines) // 8, lines)
    _check_result(_libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0), "seccomp")


def _prctl(option: int, value: int, where: str) -> None:
    _check_result(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), where)


def _check_result(result: int, where: str) -> None:
    if result < 0:
        raise SetupError(ctypes.get_errno(), where)


def _watch(child: int, tracer: int, control: int, wake: int, status: _Status) -> None:
    """Wait until the program ends or is to be ended, then end the rest of its tree."""
    import select

    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(wake, select.POLLIN)
    has_ended = _reap(child, status, tracer)
    while not has_ended:
        ready = {fd for fd, _ in poll.poll()}
        if wake in ready:
            os.read(wake, 4096)
            has_ended = _reap(child, status, tracer)
        if control in ready and not has_ended:
            order = os.read(control, 1)
            below = _descendants()
            if order != b"T" or len(below) > _MANY:
                break
            for pid in below:
                if pid != tracer:
                    _send(pid, _TERM)
    if has_ended:
        _let_end(tracer, control, wake, status)
    leftover_count = _kill_all(child, status, tracer, wake)
    status.say(f"left {leftover_count}")


def _let_end(tracer: int, control: int, wake: int, status: _Status) -> None:
    """Give helpers of an ended program the moment that they take to see its end, such as those of
    Python's multiprocessing, which wait for a pipe to be closed."""
    import select
    from time import monotonic

    poll = select.poll()
    for fd in (wake, control):
        poll.register(fd, select.POLLIN)
    until = monotonic() + _GRACE
    while set(_descendants()) - {tracer} and monotonic() < until:
        ready = {fd for fd, _ in poll.poll(20)}
        if control in ready:
            return
        if wake in ready:
            os.read(wake, 4096)
            _reap(_NOBODY, status)


def _reap(child: int, status: _Status, tracer: int = 0) -> bool:
    """Reap ended children; return whether the program itself is among them. A tracer that somebody
    has stopped goes on: the program waits for it."""
    try:
        while True:
            pid, how = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            if pid == 0:
                return False
            if os.WIFSTOPPED(how):
                if pid == tracer:
                    _send(pid, _CONT)
                continue
            if pid == child:
                code = os.waitstatus_to_exitcode(how)
                status.say(f"exit {code}" if code >= 0 else f"signal {-code}")
                return True
    except ChildProcessError:
        return True


def _kill_all(child: int, status: _Status, tracer: int, wake: int) -> int:
    """End every process left, including daemons and fork bombs; return how many there were. They
    are stopped first, as some fork faster than they can be killed. The tracer ends after all that
    it traces; killed earlier, it would leave a gap in its log."""
    import select
    from time import monotonic

    poll = select.poll()
    poll.register(wake, select.POLLIN)
    leftover_count = _freeze(child, tracer) if tracer else -1
    until = monotonic() + _TRACER_PATIENCE
    latest = monotonic() + _TRACER_LIMIT
    while True:
        below = _descendants()
        other_pids = [pid for pid in below if pid != tracer]
        if leftover_count < 0:
            leftover_count = len([pid for pid in other_pids if pid != child])
        now = monotonic()
        if now < latest and (other_pids or b"R" in below.values()):
            until = min(now + _TRACER_PATIENCE, latest)
        elif not other_pids and now > until:
            tracer = 0
        for signal in (_STOP, _KILL):
            for pid in other_pids:
                _send(pid, signal)
        for _ in range(_SWEEPS):
            if not (children := [pid for pid in _children() if pid != tracer]):
                break
            for pid in children:
                _send(pid, _KILL)
            _reap(child, status)
        while True:
            try:
                pid, how = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return leftover_count
            if pid == 0:
                break
            if pid == child:
                status.say(f"signal {how & 0x7F}")
        if poll.poll(100):
            os.read(wake, 4096)


def _freeze(child: int, tracer: int) -> int:
    """Kill what a tracer traces while the tracer is stopped; return how many there were.

    Whoever forks then waits for the tracer, so that no process can fork faster than it is killed;
    signals to stop them would all have to be passed on by the tracer.
    """
    from time import monotonic

    _send(tracer, _STOP)
    leftover_count = -1
    until = monotonic() + _FREEZE_TIME
    calm = 0
    while calm < 2 and monotonic() < until:
        other_pids = [pid for pid in _descendants() if pid != tracer]
        if leftover_count < 0:
            leftover_count = len([pid for pid in other_pids if pid != child])
        calm = 0 if other_pids else calm + 1
        for pid in other_pids:
            _send(pid, _KILL)
    _send(tracer, _CONT)
    return leftover_count


def _children() -> list[int]:
    """The children of this process; [] where the kernel does not list them."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb", 0) as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def _descendants() -> dict[int, bytes]:
    """Every living descendant of this process, which adopts their orphans, with its state."""
    states: dict[int, bytes] = {}
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb", 0) as file:
                    fields = file.read(4096).rpartition(b")")[2].split()
            except OSError:
                continue  # It has ended.
            if fields[0] not in (b"Z", b"X"):
                states[int(name)] = fields[0]
                parents.setdefault(int(fields[1]), []).append(int(name))
    descendants: list[int] = []
    pending_pids = [os.getpid()]
    while pending_pids:
        below = parents.get(pending_pids.pop(), [])
        descendants += below
        pending_pids += below
    return {pid: states[pid] for pid in descendants}


def _send(pid: int, signal: int) -> None:
    try:  # noqa: SIM105
        os.kill(pid, signal)
    except OSError:
        pass


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
    # Python would take apart what it has loaded, which takes as long as a short program.
    os._exit(0)
