"""The outcomes of a skill at targets, as lines."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.present.targets import at_targets, target_lines
from skillstudio.skill.analysis import analyse
from skillstudio.text.diagnostic import Diagnostic


@pytest.mark.parametrize(
    ("outcomes", "lines"),
    [
        ({"a": "loads"}, ["accepted by ✓ a"]),
        ({"a": "loads", "b": "loads"}, ["accepted by ✓ all 2 targets"]),
        (
            {"a": "loads", "b": "loads without", "c": "listed without description"},
            ["accepted by ✓ a", "accepted in part by ! b ! c"],
        ),
        (
            {"a": "refused", "b": "dropped", "c": "loads"},
            ["accepted by ✓ c", "rejected by ✗ a ✗ b"],
        ),
        (
            {**dict.fromkeys("abcdef", "loads"), "g": "refused"},
            ["accepted by ✓ 6 of 7 targets", "rejected by ✗ g"],
        ),
    ],
)
def test_the_lines_of_targets(outcomes: dict[str, str], lines: list[str]) -> None:
    assert [f"{each.lead} {each.text}" for each in target_lines(outcomes)] == lines


COLON = b"---\nname: a\ndescription: Says: things.\n---\n# A\n\nSay.\n"


@pytest.mark.parametrize(
    ("selected", "line"),
    [
        (("codex",), ""),
        (("cline",), "Cline ignores the skill"),
        (("cline", "codex"), "Cline ignores the skill · 1 other loads it"),
        (
            ("spec", "claude-code", "codex", "gemini-cli"),
            "Agent Skills specification refuses the skill · Claude Code lists it without its "
            "description · 2 others load it",
        ),
        (("cline", "goose", "codex"), "Cline and goose ignore the skill · 1 other loads it"),
        (("cline", "goose", "roo", "codex"), "3 targets ignore the skill · 1 other loads it"),
    ],
)
def test_what_targets_make_of_a_problem(selected: tuple[str, ...], line: str) -> None:
    found = analyse(MemoryTree({"SKILL.md": COLON}, name="a"), targets=selected)
    (colon,) = [each for each in found.diagnostics if each.rule == "description-unquoted"]
    assert at_targets(colon, found.targets) == line
    assert at_targets(Diagnostic("x", ""), found.targets) == ""
