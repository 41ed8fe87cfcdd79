"""What stands in a trace: everything of a run but what is sensitive, and that as tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.dryrun.traces.conftest import IDENTITY, KEY, REPORT, SECRET, a_launch, a_trace, a_value

from skillstudio.dryrun.plan import PrivateValues
from skillstudio.dryrun.traces.key import SCHEME, Key, holds_mask, is_masked
from skillstudio.dryrun.traces.trace import Mode, mode_of
from skillstudio.interface.wording import SENSITIVE


@pytest.mark.parametrize(
    ("wanted", "is_sensitive", "mode"),
    [
        (None, False, "standard"),
        (None, True, "aggressive"),
        ("standard", True, "aggressive"),
        ("aggressive", False, "aggressive"),
        ("off", False, "off"),
        ("off", True, "off"),
    ],
)
def test_a_sensitive_skill_is_kept_without_a_value(
    wanted: Mode | None, is_sensitive: bool, mode: Mode
) -> None:
    assert mode_of(wanted, is_sensitive) == mode


def test_the_version_is_the_whole_tuple() -> None:
    assert a_value()["execution"] == {"skill_version": IDENTITY}


def test_a_sensitive_input_is_a_token_and_the_others_are_as_they_were() -> None:
    inputs = a_value()["inputs"]
    assert inputs == {
        "kind": "green",
        "cups": 2,
        "api_key": KEY.token("tea", "input", "api_key", SECRET),
    }
    assert inputs["api_key"].startswith(SCHEME)
    assert len(inputs["api_key"]) == len(SCHEME) + 64


def test_without_a_key_there_is_the_mask_alone() -> None:
    value = a_value(key=None)
    assert value["inputs"]["api_key"] == SENSITIVE
    assert value["environment"]["variables"] == {"LEAF": SENSITIVE}
    assert value["key"] is None


def test_variables_are_names_and_tokens() -> None:
    value = a_value()
    assert value["env"] == ["LEAF"]
    assert value["environment"]["variables"] == {
        "LEAF": KEY.token("tea", "variable", "LEAF", "long")
    }


def test_a_variable_given_as_a_secret_is_no_text_of_the_trace() -> None:
    told = PrivateValues((), {"TOKEN": SECRET, "LEAF": "short"}, ("TOKEN",))
    value = a_value(launch=a_launch(told, {"TOKEN": SECRET, "LEAF": "short"}))
    assert value["given"]["env"] == {"TOKEN": SENSITIVE, "LEAF": "short"}
    assert SECRET not in json.dumps(value)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


def test_an_aggressive_trace_holds_nothing_of_caller_or_program() -> None:
    told = PrivateValues(
        ("--cups", "2"), {"LEAF": "long"}, (), ("kind", "cups"), {"api_key": SECRET}
    )
    value = a_value(mode="aggressive", launch=a_launch(told))
    assert all(is_masked(each) for each in value["inputs"].values())
    assert value["given"]["masked"] == ["api_key", "cups", "kind"]
    left = set(strings(value))
    of_the_run = {"green", "long", "--cups", "ok", "added pot.txt", ".cache/x", "brew.sh"}
    of_the_run |= {"connected to tea.example:443", "standard output, line 3", "2", "old"}
    of_the_run |= {"a link to /srv/deep"}
    assert left.isdisjoint(of_the_run)
    assert {
        "tea",
        "brew",
        "pot.txt",
        "declared-observed",
        "undeclared",
    } <= left  # declared, verdicts
    assert {each["size"] for rows in value["changes"].values() for each in rows} == {0}
    assert value["argv"]["unix"] == ["bash", SENSITIVE, SENSITIVE]
    assert value["contract"] == {"ok": True, "problems": [], "value": SENSITIVE}


@pytest.mark.parametrize("mode", ["standard", "aggressive"])
def test_what_is_read_back_is_the_same_run(mode: Mode) -> None:
    trace = a_trace(mode=mode)
    report = trace.report
    assert trace.mode == mode
    assert report.ok == REPORT.ok
    assert report.ending == REPORT.ending._replace(
        limits=REPORT.ending.limits if mode == "standard" else (SENSITIVE,)
    )
    if mode == "standard":
        inputs = dict(a_value()["inputs"])
        outputs = tuple(each._replace(path="") for each in REPORT.plan.outputs)
        plan = REPORT.plan._replace(inputs=inputs, outputs=outputs)
        assert report == REPORT._replace(plan=plan)


VALUES = st.one_of(st.text(), st.integers(), st.booleans(), st.lists(st.text(), max_size=3))


@given(VALUES, VALUES)
def test_equal_values_of_one_input_have_equal_tokens_and_no_others(one: Any, other: Any) -> None:
    tokens = [KEY.token("tea", "input", "k", each) for each in (one, other)]
    same = type(one) is type(other) and one == other
    assert (tokens[0] == tokens[1]) == same


@pytest.mark.parametrize(
    "place",
    [
        ("coffee", "input", "api_key"),
        ("tea", "variable", "api_key"),
        ("tea", "input", "api_key2"),
        ("teainput", "", "api_key"),
    ],
)
def test_the_same_value_elsewhere_has_another_token(place: tuple[str, str, str]) -> None:
    assert KEY.token(*place, SECRET) != KEY.token("tea", "input", "api_key", SECRET)


def test_numbers_that_are_equal_inputs_have_equal_tokens() -> None:
    assert KEY.token("t", "input", "n", 5) == KEY.token("t", "input", "n", 5.0)
    assert KEY.token("t", "input", "n", 5) != KEY.token("t", "input", "n", "5")
    assert KEY.token("t", "input", "n", 1) != KEY.token("t", "input", "n", True)


def test_another_key_gives_other_tokens_and_has_another_name() -> None:
    other = Key(bytes(32))
    assert other.token("t", "input", "n", 5) != KEY.token("t", "input", "n", 5)
    assert other.id != KEY.id
    assert KEY.secret.hex() not in repr(KEY)


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ("tea", False),
        (SENSITIVE, True),
        (f"Bearer {SENSITIVE}", True),
        (SCHEME + "00", True),
        ({"a": [1, {"b": SENSITIVE}]}, True),
        ({SENSITIVE: 1}, True),
        ([1, None, True], False),
    ],
)
def test_a_value_that_lost_something_is_known_as_such(value: Any, masked: bool) -> None:
    assert holds_mask(value) is masked
