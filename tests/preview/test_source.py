"""Bytes from a disk on which anything may stand, and may change while it is looked at."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from skillstudio.preview.files import view_of
from skillstudio.preview.source import MemorySource, Special, open_source

unix = pytest.mark.skipif(os.name == "nt", reason="what Windows has no word for")


def told(path: Path) -> str:
    found = open_source(str(path), "x")
    assert isinstance(found, Special)
    assert view_of(found).texts(0, 9) == [found.description]
    assert view_of(found).kind == found.what
    return found.description


@unix
def test_a_link_is_shown_by_where_it_leads(tmp_path: Path) -> None:
    for number, target in enumerate(["/etc/shadow", "nowhere", ".", "a\nb\x1b[2J"]):
        link = tmp_path / str(number)
        link.symlink_to(target)
        found = open_source(str(link))
        assert isinstance(found, Special)
        assert (found.what, found.target) == ("link", target)
    assert view_of(found).texts(0, 5) == ["a link to a␊b␛[2J"]


@unix
def test_what_is_no_file_is_named_and_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert told(tmp_path / "pipe") == "a pipe (FIFO)"
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
        assert told(tmp_path / "socket") == "a socket"
    assert told(Path("/dev/null")) == "a device"
    assert told(tmp_path) == "a folder"
    assert told(tmp_path / "none") == "nothing: the file does not exist"
    assert told(tmp_path / "none" / "below") == "nothing: the file does not exist"


@unix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "a").chmod(0)
    assert told(tmp_path / "a") == "a file that cannot be read (Permission denied)"


def shown(path: Path) -> tuple[object, object]:
    view = view_of(open_source(str(path)), "raw")
    view.lines(0, 10)
    return view, lambda: view.note


CHANGES = {
    "longer": "the file changed",
    "same size": "the file changed",
    "removed": "the file was removed",
    "replaced": "the file changed",
    "a link": "the file was replaced",
    "a pipe": "the file was replaced",
}


@unix
@pytest.mark.parametrize("how", CHANGES)
def test_a_file_that_changes_while_it_is_shown_says_so(tmp_path: Path, how: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    os.utime(path, (1, 1))
    view = view_of(open_source(str(path)), "raw")
    assert view.texts(0, 10) == ["one", "two"]
    assert view.note == ""
    if how == "longer":
        path.write_text("one\ntwo\nthree\n")
    elif how == "same size":
        path.write_text("ONE\ntwo\n")
    else:
        path.unlink()
    if how == "replaced":
        path.write_text("other\n")
    elif how == "a link":
        path.symlink_to("/etc/passwd")
    elif how == "a pipe":
        os.mkfifo(path)
    assert view.note.startswith(CHANGES[how])
    shown_now = "".join(view.texts(0, 10))
    assert "root" not in shown_now
    assert view.note.startswith(CHANGES[how])


def test_a_file_that_shrinks_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(1000))
    view = view_of(open_source(str(path)), "hex")
    path.write_bytes(bytes(16))
    assert len(view.lines(0, 400)) == 1
    assert view.lines(50, 5) == []
    assert "changed" in view.note


def test_bytes_in_memory_read_like_a_file(tmp_path: Path) -> None:
    data = bytes(range(256))
    (tmp_path / "a").write_bytes(data)
    disk = open_source(str(tmp_path / "a"))
    memory = MemorySource("a", data)
    assert not isinstance(disk, Special)
    for offset, length in [(0, 10), (250, 100), (256, 1), (999, 5), (3, 0)]:
        assert disk.read(offset, length) == memory.read(offset, length)
    assert disk.size == memory.size
