"""No verdict on two patterns is wrong, whatever they are made of; some are not given."""

from __future__ import annotations

import re
from itertools import islice, product

from hypothesis import example, given
from hypothesis import strategies as st

from skillstudio.schema.regex import Pattern, parse_pattern
from skillstudio.schema.regex.inclusion import NO_TEXT, find_witness, strings
from skillstudio.schema.work import Undecidable

TEXTS = ["".join(text) for length in range(5) for text in product("ab-", repeat=length)]
ATOMS = st.sampled_from(
    ["a", "b", "[ab]", "[^a]", "\\w", "\\W", "^", "$", "", "\\b", "\\B", "a{2}", "(?:ab|b)"]
)
LOOKS = st.sampled_from(["(?=%s)", "(?!%s)", "(?<=a)%s", "(?<![ab])%s"])


def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    times = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"])
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda both: f"(?:{both[0]}|{both[1]})"),
        st.tuples(inner, times).map(lambda both: f"(?:{both[0]}){both[1]}"),
        st.tuples(LOOKS, inner).map(lambda both: both[0] % both[1]),
    )


PATTERNS = st.one_of(
    st.recursive(ATOMS, joined, max_leaves=6),
    st.tuples(ATOMS, ATOMS, ATOMS).map(lambda parts: f"{parts[0]}({parts[1]}|a)\\1{parts[2]}"),
    st.tuples(ATOMS, ATOMS).map(lambda parts: f"(?:(?:{parts[0]}){{0,3}}{parts[1]}){{1,4}}"),
)


def by_python(pattern: str) -> re.Pattern[str]:
    """A pattern for `re`, in which all else that is used here means the same."""
    return re.compile(pattern.replace("$", "\\Z").replace("\\B", "(?!\\b)"), re.ASCII)


def is_exact(pattern: str) -> bool:
    """Whether an automaton follows all of a pattern that is compared."""
    return parse_pattern(pattern).is_supported and "\\b" not in pattern.lower()


def verdict(narrow: Pattern, wide: Pattern) -> str | Undecidable | None:
    try:
        return find_witness(narrow.root, wide.root)
    except Undecidable as undecidable:
        return undecidable


@given(PATTERNS, PATTERNS)
def test_no_verdict_is_other_than_what_all_short_texts_say(narrow: str, wide: str) -> None:
    one, other = by_python(narrow), by_python(wide)
    escaping = [text for text in TEXTS if one.search(text) and not other.search(text)]
    found = verdict(parse_pattern(narrow), parse_pattern(wide))
    if found is None:
        assert escaping == []
    elif isinstance(found, str):
        assert one.search(found)
        assert not other.search(found)
        if is_exact(wide):
            assert all(len(found) <= len(text) for text in escaping)


@given(PATTERNS, PATTERNS)
def test_a_witness_is_matched_by_one_and_not_by_the_other(narrow: str, wide: str) -> None:
    one, other = parse_pattern(narrow), parse_pattern(wide)
    found = verdict(one, other)
    if isinstance(found, str):
        assert not one.is_supported or one.search(found)
        assert not other.is_supported or not other.search(found)
    elif isinstance(found, Undecidable):
        assert not (is_exact(narrow) and is_exact(wide))


@given(PATTERNS)
def test_a_sample_matches_and_so_does_every_further_text(pattern: str) -> None:
    one = parse_pattern(pattern)
    try:
        found = find_witness(one.root, NO_TEXT)
    except Undecidable:
        return
    matching = by_python(pattern)
    if found is None:
        assert not any(map(matching.search, TEXTS))
        return
    assert matching.search(found)
    assert not one.is_supported or one.search(found)
    if is_exact(pattern):
        assert all(map(one.search, islice(strings(one.root), 50)))


@given(PATTERNS, PATTERNS, PATTERNS)
@example("[ab]", "^b", "b")
def test_only_texts_within_a_third_pattern_count(narrow: str, wide: str, within: str) -> None:
    one, other, third = map(by_python, (narrow, wide, within))
    escaping = [
        text for text in TEXTS if one.search(text) and third.search(text) and not other.search(text)
    ]
    trees = (parse_pattern(each).root for each in (narrow, wide))
    try:
        found = find_witness(*trees, within=[parse_pattern(within).root])
    except Undecidable:
        return
    if found is None:
        assert escaping == []
    else:
        assert one.search(found)
        assert third.search(found)
        assert not other.search(found)
        if is_exact(wide):
            assert all(len(found) <= len(text) for text in escaping)
