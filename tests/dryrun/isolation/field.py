"""What an attempt to get out may want to reach: files, sockets, processes beside the copies."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import tomllib
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from skillstudio.dryrun.isolation import known_gaps, launch
from skillstudio.dryrun.isolation.host import Host, this_host
from skillstudio.dryrun.prepared import (
    CopiedFolder,
    Options,
    PreparedProcess,
    RunFolders,
    StepStart,
)
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import ProgramOutput
from skillstudio.resources import toml_table

ATTEMPTS = Path(__file__).with_name("attempts.py").read_text()
"""The program as a text: no isolation level has to show where the tests lie."""
NOBODY = 65534
ROWS: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("escapes.toml").read_text())[
    "row"
]
GAPS: list[dict[str, Any]] = toml_table(known_gaps.__file__, "known_gaps.toml")["gap"]
PIPES = (
    *("write-pipe", "write-pipe-among-tools", "write-pipe-through-link", "write-pipe-both-ways"),
    *("read-pipe", "read-pipe-among-tools"),
)
VICTIM = """
import ctypes, json, os, sys
held = open(sys.argv[1], "a")
memory = ctypes.create_string_buffer(64)
print(json.dumps([os.getpid(), held.fileno(), ctypes.addressof(memory)]), flush=True)
sys.stdin.read()
"""
STREAM, DATAGRAM = socket.SOCK_STREAM, socket.SOCK_DGRAM
SOCKETS = {
    "unix-path": (socket.AF_UNIX, STREAM),
    "unix-abstract": (socket.AF_UNIX, STREAM),
    "desktop-bus": (socket.AF_UNIX, STREAM),
    "unix-datagram": (socket.AF_UNIX, DATAGRAM),
    "pair-connected-anew": (socket.AF_UNIX, DATAGRAM),
    "raw-pair-connected-anew": (socket.AF_UNIX, DATAGRAM),
    "tcp": (socket.AF_INET, STREAM),
    "udp": (socket.AF_INET, DATAGRAM),
    "udp-6": (socket.AF_INET6, DATAGRAM),
    "fast-open": (socket.AF_INET, STREAM),
}


class Outcome(NamedTuple):
    """What became of one attempt."""

    said: str
    """`done`, `refused`, `not-here`."""
    why: str
    effects: frozenset[str]
    """What was seen outside: `changed`, `arrived`, `died`, `alive`."""


class User(NamedTuple):
    name: str
    uid: int
    python: str
    prefix: tuple[str, ...]
    """What makes a command one of this user."""


@functools.cache
def user_of(name: str) -> User | str:
    """That user, or why there is none here."""
    if name == "root":
        if os.geteuid() != 0:
            return "only root can try what root can do"
        return User(name, 0, sys.executable, ())
    if os.geteuid() != 0:
        return User(name, os.geteuid(), sys.executable, ())
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return "setpriv is not installed"
    prefix = (setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    launcher = Path(launch.__file__).with_name("launcher.py")
    # Started twice: setpriv itself may still start what its user may not.
    check = "import subprocess as s, sys; open(sys.argv[1]); s.run([sys.executable, '-c', ''])"
    for python in (sys.executable, "/usr/bin/python3"):
        command = [*prefix, python, "-I", "-S", "-c", check, str(launcher)]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return User(name, NOBODY, python, prefix)
    return "an ordinary user reads neither a Python nor this checkout"


def sentence(gap: str, host: Host | None = None) -> str:
    """The text of a known gap, filled in for a host when one is given."""
    text = next(str(each["text"]) for each in GAPS if each["id"] == gap)
    return known_gaps.fill_paths(text, host) if host else text


def host_of(user: User, home: str, abi: int) -> Host:
    host = this_host()
    # Another user need not get at the tools that are on PATH here.
    path = host.path if user.uid == os.geteuid() else os.defpath
    return host._replace(
        python=user.python, root=user.uid == 0, home=home, landlock=abi, path=path, own_folders=()
    )


class Field:
    """Everything that an attempt may want to reach, made for one run of all of them."""

    def __init__(self, stack: ExitStack, user: User, names: list[str]) -> None:
        self.user = user
        self.stack = stack
        # Not below /tmp: there an isolation level shows the run's own files, and hides these.
        self.folder = tempfile.mkdtemp(prefix="skillstudio-field-", dir="/var/tmp")
        stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        for folder in ("outside", "original", "copy", "home", "tmp", "own-home/.ssh", "log"):
            os.makedirs(self.at(folder))
        for name in names:
            for tree in ("outside", "original", "copy"):
                os.makedirs(self.at(tree, name))
                self.write("as it was\n", tree, name, "file")
        self.secret = self.write("s3cret\n", "own-home", ".ssh", "id")
        self.places = self.make_readable()
        self.paths = {
            row["name"]: [self.secret_at("own-home", *path.split("/")) for path in row["paths"]]
            for row in ROWS
            if "paths" in row
        }
        mark = uuid.uuid4().hex
        self.shared = [f"/dev/shm/skillstudio-{mark}", f"/tmp/skillstudio-{mark}"]
        for path in self.shared:
            stack.callback(lambda path=path: Path(path).unlink(missing_ok=True))
        self.setuid = self.at("outside", "setuid")
        if user.uid and os.geteuid() == 0 and (program := shutil.which("id")):
            shutil.copy(program, self.setuid)
        self.give_away()
        self.mount_aliases()
        if os.path.exists(self.setuid):
            os.chown(self.setuid, 0, 0)
            os.chmod(self.setuid, 0o4755)
        self.listeners = {name: self.listen(name, mark) for name in SOCKETS}
        self.pipes = {name: self.open_pipe(name) for name in PIPES}
        self.terminal = self.open_terminal()
        self.victim = self.start(
            [user.python, "-I", "-S", "-c", VICTIM, self.at("outside", "proc-fd", "file")]
        )
        assert self.victim.stdout is not None
        told = json.loads(self.victim.stdout.readline())
        self.victims = {
            name: self.start(["/bin/sleep", "600"])
            for name in ("end-foreign", "end-foreign-by-descriptor", "limit-foreign", "pin-foreign")
        }
        self.segment, self.key = self.make_segment(stack)
        self.facts: dict[str, Any] = {
            "attempts": names,
            "outside": self.at("outside"),
            "original": self.at("original"),
            "secret": self.secret,
            "victim": told[0],
            "victim_fd": told[1],
            "victim_address": told[2],
            "victims": {name: process.pid for name, process in self.victims.items()},
            "sockets": {name: made[1] for name, made in self.listeners.items()},
            "shm_key": self.key,
            "shm": self.shared[0],
            "shared": self.shared[1],
            "setuid": self.setuid,
            "terminal": self.terminal,
            "paths": self.paths,
            "pipes": {name: made[1] for name, made in self.pipes.items()},
            **self.places,
        }
        self.before = {name: self.state(name) for name in names}

    def at(self, *names: str) -> str:
        return os.path.join(self.folder, *names)

    def write(self, text: str, *names: str) -> str:
        Path(self.at(*names)).write_text(text)
        return self.at(*names)

    def secret_at(self, *names: str) -> str:
        os.makedirs(os.path.dirname(self.at(*names)), exist_ok=True)
        return self.write("s3cret\n", *names)

    def make_readable(self) -> dict[str, str | None]:
        """Places that a program may want to read: a tool on PATH has some of them beside it."""
        tools = ("own-home", "tools", "lib")
        self.write_program("own-home", "tools", "bin", "tool")
        self.write_program("own-home", "more-tools", "bin", "tool")
        places = {
            "state": self.secret_at("own-home", "more-tools", "lib", "state", "trace.key"),
            "tool": self.secret_at(*tools, "library"),
            "other": self.secret_at("other-home", "notes"),
            "unrelated": self.secret_at("outside", "notes"),
            "hard_link": self.at("outside", "alias"),
            "tool_hard_link": self.at(*tools, "alias"),
        }
        for name in ("hard_link", "tool_hard_link"):
            os.link(self.secret, places[name])
        return {**places, "bind_mount": None, "tool_bind_mount": None}

    def write_program(self, *names: str) -> None:
        os.makedirs(os.path.dirname(self.at(*names)))
        self.write("#!/bin/sh\n", *names)
        os.chmod(self.at(*names), 0o755)

    def mount_aliases(self) -> None:
        """Show the folder of the secret in two other places, where this user may mount."""
        libc = ctypes.CDLL(None, use_errno=True)
        source = os.path.dirname(self.secret)
        for name, place in (
            ("bind_mount", self.at("outside", "bound")),
            ("tool_bind_mount", self.at("own-home", "tools", "lib", "bound")),
        ):
            os.mkdir(place)
            if libc.mount(source.encode(), place.encode(), None, 0x1000, None) == 0:
                self.stack.callback(libc.umount2, place.encode(), 2)
                self.places[name] = os.path.join(place, "id")

    def open_pipe(self, name: str) -> tuple[int, str]:
        """A named pipe that somebody holds open, with something in it where that is to be read."""
        folder = ("own-home", "tools", "lib") if name.endswith("tools") else ("outside",)
        path = self.at(*folder, f"{name}.pipe")
        os.mkfifo(path)
        os.chmod(path, 0o666)
        flags = os.O_RDWR if name.startswith("read") else os.O_RDONLY
        fd = os.open(path, flags | os.O_NONBLOCK)
        self.stack.callback(os.close, fd)
        if name.startswith("read"):
            os.write(fd, b"s3cret\n")
        return fd, path

    def give_away(self) -> None:
        for folder, folders, files in os.walk(self.folder):
            for name in (".", *folders, *files):
                os.chown(os.path.join(folder, name), self.user.uid, -1)

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*self.user.prefix, *command],
            cwd=self.at("outside"),
            env={"TOKEN": "s3cret"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.stack.callback(process.communicate)
        self.stack.callback(process.kill)
        return process

    def listen(self, name: str, mark: str) -> tuple[socket.socket, Any]:
        family, kind = SOCKETS[name]
        made = self.stack.enter_context(socket.socket(family, kind))
        made.setblocking(False)
        if family == socket.AF_UNIX:
            address = self.at("outside", f"{name}.socket")
            if name == "unix-abstract":
                made.bind(f"\0{mark}")
                address = mark
            else:
                made.bind(address)
                os.chmod(address, 0o777)
        else:
            made.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
            address = made.getsockname()[1]
        if kind == STREAM:
            made.listen()
        return made, address

    def open_terminal(self) -> str:
        master, slave = os.openpty()
        self.stack.callback(os.close, master)
        path = os.ttyname(slave)
        if os.geteuid() == 0:
            os.chown(path, self.user.uid, -1)
        os.close(slave)
        return path

    def make_segment(self, stack: ExitStack) -> tuple[int, int]:
        libc = ctypes.CDLL(None)
        key = int.from_bytes(os.urandom(3), "big") + 1
        segment = libc.shmget(key, 4096, 0o1666)
        stack.callback(libc.shmctl, segment, 0, None)
        return segment, key

    def state(self, name: str) -> list[object]:
        found: list[object] = [
            os.path.exists(path) for path in self.shared if name.startswith("write-shared")
        ]
        for tree in ("outside", "original"):
            for path in sorted(Path(self.at(tree, name)).iterdir()):
                about = path.lstat()
                inode = (about.st_mode, about.st_uid, about.st_size, about.st_mtime_ns)
                attributes = [] if path.is_symlink() else os.listxattr(path)
                found.append((str(path), *inode, tuple(attributes)))
        return found

    def effects(self, name: str) -> frozenset[str]:
        found = set()
        if self.state(name) != self.before[name]:
            found.add("changed")
        if name in self.listeners and self.arrived(self.listeners[name][0]):
            found.add("arrived")
        if name.startswith("write-pipe") and self.has_arrived(self.pipes[name][0]):
            found.add("arrived")
        if name in self.victims and self.victims[name].poll() is not None:
            found.add("died")
        for tree in ("copy", "original"):
            if self.alive(self.at(tree, f"alive-{name}")):
                found.add("alive")
        return frozenset(found)

    def arrived(self, listener: socket.socket) -> bool:
        try:
            if listener.type == STREAM:
                listener.accept()[0].close()
            else:
                listener.recv(64)
        except BlockingIOError:
            return False
        return True

    def has_arrived(self, pipe: int) -> bool:
        try:
            return bool(os.read(pipe, 64))
        except BlockingIOError:
            return False

    def alive(self, path: str) -> bool:
        """Whether somebody still holds the lock that a survivor takes; it is ended then."""
        if not os.path.exists(path):
            return False
        with open(path, "r+", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.kill(int(file.read()), signal.SIGKILL)
                return True
        return False

    def host(self, abi: int) -> Host:
        """The machine, with a tool on PATH below home that has skillstudio's state beside it."""
        host = host_of(self.user, self.at("own-home"), abi)
        tools = (self.at("own-home", name, "bin") for name in ("tools", "more-tools"))
        own = os.path.dirname(self.places["state"] or "")
        return host._replace(path=os.pathsep.join((host.path, *tools)), own_folders=(own,))

    def run(self, isolation: str, abi: int, trace: bool = False) -> dict[str, Outcome]:
        """Try everything at an isolation level, or on none where it is `plain`."""
        host = self.host(abi)
        copied = CopiedFolder(self.at("original"), self.at("copy"))
        ground = RunFolders(self.folder, (copied,), self.at("home"), self.at("tmp"))
        seen = self.at("copy") if isolation in ("copy", "confined") else self.at("original")
        facts = {**self.facts, "copy_seen": seen, "cwd": seen}
        argv = [self.user.python, "-I", "-S", "-X", "utf8", "-c", ATTEMPTS, json.dumps(facts)]
        cwd = self.at("original")
        options = Options(trace=trace, trace_log=self.at("log", "trace"))
        if isolation == "plain":
            said = self.plain(argv)
        else:
            start = StepStart(argv, {}, cwd, ground, options)
            if isolation == "isolated":
                prepared = launch.prepare_isolated(host, start)
            else:
                confine = isolation == "confined"
                prepared = launch.prepare(host, start, confine=confine)
            said = self.below(prepared)
        words = (line.split(" ", 2) for line in said.splitlines())
        told = {word[0]: word[1:] for word in words if len(word) > 1}
        return {
            name: Outcome(
                (told.get(name) or ["silent"])[0],
                " ".join(told.get(name, ())[1:]),
                self.effects(name),
            )
            for name in self.facts["attempts"]
        }

    def plain(self, argv: list[str]) -> str:
        path = self.at("log", "plain")
        with open(path, "wb") as file:
            subprocess.run(
                [*self.user.prefix, *argv], stdout=file, check=True, start_new_session=True, env={}
            )
        return Path(path).read_text()

    def below(self, prepared: PreparedProcess) -> str:
        output = ProgramOutput(self.at("log"))
        prepared = prepared._replace(argv=(*self.user.prefix, *prepared.argv))
        for fd in prepared.pass_fds:  # as if this user had made them
            if not fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_PATH:  # of those nobody is the owner
                os.fchown(fd, self.user.uid, -1)
        ended = execute(prepared, 60, threading.Event(), output)
        output.close()
        assert ended.exit_code == 0, (ended, output.stderr.tail())
        return Path(output.stdout.path).read_text()
