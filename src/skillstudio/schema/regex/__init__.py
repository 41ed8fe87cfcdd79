"""Regular expressions of JSON Schema, matched with automata: no pattern can hang."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, lru_cache

from skillstudio.schema.regex.automaton import (
    Accept,
    Automaton,
    Check,
    Eat,
    PatternUnsupported,
    Split,
    build,
)
from skillstudio.schema.regex.charsets import WORD
from skillstudio.schema.regex.nodes import Node
from skillstudio.schema.regex.parser import PatternError, parse

__all__ = [
    "Pattern", "PatternError", "PatternUnsupported", "is_match", "parse_pattern", "python_only",
]  # fmt: skip

_PYTHON_TOKEN = re.compile(
    r"\\.|\[(?:\\.|[^\]\\])*\]?|\(\?P[<=>]|\(\?[aiLmsux-]+[:)]|\(\?#|\(\?>", re.S
)
_PYTHON_ESCAPES = ("\\A", "\\Z")


class Pattern:
    """A parsed pattern: its tree, and what is made of it on demand."""

    def __init__(self, root: Node) -> None:
        self.root = root

    @cached_property
    def automaton(self) -> Automaton:
        """The automaton of the pattern. Raises PatternUnsupported."""
        return build(self.root)

    @cached_property
    def _matcher(self) -> _Matcher:
        return _Matcher(self.automaton)

    @cached_property
    def reason(self) -> str:
        """The unsupported construct of the pattern; "" if there is none."""
        try:
            _ = self.automaton
        except PatternUnsupported as error:
            return error.construct
        return ""

    @property
    def is_supported(self) -> bool:
        return not self.reason

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in the text. Raises PatternUnsupported."""
        return self._matcher.search(text)


@lru_cache(maxsize=256)
def parse_pattern(text: str) -> Pattern:
    """Parse a pattern. Raises PatternError."""
    return Pattern(parse(text))


def is_match(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in the text; not if it is invalid or not supported."""
    try:
        return parse_pattern(pattern).search(text)
    except (PatternError, PatternUnsupported):
        return False


def python_only(pattern: str) -> list[tuple[int, str]]:
    """Constructs of Python's `re` that ECMA-262 lacks, such as `(?P<`, with their offsets."""
    return [
        (match.start(), match.group())
        for match in _PYTHON_TOKEN.finditer(pattern)
        if match.group().startswith("(") or match.group() in _PYTHON_ESCAPES
    ]


_CACHE = 4_000
_START, _END, _BOUNDARY = 1, 2, 4
_HOLDS = {
    "^": lambda place: bool(place & _START),
    "$": lambda place: bool(place & _END),
    "b": lambda place: bool(place & _BOUNDARY),
    "B": lambda place: not place & _BOUNDARY,
}
_WORD = frozenset(chr(point) for low, high in WORD for point in range(low, high + 1))

_Core = frozenset[int]


class _Matcher:
    """An automaton prepared for searching. It keeps the states of earlier texts."""

    def __init__(self, automaton: Automaton) -> None:
        self._states = automaton.states
        self._start = automaton.start
        eats = [state for state in automaton.states if isinstance(state, Eat)]
        sets = {id(eat.chars): eat.chars for eat in eats}.values()
        self._edges = sorted(
            {edge for chars in sets for low, high in chars for edge in (low, high + 1)}
        )
        self._words = any(isinstance(state, Check) and state.kind in "bB" for state in self._states)
        self._closures: dict[tuple[_Core, int], tuple[_Core, bool]] = {}
        self._steps: dict[tuple[_Core, int], _Core] = {}

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in the text."""
        core: _Core = frozenset()
        edges, steps = self._edges, self._steps
        for at, character in enumerate(text):
            alive, is_accepted = self._closure(core, self._place(text, at))
            if is_accepted:
                return True
            kind = bisect_right(edges, ord(character))
            next_core = steps.get((alive, kind))
            core = self._step(alive, kind, ord(character)) if next_core is None else next_core
        return self._closure(core, self._place(text, len(text)))[1]

    def _place(self, text: str, at: int) -> int:
        place = (_START if at == 0 else 0) | (_END if at == len(text) else 0)
        if self._words:
            before = at > 0 and text[at - 1] in _WORD
            after = at < len(text) and text[at] in _WORD
            place |= _BOUNDARY if before != after else 0
        return place

    def _closure(self, core: _Core, place: int) -> tuple[_Core, bool]:
        """The states that consume a character next, including a match that starts here."""
        cached_closure = self._closures.get((core, place))
        if cached_closure:
            return cached_closure
        seen_states: set[int] = set()
        alive: set[int] = set()
        is_accepted = False
        stack = [self._start, *core]
        while stack:
            number = stack.pop()
            if number in seen_states:
                continue
            seen_states.add(number)
            state = self._states[number]
            if isinstance(state, Eat):
                alive.add(number)
            elif isinstance(state, Split):
                stack += state.targets
            elif isinstance(state, Accept):
                is_accepted = True
            elif _HOLDS[state.kind](place):
                stack.append(state.next)
        if len(self._closures) >= _CACHE:
            self._closures.clear()
        closure = self._closures[core, place] = (frozenset(alive), is_accepted)
        return closure

    def _step(self, alive: _Core, kind: int, point: int) -> _Core:
        """The states after a character; all characters of a kind lead to the same states."""
        next_states = set()
        for number in alive:
            state = self._states[number]
            if isinstance(state, Eat):
                index = bisect_right(state.chars, (point, 0x110000)) - 1
                if index >= 0 and state.chars[index][1] >= point:
                    next_states.add(state.next)
        if len(self._steps) >= _CACHE:
            self._steps.clear()
        next_core = self._steps[alive, kind] = frozenset(next_states)
        return next_core
