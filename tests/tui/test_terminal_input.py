"""Which keys and clicks count after an answer."""

from __future__ import annotations

import pytest
from textual import _time, events

from skillstudio.tui.terminal_input import HELD, PATIENCE, REPEAT, InputGate

AT = 100.0


def key(name: str, time: float) -> events.Key:
    event = events.Key(name, None)
    event.time = AT + time
    return event


def click(time: float) -> events.MouseDown:
    event = events.MouseDown(None, 1, 1, 0, 0, 1, False, False, False)
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


@pytest.mark.parametrize(("time", "acts"), [(HELD - 0.01, False), (HELD + 0.01, True)])
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
        at += HELD - 0.01
    assert gate.lets(key("enter", at + HELD))


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
