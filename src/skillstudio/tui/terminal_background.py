"""The background of the terminal: the question for it, and the answers among the input."""

from __future__ import annotations

import os
import re
from collections.abc import Generator

from textual import constants
from textual._parser import ParseEOF, ParseTimeout, Peek1, Read1, TokenCallback
from textual._xterm_parser import XTermParser
from textual.message import Message

from skillstudio.tui.contrast import Rgb, luminance

QUESTION = "\x1b]11;?\x1b\\"
"""Asks a terminal for its background (OSC 11)."""
PATIENCE = 0.5
"""Seconds that the rest of an answer may take to arrive."""
LONGEST = 4096
"""Characters of an answer, at most."""
_ESCAPE, _BELL, _START = "\x1b", "\x07", "\x1b]"
_NUMBER = re.compile(r"[0-9]{1,4}")
_ANSWER = re.compile(r"[0-9]{1,4};")
_RGB = re.compile(r"11;(?:rgb:{0}/{0}/{0}|rgba:{0}/{0}/{0}/{0})".format("([0-9a-fA-F]{1,4})"))
_LIGHT_ENTRIES = {7, *range(9, 16)}
"""The light entries of the palette: white and the bright colours except grey."""
_parse_keys = XTermParser.parse


class BackgroundReported(Message, bubble=False):
    """The terminal has reported its background."""

    def __init__(self, rgb: Rgb) -> None:
        super().__init__()
        self.rgb = rgb


def read_background(answer: str) -> Rgb | None:
    """Return the colour in an answer, None if there is none that can be read.

    A channel has 4, 8, 12 or 16 bits; the opacity may follow.
    """
    match = _RGB.fullmatch(answer)
    if match is None:
        return None
    channels = [channel for channel in match.groups() if channel][:3]
    red, green, blue = (
        round(255 * int(channel, 16) / (16 ** len(channel) - 1)) for channel in channels
    )
    return red, green, blue


def is_light(background: Rgb | None) -> bool:
    """Whether a background is light; where it is unknown, whether `COLORFGBG` says so."""
    if background is not None:
        return luminance(background) > 0.5
    entry = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return entry.isascii() and entry.isdigit() and int(entry) in _LIGHT_ENTRIES


def read_answers() -> None:
    """Let every driver of Textual take the answers of a terminal (OSC) out of the input.

    Textual reads them as keys. The answer about the background becomes a `BackgroundReported`.
    """
    XTermParser.parse = _parse  # type: ignore[method-assign, assignment]


class AnswerFilter:
    """Separates the answers of a terminal from keys, one character at a time.

    An escape is held back until the next character, and escape with `]`, which is also alt with a
    key, until a character that no answer has.
    """

    def __init__(self) -> None:
        self.held_text = ""
        self.answer = ""
        """The text of the answer that the last character completed."""

    @property
    def wait(self) -> float:
        """The seconds until what is held back counts as it is."""
        return constants.ESCAPE_DELAY if self.held_text in (_ESCAPE, _START) else PATIENCE

    def take(self, character: str) -> str:
        """Take the next character; return those that are no part of an answer."""
        self.answer = ""
        before, self.held_text = self.held_text, self.held_text + character
        if self._is_answer(before):
            return self._take_of_answer(before, character)
        if self.held_text in (_ESCAPE, _START):
            return ""
        if before.startswith(_START) and (
            _NUMBER.fullmatch(self.held_text[2:]) or self._is_answer(self.held_text)
        ):
            return ""
        if character == _ESCAPE:
            self.held_text = _ESCAPE
            return before
        keys, self.held_text = self.held_text, ""
        return keys

    def pause(self) -> str:
        """Return the characters that were keys, because nothing followed; drop half an answer."""
        held_text, self.held_text = self.held_text, ""
        return "" if self._is_answer(held_text) else held_text

    def _take_of_answer(self, before: str, character: str) -> str:
        if character == _BELL or before[-1] + character == "\x1b\\":
            self.answer, self.held_text = before[2:].removesuffix(_ESCAPE), ""
        elif before.endswith(_ESCAPE):  # A key; the answer broke off.
            self.held_text = _ESCAPE
            return self.take(character)
        elif not (character.isprintable() or character == _ESCAPE) or len(before) >= LONGEST:
            self.held_text = ""
            return character
        return ""

    @staticmethod
    def _is_answer(text: str) -> bool:
        return text.startswith(_START) and _ANSWER.match(text, 2) is not None


def _parse(
    parser: XTermParser, report: TokenCallback[Message]
) -> Generator[Read1 | Peek1, str, None]:
    """Parse input without answers; report the background."""
    keys = _parse_keys(parser, report)
    answers = AnswerFilter()
    request = next(keys)
    while True:
        end: ParseTimeout | ParseEOF | None = None
        try:
            text = answers.take((yield Read1(answers.wait) if answers.held_text else request))
            background = read_background(answers.answer)
            if background is not None:
                report(BackgroundReported(background))
        except (ParseTimeout, ParseEOF) as error:
            text, end = answers.pause(), error
        try:
            for character in text:
                request = keys.send(character)
            if isinstance(end, ParseEOF):
                keys.throw(end)
        except StopIteration:
            return
        if text == answers.held_text == _ESCAPE:
            # The first of two is the key, also if the second starts an answer.
            end = ParseTimeout()
        if end is not None and request.timeout is not None:
            request = keys.throw(end)
