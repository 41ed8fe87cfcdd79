"""Differences of an operation's inputs: a call that worked must still work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.interface.change import Witness
from skillstudio.interface.difference import Difference, changed, one_sided
from skillstudio.interface.model import ABSENT, Absent, Input, token
from skillstudio.interface.renames import renamed
from skillstudio.interface.schemas import Delta, Verdict, differences
from skillstudio.interface.statements import canonical, said_beside, same
from skillstudio.interface.type_words import bound_words
from skillstudio.interface.wording import SENSITIVE, became, masked, masked_schema, shown
from skillstudio.schema.inclusion import Escape, Undecided

_BY_PRESENCE = frozenset(("type", "pattern", "minimum", "maximum", "enum", "property-required"))
"""Facets with separate kinds for an added and a removed keyword."""
_ANYWHERE = frozenset(("property-required", "additional-properties"))
"""Facets that keep their name at every depth."""
_BOUNDS = frozenset(("minimum", "maximum"))
_EQUIVALENT = _BOUNDS | {"pattern"}
_SHARED = ("/$defs", "/definitions")  # Schemas that only matter where they are referenced.
_ANNOTATIONS = 50  # Maximum number of changed annotations reported per input.


def compare_inputs(
    olds: tuple[Input, ...],
    news: tuple[Input, ...],
    above: tuple[str, str],
    strict: bool,
    sensitive: bool,
) -> tuple[dict[str, str], list[Difference]]:
    """The renamed inputs and all differences; `above` are the pointers of both operations."""
    before = {each.name: each for each in olds}
    after = {each.name: each for each in news}
    gone = {name: each for name, each in before.items() if name not in after}
    come = {name: each for name, each in after.items() if name not in before}
    names = renamed(_kinds(gone), _kinds(come)) if gone and come else {}
    others = set(names.values())
    findings = [
        *(_removed(each, above[1], sensitive) for name, each in gone.items() if name not in names),
        *(_added(each, above[1], sensitive) for name, each in come.items() if name not in others),
    ]
    for name, old in before.items():
        new = after.get(names.get(name, name))
        if new is not None and (old is not new or name in names):
            findings += _pair(old, new, above, strict, sensitive)
    if _order(before, after) != _order(after, before):
        orders = (list(before), list(after))
        findings += changed("input", "order", f"{above[1]}/inputs", "", *orders)
    return names, findings


def _kinds(inputs: dict[str, Input]) -> dict[str, str]:
    return {name: canonical([each.required, each.schema]) for name, each in inputs.items()}


def _order(one: dict[str, Input], other: dict[str, Input]) -> list[str]:
    """The inputs that both sides have, in the order of one."""
    return [
        name
        for name, each in one.items()
        if name in other and other[name].required == each.required
    ]


def _described(given: Input, sensitive: bool) -> dict[str, Any]:
    hide = sensitive or given.sensitive
    value: dict[str, Any] = {
        "required": given.required,
        "schema": masked_schema(given.schema) if hide else given.schema,
    }
    if given.default is not ABSENT:
        value["default"] = masked(given.default) if hide else given.default
    return value


def _added(new: Input, above: str, sensitive: bool) -> Difference:
    has_default = new.default is not ABSENT
    if new.required:
        facet = "required-with-default" if has_default else "required"
    else:
        facet = "optional" if has_default else "optional-without-default"
    default = SENSITIVE if sensitive or new.sensitive else shown(new.default)
    at = f"{above}/inputs/{token(new.name)}"
    return one_sided("input", facet, "added", at, new.name, _described(new, sensitive), default)


def _removed(old: Input, above: str, sensitive: bool) -> Difference:
    facet = "required" if old.required else "optional"
    at = f"{above}/inputs/{token(old.name)}"
    return one_sided("input", facet, "removed", at, old.name, _described(old, sensitive))


def _pair(
    old: Input, new: Input, above: tuple[str, str], strict: bool, sensitive: bool
) -> Iterator[Difference]:
    hide = sensitive or old.sensitive or new.sensitive
    at = f"{above[1]}/inputs/{token(new.name)}"
    was_at = f"{above[0]}/inputs/{token(old.name)}"

    def difference(facet: str, action: str, below: str, before: Any, after: Any) -> Difference:
        found = Difference("input", facet, action, at + below, new.name, before, after)
        return found if was_at == at else found._replace(old_pointer=was_at + below)

    if old.name != new.name:
        yield difference("name", "changed", "", old.name, new.name)
    if old.required and not new.required:
        yield difference("requiredness", "widened", "", "required", "optional")
    elif new.required and not old.required:
        with_default = "-with-default" if new.default is not ABSENT else ""
        yield difference(f"requiredness{with_default}", "narrowed", "", "optional", "required")
    if old.schema != new.schema or not same(old.schema, new.schema):
        for each in compare_schemas(new.name, old.schema, new.schema, strict, hide):
            pointer = f"{at}/schema{each.pointer}"
            old_pointer = f"{was_at}/schema{each.old_pointer or each.pointer}"
            yield each._replace(
                pointer=pointer, old_pointer="" if old_pointer == pointer else old_pointer
            )
    was, is_now = (masked(each) if hide else each for each in (old.default, new.default))
    if not same(was, is_now):
        action = "changed"
        if was is ABSENT or is_now is ABSENT:
            action = "added" if was is ABSENT else "removed"
        yield difference("default", action, "/default", was, is_now)
    if old.sensitive != new.sensitive:
        action = "on" if new.sensitive else "off"
        yield difference("sensitive", action, "/sensitive", old.sensitive, new.sensitive)
    if old.description != new.description:
        yield difference("description", "changed", "/description", old.description, new.description)


def compare_schemas(
    name: str, old: Any, new: Any, strict: bool, hide: bool = False
) -> Iterator[Difference]:
    """Differences of two schemas of one input, with pointers into the schema."""
    for delta in differences(old, new, strict):
        for difference in _of(delta, name):
            yield _hidden(difference, delta) if hide else difference
    yield from _annotations(name, old, new, hide)


def _of(delta: Delta, name: str) -> Iterator[Difference]:
    lost, gained = delta.lost, delta.gained
    if isinstance(lost, Undecided):
        facet = "pattern" if delta.facet == "pattern" else "schema"
        yield _difference(delta, name, facet, "undecided", f"{lost.keyword}: {lost.reason}")
    elif delta.facet.startswith("property") and delta.facet != "property-required":
        yield _of_property(delta, name)
    elif lost is None and gained is None:
        facet = delta.facet if delta.facet in _EQUIVALENT else "schema"
        if (delta.old is ABSENT or delta.new is ABSENT) and facet != "schema":
            facet = "schema"
        detail = _bounds(delta) if facet in _BOUNDS else _where(delta)
        yield _difference(delta, name, facet, "equivalent", detail)
    elif delta.facet == "enum" and not delta.path and _is_both(delta):
        yield from _of_lists(delta, name)
    else:
        both = lost is not None and isinstance(gained, Escape)
        action = "changed" if both else "narrowed" if lost else "widened"
        facet = delta.facet
        if delta.path and facet not in _ANYWHERE:
            facet = "items" if delta.path[-1][0] == "items" else "property"
        elif facet in _BY_PRESENCE and not _is_both(delta):
            action = "added" if delta.old is ABSENT else "removed"
        detail = _bounds(delta) if facet in _BOUNDS else _where(delta)
        if facet == "property-required":
            detail = shown(delta.old if delta.new is ABSENT else delta.new)
        yield _difference(delta, name, facet, action, detail, _witness(lost, gained))


def _of_property(delta: Delta, name: str) -> Difference:
    """A property that only one side describes."""
    if delta.facet == "property" and delta.old is True:
        return _difference(delta, name, "property", "narrowed", _where(delta), _witness(delta.lost))
    action = "added" if delta.old is ABSENT else "removed"
    detail = shown(delta.path[-1][-1])
    return _difference(delta, name, delta.facet, action, detail, _witness(delta.lost))


def _of_lists(delta: Delta, name: str) -> Iterator[Difference]:
    """Report removed and added values of a list as two changes."""
    for action, verdict, one, other in (
        ("narrowed", delta.lost, delta.old, delta.new),
        ("widened", delta.gained, delta.new, delta.old),
    ):
        if verdict is None:
            continue
        witness = _witness(verdict) if action == "narrowed" else _witness(None, verdict)
        yield _difference(delta, name, "enum", action, _only(one, other), witness)


def _only(one: Any, other: Any) -> str:
    """The values that only the first list has."""
    if not (isinstance(one, list) and isinstance(other, list)):
        return shown(one)
    others = {_key(value) for value in other}
    return ", ".join(shown(value) for value in one if _key(value) not in others)


def _key(value: Any) -> str:
    """A text that is equal for values that are equal in JSON."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return canonical(value)


def _witness(lost: Verdict, gained: Verdict = None) -> Witness | None:
    if isinstance(lost, Escape):
        return Witness(lost.value, "old", "new")
    return Witness(gained.value, "new", "old") if isinstance(gained, Escape) else None


def _difference(
    delta: Delta, name: str, facet: str, action: str, detail: str, witness: Witness | None = None
) -> Difference:
    old, new = delta.old, delta.new
    if facet == "additional-properties":
        old, new = (True if each is ABSENT else each for each in (old, new))
    found = Difference("input", facet, action, delta.pointer, name, old, new, detail, witness)
    return found._replace(old_pointer=delta.old_pointer)


def _where(delta: Delta) -> str:
    """The keyword and the steps that lead to it, for people."""
    names = [step[-1] for step in delta.path]
    return ".".join([*names, delta.keyword] if delta.keyword else names) or "the whole schema"


def _bounds(delta: Delta) -> str:
    """Describe the change of a bound, by its number if only the number changed."""
    numbers = [each for each in (delta.old, delta.new) if not isinstance(each, dict | Absent)]
    if len(numbers) == 2:
        return became(*numbers)
    words = [bound_words(delta.facet, e) for e in (delta.old, delta.new) if e is not ABSENT]
    return " → ".join(words)


def _is_both(delta: Delta) -> bool:
    return delta.old is not ABSENT and delta.new is not ABSENT


def _hidden(difference: Difference, delta: Delta) -> Difference:
    old, new = difference.old, difference.new
    if delta.facet == "enum":
        old, new = masked(old), masked(new)
    else:
        old, new = masked_schema(old), masked_schema(new)
    detail = SENSITIVE if difference.facet == "enum" else difference.detail
    witness = difference.witness and difference.witness._replace(value=SENSITIVE)
    return difference._replace(old=old, new=new, detail=detail, witness=witness)


def _annotations(name: str, old: Any, new: Any, hide: bool) -> Iterator[Difference]:
    before, after = said_beside(old), said_beside(new)
    places = [
        place
        for place in {**before, **after}
        if not place.startswith(_SHARED)
        and not same(before.get(place, ABSENT), after.get(place, ABSENT))
    ]
    for place in places[:_ANNOTATIONS]:
        was, is_now = before.get(place, ABSENT), after.get(place, ABSENT)
        if hide:
            was, is_now = masked(was), masked(is_now)
        keyword = place.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        values = (was, is_now)
        yield Difference("input", "annotation", "changed", place, name, *values, shown(keyword))
