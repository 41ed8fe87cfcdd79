"""Which texts are patterns, and where the others go wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.schema.regex import PatternError, parse_pattern, python_only


@pytest.mark.parametrize(
    ("pattern", "offset"),
    [
        ("(", 0),
        ("a(b", 1),
        ("ab)", 2),
        ("[a", 0),
        ("a\\", 1),
        ("*a", 0),
        ("a|+", 2),
        ("a**", 2),
        ("a++", 2),
        ("a{2}{3}", 4),
        ("^*", 1),
        ("(?=a)*", 5),
        ("a{", 1),
        ("a{,2}", 1),
        ("a{3,2}", 1),
        ("{2}", 0),
        ("[b-a]", 1),
        ("[\\w-.]", 1),
        ("[a-\\d]", 1),
        ("x\\a", 1),
        ("\\Z", 0),
        ("\\01", 0),
        ("\\1", 0),
        ("(a)\\2", 3),
        ("\\k<n>", 0),
        ("\\k", 0),
        ("(?<n>a)(?<n>b)", 7),
        ("(?<1>a)", 3),
        ("(?P<n>a)", 0),
        ("(?i)a", 0),
        ("(?>a)", 0),
        ("\\u12", 0),
        ("\\x1", 0),
        ("\\u{110000}", 0),
        ("\\u{}", 0),
        ("\\pL", 0),
        ("\\c1", 0),
        ("(" * 200, 101),
    ],
)
def test_an_error_has_its_place(pattern: str, offset: int) -> None:
    with pytest.raises(PatternError) as raised:
        parse_pattern(pattern)
    assert raised.value.offset == offset


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("^[a-z]+$", []),
        ("(?P<n>a)", [(0, "(?P<")]),
        ("(a)(?P=n)", [(3, "(?P=")]),
        ("\\Aa\\Z", [(0, "\\A"), (3, "\\Z")]),
        ("\\\\Aa", []),
        ("[(?P<]", []),
        ("(?i)a", [(0, "(?i)")]),
        ("a(?i:b)", [(1, "(?i:")]),
        ("(?#why)a", [(0, "(?#")]),
        ("(?:a)(?<n>b)(?=c)", []),
    ],
)
def test_python_only_constructs(pattern: str, found: list[tuple[int, str]]) -> None:
    assert python_only(pattern) == found


@given(st.text("ab()[]{}|*+?^$.\\-,:<>=!?PpukxZ019\n"))
def test_any_text_is_a_pattern_or_an_error_within_it(text: str) -> None:
    try:
        parse_pattern(text)
    except PatternError as error:
        offset = error.offset
    else:
        offset = 0
    assert 0 <= offset <= len(text)
