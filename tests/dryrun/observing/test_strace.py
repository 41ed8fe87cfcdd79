"""The log of strace, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.observing.strace import (
    Call,
    Gaps,
    Started,
    calls,
    fd_path,
    items_of,
    text_of,
)

LINES: list[tuple[str, list[str], list[Call | Started]]] = [
    ("a call", ['6     unlink("a.txt") = 0'], [Call(6, "unlink", ('"a.txt"',), 0, "")]),
    ("a refusal", ['6 mkdir("/x", 0777) = -1 EROFS (Read-only file system)'],
     [Call(6, "mkdir", ('"/x"', "0777"), -1, "EROFS")]),
    ("a path behind the result", ['6 openat(AT_FDCWD</w>, "a", O_RDONLY) = 3</w/a>'],
     [Call(6, "openat", ("AT_FDCWD</w>", '"a"', "O_RDONLY"), 3, "", "/w/a")]),
    ("a path with brackets behind the result",
     [r'6 openat(AT_FDCWD</w>, "l", O_RDONLY) = 3</w/a\76\n>'],
     [Call(6, "openat", ("AT_FDCWD</w>", '"l"', "O_RDONLY"), 3, "", "/w/a>\n")]),
    ("a file that is gone", ['6 openat(AT_FDCWD</w>, "a", O_RDONLY) = 3</w/a>(deleted)'],
     [Call(6, "openat", ("AT_FDCWD</w>", '"a"', "O_RDONLY"), 3, "")]),
    ("a pipe", ['6 open("f", O_RDONLY) = 3<pipe:[5]>'],
     [Call(6, "open", ('"f"', "O_RDONLY"), 3, "")]),
    ("brackets and quotes in a name", ['6 unlink("a) = -1 \\"(,") = 0'],
     [Call(6, "unlink", ('"a) = -1 \\"(,"',), 0, "")]),
    ("a list", ['7 execve("/bin/sh", ["sh", "-c", "a, b"], 0x5 /* 3 vars */) = 0'],
     [Call(7, "execve", ('"/bin/sh"', '["sh", "-c", "a, b"]', "0x5 /* 3 vars */"), 0, "")]),
    ("a structure", ["6 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80)}, 16) = 0"],
     [Call(6, "connect", ("3<socket:[1]>", "{sa_family=AF_INET, sin_port=htons(80)}", "16"), 0,
           "")]),
    ("a call in two parts",
     ["6 clone(child_stack=NULL <unfinished ...>", "8 chdir(\"/w\") = 0",
      "6 <... clone resumed>, flags=SIGCHLD) = 8"],
     [Started(6, "clone"), Call(8, "chdir", ('"/w"',), 0, ""),
      Call(6, "clone", ("child_stack=NULL", "flags=SIGCHLD"), 8, "")]),
    ("an end without a beginning", ["6 <... clone resumed>) = 8"], []),
    ("a call that never returned", ["6 execve(\"/x\", [], 0x0) = ?"],
     [Call(6, "execve", ('"/x"', "[]", "0x0"), None, "")]),
    ("a log without numbers of processes", ['rmdir("d") = 0'],
     [Call(0, "rmdir", ('"d"',), 0, "")]),
    ("what is no call", ["6 +++ exited with 0 +++", "--- SIGCHLD ---", "", "noise"], []),
    ("half a line", ['6 openat(AT_FDCWD</w>, "a'], []),
]  # fmt: skip


@pytest.mark.parametrize(("what", "lines", "expected"), LINES, ids=[row[0] for row in LINES])
def test_a_line_is_read(what: str, lines: list[str], expected: list[Call | Started]) -> None:
    assert list(calls(lines, Gaps())) == expected


@given(st.lists(st.text(alphabet='06 ()[]{}<>",\\=-?.unliopenat resumedfinished', max_size=60)))
def test_no_line_stops_the_reader(lines: list[str]) -> None:
    list(calls([*lines, '6 unlink("x") = 0'], Gaps()))


SOUND: list[tuple[str, list[str]]] = [
    ("a process that ends", ['6 unlink("a") = 0', "6 +++ exited with 0 +++"]),
    ("one that is killed", ['6 unlink("a") = 0', "6 +++ killed by SIGKILL +++"]),
    ("one that dumps core", ['6 unlink("a") = 0', "6 +++ killed by SIGSEGV (core dumped) +++"]),
    ("one that is killed within a call",
     ["6 unlinkat(3, <unfinished ...>", "6 +++ killed by SIGKILL +++"]),
    ("one that ends a call that never returns",
     ["6 exit_group(3) = ?", "6 +++ exited with 3 +++"]),
    ("a child", ["6 clone(flags=SIGCHLD) = 7", "7 exit_group(0) = ?", "7 +++ exited with 0 +++",
                 "6 +++ exited with 0 +++"]),
    ("a thread that starts a program",
     ['6 unlink("a") = 0', '7 execve("/x", ["x"], 0x1 <unfinished ...>',
      "6 +++ superseded by execve in pid 7 +++", "6 <... execve resumed>) = 0",
      "6 +++ exited with 0 +++"]),
    ("a number that is used again",
     ['6 unlink("a") = 0', "6 +++ exited with 0 +++", '6 unlink("b") = 0',
      "6 +++ killed by SIGTERM +++"]),
    ("a signal", ["6 --- SIGCHLD {si_signo=SIGCHLD} ---", '6 unlink("a") = 0',
                  "6 +++ exited with 0 +++"]),
    ("a call whose name the tracer cannot tell",
     ["6 ????( <unfinished ...>", "6 +++ killed by SIGKILL +++"]),
    ("the same in other versions", ["6 ???( <unfinished ...>", "6 +++ killed by SIGKILL +++"]),
    ("a call whose name this machine lacks",
     ["6 syscall_0x1c7(0x1, 0x2) = -1 ENOSYS (No)", "6 +++ exited with 0 +++"]),
]  # fmt: skip


@pytest.mark.parametrize(("what", "lines"), SOUND, ids=[row[0] for row in SOUND])
def test_a_sound_log_has_no_gap(what: str, lines: list[str]) -> None:
    gaps = Gaps()
    list(calls(lines, gaps))
    assert (gaps.unread, gaps.first, gaps.running) == (0, "", set())


BROKEN: list[tuple[str, list[str], int, set[int]]] = [
    # the lines, how many mean nothing, which processes have no end
    ("text of a program", ["hello"], 1, set()),
    ("an empty line", [""], 1, set()),
    ("half a call", ['6 openat(AT_FDCWD</w>, "a'], 1, {6}),
    ("a call without its result", ['6 unlink("a")'], 1, {6}),
    ("the end of a call that never began", ["6 <... clone resumed>) = 8"], 1, {6}),
    ("a call that began and is not in the log any more",
     ["6 unlinkat(3, <unfinished ...>"], 0, {6}),
    ("a process without its end", ['6 unlink("a") = 0'], 0, {6}),
    ("a child without its end",
     ["6 clone(flags=SIGCHLD) = 7", "7 exit_group(0) = ?", "6 +++ exited with 0 +++"], 0, {7}),
    ("an end of another form", ['6 unlink("a") = 0', "6 +++ gone +++"], 1, {6}),
    ("a call that swallows the next one",
     ['6 openat(AT_FDCWD</w>, "aaaaaaaa6 openat(AT_FDCWD</w>, "b", O_RDONLY) = 3'], 1, {6}),
    ("a tracer that lets go", ["6 pause( <detached ...>"], 1, {6}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "lines", "unread", "running"), BROKEN, ids=[row[0] for row in BROKEN]
)
def test_a_gap_is_counted(what: str, lines: list[str], unread: int, running: set[int]) -> None:
    gaps = Gaps()
    list(calls(lines, gaps))
    assert (gaps.unread, gaps.running) == (unread, running)
    assert bool(gaps.first) == any(lines) * bool(unread)


TEXTS: list[tuple[str, bytes | None]] = [
    ('"plain"', b"plain"),
    ('"a\\"b"', b'a"b'),
    ('"\\3api\\7example\\0"', b"\x03api\x07example\x00"),
    ('"\\x41\\n\\t\\\\"', b"A\n\t\\"),
    ('"\\351t\\351"...', b"\xe9t\xe9"),
    ('"ž"', "ž".encode()),
    ("NULL", None),
    ("0x7ff", None),
]


@pytest.mark.parametrize(("argument", "expected"), TEXTS)
def test_a_text_is_unquoted(argument: str, expected: bytes | None) -> None:
    assert text_of(argument) == expected


def test_the_parts_of_a_list_are_told_apart() -> None:
    assert items_of('["a", "b, c", {x=1, y=[2, 3]}]') == ['"a"', '"b, c"', "{x=1, y=[2, 3]}"]
    assert items_of("NULL") == []


@pytest.mark.parametrize(
    ("argument", "path"),
    [
        ("3</tmp/x>", "/tmp/x"),
        ("AT_FDCWD</w/d\\40e>", "/w/d e"),
        ("4</tmp/a \\74b\\76>", "/tmp/a <b>"),
        ("5</tmp/x (deleted)>", "/tmp/x"),
        ("3<socket:[12]>", None),
        ("3", None),
    ],
)
def test_the_path_of_a_descriptor_is_told(argument: str, path: str | None) -> None:
    assert fd_path(argument) == path
