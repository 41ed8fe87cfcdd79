"""A report for people: what shares a line, and that no value goes untold."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.scaffold.conversion.sources import SOURCES
from tests.scaffold.conversion.test_migrate import ROUTER

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.conversion.leaf_tracker import (
    ChangedLeaf,
    ConversionReport,
    InventedLeaf,
    LostLeaf,
)
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import dialect
from skillstudio.scaffold.conversion.export import export
from skillstudio.scaffold.conversion.migrate import downgrade, migrate
from skillstudio.scaffold.conversion.report_text import report_lines

NO = "X has no equivalent for"


def lost(*pairs: tuple[str, str], carried: tuple[str, ...] = ()) -> list[str]:
    report = ConversionReport(carried, (), tuple(LostLeaf(*pair) for pair in pairs))
    return list(report_lines(report))[1:-1]


@pytest.mark.parametrize(
    ("gone", "carried", "expected"),
    [
        ([("/a", "why")], [], ["  /a: why"]),
        ([("/a/x", "why"), ("/a/y", "why")], [], ["  /a (2): why"]),
        ([("/a/x", "why"), ("/a/y", "why")], ["/a/z"], ["  why:", "    /a/x", "    /a/y"]),
        ([("/a/x", "one"), ("/a/y", "two")], [], ["  /a/x: one", "  /a/y: two"]),
        (
            [("/a/0/t", "why"), ("/a/1/t", "why")],
            ["/a/0/u", "/a/1/u"],
            ["  /a/*/t (2): why"],
        ),
        (
            [("/a/0/t", "why"), ("/a/1/t", "why")],
            ["/a/2/t", "/a/0/u", "/a/1/u"],
            ["  why:", "    /a/0/t", "    /a/1/t"],
        ),
        ([("f#/a/x", "why"), ("f#/a/y", "why")], ["/a/z"], ["  f#/a (2): why"]),
        ([("f#", "why"), ("/a", "other")], [], ["  f#: why", "  /a: other"]),
        ([("/a", f"{NO} it")], [], [f"  {NO}", "    /a: it"]),
        (
            [("/a", f"{NO} it"), ("/b", f"{NO} that"), ("/c", f"{NO} it")],
            [],
            [f"  {NO}", "    it:", "      /a", "      /c", "    /b: that"],
        ),
    ],
)
def test_what_is_lost_for_one_reason_stands_together(
    gone: list[tuple[str, str]], carried: list[str], expected: list[str]
) -> None:
    assert lost(*gone, carried=tuple(carried)) == expected


def test_what_moved_is_told_once() -> None:
    changed = [
        ChangedLeaf("/a/x", "now /b/x"),
        ChangedLeaf("/a/y", "now /b/y"),
        ChangedLeaf("/b/x", "from /a/x"),
        ChangedLeaf("/b/y", "from /a/y"),
        ChangedLeaf("/k", "now /l: as text"),
        ChangedLeaf("/l", "from /k: as text"),
        ChangedLeaf("/name", "another"),
    ]
    assert list(report_lines(ConversionReport((), tuple(changed)))) == [
        "changed: 7",
        "  /a/* → /b/* (2)",
        "  /k → /l: as text",
        "  /name: another",
        "unchanged: 0",
    ]


def test_what_is_invented_for_one_reason_stands_together() -> None:
    new = (
        InventedLeaf("/a", "1", "asked"),
        InventedLeaf("/b", "2", "asked"),
        InventedLeaf("/c", "3", "else"),
    )
    assert list(report_lines(ConversionReport((), (), (), new)))[1:-1] == [
        "  asked:",
        "    /a = 1",
        "    /b = 2",
        "  /c = 3: else",
    ]


def reports() -> Iterator[ConversionReport]:
    for source in ("agent-skills", "frontmatter-1.0", "skill-manifest-2.0"):
        yield export(locate(MemoryTree(SOURCES[source], "notes")), "spec", "memos").report
    router = migrate(locate(MemoryTree({"SKILL.md": ROUTER.encode()}, "notes")))
    bundle = dialect("provenact-bundle")
    assert router is not None
    assert bundle is not None
    yield router.report
    yield downgrade(locate(MemoryTree(SOURCES["provenact-1"], "notes")), bundle).report


@pytest.mark.parametrize("report", [*reports()])
def test_every_value_is_told_of(report: ConversionReport) -> None:
    lines = "\n".join(report_lines(report))
    words = {word.strip(",:;") for word in lines.replace("#/", "# /").split()}
    patterns = {
        re.compile(re.escape(each).replace(r"\*", "[^/]+") + "(/.*)?") for each in words if each
    }
    pointers = [
        each.pointer
        for each in (*report.changed_leaves, *report.lost_leaves, *report.invented_leaves)
    ]
    assert pointers
    for pointer in pointers:
        bare = pointer.partition("#")[2] or pointer
        assert any(each.fullmatch(bare) for each in patterns), pointer
    section = lines.partition("added:")[0].partition("changed:")[0].splitlines()[1:]
    named = [line for line in section if re.match(r" +\S*[/#]", line)]
    sizes = [int(m[1]) if (m := re.search(r" \((\d+)\)(?::|$)", line)) else 1 for line in named]
    assert not report.lost_leaves or sum(sizes) == len(report.lost_leaves)
