"""Whether one pattern's strings are all another's, against tables and against brute force."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from itertools import islice, product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.schema.regex import parse_pattern
from skillstudio.schema.regex.inclusion import NO_TEXT, find_witness, shortest_text, strings
from skillstudio.schema.work import Undecidable

SLOWEST = 2.0
"""Seconds that no pair of patterns may take."""


def escape(narrow: str, wide: str, **bounds: int | bool | None) -> str | None:
    return find_witness(parse_pattern(narrow).root, parse_pattern(wide).root, **bounds)  # type: ignore[arg-type]


class Pair(NamedTuple):
    """Two patterns and, each way, a shortest text that only the first of them matches."""

    one: str
    other: str
    only_one: str | None
    only_other: str | None


HARD = [
    Pair("^\\d{4}-\\d{2}$", "^\\d{4}-\\d{1,2}$", None, "0000-0"),
    Pair("^a|b$", "^(a|b)$", "aa", None),
    Pair("abc", "^abc$", "aabc", None),
    Pair("^[^/]+$", "^.+$", "\n", "/"),
    Pair("^[a-z0-9-]+$", "^[a-z0-9]+$", "-", None),
    Pair("^[a-z\\u00e9]+$", "^[a-z]+$", "é", None),
    Pair("^.{1,64}$", "^.{1,1024}$", None, "a" * 65),
    Pair("(a|b)*a(a|b){12}", "(a|b)*a(a|b){11}", None, "a" * 12),
    Pair("^(a|b)*a(a|b){12}$", "^(a|b)*$", None, ""),
    Pair("^(a$|ab$)", "^ab?$", None, None),
    Pair("^[A-Za-z_]\\w*$", "^\\w+$", None, "0"),
    Pair("^\\d+$", "^[0-9]+$", None, None),
    Pair("^\\d+$", "^\\p{Nd}+$", None, "٠"),
    Pair("^\\s$", "^[ \\t]$", "\n", None),
    Pair("^(?:[a-z]+/)*[a-z]+$", "^[a-z/]+$", None, "/"),
    Pair("^(a*)*b$", "^a*b$", None, None),
    Pair("\\.md$", "^.*\\.md$", "\n.md", None),
    Pair("^[0-9a-f]{8}$", "^[0-9a-fA-F]{8}$", None, "aaaaaaaA"),
    Pair("a^", "^b$", None, "b"),
]
BEYOND = [
    ("^(?!foo)[a-z]+$", "^[a-z]+$"),
    ("^(a+)\\1$", "^a"),
    ("\\bcat\\b", "cat"),
]


def test_the_hard_pairs_are_22() -> None:
    assert len(HARD) + len(BEYOND) == 22


@pytest.mark.parametrize("pair", HARD, ids=lambda pair: f"{pair.one} {pair.other}")
def test_hard_pairs(pair: Pair) -> None:
    parse_pattern("\\p{Nd}")  # The first of these reads the whole table of characters.
    there, back = escape(pair.one, pair.other), escape(pair.other, pair.one)
    assert (there, back) == (pair.only_one, pair.only_other)


@pytest.mark.parametrize(("narrow", "wide"), BEYOND)
def test_dropping_what_no_automaton_follows_still_shows_an_inclusion(
    narrow: str, wide: str
) -> None:
    assert escape(narrow, wide) is None
    with pytest.raises(Undecidable):
        escape(wide, narrow)


@pytest.mark.parametrize(
    ("narrow", "wide", "found"),
    [
        ("", "^(?=a)b", ""),
        ("^[a-z]*$", "^(?!x)[a-y]+$", ""),
        ("^z$", "^(?<!q)a", "z"),
        ("^[ab]$", "^\\b[b]\\b$", "a"),
    ],
)
def test_dropping_what_no_automaton_follows_still_shows_an_escape(
    narrow: str, wide: str, found: str
) -> None:
    assert escape(narrow, wide) == found


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("^(a|b)*a(a|b){16}$", "^(a|b)*a(b|a){16}$"),
        (".{1000}", ".{1001}"),
        ("^(a?){3000}$", "^a*$"),
        ("^(a{0,50}){50}$", "^(a{0,51}){50}$"),
        ("((a{0,9}){9}){9}", "((a{0,9}){9}b){9}"),
        ("^((a|b|c|d|e|f){1,40}x){1,40}$", "^((a|b|c|d|e|f){1,40}[xy]){1,40}$"),
        ("(x+x+)+y", "(x+x+)+z"),
        ("(.*a){40}", "(.*b){40}"),
        ("[^a]{1,19000}", "[^b]{1,19000}$"),
        ("".join(f"{chr(0x4E00 + 2 * index)}?" for index in range(3000)), "^a"),
        ("^(" + "|".join(f"word{index}" for index in range(900)) + ")$", "^word\\d+$"),
    ],
)
def test_no_pair_takes_long(narrow: str, wide: str) -> None:
    one, other = parse_pattern(narrow).root, parse_pattern(wide).root
    for first, second in ((one, other), (other, one)):
        start = time.process_time()
        with suppress(Undecidable):
            find_witness(first, second)
        assert time.process_time() - start < SLOWEST


@pytest.mark.parametrize(
    ("narrow", "wide", "shortest", "longest", "found"),
    [
        ("^[a-z]*$", "^[a-z]{3,}$", 3, None, None),
        ("^[a-z]*$", "^[a-z]{3,}$", 2, None, "aa"),
        ("^[a-z]*$", "^[a-z]{0,3}$", 0, 3, None),
        ("^[a-z]*$", "^[a-z]{0,3}$", 0, 4, "aaaa"),
        ("^(aa)*$", "^(aaaa)*$", 3, None, "aaaaaa"),
        ("^(aa)*$", "^(aaaa)*$", 3, 5, None),
        ("^(aa)*$", "^b", 3, 3, None),
        ("^.$", "^[\\u0000-\\uffff]$", 1, 1, "\U00010000"),
        ("", "^[^]{0,2}$", 0, None, "aaa"),
    ],
)
def test_only_texts_of_some_lengths_count(
    narrow: str, wide: str, shortest: int, longest: int | None, found: str | None
) -> None:
    assert escape(narrow, wide, shortest=shortest, longest=longest) == found


@pytest.mark.parametrize(
    ("narrow", "wide", "found"),
    [
        ("a*", "(aa)*", "a"),
        ("a|b", "[a-c]", None),
        ("", "a*", None),
        ("a*", "", "a"),
        ("^a$", "a", None),
        ("a", "^a$", None),
        ("a|^b$", "a", "b"),
    ],
)
def test_the_whole_text_can_be_asked_for(narrow: str, wide: str, found: str | None) -> None:
    assert escape(narrow, wide, whole=True) == found


@pytest.mark.parametrize(
    ("refused", "found"),
    [
        ("^$", "a"),
        ("^[a-z]?$", "0"),
        ("^[a-z0-9]?$", "A"),
        ("^\\w?$", "-"),
        ("^[\\x20-\\x7e]?$", "é"),
        ("^[^\\n]?$", "\n"),
        ("^[^\\u0001]?$", "\x01"),
        ("^[^\\u0001\\t]?$", "\t"),
    ],
)
def test_a_witness_reads_as_well_as_it_can(refused: str, found: str) -> None:
    assert escape("", refused) == found


@pytest.mark.parametrize(
    ("pattern", "all_of_them"),
    [
        ("^[a-c]$", ["a", "b", "c"]),
        ("^a{2,3}$", ["aa", "aaa"]),
        ("^(aa|aaaaa)$", ["aa", "aaaaa"]),
        ("a^", []),
        ("^x?$", ["", "x"]),
        ("^(a|b)(c|)$", ["a", "b", "ac", "bc"]),
        ("^(?!a)[ab]$", ["a", "b"]),
        ("^[]$", []),
        ("^a(b^c)*d$", ["ad"]),
        ("^$", [""]),
    ],
)
def test_finite_languages_are_told_in_full(pattern: str, all_of_them: list[str]) -> None:
    assert list(strings(parse_pattern(pattern).root)) == all_of_them


def test_strings_have_the_lengths_that_are_asked_for() -> None:
    node = parse_pattern("^(ab)*$").root
    assert list(strings(node, shortest=1, longest=5)) == ["ab", "abab"]
    assert list(islice(strings(node, shortest=5), 1)) == ["ababab"]
    assert list(strings(parse_pattern("^([^a]b|cc)$").root, longest=1)) == []
    assert list(islice(strings(parse_pattern("$|[]").root), 3)) == ["", "a", "b"]


LETTERS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", "^", "$", ""])
PATTERNS = st.recursive(
    LETTERS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda both: f"(?:{both[0]}|{both[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}"])).map(
            lambda both: f"(?:{both[0]}){both[1]}"
        ),
    ),
    max_leaves=6,
)
TEXTS = ["".join(chosen) for length in range(5) for chosen in product("abc", repeat=length)]


def finder(pattern: str, whole: bool) -> re.Pattern[str]:
    python = pattern.replace("$", "\\Z").replace(".", "[^\\n\\r\\u2028\\u2029]")
    return re.compile(f"^(?:{python})\\Z" if whole else python)


@given(PATTERNS, PATTERNS, st.booleans())
def test_inclusion_is_what_brute_force_says(narrow: str, wide: str, whole: bool) -> None:
    one, other = finder(narrow, whole), finder(wide, whole)
    escaping = [text for text in TEXTS if one.search(text) and not other.search(text)]
    found = escape(narrow, wide, whole=whole)
    if found is None:
        assert escaping == []
    else:
        assert one.search(found)
        assert not other.search(found)
        assert all(len(found) <= len(text) for text in escaping)


@given(PATTERNS)
def test_a_shortest_text_of_the_tree_is_that_of_the_automaton(pattern: str) -> None:
    node = parse_pattern(pattern).root
    found = shortest_text(node)
    assert found is None or found == find_witness(node, NO_TEXT)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("^(b|c|a-)+$", "b"),
        ("^[0-9]{3}(x|yy)?$", "000"),
        ("(a{500}){3}", None),  # Long texts are left to the automaton.
        ("^é$", None),
        ("^a$|b", None),
        ("^(?!a)b$", None),
    ],
)
def test_a_tree_has_its_own_shortest_text(pattern: str, found: str | None) -> None:
    assert shortest_text(parse_pattern(pattern).root) == found


@given(PATTERNS, PATTERNS, st.integers(0, 4), st.integers(0, 4))
def test_so_it_is_for_texts_of_some_lengths(
    narrow: str, wide: str, shortest: int, longest: int
) -> None:
    one, other = finder(narrow, False), finder(wide, False)
    texts = [text for text in TEXTS if shortest <= len(text) <= longest]
    escaping = [text for text in texts if one.search(text) and not other.search(text)]
    found = escape(narrow, wide, shortest=shortest, longest=longest)
    if found is None:
        assert escaping == []
    else:
        assert shortest <= len(found) <= longest
        assert one.search(found)
        assert not other.search(found)


@given(PATTERNS, st.booleans())
def test_strings_are_those_that_brute_force_finds(pattern: str, whole: bool) -> None:
    found = set()
    for text in strings(parse_pattern(pattern).root, whole=whole, longest=3):
        assert text not in found
        found.add(text)
        if len(found) > 3000:
            break
    matching = finder(pattern, whole)
    assert all(matching.search(text) for text in found)
    if len(found) <= 3000:
        assert found >= {text for text in TEXTS if len(text) <= 3 and matching.search(text)}
    empty = find_witness(parse_pattern(pattern).root, NO_TEXT, whole=whole) is None
    if found:
        assert not empty


@given(PATTERNS, PATTERNS, PATTERNS)
def test_inclusion_carries_over(first: str, second: str, third: str) -> None:
    assert escape(first, first) is None
    if escape(first, second) is None and escape(second, third) is None:
        assert escape(first, third) is None
