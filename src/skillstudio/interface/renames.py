"""Find renames: elements removed under one name and added under another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial

from skillstudio.interface.model import Operation
from skillstudio.interface.statements import canonical
from skillstudio.text.nearest import edit_distance

MOST = 24  # Maximum number of equal elements that are matched by name.
MOST_LETTERS = 1_000_000  # Maximum number of characters compared in all, which takes half a second.
_LONGEST = 64  # Longer names are not compared.
_BORDER = re.compile(r"[./:]+")
_JOINT = re.compile(r"[-_\s]+")


def renamed(gone: Mapping[str, Hashable], come: Mapping[str, Hashable]) -> dict[str, str]:
    """Match removed with added names of equal elements: single ones, else those closest."""
    olds, news = _by_kind(gone), _by_kind(come)
    found: dict[str, str] = {}
    left = MOST_LETTERS
    for kind, names in olds.items():
        others = news.get(kind, [])
        if len(names) == 1 and len(others) == 1:
            found[names[0]] = others[0]
        elif others and max(len(names), len(others)) <= MOST:
            names = [name for name in names if len(name) <= _LONGEST]
            others = [name for name in others if len(name) <= _LONGEST]
            letters = sum(map(len, names)) * sum(map(len, others))
            if letters <= left:
                left -= letters
                found.update(_nearest(names, others))
    return found


def _by_kind(things: Mapping[str, Hashable]) -> dict[Hashable, list[str]]:
    found: dict[Hashable, list[str]] = {}
    for name, kind in things.items():
        found.setdefault(kind, []).append(name)
    return found


def _nearest(olds: list[str], news: list[str]) -> dict[str, str]:
    """The pairs of names that are each other's only nearest and at least half alike."""
    table = {(old, new): edit_distance(old.lower(), new.lower()) for old in olds for new in news}
    rows: dict[str, list[int]] = {}
    columns: dict[str, list[int]] = {}
    for (old, new), distance in table.items():
        rows.setdefault(old, []).append(distance)
        columns.setdefault(new, []).append(distance)
    return {
        old: new
        for (old, new), distance in table.items()
        if distance * 2 <= max(len(old), len(new))
        and _is_alone(distance, rows[old])
        and _is_alone(distance, columns[new])
    }


def _is_alone(distance: int, among: list[int]) -> bool:
    """Whether one distance is less than all others."""
    return distance == min(among) and among.count(distance) == 1


def successors(gone: Mapping[str, Operation], come: Mapping[str, Operation]) -> dict[str, str]:
    """Old name to new name of the renamed operations, which are never the unnamed one.

    Three clues, strongest first: names that are equal except for a prefix, with the inputs of one
    among those of the other; the same command; the same inputs and outputs.
    """
    olds = {name: operation for name, operation in gone.items() if name}
    news = {name: operation for name, operation in come.items() if name}
    found: dict[str, str] = {}
    for clue in (_by_name, _by_command, partial(_alike, key=_contract)):
        if not olds or not news:
            break
        for old, new in clue(olds, news).items():
            found[old] = new
            del olds[old], news[new]
    return found


def _by_name(olds: Mapping[str, Operation], news: Mapping[str, Operation]) -> dict[str, str]:
    """Names that differ only in a prefix or in spelling, if the match is unique."""
    befores, afters = _by_last_word(olds), _by_last_word(news)
    table = [
        (old, new)
        for word, some in befores.items()
        if max(len(some), len(afters.get(word, {}))) <= MOST
        for old, words in some.items()
        for new, others in afters.get(word, {}).items()
        if _ends_alike(words, others) and _take_alike(olds[old], news[new])
    ]
    lefts, rights = (Counter(pair[side] for pair in table) for side in (0, 1))
    return {old: new for old, new in table if lefts[old] == rights[new] == 1}


def _by_last_word(names: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Last word to the names that end in it, each with all its words."""
    found: dict[str, dict[str, list[str]]] = {}
    for name in names:
        words = _words(name)
        if words:
            found.setdefault(words[-1], {})[name] = words
    return found


def _words(name: str) -> list[str]:
    """The parts of a name, normalized for case and separators."""
    return [_JOINT.sub("-", part.lower()) for part in _BORDER.split(name) if part]


def _ends_alike(one: list[str], other: list[str]) -> bool:
    length = min(len(one), len(other))
    return one[-length:] == other[-length:]


def _take_alike(one: Operation, other: Operation) -> bool:
    names = [{given.name for given in operation.inputs} for operation in (one, other)]
    return names[0] <= names[1] or names[1] <= names[0]


def _by_command(olds: Mapping[str, Operation], news: Mapping[str, Operation]) -> dict[str, str]:
    """The operations with the same command on some platform."""
    found: dict[str, str] = {}
    for platform in sorted(
        {entrypoint.platform for one in olds.values() for entrypoint in one.entrypoints}
    ):
        taken = set(found.values())
        rest = {name: operation for name, operation in olds.items() if name not in found}
        others = {name: operation for name, operation in news.items() if name not in taken}

        def command(operation: Operation, platform: str = platform) -> Hashable:
            return next((e.argv for e in operation.entrypoints if e.platform == platform), None)

        found.update(_alike(rest, others, command))
    return found


def _contract(operation: Operation) -> Hashable:
    """The declared inputs and outputs; None if they identify nothing."""
    gives = bool(operation.fields or operation.outputs)
    if not operation.declared or not ((operation.inputs and gives) or operation.description):
        return None
    inputs = operation.inputs
    return canonical(
        [
            sorted((given.name, given.required, canonical(given.schema)) for given in inputs),
            sorted(output.pattern for output in operation.outputs),
            sorted((given.name, given.text) for given in operation.fields),
            "" if inputs and gives else operation.description,
        ]
    )


def _alike(
    olds: Mapping[str, Operation],
    news: Mapping[str, Operation],
    key: Callable[[Operation], Hashable],
) -> dict[str, str]:
    """Renames of operations with equal keys that are not None."""
    keys = [
        {name: made for name, operation in side.items() if (made := key(operation)) is not None}
        for side in (olds, news)
    ]
    return renamed(*keys)
