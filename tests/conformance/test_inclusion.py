"""Pairs of schemas with known verdicts: own ones, and those of the tests of jsonsubschema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillstudio.schema.engine import compile_schema
from skillstudio.schema.inclusion import Escape, include

OWN = json.loads((Path(__file__).parent / "subset-pairs-own.json").read_text("utf-8"))


def judge(narrow: Any, wide: Any) -> bool:
    """Whether one schema is included in another; fails where that is not decided or not shown."""
    found = include(narrow, wide, strict=True)
    if found is None:
        return True
    assert isinstance(found, Escape), found
    assert compile_schema(narrow).is_valid(found.value)
    assert not compile_schema(wide).is_valid(found.value)
    return False


@pytest.mark.parametrize("pair", OWN, ids=[pair["name"] for pair in OWN])
def test_own_pairs(pair: dict[str, Any]) -> None:
    assert judge(pair["old"], pair["new"]) is pair["old_subset_of_new"]
    assert judge(pair["new"], pair["old"]) is pair["new_subset_of_old"]


def test_there_are_20_own_pairs() -> None:
    assert len(OWN) == 20


def test_pairs_of_jsonsubschema(data: Path) -> None:
    file = data / "vectors" / "jsonsubschema-tests-adr002-subset.json"
    if not file.is_file():
        pytest.skip(f"the pairs are not at {file}")
    pairs = json.loads(file.read_text("utf-8"))
    wrong = [
        (pair["s1"], pair["s2"])
        for pair in pairs
        if judge(pair["s1"], pair["s2"]) is not pair["s1_subschema_of_s2"]
    ]
    assert wrong == []
    assert len(pairs) == 117
