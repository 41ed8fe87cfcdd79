"""The check of a report against the diff finds what it is there to find."""

from __future__ import annotations

import pytest
from tests.scaffold.conversion.difftest import assert_the_interfaces_differ_as_told
from tests.scaffold.conversion.sources import SOURCES

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.conversion.leaf_tracker import ConversionReport, LostLeaf
from skillstudio.manifest.locate import locate
from skillstudio.scaffold.conversion.migrate import report_unchanged


def test_a_change_that_the_report_calls_carried() -> None:
    old = locate(MemoryTree(SOURCES["frontmatter-1.0"], "notes")).skill
    text = SOURCES["frontmatter-1.0"]["SKILL.md"].replace(b"timeout: 30", b"timeout: 9")
    new = locate(MemoryTree({"SKILL.md": text}, "notes")).skill
    report = report_unchanged(old)
    assert "/execution/timeout" in report.carried_pointers
    with pytest.raises(AssertionError, match="/execution/timeout"):
        assert_the_interfaces_differ_as_told(report, old, new)


@pytest.mark.parametrize(
    ("pointer", "surface"),
    [("/inputs/required/0/schema/pattern", "inputs"), ("/execution/timeout", "execution")],
)
def test_a_loss_that_no_diff_shows(pointer: str, surface: str) -> None:
    skill = locate(MemoryTree(SOURCES["frontmatter-1.0"], "notes")).skill
    whole = report_unchanged(skill)
    carried = tuple(each for each in whole.carried_pointers if each != pointer)
    report = ConversionReport(carried, lost_leaves=(LostLeaf(pointer, "no reason"),))
    with pytest.raises(AssertionError, match=surface):
        assert_the_interfaces_differ_as_told(report, skill, skill)
