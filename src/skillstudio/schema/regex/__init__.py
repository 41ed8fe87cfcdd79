"""Regular expressions of JSON Schema, matched with automata: no pattern can hang."""

from __future__ import annotations

import re
from functools import lru_cache

from skillstudio.schema.regex.automaton import Automaton, PatternUnsupported, build
from skillstudio.schema.regex.matcher import Matcher
from skillstudio.schema.regex.nodes import Node
from skillstudio.schema.regex.parser import PatternError, parse

__all__ = ["Pattern", "PatternError", "PatternUnsupported", "parse_pattern", "python_only"]

_PYTHON_TOKEN = re.compile(
    r"\\.|\[(?:\\.|[^\]\\])*\]?|\(\?P[<=>]|\(\?[aiLmsux-]+[:)]|\(\?#|\(\?>", re.S
)
_PYTHON_ESCAPES = ("\\A", "\\Z")


class Pattern:
    """A parsed pattern: its text and its tree."""

    __slots__ = ("_automaton", "_matcher", "root", "text")

    def __init__(self, text: str, root: Node) -> None:
        self.text = text
        self.root = root
        self._automaton: Automaton | None = None
        self._matcher: Matcher | None = None

    @property
    def automaton(self) -> Automaton:
        """The automaton of the pattern. Raises PatternUnsupported."""
        self._automaton = self._automaton or build(self.root)
        return self._automaton

    @property
    def reason(self) -> str:
        """The unsupported construct of the pattern; "" if there is none."""
        try:
            _ = self.automaton
        except PatternUnsupported as unsupported:
            return unsupported.construct
        return ""

    @property
    def supported(self) -> bool:
        return not self.reason

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in the text. Raises PatternUnsupported."""
        if self._matcher is None:
            self._matcher = Matcher(self.automaton)
        return self._matcher.search(text)


@lru_cache(maxsize=256)
def parse_pattern(text: str) -> Pattern:
    """Parse a pattern. Raises PatternError."""
    return Pattern(text, parse(text))


def python_only(pattern: str) -> list[tuple[int, str]]:
    r"""Constructs of Python's `re` that ECMA-262 does not have, with their offsets.

    `(?P<`, `(?P=`, `\A`, `\Z` and inline flags.
    """
    return [
        (found.start(), found.group())
        for found in _PYTHON_TOKEN.finditer(pattern)
        if found.group().startswith("(") or found.group() in _PYTHON_ESCAPES
    ]
