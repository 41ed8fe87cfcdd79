"""Check that commands match the options of their scripts, which are read and not run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from skillstudio.files.paths import judge_path
from skillstudio.files.tree import FileTree
from skillstudio.manifest.finding import at_value
from skillstudio.text.command_line import read_command, script_path
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Document
from skillstudio.text.scripts.model import NotRead, Script, ScriptCommand, ScriptOption

RULE = "command-options-differ"


def check_options(
    document: Document, tree: FileTree, where: str, entrypoints: dict[str, Any]
) -> Iterator[Diagnostic]:
    """Compare the commands of one operation at the JSON Pointer `where` with their scripts."""
    for key in ("unix", "windows"):
        argv = entrypoints.get(key)
        if not isinstance(argv, list) or not all(isinstance(argument, str) for argument in argv):
            continue
        command = read_command(argv, windows=key == "windows")
        if command.file is None:
            continue
        script = _script(tree, argv[command.file], key == "windows")
        if script is None:
            continue
        first = command.file + 1
        for index, problem in _differences(script, argv[first:]):
            at = f"{where}/{key}" if index is None else f"{where}/{key}/{first + index}"
            name = argv[command.file].replace("\\", "/").rpartition("/")[2]
            yield at_value(document, at, RULE, f"{name} {problem}")


def _script(tree: FileTree, argument: str, windows: bool) -> Script | None:
    """The script that an argument names; None if it is not readable."""
    from skillstudio.text.scripts.reading import LARGEST, read_script

    path = script_path(argument)
    verdict = judge_path(tree, path, windows) if path else None
    if verdict is None or verdict.problem or tree.kind(verdict.path) != "file":
        return None
    try:
        return read_script(verdict.path, tree.read(verdict.path, LARGEST + 1))
    except (OSError, NotRead):
        return None


def _differences(script: Script, words: Sequence[str]) -> Iterator[tuple[int | None, str]]:
    """Problems of a call, each with the index of the word at fault."""
    subcommands = [command for command in script.commands if command.name]
    if not subcommands:
        for command in script.commands[:1]:
            if command.certain:
                yield from _compare(_Call(command, script.language == "powershell"), words)
        return
    for command in subcommands:
        at = _position(command, words)
        if at is not None:
            if command.certain:
                length = len(command.name.split())
                problems = _compare(_Call(command, False), [*words[:at], *words[at + length :]])
                yield from (
                    (index if index is None or index < at else index + length, problem)
                    for index, problem in problems
                )
            return
    plain = [word for word in words if not word.startswith("-")]
    if all(command.certain for command in subcommands) and not any("{" in word for word in plain):
        names = ", ".join(command.name for command in subcommands[:8])
        yield None, f"requires a subcommand: {names}"


def _position(command: ScriptCommand, words: Sequence[str]) -> int | None:
    name = command.name.split()
    starts = range(len(words) - len(name) + 1)
    return next((at for at in starts if list(words[at : at + len(name)]) == name), None)


class _Call(NamedTuple):
    """A command, and whether its flags are PowerShell's: case-insensitive and abbreviated."""

    command: ScriptCommand
    powershell: bool

    def read(self, word: str) -> tuple[list[ScriptOption], bool] | None:
        """The options of a word, or None, and whether the next word is the last one's value."""
        flag, equals, _ = word.partition("=")
        flags = {flag: option for option in self.command.options for flag in option.flags}
        if self.powershell:
            cut = {flag.lower(): option for flag, option in flags.items()}
            near = {
                id(option): option for flag, option in cut.items() if flag.startswith(word.lower())
            }
            option = cut.get(word.lower()) or _only(near)
        else:
            option = flags.get(flag)
            if option is None and word.startswith("--"):
                # argparse accepts an unambiguous prefix of a long flag.
                option = _only(
                    {
                        id(candidate): candidate
                        for full, candidate in flags.items()
                        if full.startswith(flag)
                    }
                )
        if option is not None:
            return [option], not (option.switch or equals)
        return None if self.powershell or word.startswith("--") else _letters(word, flags)


def _letters(word: str, flags: dict[str, ScriptOption]) -> tuple[list[ScriptOption], bool] | None:
    """Letters after one hyphen: `-vo FILE` and `-voFILE`."""
    options: list[ScriptOption] = []
    for at, letter in enumerate(word[1:], 2):
        option = flags.get(f"-{letter}")
        if option is None:
            return None
        options.append(option)
        if not option.switch:
            return options, at == len(word)
    return options, False


def _only(options: dict[int, ScriptOption]) -> ScriptOption | None:
    return next(iter(options.values())) if len(options) == 1 else None


def _compare(call: _Call, words: Sequence[str]) -> Iterator[tuple[int | None, str]]:
    passed_options: list[ScriptOption] = []
    places: list[int] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            places += range(at, len(words))
            break
        if len(word) < 2 or word[0] != "-" or word[1].isdigit() or word[1] == "{":
            places.append(at - 1)
            continue
        read = call.read(word)
        if read is None:
            if word not in ("-h", "--help", "--version"):
                yield at - 1, f"has no option {word.partition('=')[0]}"
            return
        options, takes_next = read
        passed_options += options
        at += takes_next
        if options[-1].many and not options[-1].switch:
            # The number of its values is unknown.
            return
    if call.powershell:
        yield from _missing_of_powershell(call.command, passed_options, places)
    else:
        yield from _missing(call.command, passed_options, places)


def _missing(
    command: ScriptCommand, passed_options: list[ScriptOption], places: list[int]
) -> Iterator[tuple[int | None, str]]:
    for option in command.options:
        if option.flags and option.required and option not in passed_options:
            yield None, f"requires {option.flag}, which this command does not pass"
    arguments = command.places
    least = sum(argument.required for argument in arguments)
    many = any(argument.many for argument in arguments)
    exact = least == len(arguments) and not many
    if len(places) < least:
        yield None, _describe_count(least, len(places), "" if exact else "at least ")
    elif len(places) > len(arguments) and not many:
        word = "" if exact else "at most "
        yield places[len(arguments)], _describe_count(len(arguments), len(places), word)


def _missing_of_powershell(
    command: ScriptCommand, passed_options: list[ScriptOption], places: list[int]
) -> Iterator[tuple[int | None, str]]:
    """In PowerShell, parameters may also be positional, in the order of their declaration."""
    free_options = [
        option for option in command.options if option not in passed_options and not option.switch
    ]
    missing_options = [option for option in free_options[len(places) :] if option.required]
    for option in missing_options:
        yield None, f"requires {option.flag}, which this command does not pass"
    if len(places) > len(free_options) and not any(option.many for option in free_options):
        yield places[len(free_options)], _describe_count(len(free_options), len(places))


def _describe_count(expected_count: int, actual_count: int, about: str = "") -> str:
    arguments = "argument" if expected_count == 1 else "arguments"
    expectation = (
        f"{about}{expected_count} positional {arguments}"
        if expected_count
        else "no positional arguments"
    )
    return f"takes {expectation}, but this command passes {actual_count or 'none'}"
