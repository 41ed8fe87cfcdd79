"""Check the inclusion of schemas for strings and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.schema.format_texts import FORMAT_TEXTS
from skillstudio.schema.interval import Number
from skillstudio.schema.regex import parse_pattern
from skillstudio.schema.regex.inclusion import NO_TEXT, Undecidable, Work, included
from skillstudio.schema.regex.nodes import EMPTY, Node
from skillstudio.schema.shape import Shape
from skillstudio.schema.values import MAX_TEXT
from skillstudio.schema.verdicts import Escape, InclusionVerdict, Undecided

_IMPRECISE = "no floating-point number is precise enough for a counterexample"


def number_verdicts(
    one: Shape, other: Shape, wide: dict[str, Any], at: str
) -> Iterator[InclusionVerdict]:
    """Numbers of `one`, which has some, that `other` rejects."""
    numbers = one.number
    if other.number.integer:
        yield from _not_in_step(one, other, wide, at)
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


def _not_in_step(
    one: Shape, other: Shape, wide: dict[str, Any], at: str
) -> Iterator[InclusionVerdict]:
    """A number that is not an integer or multiple: one of two neighbors, if there is one."""
    stated = wide.get("type")
    whole = "type" if "integer" in (stated if isinstance(stated, list) else [stated]) else ""
    if not one.number.integer and not one.number.is_point:
        yield _number(one.number.fraction(), whole or "multipleOf", at)
        return
    for found in islice(one.number.values(), 2):
        if found not in other.number._replace(low=None, high=None):
            is_whole = found == found // 1
            yield _number(found, "multipleOf" if is_whole else whole or "multipleOf", at)
            return


def _number(found: Number | None, keyword: str, at: str) -> InclusionVerdict:
    if found is None:
        return Undecided(keyword, f"{at}/{keyword}", _IMPRECISE)
    return Escape(found, f"{at}/{keyword}")


class _Texts(NamedTuple):
    """The strings of a schema by one of its patterns, with their lengths."""

    node: Node
    within: Node | None
    shortest: int
    longest: int | None

    def escaping(self, wide: Node, work: Work) -> str | None:
        """A string that does not match. Raises Undecidable."""
        if self.longest is not None and self.shortest > self.longest:
            return None
        return included(
            self.node,
            wide,
            within=self.within,
            shortest=self.shortest,
            longest=self.longest,
            work=work,
        )


def _texts(one: Shape, shortest: int, longest: int | None) -> _Texts:
    return _Texts(
        EMPTY if one.pattern is None else parse_pattern(one.pattern).root, None, shortest, longest
    )


def _of_every(texts: _Texts, one: Shape) -> _Texts:
    """A superset of the strings that a schema with a format accepts."""
    known = FORMAT_TEXTS.get(one.format)
    return _joined(texts, known.every) if known and known.every else texts


def _of_some(texts: _Texts, one: Shape) -> _Texts | None:
    """Common strings that a schema with a format accepts; None if the format is unknown."""
    known = FORMAT_TEXTS.get(one.format)
    if known is None:
        return None
    ends = [end for end in (texts.longest, known.longest) if end is not None]
    return _joined(texts._replace(longest=min(ends, default=None)), known.some)


def _joined(texts: _Texts, pattern: str) -> _Texts:
    node = parse_pattern(pattern).root
    if texts.node is EMPTY:
        return texts._replace(node=node)
    return texts._replace(within=node)


class Unproved(NamedTuple):
    """An undecided question, and a string that may be a counterexample."""

    undecided: Undecided
    candidate: str | None


def text_verdicts(one: Shape, other: Shape, at: str, work: Work) -> Iterator[Escape | Unproved]:
    """Strings of `one`, which has some, that `other` rejects."""
    if other.pattern is not None and other.pattern != one.pattern:
        wide = parse_pattern(other.pattern).root
        yield from _escaping(one, wide, one.shortest, one.longest, "pattern", at, work)
    if other.shortest > one.shortest:
        longest = other.shortest - 1
        if one.longest is not None:
            longest = min(longest, one.longest)
        yield from _of_length(one, one.shortest, longest, "minLength", at, work)
    if other.longest is not None and (one.longest is None or one.longest > other.longest):
        shortest = max(one.shortest, other.longest + 1)
        yield from _of_length(one, shortest, one.longest, "maxLength", at, work)


def _of_length(
    one: Shape, shortest: int, longest: int | None, keyword: str, at: str, work: Work
) -> Iterator[Escape | Unproved]:
    """A string of `one` with a given length."""
    if one.pattern is not None or one.format in FORMAT_TEXTS:
        yield from _escaping(one, NO_TEXT, shortest, longest, keyword, at, work)
        return
    length = longest if keyword == "minLength" and longest is not None else shortest
    if length > MAX_TEXT:
        reason = f"strings of more than {MAX_TEXT} characters are not generated"
        yield Unproved(Undecided(keyword, f"{at}/{keyword}", reason), None)
    else:
        yield Escape("a" * length, f"{at}/{keyword}")


def _escaping(
    one: Shape,
    wide: Node,
    shortest: int,
    longest: int | None,
    keyword: str,
    at: str,
    work: Work,
) -> Iterator[Escape | Unproved]:
    """A rejected string; with a format, one that the format is known to accept."""
    texts = _texts(one, shortest, longest)
    try:
        found = _of_every(texts, one).escaping(wide, work)
        if found is not None:
            some = _of_some(texts, one)
            usual = None if some is None else some.escaping(wide, work)
            yield Escape(found if usual is None else usual, f"{at}/{keyword}")
    except Undecidable as undecidable:
        undecided = Undecided(keyword, f"{at}/{keyword}", undecidable.reason)
        yield Unproved(undecided, undecidable.candidate)


def format_verdict(one: Shape, other: Shape, at: str, work: Work) -> InclusionVerdict | None:
    """A string of `one`, which has some, that the format of `other` rejects; else None."""
    place = f"{at}/format"
    undecided = Undecided(
        "format", place, "the set of strings with this format is not exactly known"
    )
    known = FORMAT_TEXTS.get(other.format)
    if known is None:
        return undecided
    texts = _texts(one, one.shortest, one.longest)
    is_short = known.longest is None or (one.longest or MAX_TEXT) <= known.longest
    try:
        if is_short:
            some = parse_pattern(known.some).root
            if _of_every(texts, one).escaping(some, work) is None:
                return None
        usual = _of_some(texts, one) if one.format else texts
        if usual is not None and known.every:
            found = usual.escaping(parse_pattern(known.every).root, work)
            return undecided if found is None else Escape(found, place)
    except Undecidable as undecidable:
        return undecided._replace(reason=undecidable.reason)
    return undecided
