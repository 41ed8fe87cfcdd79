"""The answer of a terminal about its background: read from the input, and never typed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

from skillstudio.tui.terminal_background import (
    LONGEST,
    BackgroundReported,
    is_light,
    read_answers,
    read_background,
)
from skillstudio.tui.terminal_input import read_alt_as_a_key

ANSWER = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
WHITE = (255, 255, 255)


@pytest.fixture(autouse=True)
def input_is_read() -> None:
    read_alt_as_a_key()
    read_answers()


def parse(*reads: str, pauses: bool = False) -> list[Message]:
    """Return what the parser makes of some reads and the silence after the last one; `pauses` are
    long silences after the others, too."""
    parser = XTermParser()
    messages: list[Message] = []
    for number, data in enumerate(reads, 1):
        messages += parser.feed(data)
        if pauses or number == len(reads):
            parser._timeout_time = 0.0 if parser._timeout_time else None
            messages += parser.tick()
    return messages


def describe(messages: list[Message]) -> list[str | tuple[int, int, int] | None]:
    """Return the names of keys, the colours of backgrounds, and other messages as None."""
    return [
        message.key
        if isinstance(message, events.Key)
        else message.rgb
        if isinstance(message, BackgroundReported)
        else None
        for message in messages
    ]


@pytest.mark.parametrize(
    ("text", "rgb"),
    [
        ("11;rgb:ffff/ffff/ffff", WHITE),
        ("11;rgb:f/f/f", WHITE),
        ("11;rgb:ff/FF/ff", WHITE),
        ("11;rgb:fff/fff/fff", WHITE),
        ("11;rgb:0000/8080/ffff", (0, 128, 255)),
        ("11;rgb:0/8/f", (0, 136, 255)),
        ("11;rgb:000/7ff/fff", (0, 127, 255)),
        ("11;rgb:1/22/4444", (17, 34, 68)),
        ("11;rgba:ffff/ffff/ffff/0000", WHITE),
        ("11;rgba:1/2/3/8", (17, 34, 51)),
        # Not the background, or no colour.
        ("10;rgb:ffff/ffff/ffff", None),
        ("4;11;rgb:ffff/ffff/ffff", None),
        ("11;rgb:ffff/ffff", None),
        ("11;rgb:ffff/ffff/ffff/ffff", None),
        ("11;rgba:ffff/ffff/ffff", None),
        ("11;rgb:fffff/ffff/ffff", None),
        ("11;rgb:gg/ff/ff", None),
        ("11;rgb://", None),
        ("11;?", None),
        ("11;", None),
        ("", None),
    ],
)
def test_the_colour_in_an_answer(text: str, rgb: tuple[int, int, int] | None) -> None:
    assert read_background(text) == rgb
    for end in ("\x1b\\", "\x07"):
        messages = describe(parse(f"\x1b]{text}{end}x"))
        if text:
            assert messages == ([rgb, "x"] if rgb else ["x"])


@pytest.mark.parametrize("end", ["\x1b\\", "\x07"])
def test_an_answer_in_two_reads_types_nothing(end: str) -> None:
    answer = ANSWER.removesuffix("\x1b\\") + end
    for cut in range(1, len(answer)):
        assert describe(parse(f"a{answer[:cut]}", f"{answer[cut:]}b")) == ["a", WHITE, "b"]


def test_an_answer_in_three_reads_types_nothing() -> None:
    for first, second in pairwise(range(1, len(ANSWER))):
        parts = (ANSWER[:first], ANSWER[first:second], ANSWER[second:])
        assert describe(parse(*parts)) == [WHITE]


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (f"ab{ANSWER}cd", ["a", "b", WHITE, "c", "d"]),
        (f"{ANSWER}{ANSWER}", [WHITE, WHITE]),
        (f"\x1b[A{ANSWER}\x1b[B", ["up", WHITE, "down"]),
        (f"\x1b{ANSWER}", ["escape", WHITE]),
        (f"{ANSWER}\x1b", [WHITE, "escape"]),
        (f"\x1bq{ANSWER}\x1bOP", ["alt+q", WHITE, "f1"]),
        (f"\x1b]{ANSWER}", ["alt+right_square_bracket", WHITE]),
        (f"\x1b[I{ANSWER}\x1b[?2026;2$y", [None, WHITE, None]),
        # Other answers.
        ("x\x1b]52;c;aGVsbG8=\x07y", ["x", "y"]),
        ("x\x1b]4;1;rgb:ff/00/00\x1b\\y", ["x", "y"]),
        # One that breaks off: the next key counts.
        ("\x1b]11;rgb:ff\x1b[Ax", ["up", "x"]),
        ("\x1b]11;rgb:ff\rx", ["enter", "x"]),
        ("\x1b]11;rgb:ff\x1b\x1b[A", ["escape", "up"]),
        (f"\x1b]11;rgb:ff{ANSWER}", [WHITE]),
        (f"\x1b]11;{'f' * LONGEST}\x07x", [*"f" * 5, "ctrl+g", "x"]),
        ("\x1b]11;rgb:ff/ff", []),
    ],
)  # fmt: skip
def test_keys_around_an_answer_count(data: str, keys: list[object]) -> None:
    assert describe(parse(data)) == keys
    for cut in range(1, len(data), max(len(data) // 50, 1)):
        assert describe(parse(data[:cut], data[cut:])) == keys


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        ("\x1b]", ["alt+right_square_bracket"]),
        ("\x1b]x", ["alt+right_square_bracket", "x"]),
        ("\x1b]1", ["alt+right_square_bracket", "1"]),
        ("\x1b]11", ["alt+right_square_bracket", "1", "1"]),
        ("\x1b]11x", ["alt+right_square_bracket", "1", "1", "x"]),
        ("\x1b]1\x1b[A", ["alt+right_square_bracket", "1", "up"]),
        ("\x1b]\x1b", ["alt+right_square_bracket", "escape"]),
        ("\x1b]\x1b]", ["alt+right_square_bracket"] * 2),
        ("\x1b]11111;x", ["alt+right_square_bracket", *"11111", "semicolon", "x"]),
        ("\x1b];", ["alt+right_square_bracket", "semicolon"]),
        ("]", ["right_square_bracket"]),
        ("\x1b\x1b", ["escape", "escape"]),
        ("\x1b", ["escape"]),
    ],
)
def test_what_is_typed_like_an_answer_is_typed(data: str, keys: list[str]) -> None:
    assert describe(parse(data)) == keys


def test_slow_keys_are_not_joined() -> None:
    keys = ["escape", "right_square_bracket", "1", "1", "semicolon"]
    assert describe(parse("\x1b", "]", "1", "1", ";", pauses=True)) == keys
    assert describe(parse("\x1b]", "1", pauses=True)) == ["alt+right_square_bracket", "1"]
    assert describe(parse("\x1b]11;rgb:ff", "x", pauses=True)) == ["x"]


def test_an_answer_between_the_parts_of_a_paste_is_not_pasted() -> None:
    background, paste, key = parse("\x1b[200~a]11;", f"{ANSWER}b\x1b[201~x")
    assert isinstance(paste, events.Paste)
    assert paste.text == "a]11;b"
    assert describe([background, key]) == [WHITE, "x"]


def test_the_end_of_the_input_gives_what_was_held_back() -> None:
    parser = XTermParser()
    assert describe([*parser.feed("a\x1b]")]) == ["a"]
    assert describe([*parser.feed("")]) == ["alt+right_square_bracket"]
    parser = XTermParser()
    assert describe([*parser.feed("\x1b"), *parser.feed("")]) == ["escape"]


@pytest.mark.parametrize(
    ("rgb", "colorfgbg", "light"),
    [
        (WHITE, "", True),
        ((253, 246, 227), "", True),
        ((192, 192, 192), "", True),
        ((128, 128, 128), "", False),
        ((0, 43, 54), "", False),
        ((0, 0, 0), "0;15", False),
        (WHITE, "15;0", True),
        (None, "", False),
        (None, "0;15", True),
        (None, "0;7", True),
        (None, "0;default;15", True),
        (None, "15;0", False),
        (None, "12;8", False),
        (None, "15;default;0", False),
        (None, "0;default", False),
        (None, "0;x", False),
        (None, "0;²", False),
    ],
)
def test_which_backgrounds_are_light(
    rgb: tuple[int, int, int] | None, colorfgbg: str, light: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORFGBG", colorfgbg)
    assert is_light(rgb) is light
