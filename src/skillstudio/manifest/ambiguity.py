"""Detect regular expressions that can take exponential time in a backtracking engine.

They have a pair of equal positions and a pair of different ones on one cycle of pairs, in the
position automaton (Glushkov) of the pattern.
"""

from __future__ import annotations

from collections.abc import Iterable

from skillstudio.schema.regex import PatternError, parse_pattern
from skillstudio.schema.regex.charsets import ANY, CharSet
from skillstudio.schema.regex.nodes import Alternate, Chars, Concat, Foreign, Node, Repeat

_MOST = 60
_MANY = 25  # A repetition up to at least this many times counts as unlimited.


class _PatternTooLarge(Exception):
    pass


_Part = tuple[bool, frozenset[int], frozenset[int]]
"""Whether a part matches the empty string, and its first and last positions."""
_EMPTY: _Part = (True, frozenset(), frozenset())


def is_exponential(pattern: str) -> bool:
    """Whether a pattern is exponential; False if it is invalid or too large to decide."""
    try:
        return _Automaton(parse_pattern(pattern).root).is_ambiguous()
    except (PatternError, _PatternTooLarge):
        return False


class _Automaton:
    """The positions of a pattern, their characters, and their successors."""

    def __init__(self, root: Node) -> None:
        self.sets: list[int] = []
        self.follow: list[set[int]] = []
        self.twice = False
        self._add(root)

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

    def _add(self, node: Node) -> _Part:
        if isinstance(node, Chars):
            return self._position(node.chars)
        if isinstance(node, Concat):
            return self._sequence(node.parts)
        if isinstance(node, Alternate):
            options = [self._add(each) for each in node.options]
            empties, firsts, lasts = zip(*options, strict=True)
            return any(empties), frozenset().union(*firsts), frozenset().union(*lasts)
        if isinstance(node, Repeat):
            empty, first, last = self._add(node.body)
            if node.high is None or node.high >= _MANY:
                self._connect(last, first)
            return empty or node.low == 0, first, last
        if isinstance(node, Foreign):
            if node.construct.startswith("\\p"):
                return self._position(ANY)
            self._add(node.body)
        return _EMPTY

    def _sequence(self, parts: Iterable[Node]) -> _Part:
        empty, firsts, lasts = _EMPTY
        for node in parts:
            is_empty, first, last = self._add(node)
            self._connect(lasts, first)
            firsts = firsts | first if empty else firsts
            lasts = lasts | last if is_empty else last
            empty = empty and is_empty
        return empty, firsts, lasts

    def _connect(self, ends: Iterable[int], starts: Iterable[int]) -> None:
        for end in ends:
            for start in starts:
                self.twice = self.twice or start in self.follow[end]
                self.follow[end].add(start)

    def _position(self, chars: CharSet) -> _Part:
        if len(self.sets) >= _MOST:
            raise _PatternTooLarge
        self.sets.append(_bits(chars))
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


def _bits(chars: CharSet) -> int:
    """A set of characters: one bit for each ASCII character and one for all others."""
    found = 0
    for low, high in chars:
        found |= (2 << min(high, 128)) - (1 << min(low, 128))
    return found
