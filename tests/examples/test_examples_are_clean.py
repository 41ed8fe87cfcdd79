"""Examples pass the checks that they are there to show."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.check import check
from skillstudio.manifest.locate import locate
from skillstudio.skill.discover import find_skills

ROOT = Path(__file__).parents[2]
EXAMPLES = {
    "analyze-git": ["agent-skills", "frontmatter-1.0"],
    "aws": ["caro-1.0"],
    "commit-notes": ["agent-skills"],
    "deploy": ["agent-skills", "frontmatter-1.0"],
    "echo-json": ["provenact-1"],
    "greeter": ["agent-skills", "frontmatter-1.0"],
    "history/0.1.0/memory": ["agent-skills", "router-manifest-1"],
    "memory": ["agent-skills", "skill-manifest-2.0"],
    "worklog": ["agent-skills", "frontmatter-1.0"],
}


def judged(path: Path) -> tuple[list[str], dict[str, str]]:
    """The dialects of a skill, and its findings above info: rule to message."""
    located = locate(DiskTree(path))
    found = check(located.skill, located.diagnostics)
    dialects = list(dict.fromkeys(each.dialect.id for each in located.skill.manifests))
    return dialects, {each.rule: each.message for each in found if each.severity != "info"}


def test_these_are_the_examples() -> None:
    assert sorted(find_skills(DiskTree(ROOT / "examples"))) == sorted(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_clean(name: str) -> None:
    assert judged(ROOT / "examples" / name) == (EXAMPLES[name], {})


@pytest.mark.parametrize("folder", ["examples", "templates"])
def test_scripts_may_be_run_and_nothing_stray_lies_about(folder: str) -> None:
    for path in (ROOT / folder).rglob("*"):
        assert path.suffix != ".pyc" or path.parent.name == "__pycache__"
        if path.suffix == ".sh" and path.is_file():
            assert path.stat().st_mode & 0o111, path
            assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
