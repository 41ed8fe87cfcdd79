"""The researched kinds of changes: each is here at its level, or there is a reason why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillstudio.interface.bump import version_rules
from skillstudio.manifest.changes import all_kinds

INSTEAD = {
    "recipe-glob-removed": (
        ["operation-removed"],
        "A recipe is an operation, and what counts is which are found, not by which pattern.",
    ),
    "dependency-required-added": (
        ["dependency-added"],
        "Required or optional is the value of what was added; the level is the same.",
    ),
}
"""What is called otherwise here: by which kinds it is told, and why."""
UNDECIDED = ("-undecided", "inputs-schema-reference-changed")
"""Kinds that the table calls major; the later design makes each a minor change for review."""
REVIEWED = {"entrypoint-platform-added", "entrypoint-platform-removed"}
"""Kinds for which the later design asks for review: what runs on a host is another."""
FINDINGS = {
    "version-unchanged-with-changes",
    "version-decreased",
    "version-bump-too-small",
    "version-bump-larger-than-needed",
    "content-changed-interface-same",
    "artifact-digest-changed-version-same",
}
"""What is said of the step between two versions, and is no change."""


@pytest.fixture
def researched(data: Path) -> dict[str, dict[str, Any]]:
    path = data / "design" / "change-kinds.json"
    if not path.is_file():
        pytest.skip("the shared data has no list of kinds")
    return {row["id"]: row for row in json.loads(path.read_text(encoding="utf-8"))}


def test_each_researched_kind_is_here_or_told_by_another(
    researched: dict[str, dict[str, Any]],
) -> None:
    assert len(researched) >= 190
    missing = researched.keys() - all_kinds().by_id.keys() - FINDINGS
    assert missing == INSTEAD.keys()
    assert researched.keys() >= FINDINGS == FINDINGS & version_rules().keys()
    for kinds, reason in INSTEAD.values():
        assert set(kinds) <= all_kinds().by_id.keys()
        assert reason.endswith(".")


def test_each_has_its_level_and_asks_for_review_where_it_should(
    researched: dict[str, dict[str, Any]],
) -> None:
    for id, row in researched.items():
        for kind in INSTEAD[id][0] if id in INSTEAD else [id] * (id not in FINDINGS):
            here = all_kinds().by_id[kind]
            expected = (row["severity"], row["review"] or kind in REVIEWED)
            if kind.endswith(UNDECIDED):
                expected = ("minor", True)
                assert here.level_in("strict") == here.level_in("security") == "major"
            assert (here.level, here.review) == expected, id


def test_what_the_table_calls_configurable_depends_on_the_ruleset(
    researched: dict[str, dict[str, Any]],
) -> None:
    for id, row in researched.items():
        if id not in FINDINGS and "config" in row["rationale"]:
            for kind in INSTEAD[id][0] if id in INSTEAD else [id]:
                assert all_kinds().by_id[kind].levels, id


def test_what_agents_choose_by_is_marked(researched: dict[str, dict[str, Any]]) -> None:
    for id, row in researched.items():
        if "routing" in row["rationale"]:
            assert all_kinds().by_id[id].routing, id
