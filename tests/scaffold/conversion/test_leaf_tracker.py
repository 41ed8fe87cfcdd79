"""The report read off a ledger, as a table: what was written down, what is told."""

from __future__ import annotations

import pytest

from skillstudio.manifest.conversion.leaf_tracker import (
    LeafTracker,
    UnexplainedLeaf,
    shown_value,
)
from skillstudio.manifest.conversion.leaves import Leaf, Paper, leaves, names_of


def leaf(pointer: str, document: str = "a") -> Leaf:
    return Leaf(document, pointer)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": 1, "b": {"c": None}}, ["/a", "/b/c"]),
        ({"a": [], "b": {}, "c": [[]]}, ["/a", "/b", "/c/0"]),
        ({"a/b": {"~": [1, 2]}}, ["/a~1b/~0/0", "/a~1b/~0/1"]),
        ({}, [""]),
    ],
)
def test_a_leaf_is_a_scalar_or_holds_nothing(value: object, expected: list[str]) -> None:
    assert [pointer for pointer, _ in leaves(value)] == expected


def test_a_pointer_is_bare_in_the_first_document_that_has_it() -> None:
    documents = [
        Paper("SKILL.md", {"name": "x", "version": "1"}),
        Paper("skill-manifest", {"id": "x", "version": "1"}),
        Paper("recipes/a.yaml", {"id": "a"}, is_part=True),
    ]
    assert list(names_of(documents).values()) == [
        "/name",
        "/version",
        "/id",
        "skill-manifest#/version",
        "recipes/a.yaml#/id",
    ]


def test_what_is_the_same_at_the_same_place_is_carried() -> None:
    ledger = LeafTracker()
    ledger.move([leaf("/x")], leaf("/x", "b"))
    ledger.move([leaf("/x")], leaf("/y", "b"))
    report = ledger.report([Paper("a", {"x": 1})], [Paper("b", {"x": 1, "y": 1})], str)
    assert report.as_json() == {
        "carried": ["/x"],
        "changed": [{"pointer": "/y", "how": "from /x"}],
        "lost": [],
        "invented": [],
    }


def test_true_is_not_one_and_one_is_not_one_point_nought() -> None:
    for old, new in ((True, 1), (1, 1.0), ("1", 1)):
        ledger = LeafTracker()
        ledger.move([leaf("/x")], leaf("/x", "b"))
        report = ledger.report([Paper("a", {"x": old})], [Paper("b", {"x": new})], str)
        assert report.carried_pointers == ()
        assert [each.pointer for each in report.changed_leaves] == ["/x"]


def test_what_moved_is_told_from_both_sides() -> None:
    ledger = LeafTracker()
    ledger.move([leaf("/x")], leaf("/y", "b"), "as text")
    report = ledger.report([Paper("a", {"x": 1})], [Paper("b", {"y": "1"})], str)
    assert [tuple(each) for each in report.changed_leaves] == [
        ("/x", "now /y: as text"),
        ("/y", "from /x: as text"),
    ]


def test_what_nothing_is_written_of_is_lost_and_explained() -> None:
    report = LeafTracker().report([Paper("a", {"x": 1})], [], lambda each: f"no {each.pointer}")
    assert [tuple(each) for each in report.lost_leaves] == [("/x", "no /x")]


def test_one_pointer_with_two_meanings_is_changed_and_told_with_its_document() -> None:
    ledger = LeafTracker()
    ledger.lose(leaf("/name"), "no titles")
    ledger.move([leaf("/id")], leaf("/name", "b"))
    report = ledger.report(
        [Paper("a", {"id": "x", "name": "The X"})], [Paper("b", {"name": "x"})], str
    )
    assert report.as_json() == {
        "carried": [],
        "changed": [
            {"pointer": "/id", "how": "now /name"},
            {"pointer": "/name", "how": "the source value is lost: no titles; from /id"},
        ],
        "lost": [{"pointer": "a#/name", "why": "no titles"}],
        "invented": [],
    }


def test_a_leaf_from_nowhere_leaves_no_report() -> None:
    with pytest.raises(UnexplainedLeaf, match="nothing says where /x comes from"):
        LeafTracker().report([], [Paper("b", {"x": 1})], str)


def test_a_credential_is_never_shown() -> None:
    assert shown_value("ghp_" + "a1B2" * 9) == "‹sensitive›"
    assert len(shown_value("x" * 500)) < 100
