"""What patterns match, and that none of them takes long."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.schema.regex import PatternUnsupported, parse_pattern


@pytest.mark.parametrize(
    ("pattern", "matches", "refuses"),
    [
        ("", ["", "a"], []),
        ("a", ["a", "bab"], ["", "b"]),
        ("^a$", ["a"], ["a\n", "ba", "ab"]),
        ("^$", [""], ["a"]),
        ("^(a|bc)+$", ["a", "bca"], ["", "b", "acb"]),
        ("^a?b*c+$", ["c", "abbc"], ["ab", "aac"]),
        ("^a{2}$", ["aa"], ["a", "aaa"]),
        ("^a{2,}$", ["aa", "aaaa"], ["a"]),
        ("^a{1,3}$", ["a", "aaa"], ["", "aaaa"]),
        ("^(?:a{0}b)$", ["b"], ["ab"]),
        ("^a*?b+?$", ["aab", "b"], ["a"]),
        ("^(?:)*$", [""], ["a"]),
        ("^(a*)*$", ["", "aa"], ["b"]),
        ("^.$", ["a", "é", "😀", "\u0085"], ["\n", "\r", "\u2028", "ab"]),
        ("^[a-c]$", ["b"], ["d", "-"]),
        ("^[^a-c]$", ["d", "\n"], ["a"]),
        ("^[]$", [], ["", "a"]),
        ("^[^]$", ["\n", "a"], [""]),
        ("^[-a]$", ["-", "a"], ["b"]),
        ("^[a-]$", ["-", "a"], ["b"]),
        ("^[[]$", ["["], ["]"]),
        ("^]}$", ["]}"], []),
        ("^[\\]\\\\]$", ["]", "\\"], ["a"]),
        ("^[\\b]$", ["\b"], ["b"]),
        ("^[a&&b]$", ["a", "&"], ["c"]),
        ("^\\d+$", ["09"], ["٣", "a"]),
        ("^\\D$", ["٣", "a"], ["1"]),
        ("^\\w+$", ["aZ_9"], ["é", "-"]),
        ("^\\W$", ["é"], ["a"]),
        ("^\\s$", ["\ufeff", "\u2028", "\v", "\u3000"], ["\u0085", "\x1c", "a"]),
        ("^\\S$", ["\u0085"], [" "]),
        ("^[\\s\\d]+$", ["1 "], ["a"]),
        ("^\\t\\n\\r\\f\\v\\0$", ["\t\n\r\f\v\0"], []),
        ("^\\x41\\u0042\\u{43}$", ["ABC"], []),
        ("^\\u{1F600}$", ["😀"], []),
        ("^\\ud83d\\ude00$", ["😀"], []),
        ("^[\\u{1F600}-\\u{1F610}]$", ["😁"], ["a"]),
        ("^\\cJ$", ["\n"], ["J"]),
        ("^\\/\\-\\_\\@\\.$", ["/-_@."], []),
        ("\\bcat\\b", ["a cat.", "cat", "écat"], ["cats", "_cat"]),
        ("\\Bat", ["cat"], ["at", "c at"]),
        ("^\\p{L}+$", ["éaЖ"], ["1", "_"]),
        ("^\\p{Lu}\\p{Lowercase_Letter}$", ["Éa"], ["aa"]),
        ("^\\P{L}$", ["1"], ["a"]),
        ("^\\p{gc=Nd}$", ["٣"], ["Ⅷ"]),
        ("^[\\p{L}\\d]$", ["é", "1"], ["٣"]),
        ("^\\p{ASCII}$", ["a"], ["é"]),
        ("^(?<name>a)(?<other>b)$", ["ab"], []),
        ("^(?:(?<n>a)|(?<n>b))$", ["a", "b"], ["c"]),
        ("a^b|$c", [], ["ab", "c", "a^b"]),
        ("^a|b$", ["ax", "xb"], ["xa", "bx"]),
        ("(^a|b$)x?", ["a", "cb"], ["ca", "bc"]),
        ("^\ud83d$", ["\ud83d"], ["\ud83e"]),
    ],
)
def test_search(pattern: str, matches: list[str], refuses: list[str]) -> None:
    found = parse_pattern(pattern)
    assert [text for text in matches if not found.search(text)] == []
    assert [text for text in refuses if found.search(text)] == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 5_000 + "!"),
        ("^(a|aa)+$", "a" * 5_000 + "!"),
        ("(x+x+)+y", "x" * 5_000),
        ("^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}$", "a" * 5_000),
        ("(.*)*(.*)*(.*)*=", "a" * 5_000),
        ("^(a?){300}a{300}$", "a" * 299),
        ("(a|b|ab)*c", "ab" * 2_500),
    ],
)
def test_no_pattern_takes_long(pattern: str, text: str) -> None:
    start = time.process_time()
    assert not parse_pattern(pattern).search(text)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("pattern", "construct"),
    [
        ("(?=a)b", "look-ahead"),
        ("(?!a)b", "look-ahead"),
        ("(?<=a)b", "look-behind"),
        ("(?<!a)b", "look-behind"),
        ("(a)\\1", "back-reference"),
        ("(?<n>a)\\k<n>", "back-reference"),
        ("\\p{Script=Greek}", "\\p{Script=Greek}"),
        ("[a\\p{Script=Greek}]", "\\p{Script=Greek}"),
        ("(a{1000}){1000}", "it needs more than 20000 states"),
    ],
)
def test_what_cannot_be_judged_says_why(pattern: str, construct: str) -> None:
    found = parse_pattern(pattern)
    assert (found.is_supported, found.reason) == (False, construct)
    with pytest.raises(PatternUnsupported):
        found.search("a")


ATOMS = ["a", "b", "c", "-", "[ab]", "[^a]", "[a-c]", "\\d", "\\w", "\\-", "\\x61", "^", "\\b"]
TIMES = ["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?", "+?"]


@st.composite
def patterns(draw: st.DrawFn, depth: int = 3) -> str:
    """Patterns that mean the same to Python's `re` and to ECMA-262."""
    kind = draw(st.sampled_from(["atom", "group", "repeat", "or", "and"])) if depth else "atom"
    if kind == "atom":
        return draw(st.sampled_from(ATOMS))
    inner = draw(patterns(depth - 1))
    if kind == "group":
        return f"({inner})"
    if kind == "repeat":
        return f"(?:{inner})" + draw(st.sampled_from(TIMES))
    return f"{inner}{'|' if kind == 'or' else ''}{draw(patterns(depth - 1))}"


@given(patterns(), st.lists(st.text("abc-1é ", max_size=7), min_size=1, max_size=6))
def test_agrees_with_python_where_both_speak_the_same_language(
    pattern: str, texts: list[str]
) -> None:
    whole = f"^(?:{pattern})$"
    for text in texts:
        assert parse_pattern(pattern).search(text) == bool(re.search(pattern, text, re.ASCII))
        assert parse_pattern(whole).search(text) == bool(re.fullmatch(pattern, text, re.ASCII))
