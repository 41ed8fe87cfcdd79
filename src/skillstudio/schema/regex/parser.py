"""Parse a pattern as ECMA-262 with the flag `u`, which JSON Schema requires.

Two things that the flag forbids are accepted, because all engines in use accept them: an escaped
punctuation mark that needs no escape, and an unescaped `]` or `}`.
"""

from __future__ import annotations

from skillstudio.schema.regex import charsets
from skillstudio.schema.regex.charsets import CharSet
from skillstudio.schema.regex.nodes import (
    EMPTY,
    Alternate,
    Assertion,
    Chars,
    Concat,
    Foreign,
    Node,
    Repeat,
)

MAX_DEPTH = 100
MAX_INTERVALS = 200_000
"""Maximum size of all classes of a pattern: classes with properties grow fast."""
_CLASSES = {"d": charsets.DIGIT, "w": charsets.WORD, "s": charsets.SPACE}
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_LOOKS = {"?=": "look-ahead", "?!": "look-ahead", "?<=": "look-behind", "?<!": "look-behind"}
_BOUNDS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_QUANTIFIERS = (*_BOUNDS, "{")
_PLACES = ("^", "$", "\\b", "\\B", *(f"({look}" for look in _LOOKS))
"""Tokens that consume no character and cannot be repeated."""


class PatternError(ValueError):
    """An invalid pattern; `offset` is the place in it."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


def parse(text: str) -> Node:
    """The tree of a pattern. Raises PatternError."""
    parser = _PatternParser(text)
    node = parser.alternatives(0)
    if parser.at < len(text):
        raise PatternError("unmatched closing parenthesis", parser.at)
    parser.check_references()
    return node


class _PatternParser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.groups = 0
        self.names: set[str] = set()
        """Names that no further group here may have."""
        self.group_names: list[str] = []
        self.intervals = 0
        self.references: list[tuple[int | str, int]] = []

    def peek(self, ahead: int = 0) -> str:
        return self.text[self.at + ahead : self.at + ahead + 1]

    def take(self, text: str) -> bool:
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def alternatives(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise PatternError(f"groups are nested more than {MAX_DEPTH} levels deep", self.at)
        first = mark = len(self.group_names)
        options = [self.sequence(depth)]
        while self.take("|"):
            # Two alternatives may use the same name, because only one of them takes part.
            self.names.difference_update(self.group_names[mark:])
            mark = len(self.group_names)
            options.append(self.sequence(depth))
        if len(options) == 1:
            return options[0]
        self.names.update(self.group_names[first:])
        return Alternate(tuple(options))

    def sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.at < len(self.text) and self.peek() not in "|)":
            start = self.at
            node = self.term(depth)
            if self.text.startswith(_QUANTIFIERS, self.at):
                node = self.quantify(node, self.text.startswith(_PLACES, start))
            if node is not EMPTY:
                parts.append(node)
        if not parts:
            return EMPTY
        return parts[0] if len(parts) == 1 else Concat(tuple(parts))

    def quantify(self, node: Node, is_place: bool) -> Node:
        at = self.at
        low, high = self.quantifier()
        if is_place:
            raise PatternError("nothing to repeat before this quantifier", at)
        self.take("?")
        if self.peek() in ("*", "+", "?"):
            raise PatternError("a quantifier must not follow another quantifier", self.at)
        if high is not None and high < low:
            raise PatternError("the bounds of the quantifier are out of order", at)
        return Repeat(node, low, high)

    def quantifier(self) -> tuple[int, int | None]:
        start, sign = self.at, self.peek()
        self.at += 1
        if sign in _BOUNDS:
            return _BOUNDS[sign]
        low = self.number()
        high = low
        if self.take(","):
            high = self.number()
        if low is None or not self.take("}"):
            raise PatternError("incomplete quantifier; escape a literal { as \\{", start)
        return low, high

    def number(self) -> int | None:
        start = self.at
        while self.peek().isascii() and self.peek().isdecimal():
            self.at += 1
        # Python converts at most 4,300 digits into a number.
        return min(int(self.text[start : self.at][:20]), 1 << 53) if self.at > start else None

    def term(self, depth: int) -> Node:
        start, character = self.at, self.peek()
        self.at += 1
        if character == "^" or character == "$":
            return Assertion(character)
        if character == "(":
            return self.group(start, depth)
        if character == ".":
            return Chars(charsets.negate(charsets.LINE_END))
        if character == "[":
            return self.klass(start)
        if character == "\\":
            return self.escape(start)
        if character in "*+?{":
            raise PatternError("nothing to repeat before this quantifier", start)
        return Chars(charsets.of(character))

    def group(self, start: int, depth: int) -> Node:
        look = next((_LOOKS[sign] for sign in _LOOKS if self.take(sign)), "")
        if not look and not self.take("?:"):
            if self.take("?<"):
                name = self.name()
                if name in self.names:
                    raise PatternError("two groups have the same name", start)
                self.names.add(name)
                self.group_names.append(name)
            elif self.peek() == "?":
                raise PatternError("unknown group syntax", start)
            self.groups += 1
        node = self.alternatives(depth + 1)
        if not self.take(")"):
            raise PatternError("unclosed parenthesis", start)
        return Foreign(look, node) if look else node

    def name(self) -> str:
        start, end = self.at, self.text.find(">", self.at)
        name = self.text[start:end] if end >= 0 else ""
        if not name.replace("$", "_").isidentifier():
            raise PatternError("invalid group name", start)
        self.at = end + 1
        return name

    def escape(self, start: int) -> Node:
        character = self.peek()
        if character == "b" or character == "B":
            self.at += 1
            return Assertion(character)
        if character == "k":
            self.at += 1
            if not self.take("<"):
                raise PatternError("missing group name", start)
            self.references.append((self.name(), start))
            return Foreign("back-reference")
        if "1" <= character <= "9":
            number = self.number() or 0
            self.references.append((number, start))
            return Foreign("back-reference")
        meaning = self.read_escape(start)
        return meaning if isinstance(meaning, Foreign) else Chars(meaning)

    def read_escape(self, start: int) -> CharSet | Foreign:
        """The meaning of an escape, inside or outside a class; `at` is after the backslash."""
        character = self.peek()
        self.at += 1
        if character == "":
            raise PatternError("the pattern ends with a backslash", start)
        lower = character.lower()
        if lower in _CLASSES:
            chars = _CLASSES[lower]
            return chars if character == lower else charsets.negate(chars)
        if lower == "p":
            return self.property(start, character == "P")
        point = self.point(character, start)
        return ((point, point),)

    def point(self, character: str, start: int) -> int:
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character == "0" and not self.peek().isdecimal():
            return 0
        if character == "c" and self.peek().isascii() and self.peek().isalpha():
            self.at += 1
            return ord(self.text[self.at - 1]) % 32
        if character == "x":
            return self.hexadecimal(2, start)
        if character == "u":
            return self.unicode(start)
        if character.isascii() and not character.isalnum():
            return ord(character)
        raise PatternError(f"unknown escape \\{character}", start)

    def unicode(self, start: int) -> int:
        if self.take("{"):
            end = self.text.find("}", self.at)
            digits = self.text[self.at : end] if end >= 0 else ""
            if not _is_hexadecimal(digits) or int(digits, 16) > charsets.LAST:
                raise PatternError("not a valid code point", start)
            self.at = end + 1
            return int(digits, 16)
        point = self.hexadecimal(4, start)
        if 0xD800 <= point < 0xDC00 and self.text.startswith("\\u", self.at):
            digits = self.text[self.at + 2 : self.at + 6]
            low = int(digits, 16) if len(digits) == 4 and _is_hexadecimal(digits) else 0
            if 0xDC00 <= low < 0xE000:
                self.at += 6
                return 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00)
        return point

    def hexadecimal(self, count: int, start: int) -> int:
        digits = self.text[self.at : self.at + count]
        if len(digits) < count or not _is_hexadecimal(digits):
            raise PatternError(f"expected {count} hexadecimal digits", start)
        self.at += count
        return int(digits, 16)

    def property(self, start: int, is_negated: bool) -> CharSet | Foreign:
        end = self.text.find("}", self.at)
        if not self.take("{") or end < 0:
            raise PatternError("expected a property name in braces", start)
        name = self.text[self.at : end]
        self.at = end + 1
        key, equals, value = name.partition("=")
        if equals and key not in ("General_Category", "gc"):
            return Foreign(f"\\p{{{name}}}")
        chars = charsets.general_category(value if equals else name, is_negated)
        return Foreign(f"\\p{{{name}}}") if chars is None else chars

    def klass(self, start: int) -> Node:
        """The set between `[` and `]`."""
        is_negated = self.take("^")
        sets: dict[int, CharSet] = {}
        """By identity, because large sets are repeated often."""
        foreign: Foreign | None = None
        while not self.take("]"):
            at = self.at
            low = self.member(start)
            if self.peek() == "-" and self.peek(1) not in ("]", ""):
                self.at += 1
                low = _range(low, self.member(start), at)
            if isinstance(low, Foreign):
                foreign = low
            else:
                sets[id(low)] = low
        self.intervals += sum(map(len, sets.values()))
        if self.intervals > MAX_INTERVALS:
            return Foreign("this many large character classes")
        chars = charsets.union(*sets.values())
        return foreign or Chars(charsets.negate(chars) if is_negated else chars)

    def member(self, start: int) -> CharSet | Foreign:
        character, at = self.peek(), self.at
        if character == "":
            raise PatternError("unclosed bracket", start)
        self.at += 1
        if character != "\\":
            return charsets.of(character)
        if self.take("b"):
            return charsets.of("\b")
        return self.read_escape(at)

    def check_references(self) -> None:
        for reference, offset in self.references:
            if isinstance(reference, int):
                is_known = reference <= self.groups
            else:
                is_known = reference in self.names
            if not is_known:
                raise PatternError("reference to an unknown group", offset)


def _range(low: CharSet | Foreign, high: CharSet | Foreign, offset: int) -> CharSet:
    ends = [
        side[0][0]
        for side in (low, high)
        if not isinstance(side, Foreign) and len(side) == 1 and side[0][0] == side[0][1]
    ]
    if len(ends) != 2:
        raise PatternError("a range needs a single character on both sides", offset)
    if ends[0] > ends[1]:
        raise PatternError("the range is out of order", offset)
    return ((ends[0], ends[1]),)


def _is_hexadecimal(text: str) -> bool:
    return bool(text) and all(character in "0123456789abcdefABCDEF" for character in text)
