"""Verdicts against the truth. `python -m tests.dryrun.truth.score` prints the whole table."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest
from tests.dryrun.truth.corpus import (
    BLOCK,
    LANGUAGES,
    UNDECLARABLE,
    WORDS,
    cases,
    independent_table,
)
from tests.dryrun.truth.score import LEVELS, Score, score

from skillstudio.dryrun.isolation.levels import probe_isolation

STATED = {"left-running-python-skill-lies"}
"""Misses that the report states: what a process would have done after the end."""

MEASURED = tomllib.loads(Path(__file__).with_name("measured.toml").read_text())
SILENT: dict[str, list[str]] = MEASURED["silent"]
"""Liars of the second corpus that pass in silence, by level: it is to become empty."""
ALARMS: dict[str, list[str]] = MEASURED["alarms"]
"""Honest skills of the second corpus that do not pass, by level: it is to become empty."""
KEYS = {"id", "does", "harmless", "unseen", "note"}


def test_there_are_a_hundred_skills() -> None:
    assert len(cases()) >= 100


def test_the_second_corpus_is_large_and_well_formed() -> None:
    table = independent_table()
    assert len({behaviour["id"] for behaviour in table}) == len(table)
    assert {key for behaviour in table for key in behaviour} <= KEYS | LANGUAGES.keys()
    words = {word for entry in table for does in entry["does"] for word in does.split("|")}
    assert words <= {*WORDS[BLOCK], *UNDECLARABLE}
    programs = [entry[language] for entry in table for language in LANGUAGES if language in entry]
    assert len(set(programs)) == len(programs)
    skills = cases("independent")
    assert len({case.name for case in skills}) == len(skills) >= 150
    assert sum(case.lies for case in skills) >= 100


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


@pytest.mark.slow
@pytest.mark.parametrize("isolation", LEVELS)
def test_no_liar_of_the_second_corpus_passes_in_silence(isolation: str) -> None:
    assert set(_second(isolation).silent) == set(SILENT[isolation])


@pytest.mark.slow
@pytest.mark.parametrize("isolation", LEVELS)
def test_no_honest_skill_of_the_second_corpus_is_an_alarm(isolation: str) -> None:
    assert set(_second(isolation).alarmed) == set(ALARMS[isolation])


@cache
def _second(isolation: str) -> Score:
    return _scored(isolation, True, corpus="independent")


def _scored(isolation: str, observed: bool, quick: bool = False, corpus: str = "first") -> Score:
    level = probe_isolation().level(isolation)
    if not level.available or (observed and not level.traced):
        pytest.skip(level.reason or "this system does not let programs be observed")
    chosen = [case for case in cases(corpus) if case.quick or not quick]
    if not observed:
        # Little differs between the levels then: each judges another third.
        chosen = chosen[LEVELS.index(isolation) :: len(LEVELS)]
    return score(isolation, observed, chosen, workers=1)
