"""Differences of an operation's inputs: a call that worked must still work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.interface.change import Witness
from skillstudio.interface.difference import (
    Difference,
    below,
    changed_fields,
    compare_values,
    one_sided,
)
from skillstudio.interface.model import ABSENT, Absent, Input, token
from skillstudio.interface.renames import find_renames
from skillstudio.interface.schemas import Delta, differences, effect
from skillstudio.interface.statements import canonical, changed_annotations
from skillstudio.interface.type_words import bound_words
from skillstudio.interface.wording import (
    SENSITIVE,
    became,
    display_value,
    mask_value,
    masked_schema,
)
from skillstudio.schema.shape import same, value_key

_BY_PRESENCE = frozenset(("type", "pattern", "minimum", "maximum", "enum", "property-required"))
"""Facets with separate kinds for an added and a removed keyword."""
_ANYWHERE = frozenset(("property-required", "additional-properties"))
"""Facets that keep their name at every depth."""
_BOUNDS = frozenset(("minimum", "maximum"))
_EQUIVALENT = _BOUNDS | {"pattern"}


def compare_inputs(
    olds: tuple[Input, ...],
    news: tuple[Input, ...],
    strict: bool,
    sensitive: bool,
) -> tuple[dict[str, str], list[Difference]]:
    """The renamed inputs, and all differences with pointers from the operation."""
    before = {old.name: old for old in olds}
    after = {new.name: new for new in news}
    removed_inputs = {name: old for name, old in before.items() if name not in after}
    come = {name: new for name, new in after.items() if name not in before}
    names = find_renames(_kinds(removed_inputs), _kinds(come)) if removed_inputs and come else {}
    new_names = set(names.values())
    findings = [
        *(
            _make_removal(old, sensitive)
            for name, old in removed_inputs.items()
            if name not in names
        ),
        *(_make_addition(new, sensitive) for name, new in come.items() if name not in new_names),
    ]
    for name, old in before.items():
        new = after.get(names.get(name, name))
        if new is not None and (old is not new or name in names):
            differences = _pair(old, new, strict, sensitive or old.sensitive or new.sensitive)
            findings += below(_at(new), _at(old), differences)
    if _order(before, after) != _order(after, before):
        findings += compare_values("input", "order", "/inputs", "", list(before), list(after))
    return names, findings


def _at(operation_input: Input) -> str:
    return f"/inputs/{token(operation_input.name)}"


def _kinds(inputs: dict[str, Input]) -> dict[str, str]:
    return {name: canonical([input_.required, input_.schema]) for name, input_ in inputs.items()}


def _order(inputs: dict[str, Input], other: dict[str, Input]) -> list[str]:
    """The inputs that both sides have, in the order of one."""
    return [
        name
        for name, input_ in inputs.items()
        if name in other and other[name].required == input_.required
    ]


def _describe_input(operation_input: Input, sensitive: bool) -> dict[str, Any]:
    hide = sensitive or operation_input.sensitive
    value: dict[str, Any] = {
        "required": operation_input.required,
        "schema": masked_schema(operation_input.schema) if hide else operation_input.schema,
    }
    if operation_input.default is not ABSENT:
        value["default"] = mask_value(operation_input.default) if hide else operation_input.default
    return value


def _make_addition(new: Input, sensitive: bool) -> Difference:
    has_default = new.default is not ABSENT
    if new.required:
        facet = "required-with-default" if has_default else "required"
    else:
        facet = "optional" if has_default else "optional-without-default"
    default = SENSITIVE if sensitive or new.sensitive else display_value(new.default)
    value = _describe_input(new, sensitive)
    return one_sided("input", facet, "added", _at(new), new.name, value, default)


def _make_removal(old: Input, sensitive: bool) -> Difference:
    facet = "required" if old.required else "optional"
    return one_sided("input", facet, "removed", _at(old), old.name, _describe_input(old, sensitive))


def _pair(old: Input, new: Input, strict: bool, hide: bool) -> Iterator[Difference]:
    """Differences of two inputs, with pointers from the input."""
    yield from changed_fields("input", "", new.name, old, new, "sensitive", "description")
    yield from compare_values("input", "name", "", new.name, old.name, new.name)
    if old.required and not new.required:
        requirement = ("requiredness", "widened", "", new.name, "required", "optional")
        yield Difference("input", *requirement)
    elif new.required and not old.required:
        facet = "requiredness"
        if new.default is not ABSENT:
            is_same = same(old.default, new.default)
            facet += "-with-same-default" if is_same else "-with-default"
        yield Difference("input", facet, "narrowed", "", new.name, "optional", "required")
    if old.schema != new.schema or not same(old.schema, new.schema):
        differences = compare_schemas(new.name, old.schema, new.schema, strict, hide)
        yield from below("/schema", "/schema", differences)
    was, is_now = (
        mask_value(default) if hide else default for default in (old.default, new.default)
    )
    if not same(was, is_now):
        action = "changed"
        if was is ABSENT or is_now is ABSENT:
            action = "added" if was is ABSENT else "removed"
        yield Difference("input", "default", action, "/default", new.name, was, is_now)


def compare_schemas(
    name: str, old: Any, new: Any, strict: bool, hide: bool = False
) -> Iterator[Difference]:
    """Differences of two schemas of one input, with pointers into the schema."""
    for delta in differences(old, new, strict):
        for difference in _of(delta, name):
            yield _hide_values(difference, delta) if hide else difference
    yield from _annotations(name, old, new, hide)


def _of(delta: Delta, name: str) -> Iterator[Difference]:
    action, witness, reason, keyword = effect(delta.loss, delta.gain)
    if keyword:
        facet = "pattern" if delta.facet == "pattern" else "schema"
        yield _difference(delta, name, facet, action, reason)._replace(undecided_keyword=keyword)
    elif delta.facet.startswith("property") and delta.facet != "property-required":
        yield _of_property(delta, name, witness)
    elif action == "equivalent":
        facet = delta.facet if delta.facet in _EQUIVALENT else "schema"
        if (delta.old is ABSENT or delta.new is ABSENT) and facet != "schema":
            facet = "schema"
        detail = _bounds(delta) if facet in _BOUNDS else _where(delta)
        yield _difference(delta, name, facet, "equivalent", detail)
    elif delta.facet == "enum" and not delta.path and _is_both(delta):
        yield from _of_lists(delta, name)
    else:
        facet = delta.facet
        if delta.path and facet not in _ANYWHERE:
            facet = "items" if delta.path[-1][0] == "items" else "property"
        elif facet in _BY_PRESENCE and not _is_both(delta):
            action = "added" if delta.old is ABSENT else "removed"
        detail = _bounds(delta) if facet in _BOUNDS else _where(delta)
        if facet == "property-required":
            detail = display_value(delta.old if delta.new is ABSENT else delta.new)
        yield _difference(delta, name, facet, action, detail, witness)


def _of_property(delta: Delta, name: str, witness: Witness | None) -> Difference:
    """A property that only one side describes."""
    if delta.facet == "property" and delta.old is True:
        return _difference(delta, name, "property", "narrowed", _where(delta), witness)
    action = "added" if delta.old is ABSENT else "removed"
    return _difference(delta, name, delta.facet, action, display_value(delta.path[-1][-1]), witness)


def _of_lists(delta: Delta, name: str) -> Iterator[Difference]:
    """Report removed and added values of a list as two changes."""
    for verdicts, values, other in (
        ((delta.loss, None), delta.old, delta.new),
        ((None, delta.gain), delta.new, delta.old),
    ):
        action, witness, *_ = effect(*verdicts)
        if action != "equivalent":
            yield _difference(delta, name, "enum", action, _only(values, other), witness)


def _only(values: Any, other: Any) -> str:
    """The values that only the first list has."""
    if not (isinstance(values, list) and isinstance(other, list)):
        return display_value(values)
    other_keys = set(map(value_key, other))
    return ", ".join(display_value(value) for value in values if value_key(value) not in other_keys)


def _difference(
    delta: Delta, name: str, facet: str, action: str, detail: str, witness: Witness | None = None
) -> Difference:
    old, new = delta.old, delta.new
    if facet == "additional-properties":
        old, new = (True if value is ABSENT else value for value in (old, new))
    difference = Difference("input", facet, action, delta.pointer, name, old, new, detail, witness)
    return difference._replace(old_pointer=delta.old_pointer)


def _where(delta: Delta) -> str:
    """The keyword and the steps that lead to it, for people."""
    names = [step[-1] for step in delta.path]
    return ".".join([*names, delta.keyword] if delta.keyword else names) or "the whole schema"


def _bounds(delta: Delta) -> str:
    """Describe the change of a bound, by its number if only the number changed."""
    numbers = [bound for bound in (delta.old, delta.new) if not isinstance(bound, dict | Absent)]
    if len(numbers) == 2:
        return became(*numbers)
    words = [
        bound_words(delta.facet, bound) for bound in (delta.old, delta.new) if bound is not ABSENT
    ]
    return " → ".join(words)


def _is_both(delta: Delta) -> bool:
    return delta.old is not ABSENT and delta.new is not ABSENT


def _hide_values(difference: Difference, delta: Delta) -> Difference:
    old, new = difference.old, difference.new
    if delta.facet == "enum":
        old, new = mask_value(old), mask_value(new)
    else:
        old, new = masked_schema(old), masked_schema(new)
    detail = SENSITIVE if difference.facet == "enum" else difference.detail
    witness = difference.witness and difference.witness._replace(value=SENSITIVE)
    return difference._replace(old=old, new=new, detail=detail, witness=witness)


def _annotations(name: str, old: Any, new: Any, hide: bool) -> Iterator[Difference]:
    for place, keyword, was, is_now in changed_annotations(old, new):
        values = (mask_value(was), mask_value(is_now)) if hide else (was, is_now)
        yield Difference(
            "input", "annotation", "changed", place, name, *values, display_value(keyword)
        )
