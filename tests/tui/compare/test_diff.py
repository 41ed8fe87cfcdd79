"""The texts on the screen: one column, two columns, long lines, colours, and the way to a line."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.session.comparing.comparing import ComparedSide, ComparisonResult, SideFailure
from skillstudio.session.comparing.text import compare_texts
from skillstudio.tui.widgets.compare import colours
from skillstudio.tui.widgets.compare.colours import colour_diff, pieces, read_script, shown_line
from skillstudio.tui.widgets.compare.diff import DiffRows
from skillstudio.tui.widgets.editor.highlight import Run

from .conftest import WIDE, Driver, Show, outcome

OLD = "---\nname: demo\nversion: 1\n---\n# Demo\n\nSay it.\n"
NEW = "---\nname: demo\nversion: 2\nlicense: MIT\n---\n# Demo\n\nSay it.\n"


def texts(old: str | bytes, new: str | bytes) -> ComparisonResult:
    trees = [
        MemoryTree({"SKILL.md": text.encode() if isinstance(text, str) else text})
        for text in (old, new)
    ]
    return outcome(
        old=ComparedSide("v1", "1.0.0", "sha256:1", trees[0]),
        new=ComparedSide("open", "1.0.0", "sha256:2", trees[1]),
    )


def body(driver: Driver) -> list[str]:
    """The rows of the texts, below their border."""
    rows = driver.app.shown.split("\n")
    start = next(index for index, row in enumerate(rows) if row.startswith("───"))
    return rows[start + 1 :]


async def test_one_column(show: Show) -> None:
    async with show(texts(OLD, NEW)) as driver:
        await driver.mode("unified")
        assert body(driver)[:9] == [
            "~ SKILL.md  changed  -1 +2",
            "1 1   ---",
            "2 2   name: demo",
            "3   - version: 1",
            "  3 + version: 2",
            "  4 + license: MIT",
            "4 5   ---",
            "5 6   # Demo",
            "6 7",
        ]


async def test_two_columns(show: Show) -> None:
    async with show(texts(OLD, NEW)) as driver:
        await driver.mode("beside")
        rows = [line.split("│") for line in body(driver)[1:6]]
        assert [[side.rstrip() for side in row] for row in rows] == [
            ["1   ---", "1   ---"],
            ["2   name: demo", "2   name: demo"],
            ["3 - version: 1", "3 + version: 2"],
            ["", "4 + license: MIT"],
            ["4   ---", "5   ---"],
        ]


@pytest.mark.parametrize("lines", [0, 100], ids=["fits", "scrolls"])
@pytest.mark.parametrize("mode", ["unified", "beside"])
async def test_a_long_line_goes_on_below_and_loses_nothing(
    show: Show, mode: str, lines: int
) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    below = "".join(f"{number}\n" for number in range(lines))
    async with show(texts("x\n", f"{words}\n{below}"), WIDE) as driver:
        await driver.mode(mode)  # type: ignore[arg-type]
        rows = [line.partition("+ ")[2] for line in body(driver) if "+ " in line]
        seen = "".join(row.rstrip("▁▂▃▄▅▆▇█ ") for row in rows)
        assert seen.replace(" ", "").startswith(words.replace(" ", ""))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("one two", ["one two"]),
        ("one two three", ["one two ", "three"]),
        ("one two  three", ["one two ", "three"]),
        ("one twoo three", ["one twoo", "three"]),
        ("one three ", ["one ", "three "]),
        ("one twoo ", ["one ", "twoo "]),
        ("one twothreefour", ["one twot", "hreefour"]),
        ("      three", ["      ", "three"]),
        ("日本 日本語", ["日本 ", "日本語"]),
    ],
)
def test_a_line_is_cut_at_blanks_and_only_a_longer_word_within(text: str, lines: list[str]) -> None:
    assert [text[start:end] for start, end in pieces(text, 8)] == lines


async def test_wide_characters_stay_within_their_column(show: Show) -> None:
    async with show(texts("x\n", "日本語" * 40 + "\n")) as driver:
        await driver.mode("beside")
        assert "".join(body(driver)).count("日") == 40


async def test_the_layout_follows_the_width(show: Show) -> None:
    async with show(texts("x\n", "y" * 100 + "\n"), (88, 21)) as driver:
        await driver.mode("unified")
        before = len(driver.app.query_one(DiffRows).lines)
        await driver.pilot.resize_terminal(44, 21)
        await driver.pilot.pause()
        assert len(driver.app.query_one(DiffRows).lines) > before


async def test_enter_on_a_line_leads_to_it_in_the_new_text(show: Show) -> None:
    async with show(texts(OLD, NEW)) as driver:
        await driver.mode("unified")
        await driver.press("down", "down", "down", "down", "enter")
        await driver.pilot.pause()
        assert driver.app.jumps == [("SKILL.md", 3)]


async def test_enter_on_a_line_that_is_gone_leads_to_where_it_stood(show: Show) -> None:
    async with show(texts("a\nb\nc\n", "a\nc\n")) as driver:
        await driver.mode("unified")
        await driver.press("down", "down", "enter")
        await driver.pilot.pause()
        assert driver.app.jumps == [("SKILL.md", 2)]


async def test_the_cursor_stays_with_its_line_from_one_layout_to_the_other(show: Show) -> None:
    async with show(texts(OLD, NEW)) as driver:
        await driver.mode("unified")
        await driver.press(*["down"] * 6)
        await driver.mode("beside")
        rows = driver.app.query_one(DiffRows)
        assert rows.lines[rows.cursor].plain.rstrip().endswith("---")


async def test_the_same_files_and_binary_ones_say_so(show: Show) -> None:
    async with show(texts(OLD, OLD)) as driver:
        await driver.mode("unified")
        assert "the files are the same" in driver.app.shown
        assert "enter" not in driver.app.shown
    async with show(texts(b"\0", b"\0\0")) as driver:
        await driver.mode("unified")
        assert "not text: 1 → 2 bytes" in driver.app.shown
        assert "enter to the line" in driver.app.shown


@pytest.mark.parametrize("mode", ["unified", "beside"])
async def test_where_a_version_cannot_be_found_its_files_do_not_count_as_gone(
    show: Show, mode: str
) -> None:
    tree = MemoryTree({"SKILL.md": NEW.encode()})
    failed = SideFailure("old", "unknown git revision 'x'")
    found = outcome(old=ComparedSide("x"), new=ComparedSide("open", tree=tree), failures=(failed,))
    async with show(found) as driver:
        screen = await driver.mode(mode)  # type: ignore[arg-type]
        assert "unknown git revision 'x'" in screen
        assert "SKILL.md" not in screen


@pytest.mark.parametrize("line", ["[/]", "[@click=app.quit]x", "\x1b]52;c;aGk=\x07", "\u202eevil"])
@pytest.mark.parametrize("mode", ["unified", "beside"])
async def test_lines_that_mean_harm_are_only_text(show: Show, mode: str, line: str) -> None:
    async with show(texts("x\n", f"{line}\n")) as driver:
        await driver.mode(mode)  # type: ignore[arg-type]
        assert driver.app.is_running
        assert "\x1b" not in driver.app.shown
        assert "\u202e" not in driver.app.shown
        assert shown_line(line) in driver.app.shown


def test_lines_have_the_colours_of_their_language_on_both_sides() -> None:
    trees = [MemoryTree({"SKILL.md": text.encode()}) for text in (OLD, NEW)]
    found = colour_diff(compare_texts(*trees))
    for side, row in ((found.old, 2), (found.new, 3)):
        assert side[0] is not None
        assert next(run.kind for run in side[0](row)) == "key"


@pytest.mark.parametrize(
    ("path", "first", "kinds"),
    [
        ("scripts/run.py", "def main(): return 'x'  # why", ["marker", "key", "string", "comment"]),
        ("run.sh", 'if true; then echo "x"; fi  # why', ["marker", "string", "comment"]),
        ("run.ps1", "if ($x) { 'y' }  # why", ["marker", "code", "string", "comment"]),
        ("run.js", "function go() { return 1 }  // why", ["marker", "number", "comment"]),
        ("run", "#!/usr/bin/env python3", ["comment"]),
        ("run", "#!/bin/bash -e", ["comment"]),
        ("run", "no program", []),
        ("notes.txt", "if this then that", []),
    ],
)
def test_programs_have_colours_too(path: str, first: str, kinds: list[str]) -> None:
    trees = [MemoryTree({path: f"{first}\n{line}\n".encode()}) for line in ("x", "y")]
    found = colour_diff(compare_texts(*trees))
    for side in (found.old, found.new):
        assert side[0] is not None
        seen = [run.kind for run in side[0](0)]
        assert [kind for kind in kinds if kind not in seen] == []
        assert bool(seen) == bool(kinds)


def test_a_string_over_several_lines_is_one() -> None:
    text = 'x = """one\n  two\nthree"""\ny = 1\n'
    read = read_script(text.split("\n"), "python")
    assert read(1) == (Run(0, 5, "string"),)
    assert read(2)[-1].kind == "string"
    assert read(3)[0].kind != "string"
    assert read(99) == ()


def test_a_program_with_a_line_that_nobody_wrote_has_no_colours() -> None:
    assert read_script(["x = 1", "y" * 2000], "python")(0) == ()


def test_colours_end_where_they_would_cost_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(colours, "MOST_COLOURED", 3)
    trees = [MemoryTree({"SKILL.md": text.encode()}) for text in (OLD, NEW)]
    assert colour_diff(compare_texts(*trees)).new == (None,)


def test_a_line_of_any_length_is_drawn_to_its_bound() -> None:
    line = shown_line("x" * 1_000_000)
    assert line.endswith("… (1000000 characters)")
    assert len(line) < 6000
