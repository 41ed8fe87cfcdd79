"""Find the click commands of a module from the decorators of its functions."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Any

from skillstudio.text.scripts.model import NOTHING, ScriptCommand, ScriptOption, first_sentence
from skillstudio.text.scripts.python_names import Names, is_open, keywords

_SILENT = ("version_option", "help_option", "pass_context", "pass_obj")


@dataclass
class _Made:
    """A function that is a command or a group of commands."""

    function: str
    name: str
    group: str | None  # The function of its parent group; None for the program itself.
    is_group: bool
    about: str
    options: list[ScriptOption] = field(default_factory=list)
    certain: bool = True


def click_commands(tree: ast.Module, names: Names) -> list[ScriptCommand]:
    """The commands of a module; those of groups with their full names."""
    made: dict[str, _Made] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found = _command(node, names, made)
            if found is not None:
                made[node.name] = found
    commands = []
    for each in made.values():
        if not each.is_group:
            above = made.get(each.group or "")
            # A single command has the script's name; one of a group also its own.
            name = _path(each, made) if above is not None else ""
            before = above.options if above is not None and above is not each else []
            options = (*before, *each.options)
            commands.append(ScriptCommand(name, each.about, options, each.certain, len(before)))
    if sum(not each.name for each in commands) > 1:
        # With several programs in one file, the one that runs is unknown.
        return [replace(commands[0], certain=False, before=0)]
    return commands


def _path(made: _Made, all: dict[str, _Made]) -> str:
    names: list[str] = []
    seen: set[str] = set()
    at: _Made | None = made
    while at is not None and at.group is not None and at.function not in seen:
        seen.add(at.function)
        names.insert(0, at.name)
        at = all.get(at.group)
    return " ".join(names)


def _command(node: ast.FunctionDef, names: Names, known: dict[str, _Made]) -> _Made | None:
    made: _Made | None = None
    calls = [
        each if isinstance(each, ast.Call) else ast.Call(each, [], [])
        for each in node.decorator_list
    ]
    for call in calls:
        owner, _, method = names.resolve(call.func).rpartition(".")
        if method not in ("command", "group") or (owner != "click" and owner not in known):
            continue
        given = keywords(call)
        first = call.args[0] if call.args else None
        written = names.text(first) or names.text(given.get("name"))
        about = names.text(given.get("help")) or names.text(given.get("short_help"))
        made = _Made(
            node.name,
            written or node.name.lower().replace("_", "-"),
            None if owner == "click" else owner,
            method == "group",
            first_sentence(about or ast.get_docstring(node) or ""),
        )
    if made is not None:
        for call in calls:
            _decorate(made, call, names)
    return made


def _decorate(made: _Made, call: ast.Call, names: Names) -> None:
    owner, _, method = names.resolve(call.func).rpartition(".")
    if method in ("command", "group") or (owner == "click" and method in _SILENT):
        return
    if owner != "click" or method not in ("option", "argument"):
        made.certain = False
        return
    words = [names.value(each) for each in call.args]
    texts = [each for each in words if isinstance(each, str)]
    if not texts or is_open(call) or len(texts) < len(words):
        made.certain = False
    if texts:
        make = _option if method == "option" else _argument
        made.options.append(make(texts, keywords(call), names))


def _option(words: list[str], given: dict[str, ast.expr], names: Names) -> ScriptOption:
    pairs = [word for word in words if word.startswith("-")]
    # `--shout/--no-shout` switches on and off; the first one gives the name.
    flags = [pair.partition("/")[0].strip() for pair in pairs]
    named = next((word for word in words if word.isidentifier()), "")
    # With several flags the first long one names the value.
    longest = max(flags, key=lambda each: each[:2] == "--", default="")
    default = names.value(given.get("default"))
    switch = (
        names.value(given.get("is_flag")) is True
        or names.value(given.get("count")) is True
        or any("/" in pair for pair in pairs)
        or (isinstance(default, bool) and "type" not in given)
    )
    return ScriptOption(
        name=(named or longest.lstrip("-")).replace("-", "_").lower(),
        flags=tuple(flags),
        type="boolean" if switch else names.type(given.get("type"), default),
        required=names.value(given.get("required")) is True
        or ("prompt" in given and "default" not in given),
        default=_default(default),
        help=names.text(given.get("help")),
        choices=_choices(given.get("type"), names),
        switch=switch,
        off=next((pair.partition("/")[2].strip() for pair in pairs if "/" in pair), ""),
        exactly=_exactly(given, names),
        repeats=names.value(given.get("multiple")) is True,
        many=names.value(given.get("multiple")) is True or _several(given, names),
    )


def _argument(words: list[str], given: dict[str, ast.expr], names: Names) -> ScriptOption:
    default = names.value(given.get("default"))
    required = names.value(given.get("required"))
    many = _several(given, names)
    return ScriptOption(
        name=words[0].lower().replace("-", "_"),
        type=names.type(given.get("type"), default),
        required=required is not False and "default" not in given and not (
            many and names.value(given.get("nargs")) == -1 and required is not True
        ),
        default=_default(default),
        choices=_choices(given.get("type"), names),
        many=many,
        exactly=_exactly(given, names),
    )  # fmt: skip


def _exactly(given: dict[str, ast.expr], names: Names) -> int:
    """The fixed number of values of an argument, 0 if it is 1 or not fixed."""
    count = names.value(given.get("nargs"))
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 1 else 0


def _several(given: dict[str, ast.expr], names: Names) -> bool:
    count = names.value(given.get("nargs"))
    return isinstance(count, int) and not isinstance(count, bool) and count != 1


def _default(value: Any) -> Any:
    return NOTHING if value is None or isinstance(value, (list, tuple)) else value


def _choices(node: ast.expr | None, names: Names) -> tuple[str, ...]:
    if isinstance(node, ast.Call) and names.resolve(node.func) == "click.Choice" and node.args:
        found = names.value(node.args[0])
        return tuple(map(str, found)) if isinstance(found, (list, tuple)) else ()
    return ()
