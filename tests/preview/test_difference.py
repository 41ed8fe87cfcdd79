"""Two files as the lines in which they differ."""

from __future__ import annotations

import tracemalloc
from hashlib import sha256

import pytest

from skillstudio.preview.source import MemorySource, Special
from skillstudio.preview.spans import plain
from skillstudio.preview.views.difference import (
    BESIDE,
    MAX_CHANGED_LINES,
    READ,
    Side,
    difference,
    line_counts,
)


def memory(text: str | bytes, mode: int | None = None, name: str = "a.txt") -> MemorySource:
    return MemorySource(name, text if isinstance(text, bytes) else text.encode(), mode)


def shown(old: Side, new: Side) -> list[str]:
    return difference(old, new).texts(0, 400)


LINK = Special("l", "link", "a")
CASES: list[tuple[Side, Side, list[str]]] = [
    (memory("a\nb\nc\n"), memory("a\nB\nc\n"),
     ["+1 -1", "--- a.txt", "+++ a.txt", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]),
    (None, memory("a\n"), ["+1 -0", "--- nothing", "+++ a.txt", "@@ -0,0 +1 @@", "+a"]),
    (memory("a"), None, ["+0 -1", "--- a.txt", "+++ nothing", "@@ -1 +0,0 @@", "-a",
                         "\\ No newline at end of file"]),
    (memory("a", 0o644), memory("a", 0o755), ["mode 0644 → 0755"]),
    (memory("a", 0o644), memory("b\n", 0o600),
     ["mode 0644 → 0600", "+1 -1", "--- a.txt", "+++ a.txt", "@@ -1 +1 @@", "-a",
      "\\ No newline at end of file", "+b"]),
    (memory("a", 0o644), memory("a", 0o644), []),
    (LINK, LINK, []),
    (LINK, Special("l", "link", "b\n"), ["- a link to a", "+ a link to b␊"]),
    (memory("abc"), LINK, ["- a file of 3 bytes", "+ a link to a"]),
    (LINK, None, ["- a link to a", "+ nothing"]),
    (memory("\x1b[2J\n", name="x\ny"), memory("b\n", name="x\ny"),
     ["+1 -1", "--- x␊y", "+++ x␊y", "@@ -1 +1 @@", "-␛[2J", "+b"]),
    (memory(b"\0a"), memory(b"\0b"), ["only sizes and hashes are compared: not text",
     "- 2 bytes, sha256 " + sha256(b"\0a").hexdigest(),
     "+ 2 bytes, sha256 " + sha256(b"\0b").hexdigest()]),
    (None, memory(b""), ["+0 -0"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "lines"), CASES)
def test_what_differs(old: Side, new: Side, lines: list[str]) -> None:
    assert shown(old, new) == lines


@pytest.mark.parametrize(("old", "new"), [(memory("a"), memory("a")), (LINK, LINK)])
def test_the_same_is_said_to_be_the_same(old: Side, new: Side) -> None:
    view = difference(old, new)
    assert view.lines(0, 9) == []
    assert "same" in view.note


def test_too_many_lines_are_told_by_hash() -> None:
    old, new = (memory(f"{each}\n" * (MAX_CHANGED_LINES // 2 + 1)) for each in "ab")
    assert shown(old, new)[0] == "only sizes and hashes are compared: more than 2,000 lines differ"
    few, other = (memory(f"{each}\n" * (MAX_CHANGED_LINES // 2)) for each in "ab")
    assert shown(few, other)[0] == "+1,000 -1,000"


def test_a_long_new_file_is_shown_in_part() -> None:
    view = difference(None, memory("a\n" * 10_000))
    while not view.complete:
        view.lines(view.count, 400)
    assert view.texts(view.count - 1, 1) == ["… only the first 2,000 lines are shown"]


def test_large_files_are_hashed_piece_by_piece() -> None:
    old, new = memory(b"x" * (READ + 1)), memory(b"x")
    tracemalloc.start()
    lines = shown(old, new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines[1].endswith(sha256(b"x" * (READ + 1)).hexdigest())
    assert peak < 4 * READ


def test_the_colours_say_what_went_and_came() -> None:
    lines = difference(memory("a\n"), memory("b\n")).lines(0, 9)
    styles = {plain(each): each[0].style for each in lines}
    assert (styles["-a"], styles["+b"]) == ("removed", "added")


def test_with_room_the_sides_are_beside_each_other() -> None:
    old, new = memory("a\nfull name: x\nc\nd\n"), memory("a\nfull title: x\nc\nd\ne\n")
    view = difference(old, new, BESIDE)
    rows = [each.split("│") for each in view.texts(0, 50)]
    assert [[each.rstrip() for each in row] for row in rows] == [
        ["1   a", "1   a"],
        ["2 - full name: x", "2 + full title: x"],
        ["3   c", "3   c"],
        ["4   d", "4   d"],
        ["", "5 + e"],
    ]
    marked = [(each.text, each.style) for row in view.lines(0, 50) for each in row]
    assert ("nam", "deleted") in marked
    assert ("titl", "inserted") in marked
    assert all(len(each) <= BESIDE for each in view.texts(0, 50))


def test_beside_each_other_far_lines_are_left_out_and_line_ends_are_named() -> None:
    lines = [f"{number}\n" for number in range(40)]
    old, new = "".join(lines), "".join([*lines[:20], "twenty\n", *lines[21:39], "39"])
    texts = difference(memory(old), memory(new), BESIDE).texts(0, 50)
    assert sum(each.startswith("⋯") for each in texts) == 2
    assert len(texts) == 13
    assert "no line end" in texts[-1]
    assert "39 ␊" in texts[-1]


FORTY = [f"{number}\n" for number in range(40)]
NUMBERED: list[tuple[Side, Side, list[str]]] = [
    (memory("a\nb\nc\n"), memory("a\nB\nc\nd\n"),
     ["1   a", "2 - b", "2 + B", "3   c", "4 + d"]),
    (None, memory("a\nb\n"), ["1 + a", "2 + b"]),
    (memory("a\n"), None, ["1 - a"]),
    (memory("a\nb\n"), memory("b\n"), ["1 - a", "1   b"]),
    (memory("".join(FORTY)), memory("".join([*FORTY[:9], "nine\n", *FORTY[10:]])),
     ["⋯", " 7   6", " 8   7", " 9   8", "10 - 9", "10 + nine",
      "11   10", "12   11", "13   12", "⋯"]),
    (memory("\x1b[2J\n"), memory("b\n"), ["1 - ␛[2J", "1 + b"]),
    (memory(b"\0a"), LINK, ["- a file of 2 bytes", "+ a link to a"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "lines"), NUMBERED)
def test_on_a_screen_lines_have_their_numbers(old: Side, new: Side, lines: list[str]) -> None:
    assert difference(old, new, BESIDE - 1).texts(0, 400) == lines


def test_on_a_screen_a_long_new_file_is_shown_in_part() -> None:
    view = difference(None, memory("a\n" * 10_000), BESIDE)
    while not view.complete:
        view.lines(view.count, 400)
    assert view.count == MAX_CHANGED_LINES + 1
    assert view.texts(view.count - 1, 1) == ["… only the first 2,000 lines are shown"]


COUNTS: list[tuple[Side, Side, tuple[int, int] | None]] = [
    (memory("a\nb\n"), memory("a\nB\nc\n"), (2, 1)),
    (memory("a\n"), memory("a\n"), (0, 0)),
    (memory("a\n"), memory("a"), (1, 1)),
    (None, memory("a\n"), None),
    (memory("a\n"), None, None),
    (LINK, memory("a\n"), None),
    (memory(b"\0a"), memory(b"\0b"), None),
    (memory("a\n"), memory("a\n" * (64 << 10)), None),
]


@pytest.mark.parametrize(("old", "new", "counts"), COUNTS)
def test_changed_lines_are_counted(old: Side, new: Side, counts: tuple[int, int] | None) -> None:
    assert line_counts(old, new) == counts
