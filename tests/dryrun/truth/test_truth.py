"""Verdicts against the truth. `python -m tests.dryrun.truth.score` prints the whole table."""

from __future__ import annotations

import pytest
from tests.dryrun.truth.corpus import cases
from tests.dryrun.truth.score import LEVELS, Score, score

from skillstudio.dryrun.isolation.levels import probe_isolation

STATED = {"left-running-python-skill-lies"}
"""Misses that the report states: what a process would have done after the end."""


def test_there_are_a_hundred_skills() -> None:
    assert len(cases()) >= 100


@pytest.mark.slow
@pytest.mark.parametrize("isolation", LEVELS)
def test_a_part_of_the_skills_is_judged_right(isolation: str) -> None:
    found = _scored(isolation, True, quick=True)
    assert found.lines == ()


@pytest.mark.slow
@pytest.mark.parametrize("isolation", LEVELS)
def test_every_skill_is_judged_right(isolation: str) -> None:
    found = _scored(isolation, True)
    assert {line.partition(":")[0] for line in found.lines} <= STATED, found.lines
    assert (found.extra, found.alarms, found.caught) == (0, 0, found.liars)


@pytest.mark.slow
@pytest.mark.parametrize("isolation", LEVELS)
def test_unobserved_every_miss_is_stated(isolation: str) -> None:
    found = _scored(isolation, False)
    assert (found.extra, found.alarms) == (0, 0), found.lines
    assert found.stated == len(found.lines)


def _scored(isolation: str, observed: bool, quick: bool = False) -> Score:
    level = probe_isolation().level(isolation)
    if not level.available or (observed and not level.traced):
        pytest.skip(level.reason or "this system does not let programs be observed")
    chosen = [case for case in cases() if case.quick or not quick]
    if not observed:
        # Little differs between the levels then: each judges another third.
        chosen = chosen[LEVELS.index(isolation) :: len(LEVELS)]
    return score(isolation, observed, chosen, workers=1)
