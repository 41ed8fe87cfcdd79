"""What is known of the texts of a format, held against what the engines say of them."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from skillstudio.schema.engine import ENGINES, compile_schema
from skillstudio.schema.format_texts import FORMAT_TEXTS
from skillstudio.schema.regex import parse_pattern
from skillstudio.schema.regex.inclusion import find_witness, strings

OF_FORMAT = {
    "date": ["2024-02-29", "0001-01-01", "1999-12-31"],
    "time": ["23:59:60Z", "00:00:00z", "12:34:56.789+05:30"],
    "date-time": ["2024-02-29T12:00:00Z", "1985-04-12t23:20:50.52z", "1990-12-31T23:59:60Z"],
    "email": ["a@example.org", "a.b+c@x-y.example"],
    "hostname": ["example.org", "a", "x-1.example"],
    "ipv4": ["0.0.0.0", "255.255.255.255"],
    "ipv6": ["::", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"],
    "uri": ["https://example.org/a?b=c#d", "urn:a:b", "mailto:a@example.org"],
    "uri-reference": ["", "a/b", "../c", "#d", "https://example.org"],
    "uuid": ["00000000-0000-0000-0000-000000000000", "ABCDEFab-1234-1234-1234-abcdefABCDEF"],
    "json-pointer": ["", "/", "/a~0b/~1", "/é"],
    "regex": ["", "^a+$", "[a-z]"],
    "duration": ["P1D", "PT5M", "P3W"],
}
"""Texts of each format, by its own specification."""
NOT_OF_FORMAT = {
    "date": ["", "2024-1-01", "20240101", "2024-01-01 "],
    "time": ["12:34:56", "12:34Z", "1:02:03Z"],
    "date-time": ["2024-01-01", "2024-01-01T12:00:00", "12:00:00Z"],
    "email": ["", "a", "@", "a@"],
    "ipv4": ["1.2.3", "1.2.3.4.5", "1.2.3.1234", "a.b.c.d"],
    "ipv6": ["", ":", "g::1", "1.2.3.4 "],
    "uri": ["", "a", "//a", "1a:b", "a b:c"],
    "uri-reference": ["a b", "é"],
    "uuid": ["", "0" * 32, "00000000-0000-0000-0000-00000000000g"],
    "json-pointer": ["a", "~0"],
}
"""Texts that the wider pattern of a format refuses; that of regex refuses none."""


def matches(pattern: str, text: str) -> bool:
    return parse_pattern(pattern).search(text)


def judges(format: str) -> list[Any]:
    return [compile_schema({"format": format}, engine) for engine in ENGINES]


def test_every_format_has_texts_here() -> None:
    assert OF_FORMAT.keys() == FORMAT_TEXTS.keys()
    unbounded = {name for name, known in FORMAT_TEXTS.items() if not known.every}
    assert unbounded == {"hostname", "duration"}
    assert NOT_OF_FORMAT.keys() == FORMAT_TEXTS.keys() - unbounded - {"regex"}


@pytest.mark.parametrize("format", FORMAT_TEXTS)
def test_the_wider_pattern_matches_each_text_of_the_format(format: str) -> None:
    every = FORMAT_TEXTS[format].every
    for text in OF_FORMAT[format]:
        assert not every or matches(every, text), text


@pytest.mark.parametrize("format", NOT_OF_FORMAT)
def test_what_the_wider_pattern_refuses_is_of_the_format_by_no_engine(format: str) -> None:
    for text in NOT_OF_FORMAT[format]:
        assert not matches(FORMAT_TEXTS[format].every, text), text
        assert [judge.is_valid(text) for judge in judges(format)] == [False, False], text


@pytest.mark.parametrize("format", FORMAT_TEXTS)
def test_each_text_of_the_narrower_pattern_is_of_the_format_by_both_engines(format: str) -> None:
    known = FORMAT_TEXTS[format]
    some = parse_pattern(known.some).root
    longest = known.longest
    texts = [*islice(strings(some, longest=longest), 300)]
    if longest is not None:
        texts += islice(strings(some, shortest=longest, longest=longest), 3)
    assert texts
    for judge in judges(format):
        assert [text for text in texts if not judge.is_valid(text)] == []


@pytest.mark.parametrize("format", [name for name, known in FORMAT_TEXTS.items() if known.every])
def test_the_narrower_pattern_lies_within_the_wider_one(format: str) -> None:
    known = FORMAT_TEXTS[format]
    some, every = parse_pattern(known.some).root, parse_pattern(known.every).root
    assert find_witness(some, every, longest=known.longest) is None
