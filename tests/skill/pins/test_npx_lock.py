"""`skills-lock.json`: what is read, the hash of a folder, and which copies are compared."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from skillstudio.skill.pins.lock import LockUnreadable
from skillstudio.skill.pins.npx_lock import (
    FILE,
    NotComputable,
    check_npx_lock,
    folder_hash,
    installed_name,
    read_npx_lock,
)
from skillstudio.text.source import Source

HASH = "0" * 64


def entry(hash: str = HASH, **more: Any) -> dict[str, Any]:
    return {"source": "a/b", "sourceType": "github", "computedHash": hash, **more}


def lock(**skills: Any) -> str:
    return json.dumps({"version": 1, "skills": skills})


def checked(project: Path, text: str) -> list[tuple[str, str]]:
    skills = read_npx_lock(Source(text, FILE))
    return [(each.state, each.folder) for each in check_npx_lock(skills, str(project))]


def put(folder: Path, files: dict[str, str]) -> str:
    """The hash of a folder with some files, given in the order of `localeCompare`."""
    digest = hashlib.sha256()
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        digest.update(path.encode() + text.encode())
    return digest.hexdigest()


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "empty document"),
        ('{"version": 1,\n "skills": {}', 1, 1, "unclosed {"),
        ("[]", 1, 1, "the mapping `skills` is missing"),
        ('{"version": 1, "skills": []}', 1, 1, "the mapping `skills` is missing"),
        ('{"version": 2, "skills": {}}', 1, 13, "only version 1"),
        ('{"skills": {}}', 1, 1, "only version 1"),
        ('{"version": 1, "skills": {"a": 1}}', 1, 32, "must be a mapping"),
        ('{"version": 1, "skills": {"a": {}}}', 1, 32, "needs the string source"),
        (lock(a=entry("x")), 1, 90, "64 lowercase hex digits"),
        ("{\n<<<<<<< ours\n}", 2, 1, "merge conflict markers"),
    ],
)
def test_a_file_that_is_not_a_lock(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(LockUnreadable, match=message) as raised:
        read_npx_lock(Source(text, FILE))
    assert (raised.value.line, raised.value.column) == (line, column)


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("pdf-forms", "pdf-forms"),
        ("Web Design", "web-design"),
        ("../../etc", "etc"),
        ("a_b.c", "a_b.c"),
        ("..", "unnamed-skill"),
        ("x" * 300, "x" * 255),
    ],
)
def test_the_folder_of_a_name(name: str, folder: str) -> None:
    assert installed_name(name) == folder


def test_files_are_hashed_in_the_order_of_the_locale(tmp_path: Path) -> None:
    files = {
        "_x": "1", "-x": "2", ".x": "3", "1.md": "4", "a/z.md": "5", "a1": "6",
        "references/x.md": "7", "SKILL.md": "8", "skills.md": "9", "z.md": "10", "Z.mdx": "11",
    }  # fmt: skip
    digest = put(tmp_path, files)
    put(tmp_path / ".git", {"HEAD": "x"})
    put(tmp_path / "a/node_modules", {"x.js": "x"})
    assert folder_hash(str(tmp_path)) == digest


def test_small_letters_come_first(tmp_path: Path) -> None:
    assert folder_hash(str(tmp_path)) == hashlib.sha256().hexdigest()
    digest = put(tmp_path, {"readme.md": "a", "README.md": "b"})
    if len(os.listdir(tmp_path)) == 2:  # Else the file system ignores case.
        assert folder_hash(str(tmp_path)) == digest


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_links_are_not_hashed(tmp_path: Path) -> None:
    digest = put(tmp_path, {"SKILL.md": "a"})
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "file").symlink_to("SKILL.md")
    assert folder_hash(str(tmp_path)) == digest


def test_a_name_that_the_locale_sorts(tmp_path: Path) -> None:
    put(tmp_path, {"SKILL.md": "a", "é.md": "b"})
    with pytest.raises(NotComputable, match="not ASCII"):
        folder_hash(str(tmp_path))


def test_each_skill_is_found_and_compared(tmp_path: Path) -> None:
    good = put(tmp_path / ".agents/skills/good", {"SKILL.md": "a"})
    put(tmp_path / ".agents/skills/changed", {"SKILL.md": "b"})
    put(tmp_path / ".agents/skills/empty", {"notes.md": "b"})
    put(tmp_path / ".agents/skills/other", {"SKILL.md": "b", "é": ""})
    put(tmp_path / ".claude/skills/good", {"SKILL.md": "changed here"})
    put(tmp_path / ".claude/skills/copied", {"SKILL.md": "a"})
    text = lock(
        good=entry(good), Changed=entry(), empty=entry(), other=entry(), copied=entry(good),
        none=entry(ref="main", skillPath="x/SKILL.md"),
    )  # fmt: skip
    assert checked(tmp_path, text) == [
        ("ok", ".agents/skills/good"),
        ("differs", ".claude/skills/good"),
        ("differs", ".agents/skills/changed"),
        ("missing", ""),
        ("not computable", ".agents/skills/other"),
        ("ok", ".claude/skills/copied"),
        ("missing", ""),
    ]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_linked_copy_is_compared_once(tmp_path: Path) -> None:
    good = put(tmp_path / ".agents/skills/good", {"SKILL.md": "a"})
    (tmp_path / ".claude/skills").mkdir(parents=True)
    (tmp_path / ".claude/skills/good").symlink_to("../../.agents/skills/good")
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/skills").symlink_to("skills")
    assert checked(tmp_path, lock(good=entry(good))) == [("ok", ".agents/skills/good")]


@pytest.mark.slow
def test_many_names_of_one_folder_are_hashed_once(tmp_path: Path) -> None:
    put(tmp_path / ".agents/skills/a", {"SKILL.md": "a" * 100_000})
    text = lock(**{f"a{'!' * each}": entry() for each in range(3000)})
    found = check_npx_lock(read_npx_lock(Source(text, FILE)), str(tmp_path))
    assert {(each.state, each.folder) for each in found} == {("differs", ".agents/skills/a")}
