"""The language of a pattern: a deterministic automaton, built as it is walked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillstudio.schema.regex.alphabet import CharClass
from skillstudio.schema.regex.automaton import Accept, Automaton, Check, Eat, Split
from skillstudio.schema.regex.charsets import CharSet

ALL, DEAD = 0, 1
"""The states that accept every string and none."""
_WORD_BITS = 512


class Undecidable(Exception):
    """An unanswered question about patterns; `reason` says why.

    `candidate`: a string that may be the answer.
    """

    def __init__(self, reason: str, candidate: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.candidate = candidate


class Work:
    """A limit on steps, which unlike a time limit gives the same result everywhere.

    `whole`: a larger limit that is spent at the same time.
    """

    __slots__ = ("_whole", "left")

    def __init__(self, steps: int, whole: Work | None = None) -> None:
        self.left = steps
        self._whole = whole

    def spend(self, steps: int) -> None:
        """Raises Undecidable if nothing is left."""
        self.left -= steps
        if self.left < 0:
            raise Undecidable("the patterns are too large to compare")
        if self._whole is not None:
            self._whole.spend(steps)


class _Reach(NamedTuple):
    """The states reachable without consuming a character."""

    eats: int
    """The states that consume a character next, as bits."""
    ends: bool
    """Whether the text may end here."""
    all: bool
    """Whether any continuation is accepted."""


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
        for each in classes:
            mask = 0
            for place, bits in by_set.items():
                if each.sets >> place & 1:
                    mask |= bits
            self._classes.append(mask)

    def row(self, state: int) -> list[int]:
        """The states that each character class leads to."""
        found = self._rows.get(state)
        if found is None:
            found = self._rows[state] = self._make_row(state)
        return found

    def _make_row(self, state: int) -> list[int]:
        if state == ALL:
            return [ALL] * len(self._classes)
        mask = self._masks[state]
        self._work.spend(len(self._classes) * (1 + mask.bit_length() // _WORD_BITS))
        row = []
        for chars in self._classes:
            taken = mask & chars
            target = self._targets.get(taken)
            if target is None:
                target = self._targets[taken] = self._step(taken)
            row.append(target)
        return row

    def _step(self, taken: int) -> int:
        eats, ends, everything = self._restart
        self._work.spend(taken.bit_count() * (1 + taken.bit_length() // _WORD_BITS))
        while taken:
            low = taken & -taken
            taken ^= low
            follow = self._follow(low.bit_length() - 1)
            if follow.all:
                return ALL
            eats |= follow.eats
            ends |= follow.ends
        return self._number(_Reach(eats, ends, everything))

    def _follow(self, index: int) -> _Reach:
        """The states after the character that a state consumes."""
        found = self._follows.get(index)
        if found is None:
            found = self._reach(self._eats[index].next, at_start=False)
            self._follows[index] = found
        return found

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
        seen: set[tuple[int, bool]] = set()
        stack = [(start, False)]
        eats, ends = 0, False
        while stack:
            item = stack.pop()
            if item in seen:
                continue
            seen.add(item)
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
                    self._work.spend(len(seen))
                    return _Reach(0, True, True)
            elif isinstance(state, Check):
                if state.kind == "$":
                    stack.append((state.next, True))
                elif at_start:
                    stack.append((state.next, at_end))
        self._work.spend(len(seen))
        return _Reach(eats, ends, False)

    def live(self, inhabited: int) -> Iterator[int]:
        """For 1, 2, … characters: the states that can end the text after exactly that many, as
        bits.

        Stops after the first 0, because no longer text has an end then. `inhabited` are the
        nonempty sets.
        """
        again = self._restart._replace(eats=self._restart.eats | self._skip)
        follows = [(1 << index, self._follow(index)) for index in self._reachable(inhabited)]
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

    def _reachable(self, inhabited: int) -> list[int]:
        """The states that some text leads to, by their bit."""
        found: list[int] = []
        seen = 0
        waiting = self._masks[self.start]
        while waiting:
            low = waiting & -waiting
            seen |= low
            index = low.bit_length() - 1
            self._work.spend(1 + waiting.bit_length() // _WORD_BITS)
            if inhabited >> self._places[index] & 1:
                found.append(index)
                waiting |= self._follow(index).eats | self._restart.eats
            waiting &= ~seen
        return found

    def is_live(self, state: int, live: int) -> bool:
        """Whether a text can continue from a state to an end in `live`."""
        return state == ALL or bool((self._masks[state] | self._skip) & live)


class Both:
    """The intersection of two languages, with the interface of one."""

    def __init__(self, one: Language, other: Language, work: Work) -> None:
        self._one = one
        self._other = other
        self._work = work
        self._pairs: list[tuple[int, int]] = [(ALL, ALL), (DEAD, DEAD)]
        self._numbers = {(ALL, ALL): ALL}
        self._rows: dict[int, list[int]] = {}
        self.ends: list[bool] = [True, False]
        self.start = self._number((one.start, other.start))

    @property
    def sets(self) -> Iterator[CharSet]:
        yield from self._one.sets
        yield from self._other.sets

    def part(self, sets: dict[CharSet, int], classes: Sequence[CharClass]) -> None:
        self._one.part(sets, classes)
        self._other.part(sets, classes)

    def row(self, state: int) -> list[int]:
        found = self._rows.get(state)
        if found is None:
            one, other = self._pairs[state]
            both = list(zip(self._one.row(one), self._other.row(other), strict=True))
            self._work.spend(2 * len(both))
            found = self._rows[state] = [self._number(pair) for pair in both]
        return found

    def _number(self, pair: tuple[int, int]) -> int:
        if DEAD in pair:
            return DEAD
        number = self._numbers.get(pair)
        if number is None:
            number = self._numbers[pair] = len(self._pairs)
            self._pairs.append(pair)
            self.ends.append(self._one.ends[pair[0]] and self._other.ends[pair[1]])
        return number
