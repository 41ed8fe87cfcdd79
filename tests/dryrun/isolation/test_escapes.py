"""The escape table: what gets out of which isolation level, as which user, with which Landlock."""

from __future__ import annotations

import functools
import sys
from contextlib import ExitStack
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("no isolation level that confines is on this system", allow_module_level=True)

from tests.dryrun.isolation.field import ROWS, Field, Outcome, User, sentence, user_of

from skillstudio.dryrun.isolation.host import this_host
from skillstudio.dryrun.isolation.known_gaps import known_gaps
from skillstudio.dryrun.isolation.levels import probe_isolation

BY_NAME = {row["name"]: row for row in ROWS}
GAPS_OF_CONFINED = [
    row["name"]
    for row in ROWS
    if "gap" in row and "confined" in row.get("gap_levels", ["confined"])
]
USERS = ("root", "ordinary")
ABIS = [(abi, "root") for abi in range(1, 7)] + [(abi, "ordinary") for abi in (1, 3, 6)]
"""Every ABI that changes something, and for the other user those where a known gap closes."""


STATED: dict[tuple[str, str, int, bool], set[str]] = {}
"""The ids of the known gaps of each run of all attempts, as the machine of that run states them."""


@functools.cache
def outcomes(isolation: str, user: str, abi: int, trace: bool = False) -> dict[str, Outcome]:
    """One run of all attempts; the rows below look at it one by one."""
    found = user_of(user)
    assert isinstance(found, User)
    with ExitStack() as stack:
        field = Field(stack, found, [row["name"] for row in ROWS])
        host = field.host(abi)
        said = known_gaps(isolation, host, is_traced=trace)
        ids = {row["gap"] for row in ROWS if "gap" in row}
        STATED[isolation, user, abi, trace] = {each for each in ids if sentence(each, host) in said}
        return field.run(isolation, abi, trace)


def got_out(row: dict[str, Any], outcome: Outcome) -> bool:
    seen = row.get("seen", "said")
    return outcome.said == "done" if seen == "said" else seen in outcome.effects


def prepare_row(row: dict[str, Any], user: str) -> None:
    """Skip what cannot be tried here, saying why; else see that it can be done at all."""
    if isinstance(reason := user_of(user), str):
        pytest.skip(reason)
    if row.get("user", user) != user:
        pytest.skip("the system itself refuses it to this user")
    plain = outcomes("plain", user, 0)[row["name"]]
    if plain.said == "not-here":
        pytest.skip(f"this machine has nothing to try it with: {plain.why}")
    assert got_out(row, plain), f"it does not even succeed without an isolation level: {plain}"


def skip_without(isolation: str) -> None:
    reason = probe_isolation().level(isolation).reason
    if reason:
        pytest.skip(reason)


def test_the_table_is_long_enough_and_has_no_row_twice() -> None:
    assert len(BY_NAME) == len(ROWS) >= 30


def try_everything(isolation: str, user: str, abi: int) -> None:
    """Run all attempts now: the first case that looks at them need not take their time."""
    if isinstance(user_of(user), User) and not probe_isolation().level(isolation).reason:
        outcomes("plain", user, 0)
        outcomes(isolation, user, abi)


@pytest.fixture
def _copy_was_tried(user: str) -> None:
    try_everything("copy", user, 0)


@pytest.fixture
def _isolated_was_tried(user: str) -> None:
    try_everything("isolated", user, this_host().landlock)


@pytest.mark.usefixtures("_copy_was_tried")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", BY_NAME)
def test_on_copy_it_succeeds(name: str, user: str) -> None:
    prepare_row(BY_NAME[name], user)
    expected = BY_NAME[name].get("copy") != "refused"
    outcome = outcomes("copy", user, 0)[name]
    assert got_out(BY_NAME[name], outcome) is expected, outcome


@pytest.mark.usefixtures("_isolated_was_tried")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", BY_NAME)
def test_on_isolated_it_is_refused_or_a_stated_hole(name: str, user: str) -> None:
    skip_without("isolated")
    prepare_row(BY_NAME[name], user)
    abi = this_host().landlock
    outcome = outcomes("isolated", user, abi)[name]
    assert outcome.said != "silent" or BY_NAME[name].get("seen") == "changed", outcome
    assert not surprises({name: outcome}, "isolated", user, abi)


@pytest.mark.slow
@pytest.mark.parametrize(("abi", "user"), ABIS)
def test_on_confined_it_is_refused_or_a_stated_hole(abi: int, user: str) -> None:
    """All rows of one ABI together: a run of all attempts costs as much as a run of one."""
    skip_without("confined")
    if abi > this_host().landlock:
        pytest.skip(f"this kernel's Landlock has ABI {this_host().landlock}")
    if isinstance(found := user_of(user), str):
        pytest.skip(found)
    assert not surprises(outcomes("confined", user, abi), "confined", user, abi)


@pytest.mark.slow
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("isolation", ["confined", "isolated"])
def test_with_a_tracer_it_is_the_same(isolation: str, user: str) -> None:
    """For a tracer the filter lets programs trace: something else keeps that among themselves."""
    skip_without(isolation)
    if isinstance(found := user_of(user), str):
        pytest.skip(found)
    if not probe_isolation().level(isolation).traced:
        pytest.skip("this system does not let programs be observed")
    abi = this_host().landlock
    tried = outcomes(isolation, user, abi, trace=True)
    assert tried["reach-tracer"].said == ("refused" if abi else "done")
    assert not surprises(tried, isolation, user, abi, trace=True)


def surprises(
    tried: dict[str, Outcome], isolation: str, user: str, abi: int, trace: bool = False
) -> list[tuple[str, str, Outcome]]:
    """The rows that got out where none should, or not where a known gap is said to be."""
    wrong = []
    stated = STATED[isolation, user, abi, trace]
    for name, outcome in tried.items():
        row = BY_NAME[name]
        if row.get("user", user) != user or outcome.said == "not-here":
            continue
        is_gap = (
            "gap" in row
            and isolation in row.get("gap_levels", ["confined"])
            and abi < row.get("below_abi", abi + 1)
            and row.get("gap_user", user) == user
        )
        if is_gap != got_out(row, outcome) or (is_gap and row["gap"] not in stated):
            wrong.append((name, "gap" if is_gap else "refused", outcome))
    return wrong


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", GAPS_OF_CONFINED)
def test_every_hole_is_one_somewhere(name: str, user: str) -> None:
    """A row that names a known gap gets out at the lowest ABI: otherwise the sentence says too
    much."""
    skip_without("confined")
    prepare_row(BY_NAME[name], user)
    if BY_NAME[name].get("gap_user", user) != user:
        pytest.skip("a known gap for the other user alone")
    assert got_out(BY_NAME[name], outcomes("confined", user, 1)[name])
