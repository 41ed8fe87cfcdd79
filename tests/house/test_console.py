"""The commands in the README and the tutorials work and print what the pages show."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from tests.dryrun.skills import offered
from tests.repositories import needs_git

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]
RUNS = [page for page in PAGES if "$ skillstudio run" in page.read_text(encoding="utf-8")]


@pytest.fixture(scope="module")
def console() -> ModuleType:
    spec = importlib.util.spec_from_file_location("console", ROOT / "docs" / "console.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow_cases("diff", "scaffold")
@needs_git
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=[pytest.mark.slow] if page in RUNS else [])
        for page in PAGES
    ],
)
def test_commands_print_what_the_page_shows(
    page: Path, console: ModuleType, tmp_path: Path
) -> None:
    if page in RUNS:
        offered("isolated")
    text = page.read_text(encoding="utf-8")
    assert console.played(text, tmp_path) == text, f"{page.name} is out of date: run make docs"
