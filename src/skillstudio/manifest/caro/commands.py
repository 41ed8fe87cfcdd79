"""The commands of a recipe, and which of them skill.toml does not allow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.values import dig, mappings, sequence
from skillstudio.manifest.whole import is_whole
from skillstudio.text.shell import programs

_COMMANDS = (
    ("preconditions", "script"),
    ("steps", "command"),
    ("verification", "check"),
    ("rollback", "command"),
)


def recipe_commands(recipe: Any) -> Iterator[tuple[str, str]]:
    """Every command of a recipe with its JSON Pointer."""
    for list_name, key in _COMMANDS:
        for where, step in mappings(recipe, list_name):
            if isinstance(step.get(key), str):
                yield f"{where}/{key}", step[key]


def terminal_exec(manifest: Manifest) -> dict[str, Any] | None:
    """The permission of a skill.toml to run commands; None if it is certain to be absent."""
    permission = dig(manifest.document.value, "capabilities", "terminal_exec")
    if permission is None and is_whole(manifest.document, "/capabilities"):
        return None
    return permission if isinstance(permission, dict) else {}


def refusals(command: str, terminal: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Why `terminal_exec` of skill.toml does not allow a command: rule and message."""
    not_allowed = "recipe-command-not-allowed"
    if not command.strip():
        return
    if terminal is None:
        yield (
            not_allowed,
            "skill.toml does not request terminal_exec, so no command may run; add "
            "[capabilities.terminal_exec] with the commands that the skill needs",
        )
        return
    if terminal.get("allowed") is False:
        yield not_allowed, "skill.toml says terminal_exec.allowed = false, so no command may run"
        return
    allowed_programs = {
        program for program in sequence(terminal, "commands") if isinstance(program, str)
    }
    blocked_programs = {
        program for program in sequence(terminal, "blocked") if isinstance(program, str)
    }
    if not allowed_programs and not blocked_programs:
        return
    for program in dict.fromkeys(programs(command)):
        if program is None:
            if allowed_programs:
                yield not_allowed, "the program is only known at run time; name it directly"
        elif program in blocked_programs or program.rpartition("/")[2] in blocked_programs:
            yield "recipe-command-blocked", f"{program} is in terminal_exec.blocked of skill.toml"
        elif allowed_programs and program not in allowed_programs:
            yield not_allowed, f"{program} is not in terminal_exec.commands of skill.toml"
