"""A pattern as a nondeterministic automaton over sets of characters; states are indices."""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.schema.regex.charsets import CharSet
from skillstudio.schema.regex.nodes import Alternate, Assertion, Chars, Concat, Node, Repeat

MAX_STATES = 20_000


class PatternUnsupported(ValueError):
    """A valid pattern that the automata do not support; `construct` is the reason."""

    def __init__(self, construct: str) -> None:
        super().__init__(f"the pattern is not supported: {construct}")
        self.construct = construct


class Eat(NamedTuple):
    """Consume one character of the set."""

    chars: CharSet
    next: int


class Split(NamedTuple):
    """Continue at each of these without consuming a character."""

    targets: tuple[int, ...]


class Check(NamedTuple):
    """Continue if the assertion is true: `^`, `$`, `b` or `B`."""

    kind: str
    next: int


class Accept(NamedTuple):
    """The pattern has matched."""


State = Eat | Split | Check | Accept


class Automaton(NamedTuple):
    """`states[0]` accepts; `start` is the first state."""

    states: tuple[State, ...]
    start: int


def build(node: Node) -> Automaton:
    """The automaton of a pattern. Raises PatternUnsupported."""
    builder = _Builder()
    start = builder.add(node, 0)
    return Automaton(tuple(builder.states), start)


class _Builder:
    """Builds from the end: each part is made with the state that follows it."""

    def __init__(self) -> None:
        self.states: list[State] = [Accept()]

    def state(self, state: State) -> int:
        if len(self.states) >= MAX_STATES:
            raise PatternUnsupported(f"it needs more than {MAX_STATES} states")
        self.states.append(state)
        return len(self.states) - 1

    def add(self, node: Node, follow: int) -> int:
        """Add the states of a node that lead to `follow`; return the first of them."""
        if isinstance(node, Chars):
            return self.state(Eat(node.chars, follow))
        if isinstance(node, Concat):
            for part in reversed(node.parts):
                follow = self.add(part, follow)
            return follow
        if isinstance(node, Alternate):
            return self.state(Split(tuple(self.add(option, follow) for option in node.options)))
        if isinstance(node, Assertion):
            return self.state(Check(node.kind, follow))
        if isinstance(node, Repeat):
            return self.repeat(node, follow)
        raise PatternUnsupported(node.construct)

    def repeat(self, node: Repeat, follow: int) -> int:
        end = follow
        if node.high is None:
            loop = self.state(Split(()))
            body = self.add(node.body, loop)
            self.states[loop] = Split((body, end))
            follow = loop
        else:
            for _ in range(node.high - node.low):
                follow = self.state(Split((self.add(node.body, follow), end)))
        for _ in range(node.low):
            before = len(self.states)
            follow = self.add(node.body, follow)
            if len(self.states) == before:
                break
        return follow
