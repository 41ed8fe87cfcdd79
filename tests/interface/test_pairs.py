"""Every pair of the table gives what it says, each kind has one, and nothing else fires."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest
from tests.interface.build import Pair, pairs
from tests.interface.matrix import bump, direct, matrix

from skillstudio.interface.compare import compare
from skillstudio.interface.kinds import ChangeKinds, core_text
from skillstudio.manifest.changes import all_kinds

PAIRS = pairs()


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
def test_every_pair_gives_its_kinds_and_its_bump(pair: Pair) -> None:
    for (old, new), said in ((direct(pair), pair.there), (direct(pair)[::-1], pair.back)):
        changes = compare(old, new, all_kinds())
        assert [bump(changes), *sorted(change.kind for change in changes)] == [
            said[0],
            *sorted(said[1:]),
        ]


def test_every_kind_that_all_systems_share_has_a_pair() -> None:
    shown = {kind for pair in PAIRS for kind in (*pair.there[1:], *pair.back[1:])}
    assert ChangeKinds([core_text()]).by_id.keys() - shown == set()


def test_pairs_are_told_apart_by_their_names() -> None:
    assert len({pair.name for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
def test_no_side_differs_from_itself(pair: Pair) -> None:
    for side in direct(pair):
        assert side is None or compare(side, deepcopy(side), all_kinds()) == ()


def test_where_something_changed_one_way_it_did_the_other_way() -> None:
    for pair in PAIRS:
        assert bool(pair.there[1:]) == bool(pair.back[1:]), pair.name


def test_the_matrix_is_as_it_was() -> None:
    """Every change of every pair in full; `python -m tests.interface.matrix` writes it anew."""
    kept = Path(__file__).with_name("matrix.txt").read_text(encoding="utf-8")
    assert matrix() == kept
