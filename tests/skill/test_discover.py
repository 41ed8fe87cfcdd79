"""Which folders of a tree are searched for skills."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.skill.discover import MAX_DEPTH, find_skills

DEEP = "/".join(["a"] * (MAX_DEPTH + 1))


@pytest.mark.parametrize(
    ("folder", "is_searched"),
    [
        ("tea", True),
        ("skills/tea", True),
        (".claude/skills/tea", True),
        ("build/tea", True),
        (DEEP, True),
        (f"{DEEP}/a", False),
        (".git/tea", False),
        ("node_modules/package/skills/tea", False),
        (".venv/tea", False),
        (".tools/lib/python3.12/site-packages/package/tea", False),
        (".tools/Lib/site-packages/package/tea", False),
        (".nox/tests/share/tea", False),
        (".ruff_cache/tea", False),
    ],
)
def test_folders_of_tools_and_packages_are_not_searched(
    tmp_path: Path, folder: str, is_searched: bool
) -> None:
    skill = tmp_path / folder
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\n")
    assert list(find_skills(DiskTree(tmp_path))) == ([folder] if is_searched else [])
