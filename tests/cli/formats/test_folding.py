"""Long lines for a terminal."""

from __future__ import annotations

import pytest

from skillstudio.cli.formats.folding import folded, terminal_width

WORDS = "what a program did and what it did not do, told in one long line"
ROWS = [
    # the line, the width, what is printed
    ("short", 40, ["short"]),
    ("", 40, [""]),
    (WORDS, None, [WORDS]),
    (WORDS, 40, ["what a program did and what it did not", "  do, told in one long line"]),
    (
        "  " + WORDS,
        40,
        ["  what a program did and what it did not", "    do, told in one long line"],
    ),
    ("  see /" + "x" * 60, 40, ["  see", "    /" + "x" * 60]),
    ("a --long-option-that-stays", 10, ["a --long-option-that-stays"]),
    ("\x1b[1m" + WORDS + "\x1b[0m", 40, ["\x1b[1m" + WORDS + "\x1b[0m"]),
]


@pytest.mark.parametrize(("line", "width", "expected"), ROWS)
def test_folding(line: str, width: int | None, expected: list[str]) -> None:
    assert list(folded([line], width)) == expected


def test_what_goes_to_a_file_has_no_width() -> None:
    assert terminal_width() is None
