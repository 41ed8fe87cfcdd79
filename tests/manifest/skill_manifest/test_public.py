"""The seed's example and the public manifests, with the scripts that they name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from skillstudio.text.diagnostic import Diagnostic

Look = Callable[..., list[Diagnostic]]

AUTHORS_FAULTS = {
    "skill-creator": {"placeholder-no-default"},
}
"""What public manifests really get wrong: `init` passes {output_dir} although it is optional."""


def scripts(text: str) -> dict[str, str]:
    """Empty files for the scripts that a manifest names, as only SKILL.md is at hand."""
    named = re.findall(r'"(scripts(?:/|\\\\)[^"]+)"', text)
    return {path.replace("\\\\", "/"): "" for path in named}


def test_the_example_of_the_text(look: Look, data: Path) -> None:
    text = next(data.glob("seeds/001_*.txt")).read_text(encoding="utf-8")
    example = text.partition("## Example")[2].partition("```json\n")[2].partition("```")[0]
    body = f"---\nname: skill-system-memory\n---\n```skill-manifest\n{example}```\n"
    files = {"SKILL.md": body, **scripts(example)}
    assert len(files) == 3
    assert look(files, "skill-system-memory") == []


def test_the_public_manifests(look: Look, data: Path) -> None:
    paths = sorted(data.glob("corpus/skill-manifest/**/SKILL.md"))
    if not paths:
        pytest.skip("the public manifests are not in the data folder")
    found = {}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        rules = {each.rule for each in look({"SKILL.md": text, **scripts(text)}, path.parent.name)}
        found[path.parent.name] = rules
    assert {name: rules for name, rules in found.items() if rules} == AUTHORS_FAULTS


@pytest.mark.parametrize(
    ("name", "folder", "rules"),
    [
        ("skill-system-memory", "skill-system-memory", {"router-manifest-old"}),
        ("illustration-only", "skill-system-router", set()),
    ],
)
def test_the_old_format(look: Look, data: Path, name: str, folder: str, rules: set[str]) -> None:
    path = data / "corpus" / "router-manifest" / f"{name}.SKILL.md"
    if not path.exists():
        pytest.skip("the public router manifests are not in the data folder")
    text = path.read_text(encoding="utf-8")
    assert {each.rule for each in look({"SKILL.md": text, **scripts(text)}, folder)} == rules
