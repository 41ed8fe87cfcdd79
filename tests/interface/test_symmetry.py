"""Whatever can happen one way can happen the other way, or there is a reason why not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from skillstudio.interface.kinds import PLAINER, ChangeKind, Coordinate
from skillstudio.manifest.changes import all_kinds

MIRRORS = {
    "added": "removed",
    "narrowed": "widened",
    "on": "off",
    "raised": "lowered",
    "opened": "closed",
}
MIRRORS |= {other: one for one, other in MIRRORS.items()}
OWN_MIRRORS = frozenset(
    (
        "changed",
        "equivalent",
        "undecided",
        "reference-changed",
        "major-changed",
        "minor-changed",
        "program-changed",
        "subcommand-changed",
    )
)


def reasons() -> dict[Coordinate, str]:
    rows = yaml.safe_load(Path(__file__).with_name("mirrors.yaml").read_text(encoding="utf-8"))
    return {tuple(row["without"].split()): row["because"] for row in rows}


def known(surface: str, facet: str, action: str) -> bool:
    while (surface, facet, action) not in all_kinds().by_coordinate:
        if action not in PLAINER:
            return False
        action = PLAINER[action]
    return True


def coordinates() -> Iterator[tuple[ChangeKind, Coordinate]]:
    for kind in all_kinds().by_id.values():
        for coordinate in kind.coordinates:
            yield kind, coordinate


def test_every_action_has_its_mirror_or_a_reason() -> None:
    missing = {
        (surface, facet, MIRRORS.get(action, "?"))
        for _, (surface, facet, action) in coordinates()
        if action not in OWN_MIRRORS and not known(surface, facet, MIRRORS.get(action, "?"))
    }
    assert missing == set(reasons())


def test_every_reason_is_a_sentence() -> None:
    for coordinate, reason in reasons().items():
        assert reason.endswith("."), coordinate
        assert len(reason.split()) > 4, coordinate


def test_of_two_mirrors_one_at_most_breaks_or_both_ways_are_named() -> None:
    """A change and its undoing both break only where something was promised by name."""
    both = {
        (surface, facet)
        for kind, (surface, facet, action) in coordinates()
        if action in MIRRORS
        and kind.level == "major"
        and known(surface, facet, MIRRORS[action])
        and all_kinds().find(surface, facet, MIRRORS[action]).level == "major"
    }
    # A variable that must be set: hosts without it fail, and those that set it steer nothing.
    assert both == {("env", "required"), ("input", "required")}


def test_values_that_narrow_break_callers_and_values_that_widen_break_readers() -> None:
    for kind, (surface, facet, action) in coordinates():
        if kind.direction == "none" or action not in ("narrowed", "widened"):
            continue
        breaks = action == ("narrowed" if kind.direction == "in" else "widened")
        # An input with a default may be left out; a range of versions breaks no caller.
        mild = facet.startswith("requiredness-with-") or facet == "dependency-range"
        assert (kind.level == "major") is (breaks and not mild), (surface, facet, action)


def test_each_system_uses_a_facet_for_one_thing() -> None:
    """A facet has actions of one comparer, so that two systems never mean two things by it."""
    comparers = (
        {"added", "removed"},
        {"on", "off"},
        {"raised", "lowered", "added", "removed"},
        {"changed", "added", "removed"},
        {"changed", "added", "removed", "program-changed", "subcommand-changed"},
        {"narrowed", "widened", "changed", "floor-major-raised"},
        {"narrowed", "widened", "opened", "closed", "added", "removed"},
        {"narrowed", "widened", "changed", "equivalent", "undecided", "reference-changed"},
    )
    actions: dict[str, set[str]] = {}
    for _, (surface, facet, action) in coordinates():
        if surface == "term":
            actions.setdefault(facet, set()).add(action)
    for facet, found in actions.items():
        assert any(found <= comparer for comparer in comparers), (facet, found)
