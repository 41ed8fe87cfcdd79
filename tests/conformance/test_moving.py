"""The examples and real skills moved between manifest systems: every leaf told, results clean."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.conformance.real_validators import ROOT, corpus
from tests.scaffold.moving.leaftest import (
    assert_every_leaf_is_told,
    assert_the_interfaces_differ_as_told,
)

from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree
from skillstudio.manifest.agent_skills.rules import is_name
from skillstudio.manifest.locate import locate
from skillstudio.scaffold.moving.convert import ConversionRefused, convert
from skillstudio.scaffold.moving.sound import Unsound
from skillstudio.skill.analysis import analyse
from skillstudio.skill.discover import find_skills

TARGETS = ["agent-skills", "frontmatter-1.0", "skill-manifest-2.0"]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.name != "history")


def serious(tree: FileTree) -> Counter[str]:
    """The rules that a skill breaks, but for what is left to its author."""
    found = (e.rule for e in analyse(tree).diagnostics if e.severity != "info")
    return Counter(rule for rule in found if rule != "todo-left")


def hold(folder: Path, to: str) -> None:
    """Convert one skill; raises ConversionRefused and Unsound."""
    located = locate(DiskTree(folder))
    made = convert(located, to, folder.name if is_name(folder.name) else "some-skill")
    new = locate(made.tree).skill
    assert_every_leaf_is_told(made.report, located.skill, new)
    assert_the_interfaces_differ_as_told(made.report, located.skill, new)
    # What was wrong with the files and the text is so still; nothing new is.
    assert serious(made.tree) <= serious(DiskTree(folder)), folder


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_convert_and_are_clean(folder: Path, to: str) -> None:
    hold(folder, to)


def test_the_example_of_provenact_becomes_a_bundle() -> None:
    hold(ROOT / "examples" / "echo-json", "provenact-bundle")


@pytest.mark.parametrize("to", TARGETS)
def test_real_blocks_and_bundles_convert(data: Path, to: str) -> None:
    for kind, least in (("skill-manifest", 9), ("provenact", 18)):
        root = data / "corpus" / kind
        folders = [root / inside for inside in find_skills(DiskTree(root))]
        assert len(folders) >= least
        for folder in folders:
            hold(folder, to)


def test_real_agent_skills_convert(data: Path) -> None:
    unread = []
    for number, folder in enumerate(corpus()):
        try:
            hold(folder, TARGETS[number % len(TARGETS)])
        except (Unsound, ConversionRefused) as refused:
            unread.append((folder, str(refused)))
    assert len(unread) <= 1, unread


def test_a_real_router_manifest_converts(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "skill-system-memory"
    folder.mkdir()
    file = data / "corpus" / "router-manifest" / "skill-system-memory.SKILL.md"
    shutil.copyfile(file, folder / "SKILL.md")
    for to in TARGETS:
        hold(folder, to)
