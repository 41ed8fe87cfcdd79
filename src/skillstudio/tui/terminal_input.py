"""Input as it arrives: alt with a character, and keys meant for a dialog that is not there."""

from __future__ import annotations

from collections.abc import Iterable

from textual import _time, events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser

_ESCAPE = "\x1b"
_LONGER = {
    sequence[1] for sequence in ANSI_SEQUENCES_KEYS if len(sequence) > 2 and sequence[0] == _ESCAPE
} | {"["}
"""What may follow an escape as the second of three or more characters."""
_events_of = XTermParser._sequence_to_key_events


def read_alt_as_a_key() -> None:
    """Let every driver of Textual read alt with a character as a key that types nothing.

    A terminal sends alt as escape before the character; tmux also sends `esc` that way if a key
    follows within half a second. Textual reads `esc 3` as the pound sign of a Mac keyboard and
    `esc p` as a `p`, and its fields type both. A keyboard with `£` or `¡` sends them as UTF-8,
    without an escape; those are still typed.
    """
    XTermParser._sequence_to_key_events = _with_alt  # type: ignore[method-assign, assignment]


def _with_alt(parser: XTermParser, sequence: str, alt: bool = False) -> Iterable[events.Key]:
    if len(sequence) == 2 and _is_alt(sequence):
        sequence, alt = sequence[1], True
    if not alt or not _is_typed(sequence):
        # Escape with ctrl and a letter stays that letter with ctrl.
        yield from _events_of(parser, sequence)
        return
    for event in _events_of(parser, sequence):
        shift = "shift+" if len(event.key) == 1 and event.key.isupper() else ""
        yield events.Key(f"alt+{shift}{event.key.lower() if shift else event.key}", None)


def _is_alt(pair: str) -> bool:
    """Whether two characters are alt and a key that Textual has no editing command for."""
    escape, character = pair[0], pair[1]
    return (
        escape == _ESCAPE
        and character not in _LONGER
        and _is_typed(character)
        and not isinstance(ANSI_SEQUENCES_KEYS.get(pair), tuple)
    )


def _is_typed(character: str) -> bool:
    return character.isprintable() or character == "\r"


REPEAT = 0.7
"""Seconds that the key or button of an answer is ignored: keyboards repeat a key that is held
down after 0.25 to 0.66 seconds, and a double click takes up to 0.5."""
TYPING_PAUSE = 0.5
"""Seconds without a key after which a user has noticed that a dialog did not open."""
REPEAT_INTERVAL = 0.15  # Seconds between two events of one held key, at most.
PATIENCE = 1.0  # Seconds after which keys count again, also if the screen below was not drawn.
_INPUT = (events.Key, events.Paste, events.MouseDown, events.MouseUp)


class InputGate:
    """Drops input that was sent before the user saw an answered dialog close, the repetition of the
    key that answered it, and the text for a dialog that did not open."""

    def __init__(self, by_hand: bool = True) -> None:
        """`by_hand`: whether a key that comes again soon may be one that is held down."""
        self._by_hand = by_hand
        self._last: str | None = None
        """The last key that was let through; for a button of the mouse, its place."""
        self._answer: str | None = None
        """The key that answered the last dialog."""
        self._answered_at = -REPEAT
        self._repeated_at = -REPEAT_INTERVAL
        self._opens_at = 0.0
        self._key_at = 0.0
        """When the last key was made that was let through."""
        self._typed_until = 0.0

    def close(self) -> None:
        """A dialog was answered: drop what was sent before the screen below is drawn."""
        self._answered_at = self._repeated_at = _time.get_time()
        self._opens_at = self._answered_at + PATIENCE
        self._answer = None if self._last == "escape" else self._last

    def open(self, at: float) -> None:
        """The screen below is drawn: input counts from then on."""
        self._opens_at = min(self._opens_at, max(at, self._answered_at))

    def refuse(self) -> None:
        """The command of the last key did not open its dialog: drop the text typed for it."""
        if self._by_hand:
            self._typed_until = self._key_at + TYPING_PAUSE

    def admit(self) -> None:
        """A field or a dialog has opened after all: its text counts."""
        self._typed_until = 0.0

    def is_late(self, key: events.Key) -> bool:
        """Whether a key that no widget used was sent before the last dialog was answered, or is
        text for one that did not open.

        Textual hands such a key back to the application, which would look for its command in the
        screen below.
        """
        return key.time <= self._answered_at or self._is_typed_on(key)

    def _is_typed_on(self, key: events.Key) -> bool:
        """Whether a key is text for a dialog that did not open; it extends the time for more."""
        if key.time >= self._typed_until:
            return False
        if key.is_printable or key.key in ("enter", "backspace"):
            self._typed_until = max(self._typed_until, key.time + TYPING_PAUSE)
            return True
        self._typed_until = 0.0  # Another key: the user has noticed.
        return False

    def lets(self, event: events.Event, in_dialog: bool = False) -> bool:
        """Whether an event may act.

        In the next of several dialogs only a stream of repetitions is dropped: an experienced user
        presses enter twice, and an answer there changes nothing unasked.
        """
        if not isinstance(event, _INPUT):
            return True
        if isinstance(event, events.Key) and event.key == "ctrl+q":
            return True  # It asks before anything is lost.
        if isinstance(event, events.Key) and not in_dialog and self._is_typed_on(event):
            return False
        key = event.key if isinstance(event, events.Key) else type(event).__name__
        if isinstance(event, events.MouseEvent):
            key = f"mouse {event.screen_x} {event.screen_y}"  # Elsewhere it is no repetition.
        repeats = self._by_hand and key == self._answer
        if repeats:
            first = not in_dialog and event.time < self._answered_at + REPEAT
            repeats = first or event.time < self._repeated_at + REPEAT_INTERVAL
        if repeats:  # Also before the screen is drawn: the key may still be held after that.
            self._repeated_at = event.time
        if repeats or event.time < self._opens_at:
            return False
        # Another key, or a pause: a held key was released.
        self._answer = None
        self._last = key
        self._key_at = event.time
        return True
