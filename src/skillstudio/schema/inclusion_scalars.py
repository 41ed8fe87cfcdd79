"""What is against the inclusion of one schema in another, as far as texts and numbers go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.schema.interval import Interval, Number
from skillstudio.schema.regex import parse_pattern
from skillstudio.schema.regex.inclusion import NO_TEXT, Undecidable, included
from skillstudio.schema.regex.nodes import EMPTY, Node
from skillstudio.schema.sample import MAX_TEXT
from skillstudio.schema.shape import Shape
from skillstudio.schema.verdicts import Escape, Finding, Undecided

_IMPRECISE = "no float is precise enough for a number that would show it"


def number_findings(one: Shape, other: Shape, wide: dict[str, Any], at: str) -> Iterator[Finding]:
    """The numbers of `one`, which has some, that `other` refuses."""
    numbers = one.number
    if other.number.integer and not numbers.integer and not numbers.is_point:
        yield _number(numbers.fraction(), "type", at)
    elif other.number.integer and numbers.near_low() not in Interval(integer=True):
        yield _number(numbers.near_low(), "type", at)
    for keyword, is_low in (
        ("minimum", True), ("exclusiveMinimum", True),
        ("maximum", False), ("exclusiveMaximum", False),
    ):  # fmt: skip
        if keyword in wide:
            is_open = not keyword.startswith("exclusive")
            if is_low:
                refused = numbers.at_most(wide[keyword], is_open)
                found = refused.near_high()
            else:
                refused = numbers.at_least(wide[keyword], is_open)
                found = refused.near_low()
            if not refused.is_empty:
                yield _number(found, keyword, at)


def _number(found: Number | None, keyword: str, at: str) -> Finding:
    if found is None:
        return Undecided(keyword, f"{at}/{keyword}", _IMPRECISE)
    return Escape(found, f"{at}/{keyword}")


def text_findings(one: Shape, other: Shape, at: str) -> Iterator[Finding]:
    """The texts of `one`, which has some, that `other` refuses."""
    if other.pattern is not None and other.pattern != one.pattern:
        yield from _escaping(
            one, parse_pattern(other.pattern).root, one.shortest, one.longest, "pattern", at
        )
    if other.shortest > one.shortest:
        longest = other.shortest - 1
        if one.longest is not None:
            longest = min(longest, one.longest)
        yield from _of_length(one, one.shortest, longest, "minLength", at)
    if other.longest is not None and (one.longest is None or one.longest > other.longest):
        shortest = max(one.shortest, other.longest + 1)
        yield from _of_length(one, shortest, one.longest, "maxLength", at)


def _of_length(
    one: Shape, shortest: int, longest: int | None, keyword: str, at: str
) -> Iterator[Finding]:
    """A text of `one` with as many characters."""
    if one.pattern is not None:
        yield from _escaping(one, NO_TEXT, shortest, longest, keyword, at)
        return
    length = longest if keyword == "minLength" and longest is not None else shortest
    if length > MAX_TEXT:
        reason = f"texts of more than {MAX_TEXT} characters are not made"
        yield Undecided(keyword, f"{at}/{keyword}", reason)
    else:
        yield Escape("a" * length, f"{at}/{keyword}")


def _escaping(
    one: Shape, wide: Node, shortest: int, longest: int | None, keyword: str, at: str
) -> Iterator[Finding]:
    narrow = EMPTY if one.pattern is None else parse_pattern(one.pattern).root
    try:
        found = included(narrow, wide, shortest=shortest, longest=longest)
    except Undecidable as undecidable:
        yield Undecided(keyword, f"{at}/{keyword}", undecidable.reason)
        return
    if found is not None:
        yield Escape(found, f"{at}/{keyword}")
