"""When one output pattern includes another."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.manifest.frontmatter.contract import includes


@pytest.mark.parametrize(
    ("wide", "narrow", "answer"),
    [
        ("docs/*.org", "docs/a.org", True),
        ("docs/*.org", "docs/*-*.org", True),
        ("docs/*.org", "docs/a/b.org", False),
        ("docs/**", "docs/a/b.org", True),
        ("**", "a/**/b", True),
        ("*", "a/b", False),
        ("*", "**", False),
        ("?.md", "a.md", True),
        ("?.md", "*.md", False),
        ("a*", "*a", False),
        ("a.md", "a.md", True),
        ("a.md", "b.md", False),
        ("", "", True),
    ],
)
def test_inclusion(wide: str, narrow: str, answer: bool) -> None:
    assert includes(wide, narrow) is answer


patterns = st.text("ab*?", max_size=6)


@given(patterns, patterns, st.text("ab", max_size=6))
def test_a_yes_is_certain(wide: str, narrow: str, path: str) -> None:
    if includes(wide, narrow) and fnmatchcase(path, narrow):
        assert fnmatchcase(path, wide)


@given(patterns)
def test_a_pattern_includes_itself(pattern: str) -> None:
    assert includes(pattern, pattern)
