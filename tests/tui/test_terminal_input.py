"""Input as terminals send it: alt with a character, and keys around the end of a dialog."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import _time, events
from textual._xterm_parser import XTermParser
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.tui.terminal_input import (
    PATIENCE,
    REPEAT,
    REPEAT_INTERVAL,
    TYPING_PAUSE,
    InputGate,
    read_alt_as_a_key,
)

from .conftest import Open, bench, read, settled

EDITING = {"b": "ctrl+left", "f": "ctrl+right", "\x7f": "ctrl+w", "\t": "shift+tab"}
"""What Textual has commands for, as readline does."""
MAC = "¡™£¢∞§¶•ªº–≠"
"""What a Mac keyboard has at alt with a digit, a hyphen and an equals sign."""


@pytest.fixture(autouse=True)
def alt_is_read() -> None:
    read_alt_as_a_key()


def parsed(data: str) -> list[Message]:
    """The events of what arrives in one read, and of the silence after it."""
    parser = XTermParser()
    found = list(parser.feed(data))
    parser._timeout_time = 0.0 if parser._timeout_time else None
    return [*found, *parser.tick()]


def keys(data: str) -> list[tuple[str, str | None]]:
    return [(each.key, each.character) for each in parsed(data) if isinstance(each, events.Key)]


def characters() -> Iterator[str]:
    yield from string.printable.strip() + " \r"
    yield from "éß中"
    yield from MAC


@pytest.mark.parametrize("character", [*characters()])
def test_escape_with_a_character_types_nothing(character: str) -> None:
    (event,) = parsed(f"\x1b{character}")
    assert isinstance(event, events.Key)
    assert not event.is_printable
    assert event.character is None
    assert event.key == EDITING.get(character) or event.key.startswith("alt+")


@pytest.mark.parametrize("digit", string.digits)
def test_alt_with_a_digit_is_named_after_it(digit: str) -> None:
    assert keys(f"\x1b{digit}") == [(f"alt+{digit}", None)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("\x1b", ["escape"]),
        ("\x1b\x1b", ["escape", "escape"]),
        ("\x1b\x1b1", ["escape", "alt+1"]),
        ("\x1bA", ["alt+shift+a"]),
        ("\x1b/", ["alt+slash"]),
        ("\x1b\r", ["alt+enter"]),
        ("\x1b\x13", ["ctrl+s"]),
        ("\x1b\x11", ["ctrl+q"]),
        ("\x1b[A", ["up"]),
        ("\x1b[1;3A", ["alt+up"]),
        ("\x1bOP", ["f1"]),
        ("\x1b[49;3u", ["alt+1"]),
        ("\x1b3hello", ["alt+3", *"hello"]),
        ("\x1bq" + "h" * 40, ["alt+q", *"h" * 40]),
    ],
)
def test_other_sequences_are_read_as_ever(data: str, expected: list[str]) -> None:
    assert [name for name, _ in keys(data)] == expected


@pytest.mark.parametrize("character", f"{MAC}éß中")
def test_a_character_that_arrives_as_utf_8_is_typed(character: str) -> None:
    ((_, typed),) = keys(character.encode().decode())
    assert typed == character


def test_a_paste_keeps_every_character() -> None:
    (paste,) = parsed(f"\x1b[200~{MAC}\x1b[201~")
    assert isinstance(paste, events.Paste)
    assert paste.text == MAC


@pytest.mark.slow
async def test_escape_and_a_digit_go_to_a_view_and_change_no_text(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills / "alpha") as pilot:
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        before = buffer.text
        shown = [
            ("2", "form"),
            ("1", "edit"),
            ("6", "tests"),
            ("1", "edit"),
            ("7", "edit"),
            ("x", "edit"),
        ]
        for digit, view in shown:
            await read(pilot, f"\x1b{digit}")
            await settled(pilot)
            assert bench(pilot).views.current_view == view
            assert buffer.text == before
        await pilot.press("e")
        await read(pilot, MAC)
        await read(pilot, f"\x1b[200~{MAC}\x1b[201~")
        assert buffer.text == before.replace("name: ", f"name: {MAC * 2}")
        await in_a_field(pilot)


async def in_a_field(pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+l")
    field = pilot.app.screen.query_one(Input)
    for each in characters():
        await read(pilot, f"\x1b{each}", pause=each == MAC[-1])
    assert field.value == ""
    await read(pilot, MAC)
    assert field.value == MAC


AT = 100.0


def key(name: str, time: float) -> events.Key:
    event = events.Key(name, None)
    event.time = AT + time
    return event


def click(time: float, x: int = 1) -> events.MouseDown:
    event = events.MouseDown(None, x, 1, 0, 0, 1, False, False, False, x, 1)
    event.time = AT + time
    return event


def paste(time: float) -> events.Paste:
    event = events.Paste("c\nc\n")
    event.time = AT + time
    return event


SOON = REPEAT / 2
LATER = REPEAT + 0.01


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> InputGate:
    monkeypatch.setattr(_time, "get_time", lambda: AT)
    return InputGate()


@pytest.mark.parametrize(
    ("answer", "then", "acts"),
    [
        # What was sent before the screen below was drawn, whatever it is.
        (key("c", -0.1), key("c", -0.001), False),
        (key("c", -0.1), key("x", -0.001), False),
        (key("c", -0.1), key("escape", -0.001), False),
        (key("c", -0.1), click(-0.001), False),
        (key("c", -0.1), paste(-0.001), False),
        # Another key counts as soon as it is.
        (key("c", -0.1), key("x", 0.001), True),
        (key("c", -0.1), click(0.001), True),
        (key("c", -0.1), paste(0.001), True),
        # The key of the answer does so only where it cannot be a repetition.
        (key("enter", -0.1), key("enter", SOON), False),
        (key("enter", -0.1), key("enter", LATER), True),
        (click(-0.1), click(SOON), False),
        (click(-0.1), click(LATER), True),
        (click(-0.1), click(0.001, x=9), True),
        # Backing out again, or leaving, loses nothing.
        (key("escape", -0.1), key("escape", 0.001), True),
        (key("c", -0.1), key("ctrl+q", -0.001), True),
    ],
)
def test_after_an_answer(
    gate: InputGate, answer: events.Event, then: events.Event, acts: bool
) -> None:
    assert gate.lets(answer)
    gate.close()
    gate.open(AT)
    assert gate.lets(then) is acts


@pytest.mark.parametrize(
    ("time", "acts"), [(REPEAT_INTERVAL - 0.01, False), (REPEAT_INTERVAL + 0.01, True)]
)
def test_in_the_next_dialog_only_a_stream_is_ignored(
    gate: InputGate, time: float, acts: bool
) -> None:
    assert gate.lets(key("enter", -0.1))
    gate.close()
    gate.open(AT)
    assert gate.lets(key("enter", time), in_dialog=True) is acts


def test_a_key_held_down_never_counts_and_counts_again_once_let_go(gate: InputGate) -> None:
    assert gate.lets(key("enter", -0.1))
    gate.close()
    gate.open(AT)
    at = REPEAT - 0.05
    for _ in range(100):
        assert not gate.lets(key("enter", at))
        at += REPEAT_INTERVAL - 0.01
    assert gate.lets(key("enter", at + REPEAT_INTERVAL))


def test_another_key_between_ends_the_repetition(gate: InputGate) -> None:
    """Keyboards repeat the key that was pressed last alone."""
    assert gate.lets(key("enter", -0.1))
    gate.close()
    gate.open(AT)
    assert gate.lets(key("down", 0.01))
    assert gate.lets(key("enter", 0.02))


def test_keys_count_again_where_the_screen_below_is_never_drawn(gate: InputGate) -> None:
    assert gate.lets(key("c", -0.1))
    gate.close()
    assert not gate.lets(key("x", PATIENCE - 0.01))
    assert gate.lets(key("x", PATIENCE))


def letter(character: str, time: float) -> events.Key:
    event = events.Key(character, character)
    event.time = AT + time
    return event


SLOW = TYPING_PAUSE + 0.01


@pytest.mark.parametrize(
    ("then", "act"),
    [
        # Text is dropped until a pause, however long it is.
        ([letter("b", 0.2), letter("e", 0.6), letter("c", 1.0)], [False] * 3),
        ([letter("b", 0.2), key("backspace", 0.3), key("enter", 0.4)], [False] * 3),
        ([letter("b", 0.2), letter("e", 0.2 + SLOW)], [False, True]),
        ([letter("b", SLOW), letter("e", SLOW + 0.1)], [True, True]),
        # Another key shows that the user has noticed; a click is none.
        ([letter("b", 0.1), key("escape", 0.2), letter("e", 0.3)], [False, True, True]),
        ([letter("b", 0.1), click(0.2), letter("e", 0.3)], [False, True, False]),
    ],
)
def test_text_for_a_dialog_that_did_not_open_is_dropped(
    gate: InputGate, then: list[events.Event], act: list[bool]
) -> None:
    assert gate.lets(letter("W", 0.0))
    gate.refuse()
    assert [gate.lets(event) for event in then] == act


def test_text_that_was_on_its_way_to_a_widget_is_late(gate: InputGate) -> None:
    for number, character in enumerate("Wb"):
        assert gate.lets(letter(character, number / 100))
    assert not gate.is_late(letter("b", 0.01))
    gate.refuse()
    assert gate.is_late(letter("b", 0.01))


async def type_at(pilot: Pilot[int], character: str, time: float) -> None:
    """Let the terminal send a key that was made at a time, in seconds after the first."""
    event = letter(character, time)
    event.set_sender(pilot.app)
    assert pilot.app._driver is not None
    pilot.app._driver.send_message(event)
    await settled(pilot)


@pytest.mark.slow
async def test_the_reason_for_a_waiver_that_was_not_asked_for_runs_no_command(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, by_hand=True) as pilot:
        workbench = bench(pilot)
        for number, character in enumerate("WNO"):  # Waive, new skill, another folder.
            await type_at(pilot, character, number * TYPING_PAUSE * 0.9)
            assert pilot.app.screen is workbench
        (notice,) = pilot.app._notifications
        assert notice.message.startswith("not now: ")
        await type_at(pilot, "O", 2 * TYPING_PAUSE * 0.9 + SLOW)
        assert pilot.app.screen is not workbench


def test_text_counts_once_a_field_has_opened(gate: InputGate) -> None:
    assert gate.lets(letter("W", 0.0))
    gate.refuse()
    assert not gate.lets(letter("b", 0.1))
    gate.admit()
    assert gate.lets(letter("e", 0.2))


@pytest.mark.slow
async def test_text_for_a_field_that_opens_reaches_it(open_studio: Open, skills: Path) -> None:
    """It gets the focus only after its command has ended."""
    async with open_studio(skills, by_hand=True) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        for number, character in enumerate("be"):
            await type_at(pilot, character, number / 10)
        assert isinstance(pilot.app.focused, Input)
        assert pilot.app.focused.value == "be"
