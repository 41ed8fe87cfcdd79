"""Detect regular expressions that can take exponential time in a backtracking engine.

They have a pair of equal positions and a pair of different ones on one cycle of pairs, in the
position automaton (Glushkov) of the pattern.
"""

from __future__ import annotations

from collections.abc import Iterable

_ANY = (1 << 129) - 1
"""A set of characters: one bit for each ASCII character and one for all others."""
_MOST = 60


class _PatternTooLarge(Exception):
    pass


_Part = tuple[bool, frozenset[int], frozenset[int]]
"""Whether a part matches the empty string, and its first and last positions."""
_EMPTY: _Part = (True, frozenset(), frozenset())


def is_exponential(pattern: str) -> bool:
    """Whether a pattern is exponential; False if it is invalid or too large to decide."""
    try:
        automaton = _Automaton(pattern)
    except (_PatternTooLarge, IndexError, ValueError, RecursionError):
        return False
    return automaton.is_ambiguous()


class _Automaton:
    """The positions of a pattern, their characters, and their successors."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.sets: list[int] = []
        self.follow: list[set[int]] = []
        self.twice = False
        self._alternatives()

    def is_ambiguous(self) -> bool:
        if self.twice:
            return True
        graph: dict[tuple[int, int], list[tuple[int, int]]] = {}
        stack = [(each, each) for each in range(len(self.sets))]
        while stack:
            pair = stack.pop()
            if pair in graph:
                continue
            graph[pair] = [
                (one, other)
                for one in self.follow[pair[0]]
                for other in self.follow[pair[1]]
                if self.sets[one] & self.sets[other]
            ]
            stack += graph[pair]
        if all(one == other for one, other in graph):
            return False
        back: dict[tuple[int, int], list[tuple[int, int]]] = {pair: [] for pair in graph}
        for pair, others in graph.items():
            for other in others:
                back[other].append(pair)
        for each in range(len(self.sets)):
            start = (each, each)
            circle = _reached(graph, start) & _reached(back, start)
            if any(one != other for one, other in circle):
                return True
        return False

    def _alternatives(self) -> _Part:
        parts = [self._sequence()]
        while self.at < len(self.text) and self.text[self.at] == "|":
            self.at += 1
            parts.append(self._sequence())
        empty, firsts, lasts = zip(*parts, strict=True)
        return any(empty), frozenset().union(*firsts), frozenset().union(*lasts)

    def _sequence(self) -> _Part:
        whole = _EMPTY
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            part = self._repeated(self._atom())
            self._connect(whole[2], part[1])
            firsts = whole[1] | part[1] if whole[0] else whole[1]
            lasts = whole[2] | part[2] if part[0] else part[2]
            whole = (whole[0] and part[0], firsts, lasts)
        return whole

    def _repeated(self, part: _Part) -> _Part:
        if self.at >= len(self.text) or self.text[self.at] not in "*+?{":
            return part
        least, many = self._quantifier()
        if many:
            self._connect(part[2], part[1])
        return part[0] or least == 0, part[1], part[2]

    def _quantifier(self) -> tuple[int, bool]:
        """The minimum number of repetitions, and whether the maximum is practically unlimited."""
        sign = self.text[self.at]
        self.at += 1
        least, many = 1 if sign == "+" else 0, sign != "?"
        if sign == "{":
            close = self.text.index("}", self.at)
            low, comma, high = self.text[self.at : close].partition(",")
            self.at = close + 1
            least = int(low)
            many = int(high) >= 25 if high else bool(comma) or least >= 25
        if self.text[self.at : self.at + 1] == "?":
            self.at += 1
        return least, many

    def _connect(self, ends: Iterable[int], starts: Iterable[int]) -> None:
        for end in ends:
            for start in starts:
                self.twice = self.twice or start in self.follow[end]
                self.follow[end].add(start)

    def _atom(self) -> _Part:
        character = self.text[self.at]
        self.at += 1
        if character == "(":
            return self._group()
        if character in "^$":
            return _EMPTY
        if character == "[":
            return self._position(self._class())
        if character == "\\":
            return self._escape()
        return self._position(_ANY if character == "." else _bit(character))

    def _group(self) -> _Part:
        around = False
        if self.text.startswith("?", self.at):
            self.at += 1
            if self.text.startswith(("<=", "<!", "=", "!"), self.at):
                around = True
                self.at += 2 if self.text[self.at] == "<" else 1
            else:
                end = ">" if self.text[self.at] == "<" else ":"
                self.at = self.text.index(end, self.at) + 1
        inside = self._alternatives()
        if self.text[self.at] != ")":
            raise ValueError(self.text)
        self.at += 1
        return _EMPTY if around else inside

    def _escape(self) -> _Part:
        character = self.text[self.at]
        if character in "bB" or (character.isdecimal() and character != "0"):
            self.at += 1
            return _EMPTY
        return self._position(self._escaped())

    def _escaped(self) -> int:
        """The character set of an escape."""
        character = self.text[self.at]
        self.at += 1
        if character in _CLASSES:
            return _CLASSES[character]
        if character in "pP":
            self.at = self.text.index("}", self.at) + 1
            return _ANY
        if character in "xu":
            if self.text.startswith("{", self.at):
                close = self.text.index("}", self.at)
                digits, self.at = self.text[self.at + 1 : close], close + 1
            else:
                length = 2 if character == "x" else 4
                digits, self.at = self.text[self.at : self.at + length], self.at + length
            return _bit(chr(int(digits, 16)))
        return _bit(_CONTROLS.get(character, character))

    def _class(self) -> int:
        negated = self.text[self.at] == "^"
        self.at += negated
        found = 0
        while self.text[self.at] != "]":
            low = self._member()
            if self.text[self.at] == "-" and self.text[self.at + 1] != "]":
                self.at += 1
                high = self._member()
                first, last = low.bit_length() - 1, high.bit_length() - 1
                low = sum(1 << code for code in range(first, last + 1)) | low | high
            found |= low
        self.at += 1
        # All characters beyond ASCII share a bit, which a set and its complement may both need.
        return (_ANY & ~found) | (1 << 128) if negated else found

    def _member(self) -> int:
        character = self.text[self.at]
        self.at += 1
        return self._escaped() if character == "\\" else _bit(character)

    def _position(self, characters: int) -> _Part:
        if len(self.sets) >= _MOST:
            raise _PatternTooLarge
        self.sets.append(characters)
        self.follow.append(set())
        here = frozenset((len(self.sets) - 1,))
        return False, here, here


def _reached(
    graph: dict[tuple[int, int], list[tuple[int, int]]], start: tuple[int, int]
) -> set[tuple[int, int]]:
    """The pairs reachable in at least one step."""
    found: set[tuple[int, int]] = set()
    stack = list(graph[start])
    while stack:
        pair = stack.pop()
        if pair not in found:
            found.add(pair)
            stack += graph[pair]
    return found


def _bit(character: str) -> int:
    return 1 << min(ord(character), 128)


def _bits(characters: Iterable[str]) -> int:
    found = 0
    for character in characters:
        found |= _bit(character)
    return found


_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
_DIGIT = _bits("0123456789")
_WORD = _DIGIT | _bits("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_SPACE = _bits(" \t\n\r\f\v\u00a0")
_CLASSES = {
    "d": _DIGIT,
    "D": _ANY & ~_DIGIT,
    "w": _WORD,
    "W": _ANY & ~_WORD,
    "s": _SPACE,
    "S": _ANY & ~_SPACE | (1 << 128),
}
