"""The pages made from data are as the data now is, and the README's commands exist."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from skillstudio.cli.verbs import ALIASES, all_verbs

ROOT = Path(__file__).parents[2]


def test_the_made_pages_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec
    assert spec.loader
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name, page in generate.PAGES.items():
        written = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert written == page(), f"docs/{name} is out of date: run make docs"


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "CONTRIBUTING.md",
        *[f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))],
    ],
)
def test_links_and_pictures_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)", text)
    missing = [
        link for link in links if "://" not in link and not ((ROOT / page).parent / link).exists()
    ]
    assert missing == []


def test_the_readme_names_only_verbs_that_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\s*skillstudio ([a-z-]+)\b", text, re.MULTILINE))
    assert named - {*all_verbs(), *ALIASES} == set()
