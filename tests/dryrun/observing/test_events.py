"""What the lines of a log mean."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.isolation.launch import TRACED
from skillstudio.dryrun.observing import events as observing
from skillstudio.dryrun.observing.events import asked_name, events, observe
from skillstudio.dryrun.observing.strace import Gaps, calls

QUESTION = r'"\270\1\1\0\0\1\0\0\0\0\0\0\3api\7example\4test\0\0\1\0\1"'
SERVER = '{sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.1")}, 16'
WEB = '{sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("10.1.2.3")}'
WEB6 = '{sa_family=AF_INET6, sin6_port=htons(80), sin6_addr=..., inet_pton(AF_INET6, "::1", &x)}'

STARTED = ('6 execve("/usr/bin/python3", ["python3", "launcher.py"], 0x1) = 0',
           '6 execve("/usr/bin/program", ["program"], 0x1) = 0')  # fmt: skip
"""What every log begins with."""
ENDED = "6 +++ exited with 0 +++"
ROWS: list[tuple[str, list[str], list[tuple[str, str, str]]]] = [
    ("a program", ['6 execve("/usr/bin/curl", ["curl", "-s", "http://x y"], 0x1) = 0'],
     [("exec", "curl -s 'http://x y'", "")]),
    ("a search in the PATH", ['6 execve("/usr/local/bin/curl", ["curl"], 0x1) = -1 ENOENT (No)'],
     []),
    ("a program that may not run", ['6 execve("./run", ["./run"], 0x1) = -1 EACCES (Denied)'],
     [("exec", "./run", "EACCES")]),
    ("env looks for another",
     ['6 execve("/usr/bin/env", ["env", "python3", "x"], 0x1) = 0',
      '6 execve("/usr/bin/python3", ["python3", "x"], 0x1) = 0'],
     [("exec", "python3 x", "")]),
    ("env for itself", ['6 execve("/usr/bin/env", ["env"], 0x1) = 0'], [("exec", "env", "")]),
    ("a version manager's shim",
     ['6 execve("/h/.pyenv/shims/python3", ["python3", "x"], 0x1) = 0',
      '6 execve("/bin/bash", ["bash", "/h/.pyenv/shims/python3", "x"], 0x1) = 0',
      "6 clone(flags=SIGCHLD) = 7",
      '7 execve("/usr/bin/readlink", ["readlink", "x"], 0x1) = 0',
      '7 openat(AT_FDCWD</w>, "/h/.pyenv/version", O_RDONLY) = 3',
      '6 execve("/h/.pyenv/versions/3/bin/python3", ["python3", "x"], 0x1) = 0',
      '6 openat(AT_FDCWD</w>, "/h/.pyenv/versions/3/lib/os.py", O_RDONLY) = 3',
      '6 openat(AT_FDCWD</w>, "x", O_RDONLY) = 3'],
     [("exec", "python3 x", ""), ("read", "/w/x", "")]),
    ("a file read", ['6 openat(AT_FDCWD</w>, "in.txt", O_RDONLY|O_CLOEXEC) = 3'],
     [("read", "/w/in.txt", "")]),
    ("a file of the loader", ['6 openat(AT_FDCWD</w>, "/etc/ld.so.cache", O_RDONLY) = 3'], []),
    ("the interpreter that env finds for a script",
     ['6 execve("./go.py", ["./go.py", "-v"], 0x1) = 0',
      '6 execve("/usr/bin/python3", ["python3", "-u", "./go.py", "-v"], 0x1) = 0',
      '6 openat(AT_FDCWD</w>, "./go.py", O_RDONLY) = 3</w/go.py>',
      '6 execve("/usr/bin/timeout", ["timeout", "5", "./go.py", "-v"], 0x1) = 0'],
     [("exec", "./go.py -v", ""), ("read", "/w/go.py", ""),
      ("exec", "timeout 5 ./go.py -v", "")]),
    ("a script that runs itself below another program",
     ['6 execve("./go.sh", ["./go.sh"], 0x1) = 0',
      '6 openat(AT_FDCWD</w>, "./go.sh", O_RDONLY) = 3</w/go.sh>',
      '6 execve("/usr/bin/timeout", ["timeout", "5", "./go.sh"], 0x1) = 0'],
     [("exec", "./go.sh", ""), ("read", "/w/go.sh", ""), ("exec", "timeout 5 ./go.sh", "")]),
    ("the libraries of an interpreter that env found",
     ['6 execve("./go.py", ["./go.py"], 0x1) = 0',
      '6 execve("/srv/py/bin/python3", ["python3", "./go.py"], 0x1) = 0',
      '6 openat(AT_FDCWD</w>, "/srv/py/lib/os.py", O_RDONLY) = 3</srv/py/lib/os.py>'],
     [("exec", "./go.py", "")]),
    ("a file read through a link", ['6 openat(AT_FDCWD</w>, "l", O_RDONLY) = 3</h/real>'],
     [("read", "/h/real", "")]),
    ("a file written through a link", ['6 openat(AT_FDCWD</w>, "l", O_WRONLY) = 3</h/real>'],
     [("write", "/h/real", "")]),
    ("a file without a name",
     ['6 openat(AT_FDCWD</w>, "/tmp", O_RDWR|O_TMPFILE, 0600) = 3</tmp/#12>(deleted)'],
     [("write", "/tmp", "")]),
    ("the settings of npm, with its token",
     ['6 execve("/usr/bin/node", ["node", "/usr/bin/npm"], 0x1) = 0',
      '6 openat(AT_FDCWD</w>, "/h/.npmrc", O_RDONLY) = -1 ENOENT (No such file)'],
     [("exec", "node /usr/bin/npm", "")]),
    ("the settings of git",
     ['6 execve("/usr/bin/git", ["git", "log"], 0x1) = 0',
      '6 openat(AT_FDCWD</w>, "/h/.gitconfig", O_RDONLY) = 3'], [("exec", "git log", "")]),
    ("the settings of git, read by something else",
     ['6 execve("/usr/bin/cat", ["cat", "x"], 0x1) = 0',
      '6 openat(AT_FDCWD</w>, "/h/.gitconfig", O_RDONLY) = 3'],
     [("exec", "cat x", ""), ("read", "/h/.gitconfig", "")]),
    ("the settings of a program that an interpreter runs",
     ['6 execve("/h/bin/python3", ["python3", "/h/bin/pip", "list"], 0x1) = 0',
      '6 openat(AT_FDCWD</w>, "/etc/pip.conf", O_RDONLY) = 3'],
     [("exec", "python3 /h/bin/pip list", "")]),
    ("a folder listed", ['6 openat(AT_FDCWD</w>, "d", O_RDONLY|O_DIRECTORY) = 3'], []),
    ("a secret read", ['6 openat(AT_FDCWD</w>, "/h/.ssh/id", O_RDONLY) = -1 EACCES (Denied)'],
     [("read", "/h/.ssh/id", "EACCES")]),
    ("a file that is not there", ['6 openat(AT_FDCWD</w>, "no", O_RDONLY) = -1 ENOENT (No)'], []),
    ("a file written", ['6 openat(AT_FDCWD</w>, "out", O_WRONLY|O_CREAT, 0666) = 3'],
     [("write", "/w/out", "")]),
    ("a write that is refused",
     ['6 openat(AT_FDCWD</w>, "/etc/x", O_RDWR|O_CREAT, 0666) = -1 EROFS (Read-only)'],
     [("write", "/etc/x", "EROFS")]),
    ("nowhere", ['6 openat(AT_FDCWD</w>, "/dev/null", O_WRONLY) = 3'], []),
    ("a file beside a descriptor", ['6 openat(5</w/deep>, "x", O_WRONLY|O_CREAT) = 3'],
     [("write", "/w/deep/x", "")]),
    ("where a process went",
     ['6 chdir("sub") = 0', '6 mkdir("x", 0777) = 0', '6 chdir("..") = 0', '6 rmdir("y") = 0'],
     [("write", "/w/sub/x", ""), ("remove", "/w/y", "")]),
    ("where a child begins",
     ['6 chdir("sub") = 0', "6 vfork( <unfinished ...>", '8 unlink("x") = 0',
      "6 <... vfork resumed>) = 8"],
     [("remove", "/w/sub/x", "")]),
    ("a thread goes where its process goes",
     ["6 clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 7", '7 chdir("/t") = 0', '6 unlink("x") = 0'],
     [("remove", "/t/x", "")]),
    ("another name", ['6 rename("a", "b") = 0'], [("write", "/w/a", ""), ("write", "/w/b", "")]),
    ("a link", ['6 symlinkat("target", AT_FDCWD</w>, "l") = 0'], [("write", "/w/l", "")]),
    ("other bits", ['6 fchmodat(AT_FDCWD</w>, "/etc/x", 0777) = -1 EPERM (No)'],
     [("write", "/etc/x", "EPERM")]),
    ("a host", [f"6 connect(3<socket:[1]>, {WEB}, 16) = -1 ENETUNREACH (No)"],
     [("connect", "10.1.2.3:443", "ENETUNREACH")]),
    ("a host that may answer later", [f"6 connect(3, {WEB6}, 28) = -1 EINPROGRESS (Now)"],
     [("connect", "[::1]:80", "")]),
    ("a name asked for",
     [f"6 connect(3<socket:[1]>, {SERVER}) = 0",
      f"6 sendmmsg(3<socket:[1]>, [{{msg_hdr={{msg_iov=[{{iov_base={QUESTION}}}]}}}}], 1) = 1"],
     [("resolve", "api.example.test", "")]),
    ("a name asked for without a connection",
     [f"6 sendto(4, {QUESTION}, 34, 0, {SERVER}) = 34"], [("resolve", "api.example.test", "")]),
    ("a packet", [f'6 sendto(4, "hi", 2, 0, {WEB}, 16) = -1 EPERM (No)'],
     [("send", "10.1.2.3:443", "EPERM")]),
    ("no socket to be had", ["6 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = -1 EACCES (No)"],
     [("socket", "network socket (AF_INET)", "EACCES")]),
    ("a socket of the kernel's", ["6 socket(AF_NETLINK, SOCK_RAW, 0) = -1 EACCES (No)"], []),
    ("a local one that is refused", ["6 socket(AF_UNIX, SOCK_STREAM, 0) = -1 EACCES (No)"], []),
    ("a local service", ['6 connect(3, {sa_family=AF_UNIX, sun_path="/run/docker.sock"}, 9) = 0'],
     [("connect", "unix:/run/docker.sock", "")]),
    ("an abstract one",
     ['6 connect(3, {sa_family=AF_UNIX, sun_path=@"bus"}, 9) = -1 ECONNREFUSED (No)'],
     [("connect", "unix:@bus", "ECONNREFUSED")]),
    ("the C library's own",
     ['6 connect(3, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 9) = -1 EACCES (No)'],
     []),
    ("a foreign process", ["6 kill(1, SIGKILL) = -1 EPERM (No)"],
     [("signal", "process 1", "EPERM")]),
    ("a power of the system", ["6 ptrace(PTRACE_ATTACH, 1) = -1 EPERM (No)"],
     [("other", "ptrace", "EPERM")]),
]  # fmt: skip


@pytest.mark.parametrize(("what", "lines", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_a_call_is_told_by_what_it_means(
    what: str, lines: list[str], expected: list[tuple[str, str, str]]
) -> None:
    found = events(calls(lines, Gaps()), "/w")
    assert [(event.kind, event.subject, event.refused) for event in found] == expected


def test_a_secret_that_is_looked_for_is_told_though_it_is_hidden() -> None:
    lines = ['6 openat(AT_FDCWD</w>, "/h/.ssh/id", O_RDONLY) = -1 ENOENT (No such file)']
    [event] = events(calls(lines, Gaps()), "/w", ("/h/.ssh",))
    assert (event.kind, event.subject, event.refused) == ("read", "/h/.ssh/id", "ENOENT")


NOT_SHOWN = [
    # a call, whether it is told: `/h` exists on the machine and is not shown to the program
    ('openat(AT_FDCWD</w>, "/h/notes", O_RDONLY)', True),
    ('openat(AT_FDCWD</w>, "/h/new", O_WRONLY|O_CREAT, 0666)', True),
    ('openat(AT_FDCWD</w>, "/w/none", O_RDONLY)', False),
    ('openat(AT_FDCWD</w>, "/w/none", O_WRONLY|O_CREAT, 0666)', False),
    ('mkdir("/h/folder", 0777)', True),
    ('unlink("/h/notes")', True),
    ('unlink("/w/none")', False),
]


@pytest.mark.parametrize(("call", "is_told"), NOT_SHOWN)
def test_a_path_that_exists_and_is_hidden_is_refused(call: str, is_told: bool) -> None:
    found = calls([f"6 {call} = -1 ENOENT (No such file)"], Gaps())
    told = list(events(found, "/w", (), lambda path: path in ("/h", "/h/notes")))
    assert [each.refused for each in told] == ["ENOENT"] * is_told


def test_a_folder_that_is_made_again_is_not_hidden() -> None:
    """As `mkdir -p` does for each folder above: an error that says that it exists."""
    found = calls(['6 mkdir("/tmp", 0777) = -1 EEXIST (File exists)'], Gaps())
    assert list(events(found, "/w", (), lambda _: True)) == []


def test_a_question_is_read_only_whole() -> None:
    message = bytes.fromhex("b80101000001000000000000") + b"\3api\4test\0\0\1\0\1"
    assert asked_name(message) == "api.test"
    for end in range(len(message) - 5):
        assert asked_name(message[:end]) is None
    answer = bytes((*message[:2], 0x81, *message[3:]))
    assert asked_name(answer) is None


def test_an_event_is_told_once_by_the_original(tmp_path: Path) -> None:
    log = tmp_path / "log"
    lines = [*STARTED, *['6 unlink("/copy/a") = 0'] * 3, '6 unlink("/x") = 0', ENDED]
    log.write_text("\n".join(lines) + "\n")
    found = observe(str(log), "/copy", lambda path: path.replace("/copy", "/original"))
    assert [event.subject for event in found.events] == ["program", "/original/a", "/x"]
    assert (found.traced, found.cut, found.incomplete) == (True, False, ())


def test_what_the_launcher_did_before_the_program_is_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log"
    before = ['6 openat(AT_FDCWD</w>, "/h/lib/os.py", O_RDONLY) = 3',
              '6 execve("/usr/local/bin/program", ["program"], 0x1) = -1 ENOENT (No)']  # fmt: skip
    log.write_text("\n".join([STARTED[0], *before, STARTED[1], ENDED]) + "\n")
    assert [event.subject for event in observe(str(log), "/", str).events] == ["program"]


WITH_GAPS = [
    # the end of a log, what is said of it
    (f"{ENDED}\n", ()),
    ("", ("the tracer did not record how 1 process ended",)),
    (f"{ENDED}\nnoise\n", ("1 line of the tracer's log could not be read, first: noise",)),
    (f"{ENDED}\none\ntwo\n", ("2 lines of the tracer's log could not be read, first: one",)),
    (ENDED, ("the tracer's log ends in the middle of a line",)),
    (f"{ENDED}\n7 unlink(",
     ("1 line of the tracer's log could not be read, first: 7 unlink(",
      "the tracer's log ends in the middle of a line",
      "the tracer did not record how 1 process ended")),
]  # fmt: skip


@pytest.mark.parametrize(("end", "said"), WITH_GAPS)
def test_a_gap_makes_the_observation_incomplete(
    tmp_path: Path, end: str, said: tuple[str, ...]
) -> None:
    log = tmp_path / "log"
    log.write_text("\n".join(STARTED) + "\n" + end)
    assert observe(str(log), "/", str).incomplete == said


def test_a_log_that_is_empty_is_incomplete(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    assert observe(str(log), "/", str).incomplete == ("the log is empty",)


@given(st.data())
def test_a_log_that_is_cut_anywhere_is_incomplete(data: st.DataObject) -> None:
    whole = "\n".join([*STARTED, '6 unlink("/x") = 0', ENDED]) + "\n"
    with tempfile.NamedTemporaryFile("w") as log:
        log.write(whole[: data.draw(st.integers(0, len(whole) - 1))])
        log.flush()
        assert observe(log.name, "/", str).incomplete


def test_a_log_is_read_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    lines = [*STARTED, *(f'6 unlink("{number}") = 0' for number in range(100))]
    log.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(observing, "MAX_LOG", 500)
    assert observe(str(log), "/", str).cut
    monkeypatch.undo()
    monkeypatch.setattr(observing, "MAX_EVENTS", 10)
    found = observe(str(log), "/", str)
    assert (len(found.events), found.cut) == (10, True)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_real_log_is_understood(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "in.txt").write_text("x")
    program = (
        "import os, socket, subprocess, threading\n"
        "open('in.txt').read(); os.makedirs('a/b'); os.chdir('a')\n"
        "t = threading.Thread(target=lambda: open('b/t.txt', 'w').write('t'))\n"
        "t.start(); t.join()\n"
        "subprocess.run(['sh', '-c', 'cd b; cat t.txt > copy.txt; rm t.txt'])\n"
        "s = socket.socket(); s.settimeout(0.01)\n"
        "s.connect_ex(('127.0.0.1', 9))\n"
    )
    log = tmp_path / "log"
    command = ["strace", "-f", "-q", "-y", "-s", "512", "-e", "signal=none"]
    traced = ",".join(TRACED.split())
    subprocess.run(
        [*command, "-o", str(log), "-e", f"trace={traced}",
         "sh", "-c", 'exec "$@"', "sh", sys.executable, "-I", "-c", program],
        cwd=work, check=True,
    )  # fmt: skip
    found = observe(str(log), str(work), lambda path: os.path.relpath(path, work))
    told = [(event.kind, event.subject) for event in found.events if event.kind != "read"]
    assert found.incomplete == ()
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
    ]
    assert ("read", "in.txt") in [(event.kind, event.subject) for event in found.events]


def test_what_git_reads_is_told_as_such() -> None:
    log = [
        '6 execve("/usr/lib/git-core/git-diff", ["git-diff"], 0x1) = 0',
        '6 openat(AT_FDCWD</w>, "a.md", O_RDONLY) = 3',
    ]
    assert [each.program for each in events(calls(log, Gaps()), "/w")] == ["", "git"]
