"""While a line is half typed, what is wrong elsewhere stays told, and nothing untrue is."""

from __future__ import annotations

import pytest
from tests.conformance.half_typed import BEGUN, EMPTY, Tally, table, tallies

pytestmark = pytest.mark.slow
STEP = 9
"""Every so many characters; `python -m benchmarks.survival` takes every one."""
KINDS = ("JSON block", "JSON file", "TOML file", "YAML file", "YAML frontmatter", "all")


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, str], Tally]:
    return tallies(STEP)


@pytest.mark.parametrize("kind", KINDS)
def test_findings_survive(measured: dict[tuple[str, str], Tally], kind: str) -> None:
    tally = measured[kind, BEGUN]
    assert tally.count > 100
    assert tally.survival >= 0.99, table(measured)
    assert tally.survival_aside >= 0.99, table(measured)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_untrue_is_told(measured: dict[tuple[str, str], Tally], kind: str) -> None:
    assert measured[kind, BEGUN].truth >= 0.98, table(measured)


def test_a_line_that_is_not_there_yet_costs_little(
    measured: dict[tuple[str, str], Tally],
) -> None:
    """A key that lacks its whole line leaves what stood below it without a name."""
    tally = measured["all", EMPTY]
    assert tally.count > 100
    assert tally.survival >= 0.88, table(measured)
    assert tally.survival_aside >= 0.94, table(measured)
