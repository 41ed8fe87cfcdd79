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


def find_renames(
    removed_elements: Mapping[str, Hashable], come: Mapping[str, Hashable]
) -> dict[str, str]:
    """Match removed with added names of equal elements: single ones, else those closest."""
    olds, news = _by_kind(removed_elements), _by_kind(come)
    renames: dict[str, str] = {}
    budget = MOST_LETTERS
    for kind, names in olds.items():
        new_names = news.get(kind, [])
        if len(names) == 1 and len(new_names) == 1:
            renames[names[0]] = new_names[0]
        elif new_names and max(len(names), len(new_names)) <= MOST:
            names = [name for name in names if len(name) <= _LONGEST]
            new_names = [name for name in new_names if len(name) <= _LONGEST]
            letters = sum(map(len, names)) * sum(map(len, new_names))
            if letters <= budget:
                budget -= letters
                renames.update(_nearest(names, new_names))
    return renames


def _by_kind(things: Mapping[str, Hashable]) -> dict[Hashable, list[str]]:
    names_by_kind: dict[Hashable, list[str]] = {}
    for name, kind in things.items():
        names_by_kind.setdefault(kind, []).append(name)
    return names_by_kind


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


def successors(
    removed_operations: Mapping[str, Operation], come: Mapping[str, Operation]
) -> dict[str, str]:
    """Old name to new name of the renamed operations, which are never the unnamed one.

    Three clues, strongest first: names that are equal except for a prefix, with the inputs of one
    among those of the other; the same command; the same inputs and outputs.
    """
    olds = {name: operation for name, operation in removed_operations.items() if name}
    news = {name: operation for name, operation in come.items() if name}
    renames: dict[str, str] = {}
    for clue in (_by_name, _by_command, partial(_alike, key=_contract)):
        if not olds or not news:
            break
        for old, new in clue(olds, news).items():
            renames[old] = new
            del olds[old], news[new]
    return renames


def _by_name(olds: Mapping[str, Operation], news: Mapping[str, Operation]) -> dict[str, str]:
    """Names that differ only in a prefix or in spelling, if the match is unique."""
    befores, afters = _by_last_word(olds), _by_last_word(news)
    table = [
        (old, new)
        for word, some in befores.items()
        if max(len(some), len(afters.get(word, {}))) <= MOST
        for old, words in some.items()
        for new, other_words in afters.get(word, {}).items()
        if _ends_alike(words, other_words) and _take_alike(olds[old], news[new])
    ]
    lefts, rights = (Counter(pair[side] for pair in table) for side in (0, 1))
    return {old: new for old, new in table if lefts[old] == rights[new] == 1}


def _by_last_word(names: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Last word to the names that end in it, each with all its words."""
    names_by_word: dict[str, dict[str, list[str]]] = {}
    for name in names:
        words = _words(name)
        if words:
            names_by_word.setdefault(words[-1], {})[name] = words
    return names_by_word


def _words(name: str) -> list[str]:
    """The parts of a name, normalized for case and separators."""
    return [_JOINT.sub("-", part.lower()) for part in _BORDER.split(name) if part]


def _ends_alike(words: list[str], other: list[str]) -> bool:
    length = min(len(words), len(other))
    return words[-length:] == other[-length:]


def _take_alike(first: Operation, other: Operation) -> bool:
    names = [
        {operation_input.name for operation_input in operation.inputs}
        for operation in (first, other)
    ]
    return names[0] <= names[1] or names[1] <= names[0]


def _by_command(olds: Mapping[str, Operation], news: Mapping[str, Operation]) -> dict[str, str]:
    """The operations with the same command on some platform."""
    renames: dict[str, str] = {}
    for platform in sorted(
        {entrypoint.platform for operation in olds.values() for entrypoint in operation.entrypoints}
    ):
        new_names = set(renames.values())
        rest = {name: operation for name, operation in olds.items() if name not in renames}
        new_operations = {
            name: operation for name, operation in news.items() if name not in new_names
        }

        def command(operation: Operation, platform: str = platform) -> Hashable:
            return next(
                (
                    entrypoint.argv
                    for entrypoint in operation.entrypoints
                    if entrypoint.platform == platform
                ),
                None,
            )

        renames.update(_alike(rest, new_operations, command))
    return renames


def _contract(operation: Operation) -> Hashable:
    """The declared inputs and outputs; None if they identify nothing."""
    gives = bool(operation.fields or operation.outputs)
    if not operation.declared or not ((operation.inputs and gives) or operation.description):
        return None
    inputs = operation.inputs
    return canonical(
        [
            sorted(
                (operation_input.name, operation_input.required, canonical(operation_input.schema))
                for operation_input in inputs
            ),
            sorted(output.pattern for output in operation.outputs),
            sorted((field.name, field.text) for field in operation.fields),
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
        {
            name: operation_key
            for name, operation in side.items()
            if (operation_key := key(operation)) is not None
        }
        for side in (olds, news)
    ]
    return find_renames(*keys)
