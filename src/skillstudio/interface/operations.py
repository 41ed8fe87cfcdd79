"""What changed about the operations of a skill, and how each is started."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from skillstudio.interface.finding import Finding
from skillstudio.interface.inputs import compare_inputs
from skillstudio.interface.model import Entrypoint, Operation, token
from skillstudio.interface.outputs import compare_outputs
from skillstudio.interface.renames import renamed
from skillstudio.interface.statements import canonical
from skillstudio.interface.terms import compare_terms

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.\-]*)\}")
_AGENT = "agent"
"""The entrypoint that is a procedure and starts no program."""


def compare_operations(
    olds: tuple[Operation, ...], news: tuple[Operation, ...], strict: bool, sensitive: bool
) -> Iterator[Finding]:
    """Every difference of the operations; `sensitive` says that every value of the skill is."""
    before = {each.name: each for each in olds}
    after = {each.name: each for each in news}
    gone = {name: each for name, each in before.items() if name not in after}
    come = {name: each for name, each in after.items() if name not in before}
    names = renamed(_signatures(gone), _signatures(come)) if gone and come else {}
    for name, old in before.items():
        new = after.get(names.get(name, name))
        if new is None:
            yield Finding(
                "operation", "operation", "removed", _at(name), _called(name), name, operation=name
            )
        elif old is not new or name in names:
            for found in _compare(old, new, strict, sensitive):
                yield found._replace(operation=new.name)
    for name in come:
        if name not in names.values():
            yield Finding(
                "operation",
                "operation",
                "added",
                _at(name),
                _called(name),
                new=name,
                operation=name,
            )


def _at(name: str) -> str:
    return f"/operations/{token(name)}" if name else "/operations"


def _called(name: str) -> str:
    return name or "of the skill itself"


def _signatures(operations: Mapping[str, Operation]) -> dict[str, str]:
    """What an operation takes and gives; with neither, what it is said to do."""
    return {
        name: canonical(
            [
                sorted(
                    (given.name, given.required, canonical(given.schema)) for given in each.inputs
                ),
                sorted(output.pattern for output in each.outputs),
                sorted((given.name, given.text) for given in each.fields),
                "" if each.inputs and (each.fields or each.outputs) else each.description,
            ]
        )
        for name, each in operations.items()
        if name
    }


def _compare(old: Operation, new: Operation, strict: bool, sensitive: bool) -> Iterator[Finding]:
    if old.name != new.name:
        at, was_at = _at(new.name), _at(old.name)
        yield Finding(
            "operation", "name", "changed", at, new.name, old.name, new.name, old_pointer=was_at
        )
    if old.description != new.description:
        said = (old.description, new.description)
        at = f"{new.pointer}/description"
        yield Finding("operation", "description", "changed", at, _called(new.name), *said)
    above = (old.pointer, new.pointer)
    names, findings = compare_inputs(old.inputs, new.inputs, above, strict, sensitive)
    yield from findings
    yield from compare_outputs(old, new, sensitive)
    yield from _entrypoints(old, new, names)
    yield from _effects(old, new)
    yield from compare_terms(old.terms, new.terms, f"{new.pointer}/terms", strict, sensitive)


def _effects(old: Operation, new: Operation) -> Iterator[Finding]:
    before, after = dict.fromkeys(old.effects), dict.fromkeys(new.effects)
    for effect in before:
        if effect not in after:
            at = f"{new.pointer}/effects/{token(effect)}"
            yield Finding("effect", "effect", "removed", at, effect, effect)
    for effect in after:
        if effect not in before:
            at = f"{new.pointer}/effects/{token(effect)}"
            yield Finding("effect", "effect", "added", at, effect, new=effect)


def _entrypoints(old: Operation, new: Operation, names: Mapping[str, str]) -> Iterator[Finding]:
    before = {each.platform: each for each in old.entrypoints}
    after = {each.platform: each for each in new.entrypoints}
    for platform, was in before.items():
        at = f"{new.pointer}/entrypoints/{token(platform)}"
        if platform not in after:
            argv = list(was.argv)
            yield Finding("entrypoint", "platform", "removed", at, platform, argv)
        elif was.argv != after[platform].argv:
            yield from _commands(was, after[platform], new, names, at)
    for platform, entry in after.items():
        if platform not in before:
            at = f"{new.pointer}/entrypoints/{token(platform)}"
            yield Finding("entrypoint", "platform", "added", at, platform, new=list(entry.argv))


def _commands(
    old: Entrypoint, new: Entrypoint, operation: Operation, names: Mapping[str, str], at: str
) -> Iterator[Finding]:
    inputs = {each.name for each in operation.inputs}
    before = [_renamed(part, names) for part in old.argv]
    after = list(new.argv)
    used, uses = _placeholders(before), _placeholders(after)
    lost = [name for name in used if name not in uses and name in inputs]
    gained = [name for name in uses if name not in used and name in inputs]
    sides = (list(old.argv), after)
    for name in lost:
        where = f"{at}/{token(name)}"
        yield Finding("entrypoint", "placeholder", "removed", where, new.platform, *sides, name)
    for name in gained:
        where = f"{at}/{token(name)}"
        yield Finding("entrypoint", "placeholder", "added", where, new.platform, *sides, name)
    runs = new.platform != _AGENT and bool(before) and bool(after)
    if runs and before[0] != after[0]:
        yield Finding("entrypoint", "program", "changed", at, new.platform, before[0], after[0])
        before, after = before[1:], after[1:]
    moved = {*lost, *gained}
    if _without(before, moved) != _without(after, moved):
        yield Finding("entrypoint", "argv", "changed", at, new.platform, *sides)


def _renamed(part: str, names: Mapping[str, str]) -> str:
    """An argument with the inputs called as they are now."""
    if not names:
        return part
    return _PLACEHOLDER.sub(lambda found: f"{{{names.get(found[1], found[1])}}}", part)


def _placeholders(argv: list[str]) -> list[str]:
    return list(dict.fromkeys(name for part in argv for name in _PLACEHOLDER.findall(part)))


def _without(argv: list[str], names: set[str]) -> list[str]:
    """The arguments that speak of none of some inputs."""
    return [part for part in argv if names.isdisjoint(_PLACEHOLDER.findall(part))]
