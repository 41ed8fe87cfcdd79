"""The options of a plain skill's scripts as operations, to compare two versions of them.

Only what surely breaks or extends a call is compared: whether a script exists, and whether an
option exists, is required, is a switch, and which values it accepts. Where a script, or one of its
versions, cannot be read, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Input, Interface, Operation, Place
from skillstudio.skill.programs import NoProgram, program_at, program_paths
from skillstudio.text.scripts.model import Script, ScriptCommand, ScriptOption
from skillstudio.text.scripts.reading import LARGEST

_FOLDERS = ("scripts", "bin")  # The programs directly in them are for people to run.
_MOST = 50  # Scripts of which both versions are read.


def with_script_options(
    old: Interface, new: Interface, trees: tuple[FileTree, FileTree]
) -> tuple[Interface, Interface]:
    """The interfaces of two plain skills with an operation for each command of a changed script.

    A skill that declares operations promises these, so it stays as it is.
    """
    if any(side.declared or side.operations for side in (old, new)):
        return old, new
    before: list[Operation] = []
    after: list[Operation] = []
    for path in _find_changed_scripts(trees):
        versions = [_commands(tree, path) for tree in trees]
        if versions == [None, None] or any(commands == {} for commands in versions):
            continue
        olds, news = (commands or {} for commands in versions)
        for name in {**olds, **news}:
            was, is_now = olds.get(name), news.get(name)
            is_certain = all(side is None or side.certain for side in (was, is_now))
            flags = {_name(option) for option in was.options} if was is not None else set()
            for side, command in ((before, was), (after, is_now)):
                if command is not None:
                    inputs = tuple(_inputs(command, flags)) if is_certain else ()
                    side.append(Operation(f"{path} {name}".strip(), inputs=inputs))
    if not before and not after:
        return old, new
    return _extend_interface(old, before), _extend_interface(new, after)


def _extend_interface(side: Interface, operations: list[Operation]) -> Interface:
    places = {
        operation.pointer: Place(operation.name.partition(" ")[0], 1, 1) for operation in operations
    }
    return side._replace(
        declared=True, operations=tuple(operations), places={**side.places, **places}
    )


def _find_changed_scripts(trees: tuple[FileTree, FileTree]) -> Iterator[str]:
    """The scripts for people that differ."""
    texts = [_read(tree, "SKILL.md") or b"" for tree in trees]
    paths = dict.fromkeys(path for tree in trees for path in program_paths(tree))
    number = 0
    for path in paths:
        folder, _, file = path.rpartition("/")
        name = file.encode("utf-8", "surrogatepass")
        is_for_people = folder in _FOLDERS or any(name in text for text in texts)
        if is_for_people and _read(trees[0], path) != _read(trees[1], path):
            yield path
            number += 1
            if number == _MOST:
                return


def _read(tree: FileTree, path: str) -> bytes | None:
    try:
        return tree.read(path, LARGEST + 1) if tree.kind(path) == "file" else None
    except OSError:
        return None


def _commands(tree: FileTree, path: str) -> dict[str, ScriptCommand] | None:
    """The commands of a script by name; None if it does not exist, none if it cannot be read."""
    if tree.kind(path) is None:
        return None
    script: Script | None
    try:
        script = program_at(tree, path)
    except (NoProgram, OSError):
        return {}
    if script is None:
        return {}
    commands = script.commands or (ScriptCommand(certain=False),)
    return {command.name: command for command in commands}


def _name(option: ScriptOption) -> str:
    return f"{option.flag} VALUE" if option.flags and not option.switch else option.flag


def _inputs(command: ScriptCommand, known_names: set[str]) -> Iterator[Input]:
    """The arguments by their place, and the options by their flag: by an old one, if it has it."""
    for number, option in enumerate(command.places, 1):
        yield _input(f"argument {number}", option, command)
    option_inputs = []
    for option in command.options:
        if option.flags:
            value = "" if option.switch else " VALUE"
            old = (flag + value for flag in option.flags if flag + value in known_names)
            option_inputs.append(_input(next(old, _name(option)), option, command))
    # The order of options does not matter.
    yield from sorted(option_inputs, key=lambda option_input: option_input.name)


def _input(name: str, option: ScriptOption, command: ScriptCommand) -> Input:
    return Input(name, _schema(option), option.required and not command.by_hand)


def _schema(option: ScriptOption) -> dict[str, Any]:
    """The schema of one value. A text accepts what a number accepts, as all are words."""
    if option.switch:
        return {"type": "boolean"}
    if option.choices:
        return {"enum": list(option.choices)}
    return {} if option.type == "string" else {"type": option.type}
