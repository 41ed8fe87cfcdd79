"""Bytes as a terminal sends them: alt with a character is a key, and types nothing."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.tui.terminal_input import read_alt_as_a_key

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


async def test_escape_and_a_digit_go_to_a_view_and_change_no_text(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills / "alpha") as pilot:
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        before = buffer.text
        for digit, view in (("2", "form"), ("1", "edit"), ("6", "edit"), ("x", "edit")):
            await read(pilot, f"\x1b{digit}")
            await settled(pilot)
            assert bench(pilot).views.shown == view
            assert buffer.text == before
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
