"""Zip and tar files as others read them, with bytes that nothing but the files decides."""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import stat
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.files.archive import open_archive
from skillstudio.scaffold.packing.archive_bytes import Member, tar_gz_bytes, zip_bytes

LONG = "long/" + "ä" * 120 + "/" + "b" * 100 + ".md"
MEMBERS = [
    Member("plain/SKILL.md", b"---\nname: plain\n---\n"),
    Member("plain/empty", b""),
    Member("plain/large.bin", bytes(range(256)) * 600),
    Member(f"plain/{LONG}", b"x"),
    Member("plain/scripts/run.sh", b"#!/bin/sh\n", executable=True),
    Member("plain/é 語.md", b"y"),
]
LINKS = [
    Member("plain/link", b"scripts/run.sh", link=True),
    Member("plain/far", LONG.encode(), link=True),
]
WRITERS = {"zip": zip_bytes, "tgz": tar_gz_bytes}
names = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="/\\\0", exclude_categories=["Cc"]))
    .filter(lambda name: name not in ("", ".", ".."))
    .map(lambda name: name[:200]),
    min_size=1,
    max_size=4,
).map("/".join)


def test_pythons_own_reader_of_zip_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(zip_bytes(MEMBERS))) as archive:
        assert archive.testzip() is None
        for member, info in zip(MEMBERS, archive.infolist(), strict=True):
            assert (info.filename, archive.read(info)) == (member.path, member.data)
            assert info.external_attr >> 16 == stat.S_IFREG | member.mode
            assert info.date_time == (1980, 1, 1, 0, 0, 0)


def test_pythons_own_reader_of_tar_files() -> None:
    with tarfile.open(fileobj=io.BytesIO(tar_gz_bytes(MEMBERS + LINKS))) as archive:
        for member, info in zip(MEMBERS + LINKS, archive.getmembers(), strict=True):
            assert (info.name, info.mode) == (member.path, member.mode)
            assert (info.uid, info.gid, info.uname, info.gname) == (0, 0, "", "")
            assert info.mtime == 315532800
            if member.link:
                assert (info.issym(), info.linkname) == (True, member.data.decode())
            else:
                file = archive.extractfile(info)
                assert file is not None
                assert file.read() == member.data


@pytest.mark.parametrize(
    ("suffix", "words"),
    [("zip", ["unzip", "-q"]), ("zip", ["bsdtar", "-xf"]), ("tgz", ["tar", "-xzf"])],
    ids=["unzip", "bsdtar", "tar"],
)
def test_the_tools_of_the_system(tmp_path: Path, suffix: str, words: list[str]) -> None:
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    members = MEMBERS if suffix == "zip" else MEMBERS + LINKS
    archive = tmp_path / f"a.{suffix}"
    archive.write_bytes(WRITERS[suffix](members))
    done = subprocess.run(
        [*words, str(archive)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for member in members:
        path = tmp_path / member.path
        if member.link:
            assert str(path.readlink()) == member.data.decode()
        else:
            assert path.read_bytes() == member.data
            assert bool(path.stat().st_mode & 0o100) == member.executable


@pytest.mark.parametrize("compress", [False, True], ids=["stored", "deflated"])
@pytest.mark.parametrize("suffix", WRITERS)
def test_our_own_reader(tmp_path: Path, suffix: str, compress: bool) -> None:
    members = MEMBERS if suffix == "zip" else MEMBERS + LINKS
    archive = tmp_path / f"a.{suffix}"
    archive.write_bytes(WRITERS[suffix](members, compress))
    tree = open_archive(archive)
    assert tree.name == "plain"
    for member in members:
        path = member.path.removeprefix("plain/")
        if member.link:
            assert tree.target(path) == member.data.decode()
        else:
            assert (tree.read(path), tree.mode(path)) == (member.data, member.mode)


@pytest.mark.parametrize(
    ("suffix", "digest"),
    [
        ("zip", "7000bef81dfdd93f8165dbfe696adc2d6c96e027c34859b51f50cee3389a56c1"),
        ("tgz", "f44ed37af949c06c929ffdfa367666aa890de8bdaa5bdc4470524bcab89ce703"),
    ],
)
def test_the_bytes_are_these_on_every_machine(suffix: str, digest: str) -> None:
    assert hashlib.sha256(WRITERS[suffix](MEMBERS)).hexdigest() == digest


@pytest.mark.parametrize("suffix", WRITERS)
def test_deflated_is_smaller(suffix: str) -> None:
    assert len(WRITERS[suffix](MEMBERS, True)) < len(WRITERS[suffix](MEMBERS)) / 10


def test_what_does_not_shrink_is_stored() -> None:
    random = hashlib.sha512(b"x").digest() * 1
    with zipfile.ZipFile(io.BytesIO(zip_bytes([Member("a", random)], True))) as archive:
        assert archive.infolist()[0].compress_type == zipfile.ZIP_STORED


@given(names, st.binary(max_size=2000), st.booleans())
def test_any_file_comes_back(path: str, data: bytes, compress: bool) -> None:
    """Of any length around those of the headers: tar's 100 bytes, the digits of a pax field."""
    member = Member(path, data)
    with tarfile.open(fileobj=io.BytesIO(tar_gz_bytes([member], compress))) as archive:
        [info] = archive.getmembers()
        file = archive.extractfile(info)
        assert (info.name, file and file.read()) == (path, data)
    with zipfile.ZipFile(io.BytesIO(zip_bytes([member], compress))) as zipped:
        assert (zipped.infolist()[0].orig_filename, zipped.read(zipped.infolist()[0])) == (
            path,
            data,
        )


@pytest.mark.parametrize("length", [1, 99, 100, 101, 984, 985, 986, 987, 988, 989, 990, 1024])
def test_paths_of_every_number_of_digits(length: int) -> None:
    path = ("a" * 50 + "/") * 20
    path = path[: length - 1] + "b"
    with tarfile.open(fileobj=io.BytesIO(tar_gz_bytes([Member(path, b"x")]))) as archive:
        assert archive.getnames() == [path]


@pytest.mark.parametrize("size", [0, 1, 0xFFFF - 1536, 0xFFFF, 0x10000, 3 * 0xFFFF])
def test_stored_blocks_of_every_size(size: int) -> None:
    made = tar_gz_bytes([Member("a", bytes(size))])
    assert len(gzip.decompress(made)) % 512 == 0
    with tarfile.open(fileobj=io.BytesIO(made)) as archive:
        assert archive.getmember("a").size == size
