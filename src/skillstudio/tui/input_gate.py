"""Keys and clicks that were meant for a dialog which is already answered."""

from __future__ import annotations

from textual import _time, events

REPEAT = 0.7
"""Seconds that the key or button of an answer is ignored: keyboards repeat a key that is held
down after 0.25 to 0.66 seconds, and a double click takes up to 0.5."""
HELD = 0.15
"""Seconds between two events of one held key, at most."""
PATIENCE = 1.0
"""Seconds after which keys count again, also where the screen below was not drawn."""

_INPUT = (events.Key, events.Paste, events.MouseDown, events.MouseUp)


class InputGate:
    """Decides which input is dropped: what was sent before the answered dialog was seen to go,
    and the repetition of the key that answered it."""

    def __init__(self, by_hand: bool = True) -> None:
        """`by_hand`: whether a key that comes again soon may be one that is held down."""
        self._by_hand = by_hand
        self._last: str | None = None
        """The last key that was let through; `mouse` for a button."""
        self._answer: str | None = None
        """The key that answered the last dialog."""
        self._answered_at = -REPEAT
        self._repeated_at = -HELD
        self._opens_at = 0.0

    def close(self) -> None:
        """A dialog was answered: drop what was sent before the screen below is drawn."""
        self._answered_at = self._repeated_at = _time.get_time()
        self._opens_at = self._answered_at + PATIENCE
        self._answer = None if self._last == "escape" else self._last

    def open(self, at: float) -> None:
        """The screen below is drawn: input counts from then on."""
        self._opens_at = min(self._opens_at, max(at, self._answered_at))

    def lets(self, event: events.Event, in_dialog: bool = False) -> bool:
        """Whether an event may act.

        In the next of several dialogs only a stream of repetitions is dropped: an answer there
        changes nothing that was not asked for, and who knows the way presses enter twice.
        """
        if not isinstance(event, _INPUT):
            return True
        if isinstance(event, events.Key) and event.key == "ctrl+q":
            return True  # It asks before anything is lost.
        if event.time < self._opens_at:
            return False
        key = event.key if isinstance(event, events.Key) else type(event).__name__
        if isinstance(event, events.MouseEvent):
            key = "mouse"
        if self._by_hand and key == self._answer:
            first = not in_dialog and event.time < self._answered_at + REPEAT
            if first or event.time < self._repeated_at + HELD:
                self._repeated_at = event.time
                return False
        # Another key, or a pause: whoever held the key down has let go of it.
        self._answer = None
        self._last = key
        return True
