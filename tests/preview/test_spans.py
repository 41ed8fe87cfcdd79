"""Lines of styled text: safe, measured, cut and wrapped by the cells that they take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.preview.spans import StyledSpan, cut, line, pad, plain, width, wrap_line
from skillstudio.text.safe import safe_text

TEXTS = st.text(max_size=60)
WIDTHS = [("", 0), ("abc", 3), ("日本", 4), ("e\u0301", 1), ("🙂", 2), ("ß", 1)]


@pytest.mark.parametrize(("text", "cells"), WIDTHS)
def test_the_cells_of_a_text(text: str, cells: int) -> None:
    assert width(text) == cells


CUTS = [
    ("abc", 3, "abc"),
    ("abcd", 3, "ab…"),
    ("日本語", 5, "日本…"),
    ("日本語", 4, "日…"),
    ("", 0, ""),
]


@pytest.mark.parametrize(("text", "cells", "left"), CUTS)
def test_what_is_left_of_a_text(text: str, cells: int, left: str) -> None:
    assert cut(text, cells) == left


def test_padding_counts_cells() -> None:
    assert pad("日", 4) == "日  "
    assert pad("1", 3, right=True) == "  1"


LINES = [
    (["a\tb"], "a       b"),
    (["\t", ("x", "key"), "\ty"], "        x       y"),
    (["1234567", ("\t", "quiet"), "x"], "1234567 x"),
    (["\x1b[2J", ("\u202e", "key")], "␛[2J<U+202E>"),
    ([""], ""),
]


@pytest.mark.parametrize(("parts", "text"), LINES)
def test_a_line(parts: list[str | tuple[str, str]], text: str) -> None:
    assert plain(line(*parts)) == text


def test_neighbours_of_one_style_are_one_span() -> None:
    assert line(("a", "key"), ("b", "key"), ("", "word"), "c") == (
        StyledSpan("ab", "key"),
        StyledSpan("c"),
    )


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "key", "code"])), max_size=5))
def test_any_text_is_made_safe(parts: list[tuple[str, str]]) -> None:
    made = line(*parts)
    assert plain(made) == safe_text(plain(made))
    assert all(span.text for span in made)


@given(TEXTS, st.integers(12, 40), st.integers(0, 4))
def test_wrapped_lines_fit_and_lose_only_spaces(text: str, cells: int, indent: int) -> None:
    of = line(text, (text[::-1], "key"))
    rows = list(wrap_line(of, cells, indent))
    assert all(width(plain(row)) <= max(cells, indent + 8) for row in rows)
    joined = "".join(plain(row) for row in rows)
    assert joined.replace(" ", "") == plain(of).replace(" ", "")
