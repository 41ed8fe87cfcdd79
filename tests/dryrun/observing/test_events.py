"""What the records of a log mean."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.dryrun.running.ground import Start

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.observing import events as observing
from skillstudio.dryrun.observing.events import asked_name, events, is_bytecode, observe
from skillstudio.dryrun.observing.log import Call, Gaps, address_of, calls
from skillstudio.dryrun.prepared import CopiedFolder, Options, RunFolders, StepStart

QUESTION = b"\xb8\1\1\0\0\1\0\0\0\0\0\0\3api\7example\4test\0\0\1\0\1".hex()


def call(name: str, *texts: str, number: int = 0, error: str = "", pid: int = 6) -> Call:
    return Call(name, pid, error, number, texts)


def inet(host: str, port: int) -> str:
    return (b"\2\0" + port.to_bytes(2, "big") + socket.inet_aton(host)).hex()


def inet6(host: str, port: int) -> str:
    address = socket.inet_pton(socket.AF_INET6, host)
    return (b"\x0a\0" + port.to_bytes(2, "big") + bytes(4) + address).hex()


def unix(path: str) -> str:
    return (b"\1\0" + path.replace("@", "\0", 1).encode() + b"\0" * (path[0] != "@")).hex()


def data(*records: Call) -> bytes:
    """A log as the tracer writes it."""
    made = b""
    for name, pid, error, number, texts in records:
        fields = [str(4 + len(texts)), name, str(pid), str(getattr(errno, error, 0)), str(number)]
        made += b"".join(os.fsencode(each) + b"\0" for each in (*fields, *texts))
    return made


STARTED = (call("open", "/h/lib/os.py", "/h/lib/os.py"),
           call("exec", "/usr/local/bin/program", "program", error="ENOENT"),
           call("exec", "/usr/bin/program", "program"))  # fmt: skip
"""What every log begins with: the launcher looks for the program."""
END = call("end", pid=0)
ROWS: list[tuple[str, list[Call], list[tuple[str, str, str]]]] = [
    ("a program",
     [call("exec", '/usr/bin/curl', 'curl', '-s', 'http://x y')],
     [('exec', "curl -s 'http://x y'", '')]),
    ("a search in the PATH",
     [call("exec", '/usr/local/bin/curl', 'curl', error="ENOENT"),
      call("exec", '/usr/bin/curl', 'curl')],
     [('exec', 'curl', '')]),
    ("a program that is in no folder of PATH",
     [call("fork", number=7),
      call("exec", '/usr/local/bin/none', 'none', '-v', error="ENOENT", pid=7),
      call("exec", '/usr/bin/none', 'none', '-v', error="ENOENT", pid=7),
      call("exec", '/usr/bin/curl', 'curl')],
     [('exec', 'curl', ''), ('exec', 'none -v', 'ENOENT')]),
    ("a program that may not run",
     [call("exec", '/w/./run', './run', error="EACCES")],
     [('exec', './run', 'EACCES')]),
    ("env looks for another",
     [call("exec", '/usr/bin/env', 'env', 'python3', 'x'),
      call("exec", '/usr/bin/python3', 'python3', 'x')],
     [('exec', 'python3 x', '')]),
    ("env for itself",
     [call("exec", '/usr/bin/env', 'env')],
     [('exec', 'env', '')]),
    ("a version manager's shim",
     [call("exec", '/h/.pyenv/shims/python3', 'python3', 'x'),
      call("exec", '/bin/bash', 'bash', '/h/.pyenv/shims/python3', 'x'),
      call("fork", number=7),
      call("exec", '/usr/bin/readlink', 'readlink', 'x', pid=7),
      call("open", '/h/.pyenv/version', '/h/.pyenv/version', number=os.O_RDONLY, pid=7),
      call("exec", '/h/.pyenv/versions/3/bin/python3', 'python3', 'x'),
      call("open", '/h/.pyenv/versions/3/lib/os.py'),
      call("open", '/w/x', '/w/x', number=os.O_RDONLY)],
     [('exec', 'python3 x', ''), ('read', '/w/x', '')]),
    ("a file read",
     [call("open", '/w/in.txt', '/w/in.txt', number=os.O_RDONLY|os.O_CLOEXEC)],
     [('read', '/w/in.txt', '')]),
    ("a file of the loader",
     [call("open", '/etc/ld.so.cache', '/etc/ld.so.cache', number=os.O_RDONLY)],
     []),
    ("the interpreter that env finds for a script",
     [call("exec", '/w/./go.py', './go.py', '-v'),
      call("exec", '/usr/bin/python3', 'python3', '-u', './go.py', '-v'),
      call("open", '/w/./go.py', '/w/go.py', number=os.O_RDONLY),
      call("exec", '/usr/bin/timeout', 'timeout', '5', './go.py', '-v')],
     [('exec', './go.py -v', ''), ('read', '/w/go.py', ''), ('exec', 'timeout 5 ./go.py -v', '')]),
    ("a script that runs itself below another program",
     [call("exec", '/w/./go.sh', './go.sh'),
      call("open", '/w/./go.sh', '/w/go.sh', number=os.O_RDONLY),
      call("exec", '/usr/bin/timeout', 'timeout', '5', './go.sh')],
     [('exec', './go.sh', ''), ('read', '/w/go.sh', ''), ('exec', 'timeout 5 ./go.sh', '')]),
    ("the libraries of an interpreter that env found",
     [call("exec", '/w/./go.py', './go.py'),
      call("exec", '/srv/py/bin/python3', 'python3', './go.py'),
      call("open", '/srv/py/lib/os.py', '/srv/py/lib/os.py', number=os.O_RDONLY)],
     [('exec', './go.py', '')]),
    ("a file read through a link",
     [call("open", '/w/l', '/h/real', number=os.O_RDONLY)],
     [('read', '/h/real', '')]),
    ("a file written through a link",
     [call("open", '/w/l', '/h/real', number=os.O_WRONLY)],
     [('write', '/h/real', '')]),
    ("a file without a name",
     [call("open", '/tmp', '/tmp', number=os.O_RDWR|os.O_TMPFILE)],
     [('write', '/tmp', '')]),
    ("a file read under another name",
     [call("rename", '/w/.env', '/w/mine'), call("open", '/w/mine', '/w/mine')],
     [('write', '/w/.env', ''), ('write', '/w/mine', ''), ('read', '/w/.env', '')]),
    ("two files exchanged",
     [call("renameat2", '/w/a', '/w/b'), call("open", '/w/a', '/w/a')],
     [('write', '/w/a', ''), ('write', '/w/b', ''), ('read', '/w/b', '')]),
    ("a file of a folder with another name",
     [call("rename", '/w/data', '/w/d2'), call("rename", '/w/d2', '/w/d3'),
      call("open", '/w/d3/x/y', '/w/d3/x/y')],
     [('write', '/w/data', ''), ('write', '/w/d2', ''), ('write', '/w/data', ''),
      ('write', '/w/d3', ''), ('read', '/w/data/x/y', '')]),
    ("a file elsewhere, written and changed by a link",
     [call("link", '/h/.netrc', '/t/x'), call("open", '/t/x', '/t/x', number=os.O_WRONLY),
      call("chmod", '/t/x')],
     [('write', '/t/x', ''), ('write', '/h/.netrc', ''), ('write', '/h/.netrc', '')]),
    ("a name that a new file has afterwards",
     [call("link", '/h/.netrc', '/t/x'), call("unlink", '/t/x'),
      call("open", '/t/x', '/t/x', number=os.O_WRONLY|os.O_CREAT), call("open", '/t/x', '/t/x')],
     [('write', '/t/x', ''), ('remove', '/h/.netrc', ''), ('write', '/t/x', ''),
      ('read', '/t/x', '')]),
    ("a link that is refused",
     [call("link", '/h/.netrc', '/t/x', error="EXDEV"), call("open", '/t/x', '/t/x')],
     [('write', '/t/x', 'EXDEV'), ('read', '/t/x', '')]),
    ("a new file with another name",
     [call("open", '/w/a.tmp', '/w/a.tmp', number=os.O_WRONLY|os.O_CREAT),
      call("rename", '/w/a.tmp', '/w/a'), call("open", '/w/a', '/w/a')],
     [('write', '/w/a.tmp', ''), ('write', '/w/a.tmp', ''), ('write', '/w/a', ''),
      ('read', '/w/a', '')]),
    ("a file without a name that gets one",
     [call("open", '/w', '/w/#7', number=os.O_RDWR|os.O_TMPFILE), call("linkat", '/w/#7', '/w/a'),
      call("open", '/w/a', '/w/a')],
     [('write', '/w/#7', ''), ('write', '/w/a', ''), ('read', '/w/a', '')]),
    ("a folder that the run has made, with another name",
     [call("mkdir", '/w/d'), call("rename", '/w/d', '/w/e'), call("open", '/w/e/x', '/w/e/x')],
     [('write', '/w/d', ''), ('write', '/w/d', ''), ('write', '/w/e', ''), ('read', '/w/e/x', '')]),
    ("a socket at the place of an own one",
     [call("bind", unix("/t/own")), call("unlink", '/t/own'), call("connect", unix("/t/own"))],
     [('write', '/t/own', ''), ('remove', '/t/own', ''), ('connect', 'unix:/t/own', '')]),
    ("an own socket under another name",
     [call("bind", unix("/t/own")), call("rename", '/t/own', '/t/o'),
      call("connect", unix("/t/o"))],
     [('write', '/t/own', ''), ('write', '/t/own', ''), ('write', '/t/o', '')]),
    ("signals to others", [call("signal", number=7), call("signal", number=-7),
                           call("signal", number=-1)],
     [('signal', 'process 7', ''), ('signal', 'process group 7', ''),
      ('signal', 'every process', '')]),
    ("a stream to no port", [call("connect", inet("192.0.2.1", 0), number=1)],
     [('connect', '192.0.2.1:0', '')]),
    ("a question for a route", [call("connect", inet("192.0.2.1", 0), number=2)], []),
    ("the settings of npm, with its token",
     [call("exec", '/usr/bin/node', 'node', '/usr/bin/npm'),
      call("open", '/h/.npmrc', number=os.O_RDONLY, error="ENOENT")],
     [('exec', 'node /usr/bin/npm', '')]),
    ("the settings of git",
     [call("exec", '/usr/bin/git', 'git', 'log'),
      call("open", '/h/.gitconfig', '/h/.gitconfig', number=os.O_RDONLY)],
     [('exec', 'git log', '')]),
    ("the settings of git, read by a program that git starts",
     [call("exec", '/usr/bin/git-receive-pack', 'git-receive-pack', 'x'),
      call("open", '/h/.gitconfig', '/h/.gitconfig', number=os.O_RDONLY)],
     [('exec', 'git-receive-pack x', '')]),
    ("the settings of git, read by something else",
     [call("exec", '/usr/bin/cat', 'cat', 'x'),
      call("open", '/h/.gitconfig', '/h/.gitconfig', number=os.O_RDONLY)],
     [('exec', 'cat x', ''), ('read', '/h/.gitconfig', '')]),
    ("the settings of a program that an interpreter runs",
     [call("exec", '/h/bin/python3', 'python3', '/h/bin/pip', 'list'),
      call("open", '/etc/pip.conf', '/etc/pip.conf', number=os.O_RDONLY)],
     [('exec', 'python3 /h/bin/pip list', '')]),
    ("a folder listed",
     [call("open", '/w/d', '/w/d', number=os.O_RDONLY|os.O_DIRECTORY)],
     []),
    ("a secret read",
     [call("open", '/h/.ssh/id', number=os.O_RDONLY, error="EACCES")],
     [('read', '/h/.ssh/id', 'EACCES')]),
    ("a file that is not there",
     [call("open", '/w/no', number=os.O_RDONLY, error="ENOENT")],
     []),
    ("a file written",
     [call("open", '/w/out', '/w/out', number=os.O_WRONLY|os.O_CREAT)],
     [('write', '/w/out', '')]),
    ("a write that is refused",
     [call("open", '/etc/x', number=os.O_RDWR|os.O_CREAT, error="EROFS")],
     [('write', '/etc/x', 'EROFS')]),
    ("nowhere",
     [call("open", '/dev/null', '/dev/null', number=os.O_WRONLY)],
     []),
    ("a file beside a descriptor",
     [call("open", '/w/deep/x', '/w/deep/x', number=os.O_WRONLY|os.O_CREAT)],
     [('write', '/w/deep/x', '')]),
    ("where a process went",
     [call("mkdir", '/w/sub/x'),
      call("rmdir", '/w/y')],
     [('write', '/w/sub/x', ''), ('remove', '/w/y', '')]),
    ("where a child begins",
     [call("unlink", '/w/sub/x', pid=8),
      call("fork", number=8)],
     [('remove', '/w/sub/x', '')]),
    ("a thread goes where its process goes",
     [call("thread", number=7, pid=7),
      call("unlink", '/t/x')],
     [('remove', '/t/x', '')]),
    ("another name",
     [call("rename", '/w/a', '/w/b')],
     [('write', '/w/a', ''), ('write', '/w/b', '')]),
    ("a link",
     [call("symlinkat", '/w/l')],
     [('write', '/w/l', '')]),
    ("other bits",
     [call("fchmodat", '/etc/x', error="EPERM")],
     [('write', '/etc/x', 'EPERM')]),
    ("a host",
     [call("connect", inet("10.1.2.3", 443), number=1, error="ENETUNREACH")],
     [('connect', '10.1.2.3:443', 'ENETUNREACH')]),
    ("a host that may answer later",
     [call("connect", inet6("::1", 80), number=1, error="EINPROGRESS")],
     [('connect', '[::1]:80', '')]),
    ("a name asked for",
     [call("connect", inet("127.0.0.1", 53), number=2),
      call("query", QUESTION, inet("127.0.0.1", 53))],
     [('resolve', 'api.example.test', '')]),
    ("a connection to a name server that asks nothing that is observed",
     [call("connect", inet("127.0.0.1", 53), number=2), call("unlink", "/w/x")],
     [('remove', '/w/x', ''), ('connect', '127.0.0.1:53', '')]),
    ("a child that asks nothing",
     [call("connect", inet("127.0.0.1", 53), number=2), call("fork", number=7),
      call("query", QUESTION, inet("127.0.0.1", 53)),
      call("connect", inet("127.0.0.2", 53), number=2, pid=7)],
     [('resolve', 'api.example.test', ''), ('connect', '127.0.0.2:53', '')]),
    ("a message to a name server that is no question",
     [call("query", b"secret".hex(), inet("127.0.0.1", 53))],
     [('send', '127.0.0.1:53', '')]),
    ("a stream to a name server",
     [call("connect", inet("127.0.0.1", 53), number=1)],
     [('connect', '127.0.0.1:53', '')]),
    ("a name asked for without a connection",
     [call("query", QUESTION)],
     [('resolve', 'api.example.test', '')]),
    ("a packet",
     [call("send", inet("10.1.2.3", 443), error="EPERM")],
     [('send', '10.1.2.3:443', 'EPERM')]),
    ("no socket to be had",
     [call("family", "raw", number=socket.AF_INET, error="EACCES")],
     [('socket', 'raw network socket (AF_INET)', 'EACCES')]),
    ("a socket that is no network",
     [call("family", "", number=38)],
     [('other', 'a socket to the kernel (AF_ALG)', '')]),
    ("a socket of a family that nobody knows",
     [call("family", "", number=77, error="EAFNOSUPPORT")],
     [('socket', 'network socket (family 77)', 'EAFNOSUPPORT')]),
    ("addresses asked of the kernel",
     [call("netlink"), call("netlink", number=22)], []),
    ("a socket to the kernel that asks nothing that is observed",
     [call("netlink")], [('other', 'a socket to the network settings', '')]),
    ("a socket to the kernel that is refused", [call("netlink", error="EACCES")], []),
    ("a cache of Java", [call("list", "/tmp/hsperfdata_root"),
                         call("open", "/tmp/hsperfdata_root/7", number=66, error="EACCES")], []),
    ("a service of the C library", [call("connect", unix("/run/uuidd/request"), number=1)], []),
    ("a route that is set",
     [call("netlink"), call("netlink", number=22), call("netlink", number=24, error="EACCES")],
     [('other', 'a change of the network settings', 'EACCES')]),
    ("a local service",
     [call("connect", unix("/run/docker.sock"), number=1)],
     [('connect', 'unix:/run/docker.sock', '')]),
    ("an abstract one",
     [call("connect", unix("@bus"), number=1, error="ECONNREFUSED")],
     [('connect', 'unix:@bus', 'ECONNREFUSED')]),
    ("the C library's own",
     [call("connect", unix("/var/run/nscd/socket"), number=1, error="EACCES")],
     []),
    ("a local service of the run itself",
     [call("bind", unix("/w/s")), call("connect", unix("/w/s"), number=1, pid=7)],
     [('write', '/w/s', '')]),
    ("a message to a local service",
     [call("send", unix("/dev/log"))], [('connect', 'unix:/dev/log', '')]),
    ("a local service that is refused",
     [call("bind", unix("@own"), error="EACCES")],
     [('other', 'a local socket @own', 'EACCES')]),
    ("a foreign process",
     [call("signal", number=1, error="EPERM")],
     [('signal', 'process 1', 'EPERM')]),
    ("a foreign process that gets a signal",
     [call("signal", number=1)], [('signal', 'process 1', '')]),
    ("a process that nobody has seen",
     [call("signal", number=99, error="ESRCH")], [('signal', 'process 99', 'ESRCH')]),
    ("a datagram socket that waits for messages",
     [call("listen", inet("0.0.0.0", 0), number=2)], [('listen', '0.0.0.0:0', '')]),
    ("a datagram socket of a client",
     [call("listen", inet("0.0.0.0", 0), number=2), call("send", inet("10.1.2.3", 9))],
     [('send', '10.1.2.3:9', '')]),
    ("a folder that may not be listed",
     [call("open", "/root/x", number=os.O_DIRECTORY, error="EACCES")],
     [('list', '/root/x', 'EACCES')]),
    ("a file that is only named",
     [call("open", "/w/x", "/w/x", number=0o10000000)], []),
    ("a new file in a folder that is not there",
     [call("open", "/x/none/y", number=65, error="ENOENT")], [('write', '/x/none/y', 'ENOENT')]),
    ("memory of its own", [call("private", "shmget"), call("shared", "shmat")], []),
    ("memory of others", [call("private", "semget"), call("shared", "shmat")],
     [('other', 'shmat', '')]),
    ("a call that nobody knows",
     [call("unknown", number=5000, error="ENOSYS")], [('other', 'system call 5000', 'ENOSYS')]),
    ("a call of the other kind",
     [call("foreign", error="ENOSYS")],
     [('other', 'a system call of another processor', 'ENOSYS')]),
    ("a folder whose entries are read",
     [call("list", "/etc"), call("list", "/w/d")], [('list', '/etc', ''), ('list', '/w/d', '')]),
    ("folders that every program lists",
     [call("list", "/proc/6/fd"), call("list", "/dev/pts"), call("list", "/usr/lib/python3")], []),
    ("the processes of the machine", [call("list", "/proc")], [('list', '/proc', '')]),
    ("a descriptor that is opened again",
     [call("open", "/proc/6/fd/3", "/h/out", number=os.O_WRONLY),
      call("open", "/proc/6/fd/1", "pipe:[7]", number=os.O_WRONLY)],
     [('write', '/h/out', '')]),
    ("a device that leads to a file", [call("open", "/dev/stdout", "/h/out", number=os.O_WRONLY)],
     [('write', '/h/out', '')]),
    ("a thread writes its own state",
     [call("thread", number=7), call("open", "/proc/6/comm", "/proc/6/comm", number=1, pid=7)],
     []),
    ("the state of another process",
     [call("open", "/proc/7/oom_score_adj", "/proc/7/oom_score_adj", number=1)],
     [('write', '/proc/7/oom_score_adj', '')]),
    ("shared memory that has a name",
     [call("open", "/dev/shm/x", "/dev/shm/x", number=os.O_RDWR|os.O_CREAT)],
     [('write', '/dev/shm/x', '')]),
    ("a power of the system",
     [call("ptrace", error="EPERM")],
     [('other', 'ptrace', 'EPERM')]),
    ("a filter of its own calls",
     [call("exec", "/usr/bin/python3", "python3", "/w/go.py"), call("filter")],
     [("exec", "python3 /w/go.py", ""), ("filter", "python3 go.py", "")]),
    ("a filter that is refused",
     [call("exec", "/usr/bin/tool", "tool"), call("filter", error="EPERM")],
     [("exec", "tool", ""), ("filter", "tool", "EPERM")]),
    ("a filter that is faulty", [call("filter", error="EFAULT")], []),
    ("a listening socket", [call("listen", inet("0.0.0.0", 80))], [("listen", "0.0.0.0:80", "")]),
    ("a datagram that asks for a route",
     [call("connect", inet("10.1.2.3", 0), number=2)], []),
    ("a datagram socket that is connected",
     [call("connect", inet("10.1.2.3", 123), number=2)], [('connect', '10.1.2.3:123', '')]),
    ("users looked up by the C library",
     [call("open", "/etc/nsswitch.conf", "/etc/nsswitch.conf", number=os.O_CLOEXEC),
      call("open", "/etc/passwd", "/etc/passwd", number=os.O_CLOEXEC)], []),
    ("users read by the program itself",
     [call("open", "/etc/passwd", "/etc/passwd", number=os.O_CLOEXEC)],
     [("read", "/etc/passwd", "")]),
    ("users read by a shell that looked up users",
     [call("open", "/etc/nsswitch.conf", "/etc/nsswitch.conf", number=os.O_CLOEXEC),
      call("open", "/etc/passwd", "/etc/passwd")], [("read", "/etc/passwd", "")]),
    ("its own state", [call("open", "/proc/self/environ", "/proc/6/environ")], []),
    ("the environment of another process",
     [call("open", "/proc/7/environ", "/proc/7/environ")], [("read", "/proc/7/environ", "")]),
    ("what another process is", [call("open", "/proc/7/stat", "/proc/7/stat")], []),
    ("the settings of other software",
     [call("open", "/opt/other/app.conf", "/opt/other/app.conf")],
     [("read", "/opt/other/app.conf", "")]),
    ("a virtual environment",
     [call("exec", "/v/env/bin/python3", "python3", "x"),
      call("open", "/v/env/pyvenv.cfg", "/v/env/pyvenv.cfg"),
      call("open", "/v/env/lib/x.pth", "/v/env/lib/x.pth")], [("exec", "python3 x", "")]),
    ("a library folder of the workspace",
     [call("exec", "/w/x/bin/tool", "tool"), call("open", "/w/x/lib/data", "/w/x/lib/data")],
     [("exec", "tool", ""), ("read", "/w/x/lib/data", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("what", "records", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_a_call_is_told_by_what_it_means(
    what: str, records: list[Call], expected: list[tuple[str, str, str]]
) -> None:
    found = events(records, copies=("/w",))
    assert [(event.kind, event.subject, event.error) for event in found] == expected


def test_a_secret_that_is_looked_for_is_told_though_it_is_hidden() -> None:
    [event] = events([call("open", "/h/.ssh/id", error="ENOENT")], ("/h/.ssh",))
    assert (event.kind, event.subject, event.error) == ("read", "/h/.ssh/id", "ENOENT")


NOT_SHOWN = [
    # a call, whether it is told: `/h` exists on the machine and is not shown to the program
    (call("open", "/h/notes", error="ENOENT"), True),
    (call("open", "/h/new", number=os.O_WRONLY | os.O_CREAT, error="ENOENT"), True),
    (call("open", "/w/none", error="ENOENT"), False),
    (call("open", "/w/none", number=os.O_WRONLY | os.O_CREAT, error="ENOENT"), True),
    (call("mkdir", "/h/folder", error="ENOENT"), True),
    (call("unlink", "/h/notes", error="ENOENT"), True),
    (call("unlink", "/w/none", error="ENOENT"), False),
]


@pytest.mark.parametrize(("record", "is_told"), NOT_SHOWN)
def test_a_path_that_exists_and_is_hidden_is_refused(record: Call, is_told: bool) -> None:
    told = list(events([record], (), lambda path: path in ("/h", "/h/notes")))
    assert [each.error for each in told] == ["ENOENT"] * is_told


@pytest.mark.parametrize(
    ("record", "named"),
    [
        (call("unlink", "/home/run/notes", error="ENOENT"), ["ENOENT"]),
        (call("unlink", "/w/notes", error="ENOENT"), []),
        (call("open", "/home/run/notes", error="ENOENT"), []),
    ],
)
def test_a_change_in_the_home_folder_is_an_attempt_though_it_is_empty(
    record: Call, named: list[str]
) -> None:
    assert [event.error for event in events([record], home="/home/run")] == named


def test_a_folder_that_is_made_again_is_not_hidden() -> None:
    """As `mkdir -p` does for each folder above: an error that says that it exists."""
    assert list(events([call("mkdir", "/tmp", error="EEXIST")], (), lambda _: True)) == []


def test_a_question_is_read_only_whole() -> None:
    message = bytes.fromhex("b80101000001000000000000") + b"\3api\4test\0\0\1\0\1"
    assert asked_name(message) == "api.test"
    for end in range(len(message) - 5):
        assert asked_name(message[:end]) is None
    answer = bytes((*message[:2], 0x81, *message[3:]))
    assert asked_name(answer) is None


BYTECODE = [
    ("__pycache__/tool.cpython-311.pyc", True),
    ("__pycache__/tool.cpython-311.opt-1.pyc", True),
    ("__pycache__/tool.cpython-311.pyc.140231", True),
    ("__pycache__/other.cpython-311.pyc", False),
    ("__pycache__/tool.pyc", False),
    ("__pycache__/tool.py", False),
    ("tool.cpython-311.pyc", False),
]


@pytest.mark.parametrize(("path", "expected"), BYTECODE)
def test_bytecode_has_a_source_file(path: str, expected: bool, tmp_path: Path) -> None:
    (tmp_path / "tool.py").touch()
    assert is_bytecode(str(tmp_path / path)) is expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [(inet("10.1.2.3", 443), "10.1.2.3:443"), (inet6("::1", 80), "[::1]:80"),
     (unix("/run/x"), "unix:/run/x"), (unix("@bus"), "unix:@bus"), ("1000", None), ("", None),
     ("0200", None), ("0100", None)],
)  # fmt: skip
def test_an_address_is_worded(address: str, expected: str | None) -> None:
    assert address_of(address) == expected


def test_an_event_is_told_once_by_the_original(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(data(*STARTED, *[call("unlink", "/copy/a")] * 3, call("unlink", "/x"), END))
    found = observe(str(log), lambda path: path.replace("/copy", "/original"))
    assert [event.subject for event in found.events] == ["program", "/original/a", "/x"]
    assert (found.traced, found.cut, found.incomplete) == (True, False, ())


ENDED_EARLY = "the tracer was ended before the program"
UNREAD = "a part of the tracer's log could not be read"
WITH_GAPS = [
    # the end of a log, what is said of it
    (data(END), ()),
    (b"", (ENDED_EARLY,)),
    (data(call("gap", "a reason", pid=0), END), ("a reason",)),
    (b"noise\0", (UNREAD, ENDED_EARLY)),
    (b"9\0end\0", (UNREAD, ENDED_EARLY)),
    (b"4\0unlink\0x\0y\0z\0", (UNREAD, ENDED_EARLY)),
    (b"4\0unl", (UNREAD, ENDED_EARLY)),
]


@pytest.mark.parametrize(("end", "said"), WITH_GAPS)
def test_a_gap_makes_the_observation_incomplete(
    tmp_path: Path, end: bytes, said: tuple[str, ...]
) -> None:
    log = tmp_path / "log"
    log.write_bytes(data(*STARTED) + end)
    assert observe(str(log), str).incomplete == said


def test_a_log_that_is_empty_is_incomplete(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    assert observe(str(log), str).incomplete == (ENDED_EARLY,)


@given(st.data())
def test_a_log_that_is_cut_anywhere_is_incomplete(draw: st.DataObject) -> None:
    whole = data(*STARTED, call("unlink", "/x"), END)
    with tempfile.NamedTemporaryFile() as log:
        log.write(whole[: draw.draw(st.integers(0, len(whole) - 1))])
        log.flush()
        assert observe(log.name, str).incomplete


@given(st.binary(max_size=60))
def test_no_log_is_too_odd_to_be_read(odd: bytes) -> None:
    list(calls(odd, Gaps()))


def test_a_log_is_read_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    log.write_bytes(data(*STARTED, call("cut", pid=0), END))
    assert observe(str(log), str).cut
    log.write_bytes(data(*STARTED, *(call("unlink", f"/{number}") for number in range(100)), END))
    assert observe(str(log), str, is_stopped=lambda: True).cut
    monkeypatch.setattr(observing, "MAX_EVENTS", 10)
    found = observe(str(log), str)
    assert (len(found.events), found.cut) == (10, True)


PROGRAM = """
import os, socket, subprocess, threading
open('in.txt').read(); os.makedirs('a/b'); os.chdir('a')
t = threading.Thread(target=lambda: open('b/t.txt', 'w').write('t'))
t.start(); t.join()
subprocess.run(['sh', '-c', 'cd b; cat t.txt > copy.txt; rm t.txt'])
s = socket.socket(); s.settimeout(0.01)
s.connect_ex(('127.0.0.1', 9))
try: socket.getaddrinfo('api.example.test', 443)
except OSError: pass
try: s = socket.socket(); s.bind(('127.0.0.1', 8099)); s.listen()
except OSError: pass
"""


RACE = """
import ctypes, mmap, os, sys
libc = ctypes.CDLL(None)
shared = mmap.mmap(-1, 4096)
path = ctypes.addressof(ctypes.c_char.from_buffer(shared))
count, quiet = 20, b"/usr/share/none"
names = [b"%s/%d" % (os.getcwdb(), number) for number in range(count)]
def alternate(one, other):
    shared[:] = bytes(4096)
    pid = os.fork()
    if pid == 0:
        a, b = one + b"\\0", other + b"\\0"
        while True:
            shared[:len(a)] = a
            shared[:len(b)] = b
    return pid
def end(pid):
    os.kill(pid, 9)
    os.waitpid(pid, 0)
for name in names:
    pid = alternate(quiet, name)
    while (fd := libc.open(ctypes.c_void_p(path), 0)) < 0: pass
    os.close(fd)
    end(pid)
words = (ctypes.c_char_p * 2)(b"true", None)
pid = alternate(b"/bin/true", names[0])
codes = []
for _ in range(2 * count):
    started = os.fork()
    if started == 0:
        while True: libc.execv(ctypes.c_void_p(path), words)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(started, 0)[1]))
end(pid)
print(codes.count(0), codes.count(7))
"""


@pytest.mark.slow_cases("confined")
@pytest.mark.parametrize("isolation", ["confined", "isolated"])
def test_a_path_that_changes_while_it_is_read(isolation: str, tmp_path: Path) -> None:
    """What is told is what was opened and started, whatever a look before the call showed."""
    if not probe_isolation().level(isolation).traced:
        pytest.skip("this system does not let programs be observed")
    start = Start(tmp_path)
    for number in range(20):
        (start.copy / str(number)).write_text("#!/bin/sh\nexit 7\n")
        (start.copy / str(number)).chmod(0o700)
    log = start.folder / "log"
    ran = start(isolation, sys.executable, "-I", "-S", "-c", RACE,
                options=Options(trace=True, trace_log=str(log)))  # fmt: skip
    assert (ran.ended.exit_code, ran.err) == (0, b"")
    told = list(calls(log.read_bytes(), Gaps()))
    shown = start.copy if isolation == "confined" else start.folder / "original"
    opened = {each.texts[1] for each in told if each.name == "open" and not each.error}
    assert opened >= {str(shown / str(number)) for number in range(20)}
    script = str(shown / "0")
    of_scripts = [script in each.texts for each in told if each.name == "exec" and not each.error]
    programs, scripts = map(int, ran.out.split())
    # The first one started is the Python of this test.
    assert (of_scripts.count(False) - 1, of_scripts.count(True)) == (programs, scripts)


@pytest.mark.parametrize("isolation", ["copy", "confined", "isolated"])
def test_the_same_is_observed_at_every_level(isolation: str, tmp_path: Path) -> None:
    found = probe_isolation().level(isolation)
    if not found.traced:
        pytest.skip(found.reason or "this system does not let programs be observed")
    for name in ("work", "copy", "home", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "copy" / "in.txt").write_text("x")
    work, copy = str(tmp_path / "work"), str(tmp_path / "copy")
    folders = RunFolders(str(tmp_path), (CopiedFolder(work, copy),), str(tmp_path / "home"),
                         str(tmp_path / "tmp"))  # fmt: skip
    log = str(tmp_path / "log")
    start = StepStart([sys.executable, "-I", "-c", PROGRAM], {}, work, folders,
                      Options(trace=True, trace_log=log))  # fmt: skip
    prepared = probe_isolation().prepare(isolation, start)
    subprocess.run(prepared.argv, env=dict(prepared.env), cwd=prepared.cwd, check=True,
                   pass_fds=prepared.pass_fds)  # fmt: skip
    for fd in prepared.descriptors():
        os.close(fd)
    shown = _shown(copy if isolation != "isolated" else work)
    seen = observe(log, shown, copies=(work, copy))
    told = [(event.kind, event.subject) for event in seen.events if event.kind != "read"]
    assert seen.incomplete == ()
    assert told[0][0] == "exec"
    assert told[1:] == [
        ("write", "a"),
        ("write", "a/b"),
        ("write", "a/b/t.txt"),
        ("exec", "sh -c 'cd b; cat t.txt > copy.txt; rm t.txt'"),
        ("write", "a/b/copy.txt"),
        ("exec", "cat t.txt"),
        ("exec", "rm t.txt"),
        ("remove", "a/b/t.txt"),
        ("connect", "127.0.0.1:9"),
        ("resolve", "api.example.test"),
        ("listen", "127.0.0.1:8099"),
    ]
    assert ("read", "in.txt") in [(event.kind, event.subject) for event in seen.events]


def _shown(folder: str) -> Callable[[str], str]:
    return lambda path: os.path.relpath(path, folder) if path.startswith(folder + "/") else path


def test_what_git_reads_is_told_as_such() -> None:
    log = [
        call("exec", "/usr/lib/git-core/git-diff", "git-diff"),
        call("open", "/w/a.md", "/w/a.md"),
    ]
    assert [each.program for each in events(log)] == ["", "git"]
