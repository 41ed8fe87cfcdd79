"""No pattern takes long to be read, compared or to have texts made of it, whoever wrote it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice

import pytest

from skillstudio.schema.regex import PatternError, parse_pattern
from skillstudio.schema.regex.inclusion import NO_TEXT, find_witness, strings
from skillstudio.schema.work import Undecidable, Work

SLOWEST = 1.0
"""Seconds of the processor for what takes at most a fifth of it on a usual machine."""
HOSTILE = {
    "counters in counters": "((a{1,50}){1,50}){1,50}",
    "counters of nothing": "((){10000}){10000}",
    "counters of the start": "(?:(?:^|$|){100000})*",
    "counters eleven deep": "(" * 11 + "a" + "{0,9})" * 11,
    "a counter without measure": "a{99999999999999999999999}",
    "any ten thousand": ".{0,10000}",
    "stars of stars": "(.*)*(.*)*(.*)*=",
    "five thousand stars": "(x*)" * 5_000,
    "a properties' row": "\\p{L}" * 4_000,
    "a properties' class": "[" + "\\P{L}\\p{N}" * 4_000 + "]{1,500}",
    "properties in classes": "[\\p{L}a]" * 2_000,
    "two hundred property mixes": "(" + "|".join(
        f"\\p{{{one}}}*\\P{{{other}}}" for one in ("Lu", "Ll", "Lo", "Nd", "Po", "Sm", "Sc", "So")
        for other in ("Lu", "Ll", "Lo", "Nd", "Po", "Sm", "Sc", "So")) + ")*",
    "a class of thousands": "[" + "".join(map(chr, range(0x4E00, 0x8E00, 2))) + "]{1,100}",
    "thousands of classes": "".join(f"[^{chr(0x4E00 + index)}]*" for index in range(3_000)),
    "thousands of words": "^(" + "|".join(f"word{index}" for index in range(4_000)) + ")+$",
    "eight thousand times the same": "|".join(["a"] * 8_000),
    "an exponent of subsets": "(a|b)*a(a|b){20}",
    "look-aheads": "^(?=.*[A-Z])(?=.*[a-z])(?=.*\\d)(?!.*(.)\\1{2}).{8,640}$",
    "back-references": "(a)" + "\\1" * 3_000,
    "groups with names": "".join(f"((?<n{index}>a)|(?<m{index}>b))" for index in range(3_000)),
    "word ends": "(\\w\\b\\W\\b)*" * 500,
    "a hundred groups": "(" * 99 + "a" + "){1,2}" * 99,
}  # fmt: skip


@contextmanager
def soon() -> Iterator[None]:
    start = time.process_time()
    with suppress(Undecidable, PatternError):
        yield
    assert time.process_time() - start < SLOWEST


@pytest.fixture(scope="module", autouse=True)
def _table_of_characters() -> None:
    """The first property that is met reads the whole of it, once."""
    parse_pattern("\\p{L}")


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_read_soon(name: str) -> None:
    with soon():
        parse_pattern(HOSTILE[name])


@pytest.mark.parametrize("name", HOSTILE)
def test_texts_of_it_are_made_soon(name: str) -> None:
    node = parse_pattern(HOSTILE[name]).root
    with soon():
        find_witness(node, NO_TEXT)
    with soon():
        list(islice(strings(node), 300))
    with soon():
        list(islice(strings(node, shortest=5_000), 10))


@pytest.mark.slow_cases("^[a-z]*$-an exponent of subsets", "(.*a){40}-an exponent of subsets")
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("other", ["^[a-z]*$", "^.{0,9999}x?$", "(.*a){40}", *list(HOSTILE)[::7]])
def test_it_is_compared_soon(name: str, other: str) -> None:
    one, two = (parse_pattern(HOSTILE.get(each, each)).root for each in (name, other))
    with soon():
        find_witness(one, two)
    with soon():
        find_witness(two, one, shortest=100)
    with soon():
        find_witness(one, two, within=[two])


def test_several_questions_have_no_more_work_than_one_is_given() -> None:
    one, two = parse_pattern("^[a-f]{3,9}$").root, parse_pattern("^[a-z]{3,9}$").root
    work = Work(10_000)
    assert find_witness(one, two, work=work) is None
    once = 10_000 - work.remaining_steps
    assert 0 < once < 2_000
    work = Work(3 * once)
    assert [find_witness(one, two, work=work) for _ in range(3)] == [None] * 3
    with pytest.raises(Undecidable, match="too large"):
        find_witness(one, two, work=work)
    with pytest.raises(Undecidable, match="too large"):
        next(strings(one, work=work))
