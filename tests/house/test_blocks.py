"""The shell blocks of the pages work; those of tutorials are run by `test_console.py`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.dryrun.skills import offered
from tests.repositories import needs_git

ROOT = Path(__file__).parents[2]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
PLAYED = {"README.md", *(f"docs/tutorials/{path.name}" for path in TUTORIALS)}
"""Pages whose `console` blocks `test_console.py` runs."""


def load_blocks() -> ModuleType:
    """Load `docs/blocks.py`, which is in no package."""
    folder = str(ROOT / "docs")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("blocks")
    finally:
        sys.path.remove(folder)


blocks = load_blocks()


def read_pages() -> dict[str, list[Any]]:
    """Return the blocks of each page that is not generated."""
    paths = [
        *(path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "editors").glob("*/README.md"),
    ]
    pages = {}
    for path in sorted(paths):
        page = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        if not text.startswith("<!-- Generated"):
            pages[page] = [
                block
                for block in blocks.find_blocks(page, text)
                if block.comment or block.language != "console" or page not in PLAYED
            ]
    return pages


PAGES = read_pages()
RUN_PAGES = [page for page in PAGES if any(block.runs for block in PAGES[page])]
SLOW_PAGES = (
    "README.md",
    *(f"docs/{name}.md" for name in ("adopt", "apply", "network", "recipes", "runs", "samples")),
)


def test_each_block_says_how_it_is_run_or_why_not() -> None:
    faults = [
        fault for page in PAGES.values() for block in page for fault in blocks.find_faults(block)
    ]
    assert faults == []


def test_scenes_and_reasons_are_used() -> None:
    used = [block for page in PAGES.values() for block in page]
    assert {block.scene for block in used} - {""} == set(blocks.SCENES)
    reasons = {block.reason for block in used} | {block.skipped_reason for block in used}
    assert reasons - {""} == set(blocks.REASONS)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("```\nskillstudio check .\n```\n", "name the language"),
        ("```sh\nskillstudio check .\n```\n", "say how the block is run"),
        ("```text\nskillstudio check [PATH]\n```\n", "say how the block is run"),
        ("<!-- not run: too slow -->\n```sh\nsleep 9\n```\n", "too slow is no reason"),
        ("<!-- run: nowhere -->\n```sh\ntrue\n```\n", "nowhere is no scene"),
        ("<!-- run -->\n```sh\ntrue\n```\n", "name a scene"),
        ("<!-- run: empty statuss=1 -->\n```sh\ntrue\n```\n", "statuss is no option"),
        ("<!-- run: empty status=0,1 -->\n```sh\ntrue\n```\n", "2 statuses for 1 command"),
        ("<!-- run: empty skip=1:boring -->\n```sh\ntrue\n```\n", "boring is no reason"),
    ],
)
def test_a_block_without_a_scene_or_reason_is_a_fault(text: str, fault: str) -> None:
    faults = [
        fault for block in blocks.find_blocks("a.md", text) for fault in blocks.find_faults(block)
    ]
    assert any(fault in text for text in faults)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<!-- run: empty -->\n```sh\nfalse\n```\n", "exit status 1, not 0"),
        ("<!-- run: empty status=1 -->\n```sh\ntrue\n```\n", "exit status 0, not 1"),
        ("<!-- run: empty -->\n```console\n$ echo a\nb\n```\n", "the output differs"),
        (
            "<!-- run: empty -->\n```sh\necho 'Traceback (most recent call last)'\n```\n",
            "Traceback",
        ),
        ("<!-- run: empty -->\n```sh\nskillstudio check PATH\n```\n", "exit status 2"),
        ("<!-- run: empty PATH=. -->\n```sh\nskillstudio check PATH\n```\n", ""),
        ("<!-- run: empty status=0,1 -->\n```sh\ntrue # yes\nfalse\n```\n", ""),
        ("<!-- run: empty stdin=tea -->\n```sh\ngrep tea\n```\n", ""),
        ("<!-- run: empty skip=1:input -->\n```sh\nfalse\ntrue\n```\n", ""),
        ("<!-- run: empty -->\n```console\n$ digest=$(echo a)\n$ echo $digest\na\n```\n", ""),
    ],
)
def test_what_does_not_work_is_reported(text: str, fault: str, tmp_path: Path) -> None:
    faults = list(blocks.run_blocks(list(blocks.find_blocks("a.md", text)), tmp_path))
    assert (fault in faults[0]) if fault else faults == []


@pytest.mark.slow_cases(*SLOW_PAGES)
@needs_git
@pytest.mark.parametrize("page", RUN_PAGES)
def test_commands_of_a_page_work(page: str, tmp_path: Path) -> None:
    if any(block.starts_programs for block in PAGES[page]):
        offered("isolated")
    assert "\n".join(blocks.run_blocks(PAGES[page], tmp_path)) == ""
