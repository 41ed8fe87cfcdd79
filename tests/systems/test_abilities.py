"""What `skillstudio doctor` and the page of systems say about each system."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.systems.test_every_verb import run_steps

from skillstudio.cli.systems import SYSTEMS, abilities
from skillstudio.dryrun.isolation.known_gaps import known_gaps
from skillstudio.dryrun.isolation.levels import IsolationLevel, probe_isolation

PAGE = Path(__file__).parents[2] / "docs" / "systems.md"
WORDS = {"yes": "yes", "no": "–"}


def test_the_page_has_the_table_of_doctor() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = {
        cells[0]: cells[1:]
        for line in lines
        if line.startswith("| ") and len(cells := [cell.strip() for cell in line.split("|")[1:-1]])
    }
    for ability in abilities(()):
        name = ability.id.replace("isolation level ", "isolation level `", 1)
        name += "`" if name != ability.id else ""
        cells = [WORDS.get(value, value) for value in ability.on.values()]
        assert rows[name][:3] == cells
        assert rows[name][3] == ability.instead


def test_what_does_not_work_completely_has_advice() -> None:
    for ability in abilities(()):
        is_complete = all(value == "yes" for value in ability.on.values())
        assert is_complete or ability.instead, ability.id


def test_a_level_that_is_not_available_here_is_reported() -> None:
    level = IsolationLevel("copy", False, "no Python", ())
    copy = next(item for item in abilities((level,)) if item.id == "isolation level copy")
    assert copy.here == "no"


def test_limits_that_other_systems_lack_are_a_known_gap() -> None:
    host = probe_isolation().host
    text = "memory, processor time, open files and the number of processes are not limited"
    for system, number in (("linux", 0), ("darwin", 1), ("win32", 1)):
        gaps = known_gaps("copy", host._replace(system=system), is_traced=False)
        assert sum(text in gap for gap in gaps) == number


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system is what is removed")
@pytest.mark.parametrize("system", SYSTEMS)
def test_doctor_says_what_the_system_offers(system: str, tmp_path: Path) -> None:
    step = "doctor --format json"
    report: dict[str, Any] = json.loads(run_steps(system, tmp_path, [step])[step]["out"])
    assert report["system"] == system
    available = {level["id"] for level in report["isolation_levels"] if level["available"]}
    rows = {row["name"]: row for row in report["rows"]}
    for ability in report["abilities"]:
        level = ability["id"].removeprefix("isolation level ")
        if level != ability["id"]:
            # A container may lack a level, and an installation wasmtime; no system has more.
            assert (ability["here"] != "no") == (level in available)
            assert ability[system] != "no" or level not in available
        elif system != "linux":
            assert ability["here"] == ability[system]
            is_complete = ability["here"] == "yes"
            assert rows[ability["id"]]["state"] == ("ok" if is_complete else "some")
            assert rows[ability["id"]]["note"] == ("" if is_complete else ability["instead"])
