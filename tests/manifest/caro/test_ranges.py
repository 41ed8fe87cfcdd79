"""Version ranges."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.manifest.caro.ranges import RangeFault, parse_range


@pytest.mark.parametrize(
    ("range_", "version", "admitted"),
    [
        (">=1.0", "1.0.0", True),
        (">=1.0", "0.9.9", False),
        (">=1.0", "2.0.0", True),
        (">1.0", "1.0.0", False),
        (">1.0", "1.0.1", True),
        ("<2.0", "2.0.0", False),
        ("<2.0", "1.99.0", True),
        ("<=2.0", "2.0.0", True),
        ("<=2.0", "2.0.1", False),
        (">=1.0,<2.0", "1.5.0", True),
        (" >= 1.0 , < 2.0 ", "1.5.0", True),
        (">=1.0,<2.0", "2.0.0", False),
        ("1.0", "1.0.0", True),
        ("1", "1.0.0", True),
        ("1.0", "1.0.1", False),
        ("1.2.3", "1.2.3", True),
        ("1.2.3", "1.2.3+build", True),
        (">=1.0.0", "1.0.0-rc.1", False),
        (">=1.0.0-rc.1", "1.0.0", True),
        ("*", "0.0.1", True),
        ("*,<2", "2.0.0", False),
        ("*", "not a version", False),
        (">=1.9.0", "1.10.0", True),
    ],
)
def test_what_a_range_admits(range_: str, version: str, admitted: bool) -> None:
    assert parse_range(range_).admits(version) is admitted


@pytest.mark.parametrize(
    "range_",
    [
        "", " ", ",", ">=1,", "^1.0", "~1.0", "=1.0", "==1", "!=1", "~>1", ">=", "1.*", "x", "v1.0",
        "1.0.0.0", "01.0.0", ">=1.0-rc", "1 - 2", ">=1 <2", ">=2,<1", ">1,<1", ">1,<=1", "1.0,2.0",
        "1.0,>1.0", "9" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_range(range_: str) -> None:
    with pytest.raises(RangeFault):
        parse_range(range_)


NUMBERS = st.tuples(*[st.integers(0, 30)] * 3)


@given(NUMBERS, NUMBERS)
def test_the_operators_order_as_numbers_do(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    one, other = (".".join(map(str, each)) for each in (left, right))
    assert parse_range(f">={one}").admits(other) is (right >= left)
    assert parse_range(f"<{one}").admits(other) is (right < left)
    assert parse_range(one).admits(other) is (right == left)


PARTS = st.sampled_from([">=1.0", "> 1", ">0.9", "<2", "<3", "1.0.0", "!", ""])


@given(st.text(max_size=30) | st.lists(PARTS, min_size=1, max_size=3).map(",".join))
def test_any_text_is_a_range_or_refused(text: str) -> None:
    with suppress(RangeFault):
        whole = parse_range(text)
        parts = [parse_range(part).admits("1.0.0") for part in text.split(",")]
        assert whole.admits("1.0.0") is all(parts)
