"""The texts of two versions: which files differ, which lines, and what bounds them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.files.listed import MemoryTree
from skillstudio.session.comparing import text as comparing_text
from skillstudio.session.comparing.text import (
    FileDiff,
    TextDiff,
    compare_texts,
    text_rows,
)
from skillstudio.text.splicing import common_ends


def files(**texts: str | bytes) -> MemoryTree:
    """A tree by the stems of Markdown files."""
    return MemoryTree(
        {f"{k}.md": v.encode() if isinstance(v, str) else v for k, v in texts.items()}
    )


def drawn(diff: TextDiff, beside: bool = False) -> list[str]:
    rows = text_rows(diff, beside)
    lines = []
    for row in rows:
        file = diff.files[row.file]
        old = file.old[row.old] if row.old >= 0 and row.mark != "gap" else ""
        new = file.new[row.new] if row.new >= 0 and row.mark != "gap" else ""
        lines.append(
            {
                "file": f"= {file.path} {file.what}",
                "note": f"! {file.note}",
                "gap": "...",
                "same": f"  {new}",
                "old": f"- {old}",
                "new": f"+ {new}",
                "both": f"{old} > {new}",
            }[row.mark]
        )
    return lines


def test_one_column_has_what_is_gone_above_what_is_new() -> None:
    diff = compare_texts(files(a="1\n2\n3\n"), files(a="1\nB\nC\n3\n"))
    assert drawn(diff) == ["= a.md changed", "  1", "- 2", "+ B", "+ C", "  3"]


def test_two_columns_have_a_line_beside_the_one_in_its_place() -> None:
    diff = compare_texts(files(a="1\n2\n3\n"), files(a="1\nB\nC\n3\n"))
    assert drawn(diff, beside=True) == ["= a.md changed", "  1", "2 > B", "+ C", "  3"]


def test_equal_runs_are_cut_to_what_is_around_a_difference() -> None:
    lines = [f"{number}\n" for number in range(30)]
    changed = [*lines]
    changed[10], changed[25] = "ten\n", "twenty-five\n"
    diff = compare_texts(files(a="".join(lines)), files(a="".join(changed)))
    assert drawn(diff) == [
        *("= a.md changed", "...", "  7", "  8", "  9", "- 10", "+ ten", "  11", "  12", "  13"),
        *("...", "  22", "  23", "  24", "- 25", "+ twenty-five", "  26", "  27", "  28"),
    ]


def test_files_come_and_go() -> None:
    diff = compare_texts(files(gone="x\n", same="s\n"), files(here="y\n", same="s\n"))
    assert drawn(diff) == ["= gone.md removed", "- x", "= here.md added", "+ y"]


def test_a_version_that_is_not_there_has_no_files() -> None:
    assert drawn(compare_texts(None, files(a="x\n"))) == ["= a.md added", "+ x"]


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (b"\x00\x01", b"\x00\x02ab", "not text: 2 → 4 bytes"),
        (b"\xff\xfe", b"ok", "not text: 2 → 2 bytes"),
        (b"a\n", b"a\r\n", "only its line endings changed"),
        (b"x" * (1 << 20) + b"y", b"x", "larger than 1 MiB, so its lines are not compared"),
    ],
    ids=["null", "not UTF-8", "line ends", "large"],
)
def test_what_has_no_lines_to_show_says_why(old: bytes, new: bytes, note: str) -> None:
    diff = compare_texts(files(a=old), files(a=new))
    assert drawn(diff) == ["= a.md changed", f"! {note}"]


def test_too_many_files_and_lines_are_counted_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing_text, "MOST_FILES", 2)
    monkeypatch.setattr(comparing_text, "MOST_LINES", 5)
    old, new = files(a="1\n", b="1\n2\n3\n", c="1\n"), files(a="2\n", b="1\n2\n4\n", c="2\n")
    diff = compare_texts(old, new)
    assert diff.left_off == 1
    assert drawn(diff)[-2:] == ["= b.md changed", "! too many lines to compare"]


def test_a_tree_without_a_digest_says_why() -> None:
    diff = compare_texts(MemoryTree({"SKILL.md": b"", "new\nline": b""}), None)
    assert "new" in diff.trouble


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("version: 1", "version: 2", ("1", "2")),
        ("abc", "abXc", ("", "X")),
        ("aaa", "aa", ("a", "")),
        ("same", "same", ("", "")),
    ],
)
def test_what_differs_within_a_line(old: str, new: str, wanted: tuple[str, str]) -> None:
    start, tail = common_ends(old, new)
    assert (old[start : len(old) - tail], new[start : len(new) - tail]) == wanted


texts = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\r\n", "e"]), max_size=30).map("".join)


@given(texts, texts)
def test_both_layouts_hold_every_differing_line_once_and_in_order(old: str, new: str) -> None:
    diff = compare_texts(files(a=old), files(a=new))
    for rows in (text_rows(diff, False), text_rows(diff, True)):
        for file in diff.files:
            check_sides(file, [row for row in rows if row.mark in ("old", "new", "both", "same")])
    assert [row.old for row in text_rows(diff, False) if row.mark == "old"] == [
        row.old for row in text_rows(diff, True) if row.mark in ("old", "both")
    ]


def check_sides(file: FileDiff, rows: list[comparing_text.TextRow]) -> None:
    before = [row.old for row in rows if row.old >= 0]
    after = [row.new for row in rows if row.new >= 0]
    assert before == sorted(set(before))
    assert after == sorted(set(after))
    for row in rows:
        if row.mark == "same":
            assert file.old[row.old] == file.new[row.new]
    shown = {row.old for row in rows if row.mark in ("old", "both")}
    taken = {at for h in file.hunks for at in range(h.old_start, h.old_start + len(h.old_lines))}
    assert shown == taken
