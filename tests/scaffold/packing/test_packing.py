"""What is judged of a skill before it is packed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.scaffold.packing.conftest import CARO, MANIFEST, Make

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.scaffold.packing.packing import archive, inside, plan, root_name
from skillstudio.scaffold.packing.selecting import PackRefused

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
POSIX = pytest.mark.skipif(os.name == "nt", reason="links of Unix")


@pytest.mark.parametrize(
    ("text", "folder", "root"),
    [
        (MANIFEST.format(name="plain"), "plain", "plain"),
        (MANIFEST.format(name="plain"), "other", "plain"),
        (MANIFEST.format(name="über"), "other", "über"),
        (MANIFEST.format(name="../up"), "other", "other"),
        (MANIFEST.format(name="a/b"), "other", "other"),
        (MANIFEST.format(name="nul"), "other", "other"),
        (MANIFEST.format(name="__MACOSX"), "other", "other"),
        (MANIFEST.format(name="[1]"), "other", "other"),
        ("no frontmatter", "other", "other"),
        (MANIFEST.format(name="..."), "a:b", "skill"),
    ],
)
def test_the_folder_in_the_archive_is_what_a_client_demands(
    text: str, folder: str, root: str
) -> None:
    tree = MemoryTree({"SKILL.md": text.encode()}, folder)
    assert root_name(locate(tree).skill) == root


def test_a_caro_skill_keeps_its_folders_name() -> None:
    tree = MemoryTree({"skill.toml": CARO.encode()}, "folder")
    assert root_name(locate(tree).skill) == "folder"


def test_a_credential_is_told_with_its_line_and_without_itself(make: Make) -> None:
    tree = make({"a/run.sh": f"#!x\n\nexport KEY={TOKEN}\nKEY2={TOKEN}\n", "b.bin": f"\0{TOKEN}"})
    [warning] = plan(tree, "zip").warnings
    assert warning.startswith("a/run.sh:3: this looks like a credential, and so does line 4;")
    assert TOKEN not in warning


def test_what_a_lock_of_the_folder_does_not_hold_for_is_told(make: Make) -> None:
    tree = make({".env": "x", "node_modules/a.js": "x", "a.pyc": "x", "empty/": ""})
    [warning] = plan(tree, "tar.gz").warnings
    assert warning.startswith(
        "not packed, but part of the folder's content_hash: .env, node_modules/a.js; "
    )
    named = make({".skillignore": ".env\nnode_modules/\n"})
    assert plan(named, "tar.gz").warnings == ()


def test_an_archive_in_the_skill_is_told(make: Make) -> None:
    tree = make()
    [warning] = plan(tree, "zip", output_paths=["out/plain.zip"]).warnings
    assert warning.startswith("out/plain.zip is inside the skill and becomes part of its")
    tree = make({".skillignore": "out/\n"})
    assert plan(tree, "zip", output_paths=["out/plain.zip"]).warnings == ()


def test_an_earlier_archive_is_told(make: Make) -> None:
    [warning] = plan(make({"old.skill": "x", "data.zip": "x"}), "tar.gz").warnings
    assert warning.startswith("old.skill looks like an archive of a skill")
    assert plan(make({".skillignore": "*.skill\n"}), "tar.gz").warnings == ()


@pytest.mark.parametrize(("format", "told"), [("zip", True), ("tar.gz", False), ("oci", False)])
def test_a_client_that_would_refuse_the_archive_is_told(
    make: Make, format: str, told: bool
) -> None:
    text = MANIFEST.format(name="plain").replace("---\nSay", "version: 1.0.0\n---\nSay")
    found = plan(make({"SKILL.md": text}), format).warnings  # type: ignore[arg-type]
    assert [
        each.startswith("claude.ai would refuse the archive: ") and "version" in each
        for each in found
    ] == ([True] if told else [])


@POSIX
def test_a_link_in_whose_place_the_file_stands_is_told(make: Make) -> None:
    tree = make({"link.md": "-> SKILL.md"})
    assert plan(tree, "tar.gz").warnings == ()
    assert plan(tree, "zip").warnings == (
        "link.md is a link; the file it points to is packed instead",
    )


def test_a_line_of_the_ignore_file_that_matches_nothing_is_told(make: Make) -> None:
    [warning] = plan(make({".skillignore": "a\\\n"}), "zip").warnings
    assert warning.startswith(".skillignore:1: this line never matches")


def test_what_is_checked_is_what_is_packed(make: Make) -> None:
    """A script that stays out is missing from the archive, whatever the folder has."""
    block = (
        '```skill-manifest\n{"schema_version": "2.0", "id": "plain", "version": "1.0.0",'
        '"capabilities": ["text-say"], "effects": ["proc.exec"], "operations": {"say": {'
        '"description": "Say it.", "input": {}, "output": {"description": "It."},'
        '"entrypoints": {"unix": ["bash", "scripts/say.sh"], "windows": ["cmd.exe"]}}},'
        '"stdout_contract": {"last_line_json": true}}\n```\n'
    )
    text = MANIFEST.format(name="plain") + block
    whole = make({"SKILL.md": text, "scripts/say.sh": "#!/bin/sh\n"})
    assert plan(whole, "tar.gz").errors == []
    without = make({"SKILL.md": text, ".skillignore": "scripts/\n"})
    assert [each.rule for each in plan(without, "tar.gz").errors] == ["path-missing"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({".skillignore": "SKILL.md\n"}, ".skillignore leaves out SKILL.md|SKILL.md is excluded"),
        ({".skillignore": "*\n"}, "SKILL.md is excluded"),
        ({".skillignore": "a\n" * 3000}, "more than 2000 lines"),
        ({".skillignore": "x" * 70_000}, "larger than 64 KiB"),
    ],
)
def test_what_cannot_be_packed(make: Make, files: dict[str, str | bytes], said: str) -> None:
    with pytest.raises(PackRefused, match=said):
        plan(make(files), "zip")


def test_an_archive_that_readers_take_for_an_attack_is_not_made(make: Make) -> None:
    tree = make({"zeros": bytes(4 << 20)})
    assert len(archive(plan(tree, "zip"), "zip")) > 4 << 20
    for format in ("zip", "tar.gz"):
        with pytest.raises(PackRefused, match="readers reject it as an archive bomb"):
            archive(plan(tree, format), format, compress=True)  # type: ignore[arg-type]


def test_a_path_is_seen_from_the_skill(tmp_path: Path) -> None:
    (tmp_path / "skill").mkdir()
    folder = str(tmp_path / "skill")
    assert inside(folder, str(tmp_path / "skill" / "out" / "a.zip")) == "out/a.zip"
    assert inside(folder, str(tmp_path / "a.zip")) == ""
    assert inside(folder, folder) == ""
    assert inside(folder, str(tmp_path / "skill.zip")) == ""
