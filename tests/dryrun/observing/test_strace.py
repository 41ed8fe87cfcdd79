"""The log of strace, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.observing.strace import Call, Started, calls, fd_path, items_of, text_of

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
    assert list(calls(lines)) == expected


@given(st.lists(st.text(alphabet='06 ()[]{}<>",\\=-?.unliopenat resumedfinished', max_size=60)))
def test_no_line_stops_the_reader(lines: list[str]) -> None:
    list(calls([*lines, '6 unlink("x") = 0']))


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
