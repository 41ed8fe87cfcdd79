"""What a downgrade must hold to: its diff with the source is what the report says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillstudio.interface.change import Change
from skillstudio.interface.compare import compare
from skillstudio.interface.model import Interface, token
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.conversion.leaf_tracker import (
    ConversionReport,
    InventedLeaf,
    LostLeaf,
)
from skillstudio.manifest.conversion.leaves import Leaf, label_of, names_of
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.project import project

OF_OPERATIONS = frozenset(
    ["inputs", "outputs", "artifacts", "fields", "stdout", "entrypoints", "effects", "terms"]
)
CONSTRAINTS = frozenset(["type", "properties", "required", "pattern", "enum", "maximum"])
"""Keywords that say which values a schema allows."""
NOT_COMPARED = {
    ("version",): "the bump is judged by it; it is no part of what is promised",
    ("manifest_versions",): "that the systems are others is what is wanted",
    ("terms", "feature-description"): "told with the feature that has it",
    ("terms", "feature-default"): "told with the feature that has it",
    ("terms", "dependency-range"): "told with the dependency that has it",
    ("terms", "recipe-confirmation"): "told with the recipe that has it",
    ("terms", "recipe-step-order"): "told with the commands that are in order",
}
"""What a comparison does not tell by itself, and why."""


def assert_the_interfaces_differ_as_told(report: ConversionReport, old: Skill, new: Skill) -> None:
    """The diff through the interface is what the report says, in both directions.

    Each change is of something that the report calls changed, lost or invented, and all that is
    lost or invented is in a change, but for what says no more than silence does. Compared are
    the interfaces as if both were of one system, for else all that went with it is told as one.
    """
    sides = _Side(old, report.lost_leaves), _Side(new, report.invented_leaves)
    alone = all(len(side.interface.operations) == 1 for side in sides)
    carried = set(report.carried_pointers)
    changes = compare(sides[0].aligned(alone), sides[1].aligned(alone), all_kinds())
    silent = [
        (change.kind, change.pointer)
        for change in changes
        if not _is_of_the_system(change, *sides)
        # What no document states is what its system takes for granted.
        and (named := [name for side in sides for name in side.at(change.pointer, alone)])
        and carried.issuperset(named)
    ]
    seen = {_surface(change.pointer) for change in changes}
    missing = [
        (name, surface)
        for side in sides
        for name, value, surface in side.gone_or_new(alone)
        if value not in (False, None, "", [], {})
        and not any(_inner(surface)[: len(each)] == each for each in NOT_COMPARED)
        and not any(_meet(surface, each) for each in seen)
    ]
    wrong = silent, missing
    assert wrong == ([], []), wrong
    _assert_nothing_lost_is_still_said(report, *sides)


class _Side:
    """A skill before or after, and what of it is gone or new."""

    def __init__(self, skill: Skill, told: Iterable[LostLeaf | InventedLeaf]) -> None:
        self.source = ConversionSource(skill)
        labels = {id(each.document): label_of(each) for each in skill.manifests}
        places = self.source.interface.places
        held = [*places._statements.items(), *places._trees.items()]
        self._elements = {
            (labels[id(each.document)], each.pointer): element
            for element, statements in reversed(held)
            for each in reversed(statements)
        }
        self.interface = project(skill)
        self.called = names_of(self.source.papers)
        self.told = {each.pointer for each in told}

    def aligned(self, alone: bool) -> Interface:
        """The interface without its system; an operation that is alone has no name."""
        operations = self.interface.operations
        if alone:
            operations = (operations[0]._replace(name=""),)
        return self.interface._replace(
            declared=True, dialects=("one",), manifest_versions={}, operations=operations
        )

    def at(self, pointer: str, alone: bool) -> list[str]:
        """The names of the leaves that state what an aligned interface has at a pointer."""
        inside = self.interface.operations[0].pointer + pointer if alone else pointer
        exact = [*self.source.at(pointer), *self.source.at(inside)]
        near = (e for e in self.called if _surface(pointer) == self._surface_of(e, alone))
        return [self.called[leaf] for leaf in exact or near]

    def gone_or_new(self, alone: bool) -> Iterator[tuple[str, object, tuple[str, ...]]]:
        """What the report calls lost or invented here: name, value, and what it is part of."""
        for leaf, name in self.called.items():
            surface = self._surface_of(leaf, alone)
            named = self.told & {name, f"{leaf.document}#{leaf.pointer}"}
            if named and surface and self._holds(surface) and not self._says_nothing(leaf):
                yield name, self.source.values[leaf], surface

    def _element(self, leaf: Leaf) -> str:
        """The element of the interface that a leaf belongs to; "" if there is none."""
        above, rest = leaf.pointer, ""
        while (element := self._elements.get((leaf.document, above))) is None and above:
            above, _, last = above.rpartition("/")
            rest = f"/{last}{rest}"
        return "" if element is None else element + rest

    def _says_nothing(self, leaf: Leaf) -> bool:
        """Whether a leaf is a remark in a schema, or a keyword that no schema has."""
        keys = self._element(leaf).split("/")
        if "inputs-schema" not in keys and "outputs-schema" not in keys:
            return False
        return not CONSTRAINTS.intersection(keys)

    def _holds(self, surface: tuple[str, ...]) -> bool:
        """Whether the interface has what a leaf states: a wrong value and an effect of no
        operation are not in it."""
        facet, name = (*_inner(surface), "", "")[:2]
        operations = self.interface.operations
        if surface[0] == "operations" and surface[1:2] not in [
            (token(e.name),) for e in operations
        ]:
            return False
        if facet in ("sensitive", "execution"):
            holder = self.interface if facet == "sensitive" else self.interface.execution
            return bool(getattr(holder, name or facet, None))
        if facet in ("permissions", "terms"):
            held = [*self.interface.permissions, *self.interface.terms]
            held += [term for each in operations for term in each.terms]
            return any(term.name == name for term in held)
        return facet not in OF_OPERATIONS or any(getattr(each, facet) for each in operations)

    def _surface_of(self, leaf: Leaf, alone: bool) -> tuple[str, ...]:
        element = self._element(leaf)
        if alone:
            element = element.removeprefix(self.interface.operations[0].pointer)
        return _surface(element)


def _surface(element: str) -> tuple[str, ...]:
    """What is compared as one: an operation, and in it or the skill one input, one term …"""
    keys = tuple(element.split("/")[1:])
    head = 2 if keys[:1] == ("operations",) else 0
    return (*keys[:head], *keys[head : head + 2])


def _inner(surface: tuple[str, ...]) -> tuple[str, ...]:
    """A surface within its operation."""
    return surface[2:] if surface[:1] == ("operations",) else surface


def _meet(surface: tuple[str, ...], changed: tuple[str, ...]) -> bool:
    """Whether a change of one surface tells of another.

    That there is an operation more or less tells of all that is said of it, and what is said of
    all operations is told with any of them.
    """
    of_all = surface[0] in OF_OPERATIONS or surface == ("description",)
    if changed[:1] == ("operations",) and len(changed) < 3 and of_all:
        return True
    size = min(len(surface), len(changed))
    return surface[:size] == changed[:size]


def _is_of_the_system(change: Change, old: _Side, new: _Side) -> bool:
    """Whether an operation without a name came or went with the system that always has one."""
    return change.pointer == "/operations" and old.interface.dialects != new.interface.dialects


def _assert_nothing_lost_is_still_said(
    report: ConversionReport, before: _Side, after: _Side
) -> None:
    gone = {each.pointer for each in report.lost_leaves}
    for leaf, name in before.called.items():
        element = before._element(leaf)
        if name in gone and element and not element.startswith("/manifest_versions"):
            still = [after.source.values[each] for each in after.source.exactly(element)]
            value = before.source.values[leaf]
            assert not any(type(e) is type(value) and e == value for e in still), (name, element)
