"""The part of a line that is in sight is that of the whole line, whatever stands in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.content import Span
from textual.strip import Strip

from skillstudio.preview.spans import line, plain
from skillstudio.tui.widgets.preview.lines import cells_of, in_sight, places_of

WORDS = st.lists(
    st.tuples(st.text("ab 茶é😀", max_size=6), st.sampled_from(["", "key", "error"])),
    max_size=8,
)


@given(WORDS, st.integers(0, 20), st.integers(1, 12))
def test_a_window_shows_what_a_terminal_that_is_wide_enough_shows_there(
    words: list[tuple[str, str]], left: int, cells: int
) -> None:
    of = line(*words)
    whole = Strip([Segment(plain(of))]).crop(left, left + cells)
    shown = in_sight(of, left, cells)
    assert shown.plain.rstrip() == "".join(each.text for each in whole).rstrip()
    assert cell_len(shown.plain) <= cells


@given(WORDS, st.integers(0, 9))
def test_colours_stay_on_their_words(words: list[tuple[str, str]], left: int) -> None:
    of = line(*((text.replace("茶", "c").replace("😀", "d"), style) for text, style in words))
    colours = [style for text, style in of for _ in text]
    shown = in_sight(of, left, 12)
    found = [""] * len(shown.plain)
    for span in shown.spans:
        assert 0 <= span.start < span.end <= len(found)
        style = "key" if span.style == "$text-primary" else "error"
        found[span.start : span.end] = [style] * (span.end - span.start)
    if plain(of).isascii():
        assert found == colours[left : left + 12]


def test_what_has_no_width_stays_with_the_character_before_it() -> None:
    of = line("ae\u0301b")
    assert [in_sight(of, left, 2).plain for left in range(3)] == ["ae\u0301", "e\u0301b", "b"]


def test_what_is_found_is_marked_as_far_as_it_is_in_sight() -> None:
    of = line("Tea and tea")
    assert list(places_of("tea", plain(of))) == [(0, 3), (8, 11)]
    marks = [Span(start, end, "bold") for start, end in places_of("tea", plain(of))]
    assert in_sight(of, 1, 8, marks).spans == [Span(0, 2, "bold"), Span(7, 8, "bold")]


def test_where_small_letters_are_longer_nothing_is_marked() -> None:
    assert list(places_of("i", "\u0130i")) == []
    assert list(places_of("", "any")) == []


@given(st.text(max_size=80))
def test_cells_are_counted_as_a_terminal_counts_them(text: str) -> None:
    safe = plain(line(text))
    assert cells_of(safe) == sum(map(cell_len, safe))
