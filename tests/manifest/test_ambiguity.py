"""Patterns that take exponential time in an engine that backtracks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.manifest.ambiguity import is_exponential


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "^(a|a)*$",
        "(a*)*",
        "(a*b*)*",
        r"^(\w+\s?)*$",
        "(x+x+)+y",
        "(?:.*)*",
        r"(\d+\.?)+",
        "(a{1,30})+",
        "(?=a)(b+)+",
        "(?<n>a+)*",
        "([a-c]|[c-e])+$",
        r"(\x61|a)+",
    ],
)
def test_exponential(pattern: str) -> None:
    assert is_exponential(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z0-9]+(-[a-z0-9]+)*$",
        "([a-z]+-)*[a-z]+",
        "([^,]*,)*",
        r"^\d{4}-\d{2}-\d{2}$",
        "(?:ab|a)*b?",
        "(a|b)*",
        "a*a*",
        "(a{2})+",
        "",
    ],
)
def test_harmless(pattern: str) -> None:
    assert not is_exponential(pattern)


@given(st.text("ab(|)*+?{}[]-^$\\d,1", max_size=12))
def test_any_text_gets_an_answer(pattern: str) -> None:
    is_exponential(pattern)
    assert not is_exponential(re.escape(pattern))
