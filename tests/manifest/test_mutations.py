"""One change to a clean manifest gives exactly the expected rule at the expected place.

The tables in `mutations/` were written by hand from the texts of the dialects.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import Analysis, analyse

MARK = "‸"
TABLES = sorted((Path(__file__).parent / "mutations").glob("*.yaml"))


def load(path: Path) -> dict[str, Any]:
    table: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return table


def rows() -> list[Any]:
    made = []
    for path in TABLES:
        table = load(path)
        for number, case in enumerate(table["cases"], 1):
            made.append(pytest.param(table, case, id=f"{path.stem}-{number}-{case['rule']}"))
    return made


def analysed(table: dict[str, Any], text: str) -> Analysis:
    files = {path: content.encode() for path, content in table["files"].items()}
    files[table["path"]] = text.encode()
    return analyse(MemoryTree(files, table["name"]))


def placed(analysis: Analysis, path: str) -> Counter[tuple[str, int, int]]:
    return Counter(
        (each.rule, *analysis.place(each)[0])
        for each in analysis.diagnostics
        if each.path == path and each.rule != "manifest-experimental"
    )


def mutated(base: str, case: dict[str, Any]) -> tuple[str, tuple[int, int]]:
    """The changed text and the line and column of the mark."""
    assert base.count(case["old"]) == 1, "the text to change must stand once in the base"
    text = base.replace(case["old"], case["new"])
    if "at" in case:
        text = text.replace(MARK, "")
        assert text.count(case["at"].replace(MARK, "")) == 1, "the place must be one"
        text = text.replace(case["at"].replace(MARK, ""), case["at"])
    before, _, after = text.partition(MARK)
    return before + after, (before.count("\n") + 1, len(before) - before.rfind("\n"))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_the_base_is_clean(path: Path) -> None:
    table = load(path)
    analysis = analysed(table, table["base"])
    assert table["dialect"] in analysis.dialects
    assert [each for each in analysis.diagnostics if each.severity != "info"] == []


@pytest.mark.parametrize(("table", "case"), rows())
def test_one_change_gives_one_finding(table: dict[str, Any], case: dict[str, Any]) -> None:
    text, (line, column) = mutated(table["base"], case)
    before = placed(analysed(table, table["base"]), table["path"])
    analysis = analysed(table, text)
    # Findings of the clean base are notes; a change that moves lines moves them too.
    notes = {rule for rule, _, _ in before}
    found = [each for each in placed(analysis, table["path"]).elements() if each[0] not in notes]
    assert (case["rule"], line, column) in found
    assert sorted(rule for rule, _, _ in found) == sorted([case["rule"], *case.get("also", [])])
    if "severity" in case:
        severities = {each.severity for each in analysis.diagnostics if each.rule == case["rule"]}
        assert severities == {case["severity"]}


def test_the_tables_hold_enough_changes() -> None:
    assert len(rows()) >= 150
