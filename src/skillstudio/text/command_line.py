"""Determine which arguments of a command are scripts or program text, without running it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern

SKILL_DIR = "{skill_dir}"
"""The placeholder for the skill's own folder, which routers define without a parameter."""

_SCRIPT_SUFFIX = lazy_pattern(r"\.(?:bat|cmd)\Z", re.IGNORECASE)
_EXE = lazy_pattern(r"(?:.*[/\\])?([^/\\]*?)(?:\.exe)?\Z", re.IGNORECASE | re.DOTALL)
_VERSIONED_NAME = lazy_pattern(r"(python|pypy|ruby|perl|php|lua|node)w?[0-9.]*\Z")
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*=")
_SHELLS = frozenset(("sh", "bash", "dash", "ash", "zsh", "ksh", "fish"))

_CODE = {
    "sh": lazy_pattern(r"-[A-Za-z]*c[A-Za-z]*"),
    "python": lazy_pattern(r"-[bBdEhiIOPqRsSuvx]*c"),
    "node": lazy_pattern(r"-e|-p|-pe|--eval|--print"),
    "ruby": lazy_pattern(r"-[A-Za-z]*e"),
    "perl": lazy_pattern(r"-[A-Za-z0-9]*[eE]"),
    "php": lazy_pattern(r"-r|--run"),
    "lua": lazy_pattern(r"-e"),
    "rscript": lazy_pattern(r"-e"),
}
"""The option before program text."""
_VALUE_OPTIONS = {
    "sh": ("-o", "+o", "-O", "+O", "--rcfile", "--init-file"),
    "python": ("-W", "-X", "--check-hash-based-pycs"),
    "node": ("-r", "--require", "--import", "--loader"),
    "ruby": ("-I", "-r", "-C"),
    "php": ("-d", "-c"),
    "lua": ("-l",),
}
"""Options that have a value in the next argument."""
_POWERSHELL_VALUED = (
    *("executionpolicy", "ep", "inputformat", "if", "outputformat", "of", "windowstyle"),
    *("version", "psconsolefile", "configurationname", "configurationfile"),
    *("custompipename", "settingsfile", "workingdirectory", "wd"),
)


class ParsedCommand(NamedTuple):
    """What some arguments run, by their indices."""

    programs: tuple[int, ...]  # Arguments that determine which program runs.
    scripts: tuple[int, ...]  # Arguments that an interpreter reads as program text.
    file: int | None  # The argument with a script file, which should be part of the skill.


def read_command(argv: Sequence[str], windows: bool = False) -> ParsedCommand:
    """Analyze `argv`. Unknown programs have no script."""
    at = _behind_env(argv)
    programs = (0,) if at == 0 else (0, at)
    if at >= len(argv):
        return ParsedCommand((0,) if argv else (), (), None)
    name = _name(argv[at])
    after = tuple(range(at + 1, len(argv)))
    if name in ("powershell", "pwsh"):
        return ParsedCommand(programs, *_powershell(argv, at + 1, name == "pwsh"))
    if name == "cmd":
        return ParsedCommand(programs, *_cmd(argv, at + 1))
    if name in _CODE:
        return ParsedCommand(programs, *_interpreter(argv, at + 1, name))
    file = at if _is_relative(argv[at], windows) else None
    # Windows passes a batch file's arguments to cmd, which interprets them.
    return ParsedCommand(programs, after if _SCRIPT_SUFFIX.search(argv[at]) else (), file)


def script_path(argument: str) -> str | None:
    """The path in the skill that an argument names; None if it is only known at run time."""
    if argument.startswith((SKILL_DIR + "/", SKILL_DIR + "\\")):
        argument = argument[len(SKILL_DIR) + 1 :]
    return None if "{" in argument or "://" in argument or "$" in argument else argument


def _name(program: str) -> str:
    """The family of a program: `python` for `/usr/bin/python3.12`, `sh` for every shell."""
    exe_match = _EXE.match(program)
    name = (exe_match[1] if exe_match else program).lower()
    if name in _SHELLS:
        return "sh"
    version_match = _VERSIONED_NAME.match(name)
    if version_match:
        return "python" if version_match[1] == "pypy" else version_match[1]
    return {"py": "python", "nodejs": "node"}.get(name, name)


def _behind_env(argv: Sequence[str]) -> int:
    """The index of the program after `env` and its assignments."""
    if not argv or _name(argv[0]) != "env":
        return 0
    at = 1
    while at < len(argv) and (argv[at].startswith("-") or _ASSIGNMENT.match(argv[at])):
        at += 2 if argv[at] in ("-u", "--unset", "-C", "--chdir") else 1
    return at


def _interpreter(argv: Sequence[str], at: int, name: str) -> tuple[tuple[int, ...], int | None]:
    value_options = _VALUE_OPTIONS.get(name, ())
    code = False
    while at < len(argv) and argv[at].startswith(("-", "+")) and argv[at] != "-":
        option = argv[at]
        at += 1
        if option == "--":
            break
        if name == "python" and option == "-m":
            return (), None
        if _CODE[name].fullmatch(option):
            code = True
            if name != "sh":
                break
        elif _carries_code(name, option):
            return (at - 1,), None
        elif option in value_options:
            at += 1
    if at >= len(argv):
        return (), None
    if code:
        return (at,), None
    return (), None if argv[at] == "-" else at


def _carries_code(name: str, option: str) -> bool:
    """Whether the option itself contains program text: `-cprint(1)`, `--eval=1`."""
    if name == "python":
        match = _CODE[name].match(option)
        return match is not None and not option.startswith("--")
    return name == "node" and option.startswith(("--eval=", "--print="))


def _powershell(argv: Sequence[str], at: int, is_core: bool) -> tuple[tuple[int, ...], int | None]:
    while at < len(argv) and argv[at][:1] in ("-", "/") and len(argv[at]) > 1:
        option = argv[at][1:].lower()
        at += 1
        if "command".startswith(option) or option in ("commandwithargs", "cwa"):
            return tuple(range(at, len(argv))), None
        if "file".startswith(option):
            return (), at if at < len(argv) else None
        if "encodedcommand".startswith(option) or option == "ec":
            return (), None
        if any(value_option.startswith(option) for value_option in _POWERSHELL_VALUED):
            at += 1
    if at >= len(argv):
        return (), None
    file = at if argv[at].lower().endswith(".ps1") else None
    # Without -File or -Command, Windows PowerShell reads the rest as a command, pwsh as a file.
    return ((), at) if is_core else (tuple(range(at, len(argv))), file)


def _cmd(argv: Sequence[str], at: int) -> tuple[tuple[int, ...], int | None]:
    while at < len(argv) and argv[at].lower() not in ("/c", "/k", "/r"):
        at += 1
    at += 1
    if at >= len(argv):
        return (), None
    is_file = " " not in argv[at] and (
        _SCRIPT_SUFFIX.search(argv[at]) is not None or _is_relative(argv[at], windows=True)
    )
    return tuple(range(at, len(argv))), at if is_file else None


def _is_relative(program: str, windows: bool) -> bool:
    """Whether a program is a file of the skill rather than on the search path."""
    if program.startswith((SKILL_DIR + "/", SKILL_DIR + "\\")):
        return True
    if program.startswith(("/", "\\", "~", "{", "$")) or program[1:2] == ":":
        return False
    return "/" in program or (windows and "\\" in program)
