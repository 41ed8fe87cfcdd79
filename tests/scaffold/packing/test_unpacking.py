"""What is taken out of an archive, and what is left in it."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.scaffold.packing.conftest import MANIFEST

from skillstudio.files.archive_entries import ArchiveRefused
from skillstudio.files.placing import NotPlaced
from skillstudio.scaffold.packing.unpacking import (
    UnpackRefused,
    read_packed,
    unpack,
    unpack_all,
)

SKILL = MANIFEST.format(name="plain").encode()
POSIX = pytest.mark.skipif(os.name == "nt", reason="modes and links of Unix")


def zipped(path: Path, *names: str, skill: str = "plain/SKILL.md") -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name in (skill, *names):
            archive.writestr(name, SKILL if name.endswith("SKILL.md") else "x")
    return str(path)


def tarred(path: Path, *members: tuple[str, bytes, str, int]) -> str:
    """A tar of a skill and of (name, type, link, mode)."""
    with tarfile.open(path, "w:gz") as archive:
        for name, kind, link, mode in (("SKILL.md", tarfile.REGTYPE, "", 0o644), *members):
            info = tarfile.TarInfo(name)
            data = SKILL if name == "SKILL.md" else b"x" if kind == tarfile.REGTYPE else b""
            info.type, info.linkname, info.mode, info.size = kind, link, mode, len(data)
            archive.addfile(info, io.BytesIO(data))
    return str(path)


@pytest.mark.parametrize(
    ("names", "skill", "beside"),
    [
        (["plain/a.md"], "plain/SKILL.md", ()),
        (["a.md"], "SKILL.md", ()),
        (["README.md", "skills/plain/a.md"], "skills/plain/SKILL.md", ("README.md",)),
    ],
)
def test_the_skill_is_found_wherever_it_lies(
    tmp_path: Path, names: list[str], skill: str, beside: tuple[str, ...]
) -> None:
    found = read_packed(zipped(tmp_path / "a.zip", *names, skill=skill))
    assert [set(each.files) for each in found.skills] == [{"SKILL.md", "a.md"}]
    assert found.beside == beside


@pytest.mark.parametrize(
    ("names", "skill", "said"),
    [
        (["b.md"], "a.md", "does not contain a skill: no SKILL.md"),
        (
            ["b/SKILL.md"],
            "a/SKILL.md",
            r"2 skills; choose one \(.*a.zip:a, .*a.zip:b\), or .* --all",
        ),
        (
            [f"{letter}/SKILL.md" for letter in "bcdef"],
            "a/SKILL.md",
            r"zip:e, …\), or use --all",
        ),
    ],
)
def test_an_archive_of_no_skill_or_of_several_is_refused(
    tmp_path: Path, names: list[str], skill: str, said: str
) -> None:
    with pytest.raises(UnpackRefused, match=said):
        read_packed(zipped(tmp_path / "a.zip", *names, skill=skill))


@POSIX
@pytest.mark.parametrize(
    ("mode", "written"),
    [(0o4755, 0o755), (0o6711, 0o755), (0o100, 0o755), (0o000, 0o644), (0o666, 0o644)],
)
def test_of_the_modes_only_the_executable_bit_is_kept(
    tmp_path: Path, mode: int, written: int
) -> None:
    path = tarred(tmp_path / "a.tgz", ("run.sh", tarfile.REGTYPE, "", mode))
    before = os.umask(0o022)
    try:
        unpack(read_packed(path).skills[0], str(tmp_path / "new"))
    finally:
        os.umask(before)
    assert (tmp_path / "new" / "run.sh").stat().st_mode & 0o7777 == written


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("/etc/passwd", "points outside of the skill"),
        ("../outside", "points outside of the skill"),
        ("gone", "points to a file that does not exist"),
        ("link", "points to a file that does not exist"),
        ("a\\b", "points to a file that does not exist"),
    ],
)
def test_a_link_out_of_the_skill_is_refused(tmp_path: Path, target: str, said: str) -> None:
    path = tarred(tmp_path / "a.tgz", ("link", tarfile.SYMTYPE, target, 0o777))
    with pytest.raises(UnpackRefused) as refused:
        read_packed(path)
    assert str(refused.value) == f"{path}: link in it is a link to {target!r}, which {said}"


@pytest.mark.parametrize("kind", [tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE])
def test_a_device_is_refused(tmp_path: Path, kind: bytes) -> None:
    path = tarred(tmp_path / "a.tgz", ("dev", kind, "", 0o644))
    with pytest.raises(UnpackRefused, match="dev in it is not a file, folder or link"):
        read_packed(path)


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "C:\\x", "a\\..\\..\\x"])
def test_a_path_out_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    """Written into the bytes afterwards: the library would mend some of them."""
    plain = "x" * len(name)
    path = Path(zipped(tmp_path / "a.zip", plain))
    path.write_bytes(path.read_bytes().replace(plain.encode(), name.encode()))
    with pytest.raises(ArchiveRefused):
        read_packed(str(path))


@pytest.mark.parametrize("name", ["plain/nul", "plain/a:b", "plain/skill.md"])
def test_a_name_that_not_every_system_holds_is_refused(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", name)
    with pytest.raises(UnpackRefused) as refused:
        read_packed(path)
    assert str(refused.value).startswith(f"{path}: in it, ")


TWO = ["b/SKILL.md", "b/x.md", "b/run.sh", "README.md"]


def test_one_of_several_is_taken_by_its_path(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", *TWO, skill="deep/a/SKILL.md")
    for only in ("b", "/b/"):
        found = read_packed(path, only)
        assert [(each.where, each.name) for each in found.skills] == [("b", "b")]
        assert found.beside == ("README.md",)
    for only in ("c", "deep", "B", "..", "b/x.md"):
        with pytest.raises(
            UnpackRefused, match=rf"does not contain a skill {only}; it contains .*:b, .*:deep"
        ):
            read_packed(path, only)


def test_all_are_taken_in_one_step(tmp_path: Path) -> None:
    found = read_packed(zipped(tmp_path / "a.zip", *TWO, skill="deep/a/SKILL.md"), several=True)
    assert found.beside == ("README.md",)
    placed = unpack_all(found.skills, str(tmp_path / "new"))
    assert sorted(placed) == ["b", "deep/a"]
    made = [path.relative_to(tmp_path / "new") for path in (tmp_path / "new").rglob("*.*")]
    assert sorted(map(Path.as_posix, made)) == [
        *("b/SKILL.md", "b/run.sh", "b/x.md", "deep/a/SKILL.md"),
    ]
    with pytest.raises(NotPlaced):
        unpack_all(found.skills, str(tmp_path / "new"))


def test_all_of_an_archive_that_is_one_skill_is_that_one_by_its_name(tmp_path: Path) -> None:
    found = read_packed(zipped(tmp_path / "a.zip"), several=True)
    assert list(unpack_all(found.skills, str(tmp_path / "new"))) == ["plain"]
    assert (tmp_path / "new" / "plain" / "SKILL.md").read_bytes() == SKILL


@pytest.mark.parametrize("beside", [[], ["README.md"]])
def test_a_skill_within_a_skill_is_a_part_of_it(tmp_path: Path, beside: list[str]) -> None:
    path = zipped(tmp_path / "a.zip", "plain/examples/inner/SKILL.md", *beside)
    [found] = read_packed(path).skills
    assert set(found.files) == {"SKILL.md", "examples/inner/SKILL.md"}


def test_nothing_is_put_over_what_exists_or_into_another_skill(tmp_path: Path) -> None:
    [found] = read_packed(zipped(tmp_path / "a.zip")).skills
    unpack(found, str(tmp_path / "new"))
    before = (tmp_path / "new" / "SKILL.md").stat()
    for target in (tmp_path / "new", tmp_path / "a.zip", tmp_path / "a.zip" / "x"):
        with pytest.raises(NotPlaced):
            unpack(found, str(target))
    for target in (tmp_path / "new" / "a", tmp_path / "new" / "a" / "b" / "c"):
        with pytest.raises(
            UnpackRefused, match=r"is inside the skill .*new; choose a folder outside"
        ):
            unpack(found, str(target))
    assert (tmp_path / "new" / "SKILL.md").stat() == before
    assert os.listdir(tmp_path / "new") == ["SKILL.md"]
