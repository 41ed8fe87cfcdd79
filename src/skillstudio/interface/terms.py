"""Differences of the terms of one dialect, by comparer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from skillstudio.interface.covering import covers
from skillstudio.interface.difference import Difference
from skillstudio.interface.model import ABSENT, Term, VersionRange, token, without_defaulted
from skillstudio.interface.outputs import NEVER_FETCHED, mask_witness
from skillstudio.interface.schemas import differences, effect, relate
from skillstudio.interface.statements import changed_annotations
from skillstudio.interface.wording import became, cut, display_value, mask_value, masked_schema
from skillstudio.schema.shape import same

_ALL = ("*",)
_NEUTRAL: dict[str, Any] = {
    "set": (),
    "allow-list": (),
    "switch": False,
    "text": "",
    "sequence": (),
    "range": VersionRange("*"),
    "schema-in": True,
    "schema-out": True,
}
"""The meaning of an undeclared term without a key."""


def compare_terms(
    olds: Iterable[Term], news: Iterable[Term], above: str, strict: bool, hide: bool = False
) -> Iterator[Difference]:
    """Differences of some terms; `above` is the pointer of their parent."""
    before = {(old.name, old.key): old for old in olds}
    after = {(news.name, news.key): news for news in news}
    for key, old in before.items():
        new = after.get(key)
        if new is None:
            yield from _one_sided(old, "removed", above, strict, hide)
        elif old is not new and old.value != new.value and not (old.inherited and new.inherited):
            yield from _compare(old, new, above, strict, hide)
    for key, new in after.items():
        if key not in before:
            yield from _one_sided(new, "added", above, strict, hide)


def _one_sided(
    term: Term, action: str, above: str, strict: bool, hide: bool
) -> Iterator[Difference]:
    if term.detail:
        return
    if term.key or term.comparer == "order":
        value = _display_value(term, hide)
        sides = (ABSENT, value) if action == "added" else (value, ABSENT)
        yield _difference(term, action, above, *sides)
        return
    other = term._replace(value=_NEUTRAL[term.comparer], shown="")
    if not same(other.value, term.value):
        pair = (other, term) if action == "added" else (term, other)
        yield from _compare(*pair, above, strict, hide)


def _compare(old: Term, new: Term, above: str, strict: bool, hide: bool) -> Iterator[Difference]:
    if new.comparer == "set":
        yield from _sets(old, new, above)
        return
    if new.comparer in ("schema-in", "schema-out"):
        yield from _schemas(old, new, above, strict, hide)
        return
    sides = (_display_value(old, hide), _display_value(new, hide))
    for action, detail in _actions(old, new):
        yield _difference(new, action, above, *sides)._replace(detail=detail)


def _actions(old: Term, new: Term) -> Iterator[tuple[str, str]]:
    """What happened to a value that is compared as a whole, with details."""
    match new.comparer:
        case "switch":
            yield "on" if new.value else "off", ""
        case "order":
            yield "raised" if _rank(new.value) > _rank(old.value) else "lowered", ""
        case "text":
            yield "changed", ""
        case "command":
            from skillstudio.interface.commands import command_action

            yield command_action(old.value, new.value), ""
        case "sequence":
            kept_items = [item for item in old.value if item in new.value]
            if kept_items != [item for item in new.value if item in old.value]:
                yield "changed", ""
        case "range":
            if action := _of_ranges(old.value, new.value):
                yield action, ""
        case "allow-list" if "*" in old.value or "*" in new.value:
            if "*" not in old.value:
                yield "opened", ""
            elif "*" not in new.value:
                yield "closed", ""
        case "allow-list":
            if additions := _find_uncovered(new.value, old.value, new):
                yield "widened", _join_items(additions)
            if less := _find_uncovered(old.value, new.value, new):
                yield "narrowed", _join_items(less)


def _sets(old: Term, new: Term, above: str) -> Iterator[Difference]:
    before, after = dict.fromkeys(old.value), dict.fromkeys(new.value)
    for item in before:
        if item not in after:
            yield _difference(new, "removed", above, item, ABSENT, item)
    for item in after:
        if item not in before:
            yield _difference(new, "added", above, ABSENT, item, item)


def _find_uncovered(items: Sequence[str], by: Sequence[str], term: Term) -> list[str]:
    exact_entries = set(by)
    wide = list(exact_entries) if term.covers != "exact" else []
    return [
        item
        for item in items
        if item not in exact_entries and not any(covers(entry, item, term.covers) for entry in wide)
    ]


def _of_ranges(old: VersionRange, new: VersionRange) -> str:
    """The action for a changed range; "" if both accept the same versions."""
    if _is_empty(new) or _is_empty(old):
        if _is_empty(new) == _is_empty(old):
            return ""
        return "narrowed" if _is_empty(new) else "widened"
    low, was_low = (new.low or (), new.low_open), (old.low or (), old.low_open)
    high, was_high = _top(new), _top(old)
    less = low > was_low or high < was_high
    is_wider = low < was_low or high > was_high
    if less and (new.low or (0,))[:1] > (old.low or (0,))[:1]:
        return "floor-major-raised"
    if less:
        return "changed" if is_wider else "narrowed"
    return "widened" if is_wider else ""


def _top(version_range: VersionRange) -> tuple[bool, tuple[int, ...], bool]:
    return (version_range.high is None, version_range.high or (), not version_range.high_open)


def _is_empty(version_range: VersionRange) -> bool:
    if version_range.low is None or version_range.high is None:
        return False
    if version_range.low == version_range.high:
        return version_range.low_open or version_range.high_open
    return version_range.low > version_range.high


def _schemas(old: Term, new: Term, above: str, strict: bool, hide: bool) -> Iterator[Difference]:
    sides = (_display_value(old, hide), _display_value(new, hide))
    if isinstance(old.value, str) or isinstance(new.value, str):
        difference = _difference(new, "reference-changed", above, *sides)
        yield difference._replace(detail=NEVER_FETCHED, undecided_keyword="$ref")
        return
    if new.comparer == "schema-out":
        sets = relate(old.value, new.value, strict=True)
        action, witness, reason, keyword = effect(*sets, is_output=True)
        if witness and not hide:
            reason = f"for example {display_value(witness.value)}"
        difference = _difference(new, action, above, *sides)
        shown_witness = mask_witness(witness, hide)
        yield difference._replace(detail=reason, witness=shown_witness, undecided_keyword=keyword)
        return
    # A default satisfies a required property.
    schemas = (without_defaulted(old.value), without_defaulted(new.value))
    if same(*schemas) and not same(old.value, new.value):
        yield _difference(new, "equivalent", above, *sides)
    for delta in differences(*schemas, strict):
        action, witness, reason, keyword = effect(delta.loss, delta.gain)
        if action == "equivalent" and delta.facet.startswith("property"):
            action = "widened"
        values = [masked_schema(schema) if hide else schema for schema in (delta.old, delta.new)]
        where = ".".join([*(step[-1] for step in delta.path), delta.keyword]).strip(".")
        detail = reason or f"{where} {became(*values)}".strip()
        difference = _difference(new, action, above, *values)
        pointer = difference.pointer + delta.pointer
        difference = difference._replace(pointer=pointer, detail=detail, undecided_keyword=keyword)
        yield difference._replace(witness=mask_witness(witness, hide))
    yield from _annotations(old, new, above, hide)


def _annotations(old: Term, new: Term, above: str, hide: bool) -> Iterator[Difference]:
    """Differences of the defaults and descriptions of a schema, which reject no value."""
    for place, keyword, was, is_now in changed_annotations(old.value, new.value):
        action = "changed"
        if keyword == "default" and (was is ABSENT or is_now is ABSENT):
            action = "added" if was is ABSENT else "removed"
            other = old.value if was is ABSENT else new.value
            if not _describes(other, place.removesuffix("/default")):
                continue  # What it belongs to was added or removed with it.
        what = "default" if keyword == "default" else "annotation"
        sides = (mask_value(was), mask_value(is_now)) if hide else (was, is_now)
        name = place.removeprefix("/").removesuffix(f"/{keyword}") or keyword
        pointer = f"{above}/{token(new.name)}{place}"
        yield Difference("term", f"{new.name}-{what}", action, pointer, name, *sides)


def _describes(schema: Any, pointer: str) -> bool:
    """Whether a schema has a subschema at a JSON Pointer."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(schema, dict) or key not in schema:
            return False
        schema = schema[key]
    return True


def _difference(
    term: Term, action: str, above: str, old: Any, new: Any, item: str | None = None
) -> Difference:
    names = [word for word in (term.name, term.key) if word]
    if item is not None:
        names.append(item)
    pointer = above + "".join(f"/{token(name)}" for name in names)
    name = term.key or item or term.label or term.name
    return Difference("term", term.name, action, pointer, name, old, new)


def _display_value(term: Term, hide: bool) -> Any:
    if term.shown:
        return term.shown
    value = term.value
    if isinstance(value, VersionRange):
        return value.text
    if hide and term.comparer.startswith("schema"):
        return masked_schema(value)
    return list(value) if isinstance(value, tuple) else value


def _rank(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _join_items(items: Sequence[str]) -> str:
    return cut(", ".join(items[:20]))
