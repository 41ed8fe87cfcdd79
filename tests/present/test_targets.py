"""The outcomes of a skill at targets, as lines."""

from __future__ import annotations

import pytest

from skillstudio.present.targets import target_lines


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
