"""`pack`: what it says, what it writes, what it refuses."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from skillstudio.files.disk import DiskTree
from skillstudio.skill.hashing.content_hash import content_hash

Skill = Callable[..., Path]
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
POSIX = pytest.mark.skipif(os.name == "nt", reason="links and names of Unix")


def test_the_list_is_what_the_archive_holds(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill(**{"a.txt": "x", ".env": "x", ".skillignore": ".env\n*.log\n", "b.log": "x"})
    listed = run("pack", folder, "--list", "--format", "json")
    assert (listed.status, listed.err) == (0, "")
    assert sorted(os.listdir(tmp_path)) == ["plain"]
    assert listed.json["in"] == [
        {"path": ".skillignore", "kind": "file", "size": 11, "executable": False},
        {"path": "SKILL.md", "kind": "file", "size": 77, "executable": False},
        {"path": "a.txt", "kind": "file", "size": 1, "executable": False},
    ]
    assert listed.json["out"] == [
        {"path": ".env", "reason": "local settings and credentials"},
        {"path": "b.log", "reason": ".skillignore:2"},
    ]
    ran = run("pack", folder, "-o", tmp_path / "plain.skill", "--format", "json")
    assert (ran.status, ran.err) == (0, "")
    for part in ("in", "out", "root", "content_hash", "warnings", "diagnostics"):
        assert ran.json[part] == listed.json[part]
    with zipfile.ZipFile(tmp_path / "plain.skill") as archive:
        assert archive.namelist() == [f"plain/{each['path']}" for each in ran.json["in"]]
    data = (tmp_path / "plain.skill").read_bytes()
    assert ran.json["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert (ran.json["bytes"], ran.json["format"]) == (len(data), "zip")
    assert ran.json["file"] == str(tmp_path / "plain.skill")
    assert ran.json["content_hash"] == content_hash(DiskTree(folder))
    assert (listed.json["file"], listed.json["digest"], listed.json["bytes"]) == (None, None, None)


def test_the_list_for_people(run: Run, skill: Skill) -> None:
    folder = skill(**{"run.sh": "#!/bin/sh\n", "a.pyc": "x"})
    (folder / "run.sh").chmod(0o755)
    lines = run("pack", folder, "--list").out.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["in", "77", "SKILL.md"],
        ["in", "10", "run.sh", *(["(executable)"] if os.name != "nt" else [])],
        ["out", "a.pyc", "(generated", "by", "an", "interpreter)"],
    ]
    assert lines[3].startswith("2 files, 87 bytes, below plain/, content_hash sha256:")


@pytest.mark.parametrize(
    "name", ["a.skill", "a.zip", "a.tgz", "a.tar.gz", "A.SKILL", "new/er/a.zip"]
)
def test_each_archive_is_a_version_of_the_skill(
    run: Run, skill: Skill, tmp_path: Path, name: str
) -> None:
    folder = skill(**{"a.txt": "x"})
    assert run("pack", folder, "-o", tmp_path / name).status == 0
    expected = run("identity", folder, "--digests", "--format", "json").json
    assert run("identity", tmp_path / name, "--digests", "--format", "json").json == expected
    assert run("pack", tmp_path / name, "-o", tmp_path / "again.tgz").status == 0
    assert run("identity", tmp_path / "again.tgz", "--digests", "--format", "json").json == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name the archive with -o FILE"),
        (["-o", "a.rar"], "a.rar: use one of the endings .skill, .zip, .tgz, .tar.gz"),
        (["-o", "a"], "a: use one of the endings .skill"),
        (["-o", "a.zip", "--oci"], "--oci creates a folder"),
        (["-o", "there.zip"], "there.zip already exists; --force overwrites it"),
        (["-o", "folder.zip"], "folder.zip is an existing folder"),
        (["-o", "folder.zip", "--force"], "folder.zip is an existing folder"),
        (["-o", "folder", "--oci", "--force"], "folder is an existing folder"),
        (["-o", "there", "--oci"], "there already exists"),
        (["-o", "there.zip/a.zip"], "is a file, not a folder"),
    ],
)
def test_a_place_where_nothing_can_be_written(
    run: Run,
    skill: Skill,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    said: str,
) -> None:
    folder = skill()
    monkeypatch.chdir(tmp_path)
    for name in ("there", "there.zip"):
        (tmp_path / name).write_text("mine")
    for name in ("folder", "folder.zip"):
        (tmp_path / name).mkdir()
    ran = run("pack", folder, *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert sorted(os.listdir(tmp_path)) == ["folder", "folder.zip", "plain", "there", "there.zip"]
    assert (tmp_path / "there.zip").read_text() == "mine"


def test_a_file_is_written_over_when_asked(run: Run, skill: Skill, tmp_path: Path) -> None:
    target = tmp_path / "a.zip"
    target.write_text("old")
    assert run("pack", skill(), "-o", target, "--force").status == 0
    assert zipfile.is_zipfile(target)


@POSIX
def test_a_link_out_of_the_folder_is_not_written_through(
    run: Run, skill: Skill, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "a.zip"
    (tmp_path / "a.zip").symlink_to(elsewhere)
    folder = skill()
    for words in ([], ["--force"]):
        assert run("pack", folder, "-o", tmp_path / "a.zip", *words).status == 2
    assert not elsewhere.exists()


def test_an_archive_in_the_skill_is_not_in_itself(run: Run, skill: Skill) -> None:
    folder = skill()
    target = folder / "plain.skill"
    first = run("pack", folder, "-o", target)
    assert "plain.skill is inside the skill and becomes part of its content_hash" in first.err
    before = target.read_bytes()
    again = run("pack", folder, "-o", target, "--force", "--format", "json")
    assert target.read_bytes() == before
    assert again.json["out"] == [{"path": "plain.skill", "reason": "the output of pack"}]


def test_a_layout_in_the_skill_is_not_in_itself(run: Run, skill: Skill) -> None:
    folder = skill()
    first = run("pack", folder, "-o", folder / "out", "--oci", "--format", "json").json
    shutil.move(folder / "out", folder.parent / "out")
    assert run("pack", folder, "-o", folder / "out", "--oci", "--format", "json").json == first


def test_errors_are_told_and_nothing_is_written(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill(text="---\nname: plain\n---\n")
    target = tmp_path / "a.zip"
    ran = run("pack", folder, "-o", target)
    assert (ran.status, target.exists()) == (1, False)
    assert "plain/SKILL.md:1:1: " in ran.err
    assert "is not packed: the check finds 1 error; --no-check packs it" in ran.err
    told = run("pack", folder, "-o", target, "--format", "json").json
    assert (told["file"], [each["severity"] for each in told["diagnostics"]]) == (None, ["error"])
    assert run("pack", folder, "--list").status == 1
    assert run("pack", folder, "-o", target, "--no-check").status == 0
    assert target.exists()


@POSIX
def test_a_link_out_of_the_skill_is_refused_with_its_place(
    run: Run, skill: Skill, tmp_path: Path
) -> None:
    folder = skill()
    (tmp_path / "secret").write_text("x")
    (folder / "a").symlink_to("../secret")
    for name in ("a.zip", "a.tgz"):
        ran = run("pack", folder, "-o", tmp_path / name)
        assert (ran.status, ran.out) == (2, "")
        assert f"{folder}: a is a link to '../secret', which points outside of the skill" in ran.err
        assert not (tmp_path / name).exists()


def test_a_credential_is_a_warning_and_is_not_shown(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill(**{"a.sh": f"KEY={TOKEN}\n"})
    ran = run("pack", folder, "-o", tmp_path / "a.zip", "--format", "json")
    assert (ran.status, len(ran.json["warnings"])) == (0, 1)
    assert "a.sh:1: this looks like a credential" in ran.err
    assert TOKEN not in ran.out + ran.err


def test_a_path_that_is_no_skill(run: Run, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "gone"):
        ran = run("pack", path, "-o", tmp_path / "a.zip")
        assert (ran.status, ran.out) == (2, "")
    assert os.listdir(tmp_path) == []


def test_a_folder_of_several_skills_says_what_to_pack(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        skill(name)
    monkeypatch.chdir(tmp_path.parent)
    ran = run("pack", tmp_path.name, "-o", "a.zip")
    assert (ran.status, ran.out) == (2, "")
    here = tmp_path.name
    said = f"{here} contains several skills; choose one: {here}/one, {here}/two"
    assert ran.err == f"skillstudio: {said}\n"


@POSIX
def test_hostile_names_are_shown_and_do_nothing(run: Run, skill: Skill) -> None:
    folder = skill(**{"$(touch x)": "", "[red]x.md": ""})
    (folder / "\x1b]0;x\x07").mkdir()
    ran = run("pack", folder, "--list")
    assert ran.status == 0
    assert "\x1b" not in ran.out + ran.err
    assert "[red]x.md" in ran.out
    (folder / "\x1b[31mred").write_text("")
    ran = run("pack", folder, "--list")
    assert (ran.status, ran.out) == (2, "")
    assert "\x1b" not in ran.err


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_revision_is_packed_as_it_was(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill(**{"a.txt": "x"})
    run("pack", folder, "-o", tmp_path / "before.tgz")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"], ["tag", "v1.0.0"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True)
    (folder / "a.txt").write_text("y")
    assert run("pack", f"{folder}@v1.0.0", "-o", tmp_path / "then.tgz").status == 0
    assert (tmp_path / "then.tgz").read_bytes() == (tmp_path / "before.tgz").read_bytes()
    gone = run("pack", f"{folder}@v2.0.0", "-o", tmp_path / "b.tgz")
    assert (gone.status, gone.out) == (2, "")


def test_the_settings_of_the_workspace_hold(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill(text="---\nname: plain\ndescription: Says. Use it.\n---\n[a](b.md)\n")
    assert run("pack", folder, "--list").status == 0
    (tmp_path / "skillstudio.toml").write_text('[rules]\nlink-missing = "error"\n')
    ran = run("pack", folder, "--list")
    assert (ran.status, "(link-missing)" in ran.err) == (1, True)


def test_deflated_on_request(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill(**{"a.txt": "word " * 2000})
    for name in ("a.zip", "a.tgz"):
        run("pack", folder, "-o", tmp_path / name)
        run("pack", folder, "-o", tmp_path / f"small-{name}", "--compress")
        sizes = [(tmp_path / each).stat().st_size for each in (name, f"small-{name}")]
        assert sizes[1] < sizes[0] / 5
        hashes = [
            run("identity", tmp_path / each, "--digests").out for each in (name, f"small-{name}")
        ]
        assert hashes[0] == hashes[1]


def test_a_zip_file_is_as_an_upload_needs_it(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill()
    (folder / "in").mkdir()
    (folder / "a").mkdir()
    (folder / "a" / "é.md").write_text("x")
    (folder / "in" / "SKILL.md").write_text("---\nname: in\ndescription: Does.\n---\n")
    (folder / "SKILL.md").write_text((folder / "SKILL.md").read_text() + "[in](in/SKILL.md)\n")
    ran = run("pack", folder, "-o", tmp_path / "plain.zip")
    assert ran.status == 0
    command = f"skillstudio pack {folder}/in -o in.zip"
    assert f"{folder}: in is a skill of its own and not packed; {command}\n" in ran.err
    assert "claude.ai would refuse the archive: a path contains characters other than" in ran.err
    assert "the link to in/SKILL.md leads to nothing in the copy" in ran.err
    with zipfile.ZipFile(tmp_path / "plain.zip") as archive:
        assert archive.namelist() == ["plain/SKILL.md", "plain/a/é.md"]
    listed = run("pack", folder, "-o", tmp_path / "plain.tgz", "--list", "--format", "json").json
    assert "in/SKILL.md" in [each["path"] for each in listed["in"]]
    (tmp_path / "skillstudio.toml").write_text('targets = ["claude-upload"]\n')
    ran = run("pack", folder, "-o", tmp_path / "second.zip")
    assert (ran.status, (tmp_path / "second.zip").exists()) == (1, False)
