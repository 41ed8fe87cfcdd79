"""The programs of a skill, and which one a misspelt name means."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.skill.programs import SkillProgram, find_programs, nearest_program

PATHS = ("scripts/split.py", "scripts/join.sh", "bin/split.py", "tool")


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("split.py", "scripts/split.py"),
        ("split", "scripts/split.py"),
        ("script/split.py", "scripts/split.py"),
        ("splt.py", "scripts/split.py"),
        ("bin/splt.py", "bin/split.py"),
        ("jion.sh", "scripts/join.sh"),
        ("tol", "tool"),
        ("other.rb", None),
        ("", None),
    ],
)
def test_a_misspelt_name_means_a_program(word: str, path: str | None) -> None:
    assert nearest_program(word, PATHS) == path


def test_no_program_is_near_without_any() -> None:
    assert nearest_program("split.py", ()) is None


BROKEN = b"import json\nprint(json.dumps({)\n"
FAULT = "not valid Python 3: line 2: closing parenthesis ')' does not match opening parenthesis '{'"


def test_a_script_that_does_not_parse_is_still_a_program(tmp_path: Path) -> None:
    for path in ("scripts/broken.py", "lib/broken.py", "scripts/test_broken.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(BROKEN)
    found = find_programs(DiskTree(str(tmp_path)))
    assert found == [SkillProgram("scripts/broken.py", None, FAULT)], "only what is a program"
