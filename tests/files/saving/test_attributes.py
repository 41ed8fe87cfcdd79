"""Owner, mode, ACL, extended attributes and second name of a file: each stays through a save."""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from skillstudio.files.saving.attributes import Attributes, attributes_of
from skillstudio.files.saving.writer import write_file

pytestmark = pytest.mark.skipif(os.name == "nt", reason="owners, modes and ACLs are POSIX")

ACL = "system.posix_acl_access"
DEFAULT_ACL = "system.posix_acl_default"
_ID = 2**32 - 1


def acl(mask: int) -> bytes:
    """An ACL that lets one other user read, by tag, permission and id of each entry."""
    entries = ((1, 6, _ID), (2, 4, 4242), (4, 4, _ID), (16, mask, _ID), (32, 0, _ID))
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries)


class Case(NamedTuple):
    """A file as it is before a save."""

    mode: int = 0o644
    owner: int = -1
    group: int = -1
    extended: tuple[tuple[str, bytes], ...] = ()
    has_second_name: bool = False


CASES = {
    "0600": Case(0o600),
    "0640": Case(0o640),
    "0660": Case(0o660),
    "0666": Case(0o666),
    "0755": Case(0o755),
    "another owner": Case(0o640, owner=4242),
    "another group": Case(0o660, group=4242),
    "another owner and group": Case(0o664, owner=4242, group=4243),
    "an ACL": Case(0o660, extended=((ACL, acl(6)),)),
    "an ACL whose mask is narrow": Case(0o640, extended=((ACL, acl(4)),)),
    "an extended attribute": Case(0o644, extended=(("user.note", b"mine"),)),
    "all of them": Case(
        0o660, owner=4242, group=4243, extended=((ACL, acl(6)), ("user.note", b"\0\xff"))
    ),
    "a second name": Case(0o640, has_second_name=True),
    "a second name and all of them": Case(
        0o660, 4242, 4243, ((ACL, acl(6)), ("user.note", b"mine")), has_second_name=True
    ),
}


def made(folder: Path, case: Case) -> Path:
    """The file of a case; the test is skipped where this machine or user cannot make it."""
    file = folder / "SKILL.md"
    file.write_bytes(b"old")
    if (case.owner, case.group) != (-1, -1):
        try:
            os.chown(file, case.owner, case.group)
        except PermissionError:
            pytest.skip("only root gives files to others")
    file.chmod(case.mode)
    for name, value in case.extended:
        try:
            os.setxattr(file, name, value)
        except (AttributeError, OSError):
            pytest.skip(f"this file system has no {name}")
    if case.has_second_name:
        try:
            os.link(file, folder / "second")
        except OSError:
            pytest.skip("this file system has no hard links")
    return file


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return made(tmp_path, request.param)


def test_a_save_changes_the_bytes_alone(file: Path) -> None:
    before, names = attributes_of(str(file)), sorted(os.listdir(file.parent))
    links = file.stat().st_nlink
    write_file(file, b"new and longer")
    assert file.read_bytes() == b"new and longer"
    assert attributes_of(str(file)) == before
    assert file.stat().st_nlink == links
    assert sorted(os.listdir(file.parent)) == names
    if links > 1:
        assert os.path.samefile(file, file.parent / "second")


def test_the_temporary_file_has_all_attributes_before_a_byte(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it is for its owner alone until then."""
    before = attributes_of(str(file))
    begun: list[int] = []
    written: list[Attributes] = []
    open_file, write = os.open, os.write

    def opened(path: str, flags: int, mode: int = 0o777) -> int:
        handle = open_file(path, flags, mode)
        if flags & os.O_EXCL:
            begun.append(stat.S_IMODE(os.fstat(handle).st_mode))
        return handle

    def watched(handle: int, data: bytes) -> int:
        if begun and not written:
            written.append(attributes_of(handle))
            assert os.fstat(handle).st_size == 0
        return write(handle, data)

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "write", watched)
    write_file(file, b"new")
    if file.stat().st_nlink == 1:
        assert (begun, written) == ([0o600], [before])
    else:
        assert begun == []


def refused(name: str) -> Callable[..., None]:
    def call(*_: object) -> None:
        raise PermissionError(1, f"{name}: Operation not permitted")

    return call


@pytest.mark.parametrize("name", ["all of them", "another owner", "another group"])
def test_what_a_new_file_cannot_get_stays_as_the_old_one_is_written_in_place(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = made(tmp_path, CASES[name])
    before, inode = attributes_of(str(file)), file.stat().st_ino
    monkeypatch.setattr(os, "fchown", refused("fchown"))
    write_file(file, b"new")
    assert (file.read_bytes(), file.stat().st_ino) == (b"new", inode)
    assert attributes_of(str(file)) == before
    assert os.listdir(tmp_path) == ["SKILL.md"]


def test_without_a_journal_a_file_with_a_second_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = made(tmp_path, CASES["a second name"])
    (tmp_path / "no-folder").write_bytes(b"")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "no-folder"))
    with pytest.raises(OSError, match="a second name"):
        write_file(file, b"new")
    assert (file.read_bytes(), file.stat().st_nlink) == (b"old", 2)


def test_a_new_acl_of_the_folder_does_not_widen_an_old_file(tmp_path: Path) -> None:
    file = made(tmp_path, CASES["0660"])
    try:
        os.setxattr(tmp_path, DEFAULT_ACL, acl(6))
    except (AttributeError, OSError):
        pytest.skip("this file system has no ACLs")
    write_file(file, b"new")
    assert attributes_of(str(file)).extended_attributes == ()
    write_file(tmp_path / "new", b"new")
    assert [name for name, _ in attributes_of(str(tmp_path / "new")).extended_attributes] == [ACL]
