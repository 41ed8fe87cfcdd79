"""Archives are read whole or refused; nothing that their headers claim is believed."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from skillstudio.files import archive_entries
from skillstudio.files.archive import is_archive, open_archive
from skillstudio.files.archive_entries import ArchiveRefused

FILES = {"SKILL.md": b"---\nname: plain\n---\n", "scripts/run.sh": b"#!/bin/sh\n", "empty": b""}
Maker = Callable[..., Path]


def make_zip(path: Path, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def make_tar(path: Path, files: dict[str, bytes], form: int = tarfile.GNU_FORMAT) -> Path:
    with tarfile.open(path, "w:gz", format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def zip_link(path: Path, name: str, target: str) -> Path:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, target)
        archive.writestr("SKILL.md", "x")
    return path


def tar_of(path: Path, *members: tuple[str, bytes, str]) -> Path:
    """A tar of (name, type, link); files hold their name."""
    with tarfile.open(path, "w:gz") as archive:
        for name, kind, link in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, link
            data = name.encode() if kind == tarfile.REGTYPE else b""
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


MAKERS = pytest.mark.parametrize(
    ("make", "suffix"),
    [
        (make_zip, ".zip"),
        (make_zip, ".skill"),
        (make_tar, ".tgz"),
        (make_tar, ".tar.gz"),
        (lambda path, files: make_tar(path, files, tarfile.PAX_FORMAT), ".TGZ"),
        (lambda path, files: make_tar(path, files, tarfile.USTAR_FORMAT), ".tgz"),
    ],
)


@MAKERS
def test_an_archive_is_a_tree(tmp_path: Path, make: Maker, suffix: str) -> None:
    path = make(tmp_path / f"plain{suffix}", FILES)
    tree = open_archive(path)
    assert is_archive(str(path))
    assert tree.name == "plain"
    assert [(entry.name, entry.kind) for entry in tree.list()] == [
        ("SKILL.md", "file"),
        ("empty", "file"),
        ("scripts", "folder"),
    ]
    assert {name: tree.read(name) for name in FILES} == FILES
    assert tree.read("SKILL.md", 3) == b"---"
    assert b"".join(tree.chunks("SKILL.md", 4)) == FILES["SKILL.md"]
    assert tree.size("scripts/run.sh") == 10
    assert tree.kind("nothing") is None
    with pytest.raises(OSError):
        tree.read("nothing")


@MAKERS
def test_one_folder_around_all_is_the_tree(tmp_path: Path, make: Maker, suffix: str) -> None:
    files = {f"./worklog-1.0.0/{name}": data for name, data in FILES.items()}
    tree = open_archive(make(tmp_path / f"download{suffix}", files))
    assert tree.name == "worklog-1.0.0"
    assert tree.read("scripts/run.sh") == b"#!/bin/sh\n"


def test_what_a_mac_adds_is_no_part_of_a_skill(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"plain/SKILL.md": b"x", "__MACOSX/plain/._SKILL.md": b"y"})
    tree = open_archive(path)
    assert (tree.name, [entry.name for entry in tree.list()]) == ("plain", ["SKILL.md"])


def test_modes_are_kept_without_what_they_might_grant(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tgz", "w:gz") as archive:
        for name, mode in (("run", 0o4755), ("plain", 0o640)):
            info = tarfile.TarInfo(name)
            info.mode = mode
            archive.addfile(info)
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as zipped:
        for name, mode in (("run", 0o4755), ("plain", 0o640)):
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, (stat.S_IFREG | mode) << 16
            zipped.writestr(entry, b"x")
    for name in ("x.tgz", "x.zip"):
        tree = open_archive(tmp_path / name)
        assert [oct(tree.mode("run")), oct(tree.mode("plain"))] == ["0o755", "0o640"]


@pytest.mark.parametrize(
    "name", ["long/" * 50 + "é" * 20, "ümläut name", "$(touch x)", "a\nb", "'"]
)
@MAKERS
def test_any_name_that_stays_inside_is_read(
    tmp_path: Path, make: Maker, suffix: str, name: str
) -> None:
    if suffix == ".tgz" and len(name) > 200:
        pytest.skip("ustar has no room for it")
    tree = open_archive(make(tmp_path / f"x{suffix}", {name: b"data", "SKILL.md": b""}))
    assert tree.read(name) == b"data"


@pytest.mark.parametrize(
    "name",
    ["../out", "a/../../out", "/etc/passwd", "C:/out", "c:out", "a\\..\\out", "x/" * 70 + "y"],
)
@MAKERS
def test_a_name_that_leads_out_is_refused(
    tmp_path: Path, make: Maker, suffix: str, name: str
) -> None:
    path = make(tmp_path / f"x{suffix}", {"SKILL.md": b"", name: b"data"})
    with pytest.raises(ArchiveRefused, match=r"points outside|backslash|too deep"):
        open_archive(path)


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../etc/passwd", "gone", "link", "."])
def test_a_link_is_kept_and_never_followed_outside(tmp_path: Path, target: str) -> None:
    zipped = zip_link(tmp_path / "x.zip", "link", target)
    tarred = tar_of(
        tmp_path / "x.tgz", ("SKILL.md", tarfile.REGTYPE, ""), ("link", tarfile.SYMTYPE, target)
    )
    for path in (zipped, tarred):
        tree = open_archive(path)
        assert tree.kind("link") == "link"
        assert tree.target("link") == target
        assert tree.resolve("link") in (None, "")
        with pytest.raises(OSError):
            tree.read("link")


def test_a_link_within_is_followed(tmp_path: Path) -> None:
    tree = open_archive(zip_link(tmp_path / "x.zip", "a/link", "../SKILL.md"))
    assert tree.resolve("a/link") == "SKILL.md"
    assert tree.read("a/link") == b"x"


def test_a_hard_link_is_the_file_before_it(tmp_path: Path) -> None:
    first = ("SKILL.md", tarfile.REGTYPE, "")
    tree = open_archive(tar_of(tmp_path / "x.tgz", first, ("b", tarfile.LNKTYPE, "SKILL.md")))
    assert tree.read("b") == b"SKILL.md"
    for target in ("gone", "/etc/passwd", "../x", "b"):
        with pytest.raises(ArchiveRefused):
            open_archive(tar_of(tmp_path / "y.tgz", first, ("b", tarfile.LNKTYPE, target)))


def test_devices_are_named_and_never_opened(tmp_path: Path) -> None:
    tree = open_archive(
        tar_of(
            tmp_path / "x.tgz",
            ("SKILL.md", tarfile.REGTYPE, ""),
            ("pipe", tarfile.FIFOTYPE, ""),
            ("disk", tarfile.BLKTYPE, ""),
        )
    )
    assert [tree.kind("pipe"), tree.kind("disk")] == ["other", "other"]
    with pytest.raises(OSError):
        tree.read("pipe")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_one_path_is_in_it_once(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"1")
        archive.writestr("./a", b"2")
    with pytest.raises(ArchiveRefused, match="twice"):
        open_archive(path)
    with pytest.raises(ArchiveRefused, match="twice"):
        open_archive(tar_of(tmp_path / "x.tgz", *[("a", tarfile.REGTYPE, "")] * 2))


def test_nothing_lies_below_a_link_or_a_file(tmp_path: Path) -> None:
    below = ("link/x", tarfile.REGTYPE, "")
    for top in (("link", tarfile.SYMTYPE, "/tmp"), ("link", tarfile.REGTYPE, "")):
        for members in ((top, below), (below, top)):
            with pytest.raises(ArchiveRefused, match="below an entry that is not a folder"):
                open_archive(tar_of(tmp_path / "x.tgz", *members))


@pytest.mark.slow
def test_a_bomb_is_refused_by_what_comes_out_of_it(tmp_path: Path) -> None:
    zeros = bytes(40 << 20)
    paths = [
        make_zip(tmp_path / "x.zip", {"SKILL.md": b"", "zeros": zeros}),
        make_tar(tmp_path / "x.tgz", {"SKILL.md": b"", "zeros": zeros}),
    ]
    for path in paths:
        tracemalloc.start()
        with pytest.raises(ArchiveRefused, match="unpacks to more"):
            open_archive(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 32 << 20


def test_a_size_that_the_header_makes_smaller_is_no_way_around(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"zeros": bytes(1 << 20)})
    data = path.read_bytes().replace((1 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(data)
    with pytest.raises(ArchiveRefused, match="damaged"):
        open_archive(path)


def test_a_size_that_the_header_makes_larger_is_refused(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"SKILL.md": b"x"})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = (1 << 20).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(ArchiveRefused, match="size"):
        open_archive(path)


def test_a_file_counts_again_under_each_further_name(tmp_path: Path) -> None:
    path = tmp_path / "x.tgz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("a")
        info.size = 1 << 18
        archive.addfile(info, io.BytesIO(os.urandom(info.size)))
        for number in range(300):
            link = tarfile.TarInfo(f"b{number}")
            link.type, link.linkname = tarfile.LNKTYPE, "a"
            archive.addfile(link)
    with pytest.raises(ArchiveRefused, match="unpacks to more"):
        open_archive(path)


@MAKERS
def test_what_is_too_much_is_refused(
    tmp_path: Path, make: Maker, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / f"x{suffix}", {f"file{n}": b"x" for n in range(11)})
    monkeypatch.setattr(archive_entries, "MAX_ENTRIES", 10)
    with pytest.raises(ArchiveRefused, match="more than 10 entries"):
        open_archive(path)


def test_a_file_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = os.urandom(2000)
    for module in ("archive", "archive_tar"):
        monkeypatch.setattr(f"skillstudio.files.{module}.MAX_FILE", 1999)
    for path in (
        make_zip(tmp_path / "x.zip", {"a": data}),
        make_tar(tmp_path / "x.tgz", {"a": data}),
    ):
        with pytest.raises(ArchiveRefused, match="larger than"):
            open_archive(path)


def test_a_list_of_contents_of_any_length_is_not_read(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"a": b""})
    data = bytearray(path.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    size = 5 << 20
    data[end:end] = bytes(size)
    data[-10:-6] = (size + 47).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(ArchiveRefused, match="central directory"):
        open_archive(path)


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"a": b"secret"})
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    path.write_bytes(data)
    with pytest.raises(ArchiveRefused, match="encrypted"):
        open_archive(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_may_take_any_memory_is_refused(tmp_path: Path, method: int) -> None:
    with pytest.raises(ArchiveRefused, match="deflate"):
        open_archive(make_zip(tmp_path / "x.zip", {"a": b"x" * 100}, method))


@MAKERS
def test_each_cut_of_an_archive_is_noticed(tmp_path: Path, make: Maker, suffix: str) -> None:
    path = make(tmp_path / f"x{suffix}", {"SKILL.md": os.urandom(3000), "b": b"x" * 2000})
    whole = path.read_bytes()
    for end in range(5, len(whole), 97):
        path.write_bytes(whole[:end])
        with pytest.raises(ArchiveRefused):
            open_archive(path)


def test_a_damaged_header_in_the_middle_of_a_tar_is_noticed(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "x.tgz", {"a": b"1", "b": b"2", "c": b"3"})
    data = bytearray(gzip.decompress(path.read_bytes()))
    data[1024 + 5] ^= 0xFF
    path.write_bytes(gzip.compress(bytes(data)))
    with pytest.raises(ArchiveRefused, match="damaged"):
        open_archive(path)


def test_a_crafted_length_in_a_tar_is_refused(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "x.tgz", {"a": b"1"})
    for field in (b"\xff" * 12, b"\x80" + b"\xff" * 11, b"777777777777", b"-0000000001\0"):
        data = bytearray(gzip.decompress(path.read_bytes()))
        data[124:136] = field
        data[148:156] = b" " * 8
        data[148:156] = b"%06o\0 " % sum(data[:512])
        path.write_bytes(gzip.compress(bytes(data)))
        with pytest.raises(ArchiveRefused, match=r"damaged|cut short"):
            open_archive(path)
        make_tar(path, {"a": b"1"})


@pytest.mark.parametrize(
    "data", [b"", b"x", b"PK", b"# no archive\n", b"\x1f\x8b", b"PK\x03\x04" * 9]
)
def test_what_is_no_archive_says_so(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    with pytest.raises(ArchiveRefused, match=r"^\S*x\.zip: it is ") as error:
        open_archive(path)
    assert "\n" not in str(error.value)


def test_what_is_no_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ArchiveRefused, match="No such file"):
        open_archive(tmp_path / "gone.zip")
    with pytest.raises(ArchiveRefused, match="not a file"):
        open_archive(tmp_path)
    os.mkfifo(tmp_path / "pipe.zip")
    with pytest.raises(ArchiveRefused, match="not a file"):
        open_archive(tmp_path / "pipe.zip")


def test_any_damage_is_refused_or_harmless(tmp_path: Path) -> None:
    for path in (make_zip(tmp_path / "x.zip", FILES), make_tar(tmp_path / "x.tgz", FILES)):
        whole = path.read_bytes()
        for at in range(len(whole)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
            try:
                open_archive(path)
            except ArchiveRefused as error:
                assert "\n" not in str(error)  # noqa: PT017
