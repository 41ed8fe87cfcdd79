"""No page, message, hook or completion names a command that is now a part of another one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillstudio.cli.verbs import all_verbs, hint_for

ROOT = Path(__file__).parents[2]
GONE = ("templates", "rename", "operation", "schema", "hash", "explore", "convert")
PLACES = (
    *("src", "docs", "ci", "editors", "examples", "templates", "benchmarks", ".ci", ".github"),
    *("README.md", "CONTRIBUTING.md", "Makefile", "action.yml", ".pre-commit-hooks.yaml"),
)
CALL = re.compile(rf"(?:skillstudio|STUDIO)[\"']?,? +[\"']?({'|'.join(GONE)})(?![\w/.-])")


@pytest.mark.parametrize("verb", GONE)
def test_its_name_is_answered_with_the_new_form(verb: str) -> None:
    assert verb not in all_verbs()
    new = re.match(r"; use skillstudio (\w+)", hint_for(verb))
    assert new
    assert new[1] in all_verbs()


def test_nothing_calls_it() -> None:
    paths = [path for place in PLACES for path in (ROOT / place, *(ROOT / place).rglob("*"))]
    texts = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8", errors="replace")
        for path in paths
        if not {"node_modules", "__pycache__", ".peers"} & set(path.parts) and path.is_file()
    }
    assert len(texts) > 500
    calls = [(name, match.group()) for name in texts for match in CALL.finditer(texts[name])]
    assert calls == []
