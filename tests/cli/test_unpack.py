"""`unpack`: a new skill folder, or a sentence that says why there is none."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run

Skill = Callable[..., Path]


@pytest.mark.parametrize("name", ["a.skill", "a.zip", "a.tgz", "a.tar.gz", "layout"])
def test_what_was_packed_is_there_again(run: Run, skill: Skill, tmp_path: Path, name: str) -> None:
    folder = skill(**{"a.txt": "x", "run.sh": "#!/bin/sh\n"})
    (folder / "run.sh").chmod(0o755)
    run("pack", folder, "-o", tmp_path / name, *(["--oci"] if name == "layout" else []))
    ran = run("unpack", tmp_path / name, "-o", tmp_path / "made" / "plain", "--format", "json")
    assert (ran.status, ran.err) == (0, "")
    expected = run("identity", folder, "--digests", "--format", "json").json
    assert (
        run("identity", tmp_path / "made" / "plain", "--digests", "--format", "json").json
        == expected
    )
    assert ran.json == {
        "path": str(tmp_path / "made" / "plain"),
        "name": "plain",
        "files": 3,
        "content_hash": expected["content_hash"],
        "beside": [],
    }
    assert run("check", tmp_path / "made" / "plain").status == 0
    assert os.listdir(tmp_path / "made") == ["plain"]


def test_what_lies_beside_the_skill_is_named(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("plain/SKILL.md", CLEAN.format(name="plain"))
        for number in range(7):
            archive.writestr(f"{number}.md", "x")
    ran = run("unpack", tmp_path / "a.zip", "-o", tmp_path / "new")
    assert ran.status == 0
    assert "a.zip: 0.md is not part of a skill and was not unpacked" in ran.err
    assert "2 more files are not part of a skill" in ran.err
    assert ran.out.startswith(f"{tmp_path / 'new'}: 1 file, content_hash sha256:")


def several(tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in ("one", "two"):
            archive.writestr(f"{name}/SKILL.md", CLEAN.format(name=name))
    return tmp_path / "a.zip"


def test_several_skills_are_unpacked_one_by_one_or_all(run: Run, tmp_path: Path) -> None:
    path = several(tmp_path)
    ran = run("unpack", path, "-o", tmp_path / "new")
    assert (ran.status, ran.out) == (2, "")
    assert f"{path} contains 2 skills; choose one ({path}:one, {path}:two), or use --all" in ran.err
    ran = run("unpack", f"{path}:two", "-o", tmp_path / "new", "--format", "json")
    assert (ran.status, ran.json["name"], ran.json["beside"]) == (0, "two", [])
    assert os.listdir(tmp_path / "new") == ["SKILL.md"]
    ran = run("unpack", path, "--all", "-o", tmp_path / "all", "--format", "json")
    assert ran.json["path"] == str(tmp_path / "all")
    assert [each["path"] for each in ran.json["skills"]] == [
        f"{tmp_path / 'all'}/{name}" for name in ("one", "two")
    ]
    assert run("check", tmp_path / "all").status == 0
    ran = run("unpack", path, "--all", "-o", f"{tmp_path / 'more'}/")
    assert [line.partition(": ")[0] for line in ran.out.splitlines()] == [
        f"{tmp_path / 'more'}/{name}" for name in ("one", "two")
    ]


def test_a_skill_that_is_not_in_the_archive(run: Run, tmp_path: Path) -> None:
    path = several(tmp_path)
    for file, words, said in (
        (
            f"{path}:three",
            [],
            f"does not contain a skill three; it contains {path}:one, {path}:two",
        ),
        (f"{path}:one", ["--all"], "names one skill, so it cannot be combined with --all"),
        (f"{path}x:one", [], "cannot be read: No such file"),
    ):
        ran = run("unpack", file, "-o", tmp_path / "new", *words)
        assert (ran.status, ran.out) == (2, "")
        assert said in ran.err
    assert os.listdir(tmp_path) == ["a.zip"]


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("SKILL.md", bytes(64 << 20))


@pytest.mark.slow_cases("bomb")
@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda path: None, "cannot be read: No such file"),
        (
            lambda path: path.mkdir(),
            "is a folder without oci-layout, so it is not an OCI image layout",
        ),
        (lambda path: path.write_bytes(b""), "it is not a zip or gzip archive"),
        (lambda path: path.write_bytes(b"PK\3\4"), "damaged or cut short"),
        (lambda path: path.write_bytes(b"\x1f\x8b\x08\0"), "cut short"),
        (bomb, "unpacks to more than"),
    ],
    ids=["gone", "folder", "empty", "zip", "gzip", "bomb"],
)
def test_what_is_no_archive_says_why(
    run: Run, tmp_path: Path, write: Callable[[Path], object], said: str
) -> None:
    write(tmp_path / "a.zip")
    before = sorted(os.listdir(tmp_path))
    ran = run("unpack", tmp_path / "a.zip", "-o", tmp_path / "made" / "new")
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert str(tmp_path / "a.zip") in ran.err
    assert sorted(os.listdir(tmp_path)) == before


def test_nothing_is_put_where_something_is(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill()
    run("pack", folder, "-o", tmp_path / "a.zip")
    (tmp_path / "empty").mkdir()
    for target, said in (
        (folder, "it already exists"),
        (tmp_path / "empty", "it already exists"),
        (tmp_path / "a.zip", "it already exists"),
        (tmp_path / "a.zip" / "new", "is a file, not a folder"),
        (folder / "inner", "is inside the skill"),
        ("", "-o: enter a folder"),
    ):
        ran = run("unpack", tmp_path / "a.zip", "-o", target)
        assert (ran.status, ran.out) == (2, "")
        assert said in ran.err
    assert os.listdir(folder) == ["SKILL.md"]
    assert os.listdir(tmp_path / "empty") == []


def test_where_to_is_asked_for(run: Run, tmp_path: Path) -> None:
    ran = run("unpack", tmp_path / "a.zip")
    assert (ran.status, ran.out) == (2, "")
    assert "-o" in ran.err
