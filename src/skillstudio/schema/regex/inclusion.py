"""Decide whether all strings of one pattern match another, with a shortest counterexample.

Both patterns are walked together, breadth first, over classes of characters that neither
distinguishes, so that the first string found is a shortest one. Constructs beyond automata are
removed first, which only makes a language larger: a result that does not depend on that is exact,
and any other is Undecidable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillstudio.schema.regex.alphabet import CharClass, classes_of, readable, reading_order
from skillstudio.schema.regex.automaton import (
    MAX_STATES,
    Accept,
    Automaton,
    Check,
    Eat,
    PatternUnsupported,
    Split,
    build,
)
from skillstudio.schema.regex.charsets import ANY, NONE, CharSet
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
from skillstudio.schema.work import Undecidable, Work

__all__ = ["ANY_TEXT", "NO_TEXT", "Undecidable", "Work", "find_witness", "strings"]

MAX_PAIRS = 20_000
MAX_STEPS = 180_000  # A limit that corresponds to 40 to 80 ms.
_SHORT = 1_000  # Maximum length of a string that is found without an automaton.
_CACHE_SIZE = 32  # Maximum number of prepared patterns that are cached.
_PAIR_STEPS = 3  # The cost of a new pair of states, in steps.
ANY_TEXT: Node = Repeat(Chars(ANY), 0, None)
NO_TEXT: Node = Chars(NONE)


def find_witness(
    narrow: Node,
    wide: Node,
    *,
    whole: bool = False,
    shortest: int = 0,
    longest: int | None = None,
    within: Sequence[Node] = (),
    work: Work | None = None,
) -> str | None:
    """A shortest string that matches `narrow` and not `wide`; None if there is none.

    `whole` requires a match of the whole string. Only strings of `shortest` to `longest` code
    points that match all of `within` count. `work` limits several questions together.
    Raises Undecidable.
    """
    patterns = [_prepare_once(node) for node in (narrow, wide, *within)]
    local_work = Work(MAX_STEPS, work)
    automata = [pattern.require_automaton() for pattern in patterns]
    local_work.spend(sum(len(automaton.states) for automaton in automata))
    language, other, *further = (Language(automaton, whole, local_work) for automaton in automata)
    if wide is NO_TEXT and shortest and not further:
        witness = next(_strings(language, shortest, longest), None)
    else:
        witness = _Product([language, *further], other, local_work).witness(shortest, longest)
    for pattern in patterns[1:2] if witness is None else (patterns[0], *patterns[2:]):
        if pattern.dropped_construct:
            raise Undecidable(f"{pattern.dropped_construct} is not supported", witness)
    return witness


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
    local_work = Work(MAX_STEPS // 4, work)
    automaton = _prepare_once(node).require_automaton()
    local_work.spend(len(automaton.states))
    language = Language(automaton, whole, local_work)
    yield from _strings(language, shortest, longest)


def _strings(language: Language, shortest: int, longest: int | None) -> Iterator[str]:
    """The same for a language without character classes.

    The possible continuations by length are computed first, which is fast for long strings.
    """
    classes = _part(language)
    inhabited_sets = 0
    for char_class in classes:
        inhabited_sets |= char_class.sets
    lives = language.live(inhabited_sets)
    live = [0]
    length = 0
    while longest is None or length <= longest:
        if length >= shortest:
            yield from _of_length(language, classes, live, length)
        length += 1
        live_states = next(lives, 0)
        if not live_states and language.start != ALL:
            return
        live.append(live_states)


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
            remaining_length = length - len(text) - 1
            open_steps.append(_steps(language, classes, state, live, remaining_length))


def _steps(
    language: Language, classes: list[CharClass], state: int, live: list[int], remaining_length: int
) -> Iterator[tuple[str, int]]:
    """The possible next characters if `remaining_length` characters follow."""
    for char_class, target in zip(classes, language.row(state), strict=True):
        if _can_end(language, target, live, remaining_length):
            for character in char_class.members():
                yield character, target


def _can_end(language: Language, state: int, live: list[int], remaining_length: int) -> bool:
    return (
        language.is_live(state, live[remaining_length])
        if remaining_length
        else language.ends[state]
    )


def shortest_text(node: Node) -> str | None:
    """The first of `strings`, found without an automaton; None if only an automaton finds it."""
    parts = node.parts if isinstance(node, Concat) else (node,)
    if parts[:1] == (Assertion("^"),):
        parts = parts[1:]
    if parts[-1:] == (Assertion("$"),):
        parts = parts[:-1]
    return _shortest(Concat(parts))


def _shortest(node: Node) -> str | None:
    text: str | None = None
    if isinstance(node, Chars):
        return readable(node.chars)
    if isinstance(node, Concat):
        text = ""
        for child in node.parts:
            part = _shortest(child)
            if part is None:
                return None
            text += part
    elif isinstance(node, Alternate):
        options = [_shortest(option) for option in node.options]
        texts = [option for option in options if option is not None]
        text = min(texts, key=reading_order) if len(texts) == len(options) else None
    elif isinstance(node, Repeat):
        body = _shortest(node.body)
        text = None if body is None or len(body) * node.low > _SHORT else body * node.low
    return text if text is None or len(text) <= _SHORT else None


def states_of(node: Node) -> int:
    """The size of a pattern's automaton, also if it cannot be built."""
    automaton = _prepare_once(node).automaton
    return len(automaton.states) if automaton else MAX_STATES


def loosen(node: Node) -> tuple[Node, str]:
    """A pattern without unsupported constructs, which matches at least as much, and their name."""
    prepared_pattern = _prepare_once(node)
    return prepared_pattern.loose, prepared_pattern.dropped_construct


class _PreparedPattern(NamedTuple):
    """A pattern prepared for comparison."""

    node: Node
    loose: Node
    dropped_construct: str
    automaton: Automaton | None
    reason: str  # Why there is no automaton.

    def require_automaton(self) -> Automaton:
        """Raises Undecidable."""
        if self.automaton is None:
            raise Undecidable(self.reason)
        return self.automaton


_PREPARED_PATTERNS: dict[int, _PreparedPattern] = {}
"""By the identity of their trees, because comparing large trees takes long."""


def _prepare_once(node: Node) -> _PreparedPattern:
    """Cached, because the same few patterns are compared often."""
    prepared_pattern = _PREPARED_PATTERNS.get(id(node))
    if prepared_pattern is None:
        if len(_PREPARED_PATTERNS) >= _CACHE_SIZE:
            _PREPARED_PATTERNS.clear()
        prepared_pattern = _PREPARED_PATTERNS[id(node)] = _prepare(node)
    return prepared_pattern


def _prepare(node: Node) -> _PreparedPattern:
    dropped_constructs: list[str] = []
    loose = _loosen(node, dropped_constructs)
    loose = loose if dropped_constructs else node  # The same tree is prepared only once.
    first = dropped_constructs[0] if dropped_constructs else ""
    try:
        return _PreparedPattern(node, loose, first, build(loose), "")
    except PatternUnsupported as error:
        return _PreparedPattern(node, loose, first, None, error.construct)


def _loosen(node: Node, dropped_constructs: list[str]) -> Node:
    if isinstance(node, Foreign):
        dropped_constructs.append(node.construct)
        if node.construct.startswith("look-"):
            return EMPTY
        return ANY_TEXT if node.construct == "back-reference" else Chars(ANY)
    if isinstance(node, Assertion) and node.kind in "bB":
        dropped_constructs.append(f"\\{node.kind}")
        return EMPTY
    if isinstance(node, Concat):
        return Concat(tuple(_loosen(part, dropped_constructs) for part in node.parts))
    if isinstance(node, Alternate):
        return Alternate(tuple(_loosen(option, dropped_constructs) for option in node.options))
    if isinstance(node, Repeat):
        return Repeat(_loosen(node.body, dropped_constructs), node.low, node.high)
    return node


def _part(*languages: Language) -> list[CharClass]:
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
    """Languages walked together: those that a string must be in, and one that it must not be in."""

    def __init__(self, narrow: list[Language], wide: Language, work: Work) -> None:
        self._narrow = narrow
        self._wide = wide
        self._work = work
        self._classes = _part(*narrow, wide)

    def witness(self, shortest: int, longest: int | None) -> str | None:
        """Try strings of any length first: this walks fewer states and often suffices."""
        text = self._walk(0, longest)
        if text is None or len(text) >= shortest:
            return text
        return self._walk(shortest, longest)

    def _walk(self, shortest: int, longest: int | None) -> str | None:
        languages = (*self._narrow, self._wide)
        start = tuple(language.start for language in languages)
        trail: list[tuple[int, int]] = [(-1, 0)]
        level, seen_states, pairs, length = [(start, 0)], {start}, 1, 0
        while level:
            if length >= shortest:
                for states, at in level:
                    if self._escapes(states):
                        return self._text(trail, at)
            if length == longest:
                return None
            length += 1
            if length <= shortest:
                seen_states = set()  # Below the shortest length, how long a string is matters too.
            next_level = []
            for states, at in level:
                rows = [
                    language.row(state) for language, state in zip(languages, states, strict=True)
                ]
                for kind, next_states in enumerate(zip(*rows, strict=True)):
                    if (
                        next_states[-1] != ALL
                        and next_states not in seen_states
                        and DEAD not in next_states[:-1]
                    ):
                        seen_states.add(next_states)
                        next_level.append((next_states, len(trail)))
                        trail.append((at, kind))
            pairs += len(next_level)
            self._work.spend(len(level) * len(self._classes) + _PAIR_STEPS * len(next_level))
            if pairs > MAX_PAIRS:
                raise Undecidable(f"the patterns need more than {MAX_PAIRS} pairs of states")
            level = next_level
        return None

    def _escapes(self, states: tuple[int, ...]) -> bool:
        if self._wide.ends[states[-1]]:
            return False
        return all(
            language.ends[state] for language, state in zip(self._narrow, states, strict=False)
        )

    def _text(self, trail: list[tuple[int, int]], at: int) -> str:
        characters = []
        while at:
            at, kind = trail[at]
            characters.append(self._classes[kind].character)
        return "".join(reversed(characters))


ALL, DEAD = 0, 1  # The states that accept every string and none.
_WORD_BITS = 512


class _Reach(NamedTuple):
    """The states reachable without consuming a character."""

    eats: int  # The states that consume a character next, as bits.
    ends: bool
    all: bool


_NOWHERE = _Reach(0, False, False)


class Language:
    """One pattern. `whole`: it must match the whole text, not only a part of it."""

    def __init__(self, automaton: Automaton, whole: bool, work: Work) -> None:
        self._automaton = automaton
        self._whole = whole
        self._work = work
        eats = {
            number: state for number, state in enumerate(automaton.states) if isinstance(state, Eat)
        }
        self._eats = list(eats.values())
        self._sets = {id(eat.chars): eat.chars for eat in self._eats}
        """By identity, because comparing large sets takes long."""
        self._places: list[int] = []
        self._bits = {number: 1 << index for index, number in enumerate(eats)}
        self._skip = 0 if whole else 1 << len(self._eats)
        """The bit of a state that consumes any character before a match starts."""
        self._follows: dict[int, _Reach] = {}
        self._restart = _NOWHERE if whole else self._reach(automaton.start, at_start=False)
        self._masks: list[int] = [0, 0]
        self.ends: list[bool] = [True, False]
        """By state: whether the text may end there."""
        self._numbers: dict[tuple[int, bool], int] = {(0, False): DEAD}
        self._rows: dict[int, list[int]] = {}
        self._targets: dict[int, int] = {}
        self._classes: list[int] = []
        self.start = self._number(self._reach(automaton.start, at_start=True))

    @property
    def sets(self) -> Iterator[CharSet]:
        """The character sets that the pattern distinguishes."""
        return iter(self._sets.values())

    def part(self, sets: dict[CharSet, int], classes: Sequence[CharClass]) -> None:
        """Set the character classes; must be called before `row`."""
        places = {identity: sets[chars] for identity, chars in self._sets.items()}
        self._places = [places[id(eat.chars)] for eat in self._eats]
        by_set: dict[int, int] = {}
        for index, place in enumerate(self._places):
            by_set[place] = by_set.get(place, 0) | (1 << index)
        self._work.spend(len(classes) * len(by_set))
        for char_class in classes:
            mask = 0
            for place, bits in by_set.items():
                if char_class.sets >> place & 1:
                    mask |= bits
            self._classes.append(mask)

    def row(self, state: int) -> list[int]:
        """The states that each character class leads to."""
        row = self._rows.get(state)
        if row is None:
            row = self._rows[state] = self._make_row(state)
        return row

    def _make_row(self, state: int) -> list[int]:
        if state == ALL:
            return [ALL] * len(self._classes)
        mask = self._masks[state]
        self._work.spend(len(self._classes) * (1 + mask.bit_length() // _WORD_BITS))
        row = []
        for chars in self._classes:
            taken_bits = mask & chars
            target = self._targets.get(taken_bits)
            if target is None:
                target = self._targets[taken_bits] = self._step(taken_bits)
            row.append(target)
        return row

    def _step(self, taken_bits: int) -> int:
        eats, ends, everything = self._restart
        self._work.spend(taken_bits.bit_count() * (1 + taken_bits.bit_length() // _WORD_BITS))
        while taken_bits:
            low = taken_bits & -taken_bits
            taken_bits ^= low
            follow = self._follow(low.bit_length() - 1)
            if follow.all:
                return ALL
            eats |= follow.eats
            ends |= follow.ends
        return self._number(_Reach(eats, ends, everything))

    def _follow(self, index: int) -> _Reach:
        """The states after the character that a state consumes."""
        reach = self._follows.get(index)
        if reach is None:
            reach = self._reach(self._eats[index].next, at_start=False)
            self._follows[index] = reach
        return reach

    def _number(self, reach: _Reach) -> int:
        if reach.all:
            return ALL
        key = (reach.eats, reach.ends)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._masks)
            self._masks.append(reach.eats)
            self.ends.append(reach.ends)
        return number

    def _reach(self, start: int, at_start: bool) -> _Reach:
        """Follow steps that consume no character. After `$` only the end of the text is left."""
        states = self._automaton.states
        seen_items: set[tuple[int, bool]] = set()
        stack = [(start, False)]
        eats, ends = 0, False
        while stack:
            item = stack.pop()
            if item in seen_items:
                continue
            seen_items.add(item)
            number, at_end = item
            state = states[number]
            if isinstance(state, Eat):
                if not at_end:
                    eats |= self._bits[number]
            elif isinstance(state, Split):
                stack += [(target, at_end) for target in state.targets]
            elif isinstance(state, Accept):
                ends = True
                if not at_end and not self._whole:
                    self._work.spend(len(seen_items))
                    return _Reach(0, True, True)
            elif isinstance(state, Check):
                if state.kind == "$":
                    stack.append((state.next, True))
                elif at_start:
                    stack.append((state.next, at_end))
        self._work.spend(len(seen_items))
        return _Reach(eats, ends, False)

    def live(self, inhabited_sets: int) -> Iterator[int]:
        """For 1, 2, … characters: the states that can end the text after exactly that many, as
        bits.

        Stops after the first 0, because no longer text has an end then. `inhabited_sets` are the
        nonempty sets.
        """
        again = self._restart._replace(eats=self._restart.eats | self._skip)
        follows = [(1 << index, self._follow(index)) for index in self._reachable(inhabited_sets)]
        if self._skip:
            follows.append((self._skip, again))
        always = sum(bit for bit, follow in follows if follow.all or again.all)
        live = always | sum(bit for bit, follow in follows if follow.ends or again.ends)
        while True:
            yield live
            if not live:
                return
            before, live = live, always
            self._work.spend(len(follows) * (1 + before.bit_length() // _WORD_BITS))
            for bit, follow in follows:
                if (follow.eats | again.eats) & before:
                    live |= bit

    def _reachable(self, inhabited_sets: int) -> list[int]:
        """The states that some text leads to, by their bit."""
        indices: list[int] = []
        seen_bits = 0
        pending_bits = self._masks[self.start]
        while pending_bits:
            low = pending_bits & -pending_bits
            seen_bits |= low
            index = low.bit_length() - 1
            self._work.spend(1 + pending_bits.bit_length() // _WORD_BITS)
            if inhabited_sets >> self._places[index] & 1:
                indices.append(index)
                pending_bits |= self._follow(index).eats | self._restart.eats
            pending_bits &= ~seen_bits
        return indices

    def is_live(self, state: int, live: int) -> bool:
        """Whether a text can continue from a state to an end in `live`."""
        return state == ALL or bool((self._masks[state] | self._skip) & live)
