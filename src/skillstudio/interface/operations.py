"""Differences of the operations of a skill and of their entrypoints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set

from skillstudio.interface.difference import (
    Difference,
    below,
    changed_fields,
    compare_values,
    moved_names,
    one_sided,
)
from skillstudio.interface.inputs import compare_inputs
from skillstudio.interface.model import ABSENT, AGENT, Entrypoint, Operation, token
from skillstudio.interface.outputs import compare_outputs
from skillstudio.interface.renames import successors
from skillstudio.interface.terms import compare_terms
from skillstudio.interface.wording import display_value

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.\-]*)\}")


def compare_operations(
    olds: tuple[Operation, ...], news: tuple[Operation, ...], strict: bool, sensitive: bool
) -> Iterator[Difference]:
    """Differences of the operations; `sensitive`: all values of the skill are sensitive."""
    before = {old.name: old for old in olds}
    after = {new.name: new for new in news}
    removed_operations = {name: old for name, old in before.items() if name not in after}
    come = {name: new for name, new in after.items() if name not in before}
    names = successors(removed_operations, come) if removed_operations and come else {}
    pairs = [
        (old, after[names.get(name, name)])
        for name, old in before.items()
        if names.get(name, name) in after
    ]
    for old, new in pairs:
        if old is not new:
            yield from _compare(old, new, strict, sensitive)
    yield from _contracts(pairs)
    effects = [
        {effect for operation in side for effect in operation.effects} for side in (olds, news)
    ]
    for name, old in removed_operations.items():
        if name not in names:
            yield from _one_sided(old, "removed", effects[1])
    new_names = set(names.values())
    for name, new in come.items():
        if name not in new_names:
            yield from _one_sided(new, "added", effects[0])


def _one_sided(operation: Operation, action: str, other_effects: Set[str]) -> Iterator[Difference]:
    """An operation of one side, with the effects that no operation of the other side has."""
    name = operation.name
    yield one_sided(
        "operation", "operation", action, operation.pointer or "/operations", name, name
    )._replace(operation=name)
    if action == "added":
        for difference in _destruction(Operation(name), operation, "added"):
            pointer = operation.pointer + difference.pointer
            yield difference._replace(operation=name, pointer=pointer)
    only = tuple(effect for effect in operation.effects if effect not in other_effects)
    yield from compare_effects(operation, *(((), only) if action == "added" else (only, ())))


def compare_effects(
    operation: Operation, olds: Iterable[str], news: Iterable[str]
) -> Iterator[Difference]:
    """Differences of the effects of one operation."""
    for difference in moved_names("effect", "effect", f"{operation.pointer}/effects", olds, news):
        yield difference._replace(operation=operation.name)


def _contracts(pairs: Iterable[tuple[Operation, Operation]]) -> Iterator[Difference]:
    """One difference for all operations whose inputs and outputs only one side declares."""
    pairs = list(pairs)
    for action, is_declared in (("added", True), ("removed", False)):
        names = sorted(
            new.name
            for old, new in pairs
            if new.declared is is_declared and old.declared is not is_declared
        )
        if names:
            detail = ", ".join(display_value(name) for name in names)
            yield one_sided("operation", "contract", action, "/operations", "", names, detail)


def _compare(old: Operation, new: Operation, strict: bool, sensitive: bool) -> Iterator[Difference]:
    differences = _differences(*_comparable(old, new), strict, sensitive)
    for difference in below(new.pointer, old.pointer, differences):
        yield difference._replace(operation=new.name)


def _comparable(old: Operation, new: Operation) -> tuple[Operation, Operation]:
    """Two operations, reduced to what both declare; inputs of a call are known without that."""
    if old.declared == new.declared:
        return old, new
    if new.declared:
        return _as_declared(old, new), _without_defaults(new, old)
    return _without_defaults(old, new), _as_declared(new, old)


def _as_declared(bare: Operation, full: Operation) -> Operation:
    """The undeclared operation, completed with the declarations of the other."""
    declared_inputs = {input_.name: input_ for input_ in _without_defaults(full, bare).inputs}
    return full._replace(
        name=bare.name,
        inputs=tuple(
            declared_inputs.get(input_.name, input_)._replace(required=input_.required)
            for input_ in bare.inputs
        ),
        stdout=bare.stdout,
        entrypoints=bare.entrypoints,
        effects=bare.effects,
    )


def _without_defaults(full: Operation, bare: Operation) -> Operation:
    bare_names = {input_.name for input_ in bare.inputs}
    return full._replace(
        inputs=tuple(
            input_._replace(default=ABSENT) if input_.name in bare_names else input_
            for input_ in full.inputs
        )
    )


def _differences(
    old: Operation, new: Operation, strict: bool, sensitive: bool
) -> Iterator[Difference]:
    """Differences of two operations, with pointers from the operation."""
    yield from compare_values("operation", "name", "", new.name, old.name, new.name)
    yield from changed_fields("operation", "", new.name, old, new, "description")
    names, findings = compare_inputs(old.inputs, new.inputs, strict, sensitive)
    yield from findings
    yield from compare_outputs(old, new, sensitive)
    yield from _entrypoints(old, new, names)
    yield from _destruction(old, new, "on")
    yield from _destruction(new, old, "off")
    yield from moved_names("effect", "effect", "/effects", old.effects, new.effects)
    yield from compare_terms(old.terms, new.terms, "/terms", strict, sensitive)


def _destruction(old: Operation, new: Operation, action: str) -> Iterator[Difference]:
    """The destructive calls that only the second operation has."""
    if old.commands == new.commands:
        return
    # Reading commands needs parsers, which most comparisons do without.
    from skillstudio.interface.commands import destroys

    known_calls = {call for command in old.commands.values() for call in destroys(command)}
    for at, command in new.commands.items():
        new_calls = {
            call: why for call, why in destroys(command).items() if call not in known_calls
        }
        known_calls.update(new_calls)
        for call, why in new_calls.items():
            # Of `rm` and `rm -r`, only the one that destroys more is reported.
            if not any(other.startswith(f"{call} ") for other in new_calls):
                place = (f"{at}/{token(call)}", new.name)
                difference = Difference("operation", "destructive", action, *place, detail=why)
                yield (
                    difference._replace(old=call)
                    if action == "off"
                    else difference._replace(new=call)
                )


def _entrypoints(old: Operation, new: Operation, names: Mapping[str, str]) -> Iterator[Difference]:
    before = {entrypoint.platform: entrypoint for entrypoint in old.entrypoints}
    after = {entrypoint.platform: entrypoint for entrypoint in new.entrypoints}
    for platform in {**before, **after}:
        at = f"/entrypoints/{token(platform)}"
        was, is_now = before.get(platform), after.get(platform)
        if was is None or is_now is None:
            action = "removed" if is_now is None else "added"
            argv = list((was or after[platform]).argv)
            yield one_sided("entrypoint", "platform", action, at, platform, argv)
            continue
        if bool(was.refused) != bool(is_now.refused):
            action = "off" if is_now.refused else "on"
            difference = Difference("entrypoint", "start", action, at, platform)
            yield difference._replace(detail=is_now.refused or was.refused)
        if was.argv != is_now.argv:
            yield from _commands(was, is_now, (old, new), names, at)


def _commands(
    old: Entrypoint,
    new: Entrypoint,
    operations: tuple[Operation, Operation],
    names: Mapping[str, str],
    at: str,
) -> Iterator[Difference]:
    """Differences of a command, without inputs that were added or removed."""
    earlier = {names.get(input_.name, input_.name) for input_ in operations[0].inputs}
    later = {input_.name for input_ in operations[1].inputs}
    before = [
        _PLACEHOLDER.sub(lambda match: f"{{{names.get(match[1], match[1])}}}", part)
        for part in old.argv
    ]
    after = list(new.argv)
    used, uses = _placeholders(before), _placeholders(after)
    lost_names = [name for name in used if name not in uses and name in earlier | later]
    gained_names = [name for name in uses if name not in used and name in earlier | later]
    argvs = (list(old.argv), after)
    earlier_names = {later: earlier for earlier, later in names.items()}
    for action, changed_names in (("removed", lost_names), ("added", gained_names)):
        for name in changed_names:
            if name in earlier & later:
                place = (f"{at}/{token(name)}", new.platform)
                was_at = f"{at}/{token(earlier_names.get(name, name))}"
                difference = Difference(
                    "entrypoint", "placeholder", action, *place, *argvs, display_value(name)
                )
                yield difference._replace(old_pointer=was_at)
    runs = new.platform != AGENT and bool(before) and bool(after)
    if runs and before[0] != after[0]:
        yield from compare_values("entrypoint", "program", at, new.platform, before[0], after[0])
        before, after = before[1:], after[1:]
    elif runs and _is_other_subcommand(before, after):
        yield Difference("entrypoint", "subcommand", "changed", at, new.platform, *argvs)
        return
    apart = {*lost_names, *gained_names}
    if _without(before, apart) != _without(after, apart):
        yield Difference("entrypoint", "argv", "changed", at, new.platform, *argvs)


def _is_other_subcommand(old: list[str], new: list[str]) -> bool:
    from skillstudio.interface.commands import command_action

    return command_action(old, new) != "changed"


def _placeholders(argv: list[str]) -> list[str]:
    return list(dict.fromkeys(name for part in argv for name in _PLACEHOLDER.findall(part)))


def _without(argv: list[str], names: set[str]) -> list[str]:
    return [part for part in argv if names.isdisjoint(_PLACEHOLDER.findall(part))]
