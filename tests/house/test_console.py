"""The commands in the README and the tutorials work and print what the pages show."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from tests.dryrun.skills import offered
from tests.repositories import needs_git

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", *(f"docs/tutorials/{p.name}" for p in (ROOT / "docs/tutorials").glob("*.md"))]


@pytest.fixture(scope="module")
def console() -> ModuleType:
    spec = importlib.util.spec_from_file_location("console", ROOT / "docs" / "console.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_git
@pytest.mark.parametrize("page", sorted(PAGES))
def test_commands_print_what_the_page_shows(page: str, console: ModuleType, tmp_path: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    if "$ skillstudio run" in text:
        offered("isolated")
    assert console.played(text, tmp_path) == text, f"{page} is out of date: run make docs"
