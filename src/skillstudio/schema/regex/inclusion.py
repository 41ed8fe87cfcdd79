"""Decide whether all strings of one pattern match another, with a shortest counterexample.

Both patterns are walked together, breadth first, over classes of characters that neither
distinguishes, so that the first string found is a shortest one. Constructs beyond automata are
removed first, which only makes a language larger: a result that does not depend on that is exact,
and any other is Undecidable.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from skillstudio.schema.regex.alphabet import CharClass, classes_of
from skillstudio.schema.regex.automaton import MAX_STATES, Automaton, PatternUnsupported, build
from skillstudio.schema.regex.charsets import ANY, NONE, CharSet
from skillstudio.schema.regex.language import ALL, DEAD, Both, Language, Undecidable, Work
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

__all__ = ["ANY_TEXT", "NO_TEXT", "Undecidable", "Work", "included", "strings"]

MAX_PAIRS = 20_000
MAX_STEPS = 180_000
"""A limit that corresponds to 40 to 80 ms."""
_PAIR_STEPS = 3
"""The cost of a new pair of states, in steps."""
ANY_TEXT: Node = Repeat(Chars(ANY), 0, None)
NO_TEXT: Node = Chars(NONE)


def included(
    narrow: Node,
    wide: Node,
    *,
    whole: bool = False,
    shortest: int = 0,
    longest: int | None = None,
    within: Node | None = None,
    work: Work | None = None,
) -> str | None:
    """A shortest string that matches `narrow` and not `wide`; None if there is none.

    `whole` requires a match of the whole string. Only strings of `shortest` to `longest` code
    points that match `within` count. `work` limits several questions together. Raises Undecidable.
    """
    asked = [_prepared(each) for each in (narrow, wide, within) if each is not None]
    own = Work(MAX_STEPS, work)
    automata = [each.built() for each in asked]
    own.spend(sum(len(each.states) for each in automata))
    one, other, *further = (Language(each, whole, own) for each in automata)
    if wide is NO_TEXT and shortest and not further:
        found = next(_strings(one, shortest, longest), None)
    else:
        product = _Product(Both(one, further[0], own) if further else one, other, own)
        found = product.witness(shortest, longest)
    for each in asked[1:2] if found is None else asked[::2]:
        if each.dropped:
            raise Undecidable(f"{each.dropped} is not supported", found)
    return found


def strings(
    node: Node,
    *,
    whole: bool = False,
    shortest: int = 0,
    longest: int | None = None,
    work: Work | None = None,
) -> Iterator[str]:
    """Every string that a pattern matches, short ones first, possibly without end.

    More strings for a pattern that automata do not support. Raises Undecidable.
    """
    own = Work(MAX_STEPS // 4, work)
    automaton = _prepared(node).built()
    own.spend(len(automaton.states))
    language = Language(automaton, whole, own)
    yield from _strings(language, shortest, longest)


def _strings(language: Language, shortest: int, longest: int | None) -> Iterator[str]:
    """The same for a language without character classes.

    The possible continuations by length are computed first, which is faster for long strings than
    walking all shorter ones.
    """
    classes = _part(language)
    inhabited = 0
    for each in classes:
        inhabited |= each.sets
    lives = language.live(inhabited)
    live = [0]
    length = 0
    while longest is None or length <= longest:
        if length >= shortest:
            yield from _of_length(language, classes, live, length)
        length += 1
        found = next(lives, 0)
        if not found and language.start != ALL:
            return
        live.append(found)


def _of_length(
    language: Language, classes: list[CharClass], live: list[int], length: int
) -> Iterator[str]:
    """The strings of one length; `live` are the states that can end within the remaining length."""
    if not _can_end(language, language.start, live, length):
        return
    if length == 0:
        yield ""
        return
    text: list[str] = []
    open_steps = [_steps(language, classes, language.start, live, length - 1)]
    while open_steps:
        character, state = next(open_steps[-1], ("", DEAD))
        if not character:
            open_steps.pop()
            del text[-1:]
        elif len(open_steps) == length:
            yield "".join(text) + character
        else:
            text.append(character)
            left = length - len(text) - 1
            open_steps.append(_steps(language, classes, state, live, left))


def _steps(
    language: Language, classes: list[CharClass], state: int, live: list[int], left: int
) -> Iterator[tuple[str, int]]:
    """The possible next characters if `left` characters follow."""
    for each, target in zip(classes, language.row(state), strict=True):
        if _can_end(language, target, live, left):
            for character in each.members():
                yield character, target


def _can_end(language: Language, state: int, live: list[int], left: int) -> bool:
    return language.is_live(state, live[left]) if left else language.ends[state]


def states_of(node: Node) -> int:
    """The size of a pattern's automaton, also if it cannot be built."""
    automaton = _prepared(node).automaton
    return len(automaton.states) if automaton else MAX_STATES


def loosen(node: Node) -> tuple[Node, str]:
    """A pattern without unsupported constructs, which matches at least as much, and their name."""
    found = _prepared(node)
    return found.loose, found.dropped


class _Prepared(NamedTuple):
    """A pattern prepared for comparison."""

    loose: Node
    dropped: str
    automaton: Automaton | None
    reason: str
    """Why there is no automaton."""

    def built(self) -> Automaton:
        """Raises Undecidable."""
        if self.automaton is None:
            raise Undecidable(self.reason)
        return self.automaton


class _ById:
    """A tree that is equal only to itself, because comparing large trees takes long."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def __hash__(self) -> int:
        return id(self.node)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and self.node is other.node


def _prepared(node: Node) -> _Prepared:
    return _prepare(_ById(node))


@lru_cache(maxsize=32)
def _prepare(key: _ById) -> _Prepared:
    """Cached, because the same few patterns are compared often."""
    dropped: list[str] = []
    loose = _loosen(key.node, dropped)
    first = dropped[0] if dropped else ""
    try:
        return _Prepared(loose, first, build(loose), "")
    except PatternUnsupported as unsupported:
        return _Prepared(loose, first, None, unsupported.construct)


def _loosen(node: Node, dropped: list[str]) -> Node:
    if isinstance(node, Foreign):
        dropped.append(node.construct)
        if node.construct.startswith("look-"):
            return EMPTY
        return ANY_TEXT if node.construct == "back-reference" else Chars(ANY)
    if isinstance(node, Assertion) and node.kind in "bB":
        dropped.append(f"\\{node.kind}")
        return EMPTY
    if isinstance(node, Concat):
        return Concat(tuple(_loosen(each, dropped) for each in node.parts))
    if isinstance(node, Alternate):
        return Alternate(tuple(_loosen(each, dropped) for each in node.options))
    if isinstance(node, Repeat):
        return Repeat(_loosen(node.body, dropped), node.low, node.high)
    return node


def _part(*languages: Language | Both) -> list[CharClass]:
    """Give languages their common character classes."""
    sets: dict[CharSet, int] = {}
    for language in languages:
        for chars in language.sets:
            sets.setdefault(chars, len(sets))
    classes = classes_of(list(sets))
    for language in languages:
        language.part(sets, classes)
    return classes


class _Product:
    """Two languages walked together."""

    def __init__(self, narrow: Language | Both, wide: Language, work: Work) -> None:
        self._narrow = narrow
        self._wide = wide
        self._work = work
        self._classes = _part(narrow, wide)

    def witness(self, shortest: int, longest: int | None) -> str | None:
        """Try strings of any length first: this walks fewer states and often suffices."""
        found = self._walk(0, longest)
        if found is None or len(found) >= shortest:
            return found
        return self._walk(shortest, longest)

    def _walk(self, shortest: int, longest: int | None) -> str | None:
        narrow, wide = self._narrow, self._wide
        start = (narrow.start, wide.start)
        trail: list[tuple[int, int]] = [(-1, 0)]
        level, seen, pairs, length = [(start, 0)], {start}, 1, 0
        while level:
            if length >= shortest:
                for (one, other), at in level:
                    if narrow.ends[one] and not wide.ends[other]:
                        return self._text(trail, at)
            if length == longest:
                return None
            length += 1
            if length <= shortest:
                seen = set()  # Below the shortest length, how long a string is matters too.
            following = []
            for (one, other), at in level:
                for kind, pair in enumerate(zip(narrow.row(one), wide.row(other), strict=True)):
                    if pair[0] != DEAD and pair[1] != ALL and pair not in seen:
                        seen.add(pair)
                        following.append((pair, len(trail)))
                        trail.append((at, kind))
            pairs += len(following)
            self._work.spend(len(level) * len(self._classes) + _PAIR_STEPS * len(following))
            if pairs > MAX_PAIRS:
                raise Undecidable(f"the patterns need more than {MAX_PAIRS} pairs of states")
            level = following
        return None

    def _text(self, trail: list[tuple[int, int]], at: int) -> str:
        found = []
        while at:
            at, kind = trail[at]
            found.append(self._classes[kind].character)
        return "".join(reversed(found))
