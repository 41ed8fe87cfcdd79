"""Alt with a character is a key of its own, whose character is never typed.

A terminal sends alt as escape before the character, and tmux does the same for `esc` with a key
less than half a second after it. Textual reads `esc 3` as the pound sign that a Mac keyboard has
there, and `esc p` as a `p`, and its fields type both. A keyboard that has `£` or `¡` sends them as
UTF-8, without an escape, and those are typed as ever.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser

_ESCAPE = "\x1b"
_LONGER = {each[1] for each in ANSI_SEQUENCES_KEYS if len(each) > 2 and each[0] == _ESCAPE} | {"["}
"""What may follow an escape as the second of three or more characters."""
_events_of = XTermParser._sequence_to_key_events


def read_alt_as_a_key() -> None:
    """Let every driver of Textual read alt with a character as `alt+` and the key."""
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
