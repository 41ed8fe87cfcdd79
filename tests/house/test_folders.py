"""The docstring of a test folder says, in five lines at most, what is tested where."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
FOLDERS = sorted({path.relative_to(TESTS).parts[0] for path in TESTS.rglob("*/test_*.py")})
MAXIMUM_LINES = 5
PATH = re.compile(r"(?<![\w/<>*-])[\w/-]+(?:\.(?:py|yaml|txt)\b|/(?!\w))")


def read_docstring(name: str) -> str:
    """Return the docstring of a folder's conftest.py; empty without one."""
    file = TESTS / name / "conftest.py"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return ast.get_docstring(ast.parse(text)) or ""


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_has_a_docstring_of_few_lines(name: str) -> None:
    lines = len(read_docstring(name).splitlines())
    assert 1 <= lines <= MAXIMUM_LINES, f"tests/{name}/conftest.py: {lines} lines of docstring"


@pytest.mark.parametrize("name", FOLDERS)
def test_the_files_and_folders_that_a_docstring_names_exist(name: str) -> None:
    paths = PATH.findall(read_docstring(name))
    places = [TESTS.parent, TESTS / name, *(TESTS / name).iterdir()]
    assert [path for path in paths if not any((place / path).exists() for place in places)] == []
