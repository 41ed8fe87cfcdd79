"""Check the parameters and commands of operations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from skillstudio.files.paths import judge_path
from skillstudio.files.tree import FileTree
from skillstudio.manifest.finding import at_key, at_value, default_on_required
from skillstudio.manifest.placeholders import SINGLE, Placeholder, placeholders_at
from skillstudio.manifest.values import has_type, mapping, members, pointer, text
from skillstudio.manifest.whole import is_whole
from skillstudio.text.command_line import ParsedCommand, read_command, script_path
from skillstudio.text.diagnostic import CreateFile, Diagnostic, Fix, Set, Splice
from skillstudio.text.node import Document, Mapping, resolve

BUILT_IN = "skill_dir"  # The placeholder for the skill's folder in every operation.

_PATH_WORDS = {
    "path-absolute": "is absolute; write it relative to the skill's folder",
    "path-outside": "leaves the skill's folder",
    "path-link-outside": "goes through a symbolic link that points outside the skill",
    "path-missing": "does not exist in the skill",
}
_FIRST_LINES = {"sh": "#!/usr/bin/env bash\n", "py": "#!/usr/bin/env python3\n"}


def check_parameters(document: Document, name: str) -> Iterator[Diagnostic]:
    """Problems of the defaults of an operation's parameters."""
    for where, _, parameter in members(document.value, "operations", name, "input"):
        if not isinstance(parameter, dict) or parameter.get("default") is None:
            continue
        default, kind = parameter["default"], parameter.get("type")
        at = f"{where}/default"
        if parameter.get("required") is True:
            yield default_on_required(
                document, at, Fix("Make the parameter optional", (Set(f"{where}/required", False),))
            )
        if isinstance(kind, str) and not has_type(default, kind):
            article = "an" if kind[0] in "aeiou" else "a"
            message = f"the default of {article} {kind} parameter must be {article} {kind}"
            yield at_value(document, at, "default-type", message, _conversion(at, default, kind))


def check_commands(
    document: Document, tree: FileTree, where: str, entrypoints: dict[str, Any]
) -> Iterator[Diagnostic]:
    """Problems of one operation's commands at the JSON Pointer `where`: scripts and platforms."""
    procedure = text(entrypoints, "agent") or ""
    if "/" in procedure and not any(mark in procedure for mark in " \n{<"):
        yield from _file(document, tree, f"{where}/agent", procedure)
    for key, argv, command in _commands(entrypoints):
        if argv and isinstance(argv[0], str) and not argv[0].strip():
            message = "name the program to run"
            yield at_value(document, f"{where}/{key}/0", "value-length", message)
        if command.file is not None:
            at = f"{where}/{key}/{command.file}"
            yield from _file(document, tree, at, argv[command.file], key == "windows")
    only_unix = "unix" in entrypoints and "windows" not in entrypoints
    if only_unix and not _is_incomplete(document, where):
        message = "no `windows` command, so this operation runs only on Linux and macOS"
        yield at_key(document, f"{where}/unix", "entrypoint-windows-missing", message)


def check_placeholders(
    document: Document, where: str, entrypoints: dict[str, Any], parameters: dict[str, Any] | None
) -> Iterator[Diagnostic]:
    """Problems of placeholders; `parameters` is None for a format without declarations."""
    for key, argv, command in _commands(entrypoints):
        for index, argument in enumerate(argv):
            if isinstance(argument, str) and "{" in argument:
                at = f"{where}/{key}/{index}"
                for placeholder in placeholders_at(document, at, SINGLE):
                    yield from _placeholder(document, at, index, placeholder, command, parameters)


def unstartable(
    document: Document,
    tree: FileTree,
    where: str,
    entrypoints: dict[str, Any],
    parameters: dict[str, Any] | None,
) -> dict[str, str]:
    """The commands of an operation that cannot be started: platform to the reason."""
    reasons: dict[str, str] = {}
    for platform, argv in entrypoints.items():
        is_list = (
            isinstance(argv, list) and argv and all(isinstance(argument, str) for argument in argv)
        )
        if not is_list and not (platform == "agent" and isinstance(argv, str)):
            reasons[platform] = "it is not a list of arguments"
    for diagnostic in (
        *check_commands(document, tree, where, entrypoints),
        *check_placeholders(document, where, entrypoints, parameters),
    ):
        if diagnostic.rule in _UNSTARTABLE:
            platform = diagnostic.pointer.removeprefix(f"{where}/").partition("/")[0]
            reasons.setdefault(platform, diagnostic.message)
    return reasons


_UNSTARTABLE = frozenset(
    (
        *("path-absolute", "path-outside", "path-link-outside", "path-missing", "value-length"),
        *("placeholder-in-program", "placeholder-in-script"),
    )
)
"""Rules whose problem stops a command whatever the inputs are."""


def check_unused(document: Document, name: str) -> Iterator[Diagnostic]:
    """Required parameters that no command of an operation uses; agents read theirs directly."""
    operation = mapping(document.value, "operations", name)
    entrypoints = mapping(operation, "entrypoints")
    commands = [argv for argv in entrypoints.values() if isinstance(argv, list) and argv]
    above = pointer("operations", name)
    if (
        not commands
        or isinstance(entrypoints.get("agent"), str)
        or _is_incomplete(document, above)
        or _is_incomplete(document, f"{above}/entrypoints")
    ):
        return
    used = "\n".join(item for argv in commands for item in argv if isinstance(item, str))
    for where, parameter, about in members(document.value, "operations", name, "input"):
        is_required = isinstance(about, dict) and about.get("required") is True
        if is_required and f"{{{parameter}}}" not in used:
            message = f"required parameter {parameter} is not used by any command"
            yield at_key(document, where, "parameter-unused", message)


def _commands(entrypoints: dict[str, Any]) -> Iterator[tuple[str, list[Any], ParsedCommand]]:
    """The commands by platform, with their arguments."""
    for key in ("unix", "windows", "agent"):
        argv = entrypoints.get(key)
        if isinstance(argv, list):
            texts = [item if isinstance(item, str) else "" for item in argv]
            yield key, argv, read_command(texts, windows=key == "windows")


def _placeholder(
    document: Document,
    at: str,
    index: int,
    placeholder: Placeholder,
    command: ParsedCommand,
    parameters: dict[str, Any] | None,
) -> Iterator[Diagnostic]:
    name = placeholder.name
    is_declared = parameters is not None and name in parameters
    is_shell_variable = document.source.text[placeholder.start - 1] == "$"
    if not is_declared and (name == BUILT_IN or is_shell_variable):
        return
    in_script = index in command.scripts
    if parameters is not None and not is_declared:
        if not is_whole(document, at.rsplit("/entrypoints/", 1)[0] + "/input"):
            return
        yield Diagnostic(
            "placeholder-unknown",
            f"{placeholder.text} is not a parameter of this operation",
            placeholder.span,
            at,
            _nearest(placeholder, parameters),
            # Braces around a word also have a meaning in script languages.
            "warning" if in_script else None,
        )
    elif index in command.programs:
        message = f"{placeholder.text} lets a caller choose which program runs; name the program"
        yield Diagnostic("placeholder-in-program", message, placeholder.span, at)
    elif in_script:
        message = (
            f"{placeholder.text} becomes part of a script's text, so its value could run anything; "
            "pass it as an argument of its own"
        )
        yield Diagnostic("placeholder-in-script", message, placeholder.span, at)
    elif parameters is not None and _is_optional_without_default(parameters[name]):
        message = (
            f"{name} is optional and has no default, so calls that omit it pass an empty argument"
        )
        yield Diagnostic("placeholder-no-default", message, placeholder.span, at)


def _is_optional_without_default(parameter: Any) -> bool:
    return (
        isinstance(parameter, dict)
        and parameter.get("required", False) is False
        and parameter.get("default") is None
    )


def _nearest(placeholder: Placeholder, parameters: dict[str, Any]) -> tuple[Fix, ...]:
    from skillstudio.text.nearest import nearest

    near = nearest(placeholder.name, list(parameters))
    if near is None or not near.isidentifier():
        return ()
    return (
        Fix(
            f"Change it to {{{near}}}", (Splice(placeholder.start, placeholder.end, f"{{{near}}}"),)
        ),
    )


def _file(
    document: Document,
    tree: FileTree,
    at: str,
    argument: Any,
    windows: bool = False,
) -> Iterator[Diagnostic]:
    path = script_path(argument) if isinstance(argument, str) else None
    if path is None:
        return
    verdict = judge_path(tree, path, windows)
    fixes: tuple[Fix, ...] = ()
    if verdict.problem is not None:
        rule, words = verdict.problem, _PATH_WORDS.get(verdict.problem, "cannot be used")
        fixes = _creation(verdict.path) if rule == "path-missing" else ()
    elif tree.kind(tree.resolve(verdict.path) or "") != "file":
        rule, words = "path-missing", "is not a regular file"
    else:
        return
    yield at_value(document, at, rule, f"the file {path} {words}", fixes)


def _creation(path: str) -> tuple[Fix, ...]:
    if not path:
        return ()
    first = _FIRST_LINES.get(path.rpartition(".")[2], "")
    return (Fix(f"Create {path}", (CreateFile(path, first),)),)


def _conversion(at: str, default: Any, kind: str) -> tuple[Fix, ...]:
    """The same default in the required type, if it can be converted."""
    value: Any = None
    if kind == "string" and isinstance(default, bool | int | float):
        value = str(default).lower() if isinstance(default, bool) else str(default)
    elif isinstance(default, str):
        default_text = default.strip()
        if kind == "boolean" and default_text in ("true", "false"):
            value = default_text == "true"
        elif kind in ("integer", "number") and len(default_text) < 16:
            value = int(default_text) if default_text.lstrip("-").isdecimal() else None
    if value is None:
        return ()
    return (Fix(f"Write it as {json.dumps(value)}", (Set(at, value),)),)


def _is_incomplete(document: Document, at: str) -> bool:
    """Whether a mapping may contain more than was readable."""
    node = resolve(document.at(at))
    return isinstance(node, Mapping) and node.incomplete
