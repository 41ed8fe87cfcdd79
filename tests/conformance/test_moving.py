"""Real skills exported, and an example downgraded: every leaf told, results clean."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.real_validators import ROOT, corpus, program, verdicts
from tests.scaffold.conversion.difftest import assert_the_interfaces_differ_as_told
from tests.scaffold.conversion.leaftest import assert_every_leaf_is_told

from skillstudio.files.disk import DiskTree
from skillstudio.files.placing import place
from skillstudio.files.tree import Overlay
from skillstudio.manifest.agent_skills.rules import is_name
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import dialect
from skillstudio.manifest.targets import judge
from skillstudio.scaffold.conversion.export import ExportRefused, export
from skillstudio.scaffold.conversion.migrate import downgrade
from skillstudio.scaffold.conversion.result_tree import CopiedFiles
from skillstudio.scaffold.conversion.source_checks import SourceUnusable
from skillstudio.skill.analysis import analyse

RESERVED = {"anthropic", "claude"}
"""Words in the names of some skills that `claude-upload` does not allow there."""
SHARE = 0.95
"""Of the real skills that a target refuses, so many are accepted once they are exported."""


def test_the_example_of_provenact_becomes_a_bundle() -> None:
    tree = DiskTree(ROOT / "examples" / "echo-json")
    to = dialect("provenact-bundle")
    assert to is not None
    done = downgrade(locate(tree), to)
    after = Overlay(tree, {done.path: done.new.encode()})
    old, new = locate(tree).skill, locate(after).skill
    assert_every_leaf_is_told(done.report, old, new)
    assert_the_interfaces_differ_as_told(done.report, old, new)
    assert [e.rule for e in analyse(after).diagnostics if e.severity != "info"] == []


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], dict[str, str]]:
    """The real skills that `claude-upload` refuses: their copies for it, and why some have none."""
    out = tmp_path_factory.mktemp("copies")
    made: list[Path] = []
    reasons: dict[str, str] = {}
    for number, folder in enumerate(corpus()):
        located = locate(DiskTree(folder))
        if judge(located.skill)["claude-upload"].is_accepted:
            continue
        usable = is_name(folder.name) and not RESERVED & set(folder.name.split("-"))
        name = folder.name if usable else "some-skill"
        try:
            copy = export(located, "claude-upload", name)
        except SourceUnusable as refused:
            reasons[folder.name] = refused.faults[0]
            continue
        except ExportRefused as refused:
            reasons[folder.name] = str(refused)
            continue
        assert copy.report.lost_leaves == ()
        assert_every_leaf_is_told(copy.report, located.skill, locate(copy.tree).skill)
        made.append(out / str(number) / name)
        place(CopiedFiles(copy.tree), str(made[-1]))
    return made, reasons


@pytest.mark.slow
def test_nearly_all_that_are_refused_can_be_exported(
    data: Path, copies: tuple[list[Path], dict[str, str]]
) -> None:
    made, reasons = copies
    assert len(made) >= SHARE * (len(made) + len(reasons))
    assert reasons == {
        "broken-frontmatter": "SKILL.md:3:1: YAML does not allow tabs for indentation; use spaces",
        "invalid-skill": "the skill has no description; add one",
        "skill-gamma": "the skill has no description; add one",
    }
    for folder in made:
        verdict = judge(locate(DiskTree(folder)).skill)
        assert all(verdict[each].is_accepted for each in ("claude-upload", "skills-ref", "spec"))


@pytest.mark.slow_cases("skills-ref")
@pytest.mark.parametrize("target", ["skills-ref", "claude-upload"])
def test_the_real_programs_accept_the_copies(
    data: Path, copies: tuple[list[Path], dict[str, str]], target: str
) -> None:
    at = program(target)
    if at is None:
        pytest.skip(f"the program behind {target} is not here")
    made, reasons = copies
    accepted = sum(verdicts(target, at, made))
    assert accepted >= SHARE * (len(made) + len(reasons))
    assert accepted == len(made)
