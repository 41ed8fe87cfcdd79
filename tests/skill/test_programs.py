"""The programs of a skill, and which one a misspelt name means."""

from __future__ import annotations

import pytest

from skillstudio.skill.programs import nearest_program

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
