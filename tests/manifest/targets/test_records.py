"""The records of targets: every statement has evidence in a source of its record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from skillstudio.cli.targets import EVIDENCE_WAYS
from skillstudio.manifest.target_values import KINDS
from skillstudio.manifest.targets import OUTCOMES, recorded_targets, targets

READINGS = {
    "opening": {
        "first", "lines", "trimmed", "dashes", "split", "anywhere", "match", "match-bom",
        "prefix", "exact", "gray-matter",
    },
    "yaml": {
        "core", "quoting", "strict", "old", "serde", "js", "repairing", "serde-repairing",
        "colons", "lines", "simple", "free-text",
    },
    "types": {"YAML 1.1", "YAML 1.2", "js-yaml 3"},
}  # fmt: skip
WRONG = {
    "missing", "type", "mapping", "empty", "letters", "hyphens", "long", "folder", "contains", "is",
    "reserved", "kind", "characters", *KINDS,
}  # fmt: skip


PARTS = ("discovery", "plugins", "installer", "reading", "fields", "switches", "limits")


def statements(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name, each in table.items():
        if name == "rules":
            yield from each
        else:
            yield each


@pytest.mark.parametrize("id", targets())
def test_every_statement_has_evidence(id: str) -> None:
    target = targets()[id]
    assert target["kind"] in ("validator", "upload", "client")
    assert all(target[each] for each in ("title", "about", "described"))
    assert date.fromisoformat(target["checked"]) >= date(2026, 11, 1)
    ways = rf"\(({'|'.join(EVIDENCE_WAYS)})[^()]*\)$"
    assert all(re.search(ways, each) for each in target["sources"].values())
    used = set()
    for part in PARTS:
        for each in statements(target.get(part, {})):
            for place in each["at"].split("; "):
                used.add(re.split("[:#]", place)[0])
            assert ("is" in each) != (each.get("outcome") in OUTCOMES[:4]), each
            assert each.get("wrong", "is") in WRONG
    assert used == set(target["sources"])


@pytest.mark.parametrize("id", recorded_targets())
def test_readings(id: str) -> None:
    reading = recorded_targets()[id]["reading"]
    for name, known in READINGS.items():
        assert name not in reading or reading[name]["is"] in known
    assert {"opening", "yaml", "none", "broken"} <= set(reading)


def test_clients_are_found_by_their_roots() -> None:
    roots = {id for id, each in targets().items() if "roots" in each["discovery"]}
    clients = {id for id, each in targets().items() if each["kind"] == "client"}
    assert roots == clients - {"lenient", "npx-skills"}
