"""The scripts of a skill: how each is run, and its description."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from skillstudio.present.lines import Part, StyledLine, count
from skillstudio.skill.programs import SkillProgram
from skillstudio.text.safe import safe_text
from skillstudio.text.scripts.model import NOTHING, ScriptCommand, ScriptOption

_MOST = 200  # Characters of a synopsis.


def program_lines(
    skill_path: str, programs: Sequence[SkillProgram], heading: str
) -> Iterator[Part]:
    """Each script with the command line that runs it, and its description."""
    yield StyledLine(f"{heading} · {count(len(programs), 'script')}", "title")
    for program in programs:
        for command in program.commands:
            line = f"skillstudio run {shlex.quote(skill_path)} {shlex.quote(program.path)}"
            words = synopsis(command)
            yield StyledLine(safe_text(f"{line} -- {words}" if words else line))
            if names := input_names(command):
                yield StyledLine(safe_text(f"inputs for -i: {names}"), "quiet", 2)
            if command.reads_input:
                yield StyledLine("can read standard input: --stdin FILE", "quiet", 2)
            if command.about:
                yield StyledLine(safe_text(command.about), "quiet", 2)
        if program.script is None:
            if program.fault:
                yield StyledLine(safe_text(program.fault), "error", 2)
            else:
                yield StyledLine(
                    "its arguments are not known: its language is not read", "quiet", 2
                )
        elif not any(command.options and command.by_hand for command in program.commands):
            # That a script which reads its arguments itself may have others goes without saying.
            notes = program.script.notes
            yield from (StyledLine(safe_text(note), "quiet", 2) for note in notes)


def synopsis(command: ScriptCommand) -> str:
    """The arguments of a command in the notation of usage texts: `add [--tag TAG] TITLE`."""
    before = command.options[: command.before]
    after = [option for option in command.options[command.before :] if option.flags]
    places = [option for option in command.options[command.before :] if not option.flags]
    words = [
        *map(_word, before),
        *command.name.split(),
        *map(_word, command.leading_places),
        *map(_word, after),
        *map(_word, places[command.lead :]),
    ]
    text = " ".join(words)
    return text if len(text) <= _MOST else f"{text[:_MOST].rpartition(' ')[0]} …"


def input_names(command: ScriptCommand) -> str:
    """The names that `-i` takes, with the flag of each that has another name."""
    names = []
    for option in command.options:
        flag = option.flag.lstrip("-").replace("-", "_")
        names.append(option.name if flag in ("", option.name) else f"{option.name} ({option.flag})")
    text = ", ".join(names)
    return text if len(text) <= _MOST else f"{text[:_MOST].rpartition(' ')[0]} …"


def _word(option: ScriptOption) -> str:
    value = "|".join(option.choices) if 0 < len(option.choices) < 6 else option.name.upper()
    if not option.flags:
        text = value + ("..." if option.many else "")
    elif option.switch:
        text = option.flag
    else:
        text = f"{option.flag}{'=' if option.is_joined else ' '}{value}"
    return text if option.required else f"[{text}]"


def programs_value(programs: Sequence[SkillProgram]) -> list[dict[str, Any]]:
    """The JSON value of scripts with their commands and arguments."""
    return [
        {
            "path": program.path,
            "language": program.script.language if program.script is not None else "",
            "commands": [_command_value(program, command) for command in program.commands],
            "notes": list(program.script.notes) if program.script is not None else [],
        }
        for program in programs
    ]


def _command_value(program: SkillProgram, command: ScriptCommand) -> dict[str, Any]:
    return {
        "operation": f"{program.path} {command.name}".strip(),
        "usage": synopsis(command),
        "description": command.about,
        "complete": command.certain,
        "inputs": [
            {
                "name": option.name,
                "flags": list(option.flags),
                "type": option.type,
                "required": option.required,
                **({} if option.default is NOTHING else {"default": option.default}),
                "choices": list(option.choices),
                "description": option.help,
            }
            for option in command.options
        ],
    }
