"""Semantic versions by the public lists, and the dotted integers of commands."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.versions import compare_dotted, is_semver, parse_dotted, semver_key, within

DATA = Path(os.environ.get("SKILLSTUDIO_DATA") or Path(__file__).parents[3] / "shared")
LISTS = DATA / "vectors" / "semver.json"


@pytest.mark.skipif(not LISTS.is_file(), reason="the public lists are not there")
def test_the_public_lists() -> None:
    lists = json.loads(LISTS.read_text(encoding="utf-8"))
    assert [each for each in lists["valid"] if not is_semver(each)] == []
    assert [each for each in lists["invalid"] + lists["extra_invalid"] if is_semver(each)] == []
    ordered = [semver_key(each) for each in lists["precedence_ascending"]]
    assert None not in ordered
    assert ordered == sorted(ordered, key=lambda key: key or (0, 0, 0, False, ()))
    for one, other in lists["build_metadata_equal"]:
        assert semver_key(one) == semver_key(other) is not None


@pytest.mark.parametrize(
    "text", ["", "1", "1.0", "v1.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0\n"]
)
def test_no_semantic_versions(text: str) -> None:
    assert not is_semver(text)
    assert semver_key(text) is None


def test_precedence() -> None:
    ordered = ["1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-a", "1.0.0-a.1", "1.0.0", "1.0.1", "1.10.0"]
    keys = [key for each in ordered if (key := semver_key(each)) is not None]
    assert len(keys) == len(ordered)
    assert keys == sorted(keys)
    assert semver_key("1.0.0+a") == semver_key("1.0.0+b")


@pytest.mark.parametrize(
    ("text", "parts"),
    [("2.40", (2, 40)), ("3", (3,)), ("02.1", (2, 1)), ("", None), (">=2", None), ("2.", None)],
)
def test_dotted(text: str, parts: tuple[int, ...] | None) -> None:
    assert parse_dotted(text) == parts


def test_a_number_beyond_all_measure_is_none() -> None:
    assert parse_dotted("9" * 5000) is None


@pytest.mark.parametrize(
    ("left", "right", "answer"),
    [((2, 40), (2, 4), 1), ((2,), (2, 0), 0), ((2, 0, 1), (2,), 1), ((1, 9), (1, 10), -1)],
)
def test_compare(left: tuple[int, ...], right: tuple[int, ...], answer: int) -> None:
    assert compare_dotted(left, right) == answer


@pytest.mark.parametrize(
    ("version", "most", "answer"),
    [
        ((2, 99), (2,), True),
        ((3,), (2,), False),
        ((2, 40, 7), (2, 40), True),
        ((2, 41), (2, 40), False),
    ],
)
def test_a_limit_is_a_prefix(version: tuple[int, ...], most: tuple[int, ...], answer: bool) -> None:
    assert within(version, most) is answer


parts = st.lists(st.integers(0, 9), min_size=1, max_size=4).map(tuple)


@given(parts, parts)
def test_comparing_is_antisymmetric(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    assert compare_dotted(left, right) == -compare_dotted(right, left)
