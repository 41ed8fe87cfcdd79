"""Packing from the workbench: what is proposed, listed, asked and written."""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.scaffold.packing.packing import write
from skillstudio.scaffold.packing.selecting import PackRefused
from skillstudio.session.packing import (
    KINDS,
    ArchiveKind,
    PackRow,
    fault,
    look,
    proposed,
    question,
    rows,
    summary,
)
from skillstudio.settings.settings import NO_SETTINGS

SKILL, ZIP, TGZ, OCI = KINDS
TEXT = "---\nname: {name}\ndescription: Says things. Use when things are said.\n---\nSay.\n"
CARO = '[skill]\nid = "text.plain"\nname = "plain"\nversion = "{version}"\ndescription = "Says"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "plain"
    made.mkdir()
    (made / "SKILL.md").write_text(TEXT.format(name="plain"))
    (made / "run.sh").write_text("#!/bin/sh\n")
    (made / "run.sh").chmod(0o755)
    (made / ".env").write_text("x")
    (made / "a.log").write_text("x")
    (made / ".skillignore").write_text(".env\n*.log\n")
    return made


@pytest.mark.parametrize(
    ("kind", "name"),
    [(SKILL, "plain.skill"), (ZIP, "plain.zip"), (TGZ, "plain.tgz"), (OCI, "plain-oci")],
)
def test_the_file_is_proposed_beside_the_skill(folder: Path, kind: ArchiveKind, name: str) -> None:
    skill = locate(DiskTree(folder)).skill
    assert proposed(str(folder), kind, skill) == str(folder.parent / name)


@pytest.mark.parametrize(
    ("version", "name"),
    [("1.2.0", "caro-1.2.0.tgz"), ("1.0.0+mac", "caro-1.0.0+mac.tgz"), ("../up", "caro.tgz")],
)
def test_a_tgz_is_called_by_its_version_where_a_file_can_be(
    tmp_path: Path, version: str, name: str
) -> None:
    (tmp_path / "caro").mkdir()
    (tmp_path / "caro" / "skill.toml").write_text(CARO.format(version=version))
    skill = locate(DiskTree(tmp_path / "caro")).skill
    assert proposed(str(tmp_path / "caro"), TGZ, skill) == str(tmp_path / name)


def test_the_list_has_a_line_for_everything(folder: Path) -> None:
    packing = look(str(folder), SKILL, str(folder.parent / "a.skill"), NO_SETTINGS)
    assert rows(packing, ["SKILL.md"]) == [
        PackRow("warning", "SKILL.md is not saved; the file on disk is packed"),
        PackRow("out", ".env", None, "local settings and credentials"),
        PackRow("out", "a.log", None, ".skillignore:2"),
        PackRow("in", ".skillignore", 11),
        PackRow("in", "SKILL.md", 77),
        PackRow("in", "run.sh", 10, "executable" if os.name != "nt" else ""),
    ]
    assert summary(packing) == "in plain/: 3 files, 98 bytes, 2 excluded"


def test_what_is_written_is_not_in_itself(folder: Path) -> None:
    output = folder / "old.skill"
    output.write_text("x")
    packing = look(str(folder), SKILL, str(output), NO_SETTINGS)
    assert PackRow("out", "old.skill", None, "the output of pack") in rows(packing)


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        (SKILL, "a.skill", ""),
        (TGZ, "a.tar.gz", ""),
        (SKILL, "there.skill", ""),
        (OCI, "a-oci", ""),
        (SKILL, "a.tgz", "the name must end with .skill"),
        (TGZ, "a", "the name must end with .tgz"),
        (SKILL, "folder.skill", "it already exists"),
        (SKILL, "link.skill", "this is a symbolic link"),
        (SKILL, "there.skill/a.skill", "is a file, not a folder"),
        (OCI, "a.zip", "an image layout is a folder"),
        (OCI, "there.skill", "an image layout is a folder"),
        (OCI, "plain", "it already exists"),
        (SKILL, "", "enter a file name"),
    ],
)
def test_a_place_where_nothing_can_be_written_says_so(
    folder: Path, kind: ArchiveKind, name: str, said: str
) -> None:
    here = folder.parent
    (here / "there.skill").write_text("x")
    (here / "folder.skill").mkdir()
    (here / "link.skill").symlink_to("elsewhere.skill")
    found = fault(str(here / name) if name else "", kind)
    assert said in found
    assert bool(found) == bool(said)


def test_what_has_to_be_agreed_to(folder: Path) -> None:
    output = str(folder.parent / "a.skill")
    assert question(look(str(folder), SKILL, output, NO_SETTINGS), output) == ""
    (folder / "SKILL.md").write_text("---\nname: plain\n---\n")
    packing = look(str(folder), SKILL, output, NO_SETTINGS)
    assert question(packing, output) == "the skill has 1 error"
    assert rows(packing)[0].mark == "error"
    assert rows(packing)[0].text.startswith("SKILL.md:1:1: ")
    Path(output).write_text("x")
    assert question(packing, output) == (
        "the skill has 1 error; the file already exists and would be replaced"
    )


def test_what_was_listed_is_written(folder: Path) -> None:
    output = folder.parent / "new" / "a.skill"
    packing = look(str(folder), SKILL, str(output), NO_SETTINGS)
    (folder / "late.md").write_text("x")
    written = write(packing, SKILL.format, str(output), replace=False)
    data = output.read_bytes()
    assert written.digest == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert written.size == len(data)
    with zipfile.ZipFile(output) as archive:
        listed = [row.text for row in rows(packing) if row.mark == "in"]
        assert archive.namelist() == [f"plain/{path}" for path in listed]


def test_a_skill_that_cannot_be_packed_says_why(folder: Path) -> None:
    (folder / ".skillignore").write_text("*\n")
    with pytest.raises(PackRefused, match=r"SKILL\.md is excluded"):
        look(str(folder), SKILL, str(folder.parent / "a.skill"), NO_SETTINGS)
