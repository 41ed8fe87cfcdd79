"""Which programs a recipe starts, for whom a change of what the skill may start breaks it."""

from __future__ import annotations

from skillstudio.manifest.caro.commands import recipe_commands
from skillstudio.manifest.dialect import Manifest
from skillstudio.text.shell import programs as programs_of


def programs(part: Manifest) -> frozenset[str]:
    """The programs that the commands of a recipe run."""
    program_names: set[str] = set()
    for _, command in recipe_commands(part.document.value):
        program_names |= {program for program in programs_of(command) if program is not None}
    return frozenset(program_names)
