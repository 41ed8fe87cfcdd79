"""Which programs a recipe starts, for whom a change of what the skill may start breaks it."""

from __future__ import annotations

from skillstudio.manifest.caro.commands import programs as programs_of
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.values import sequence, text

_COMMANDS = (
    ("preconditions", "script"),
    ("steps", "command"),
    ("verification", "check"),
    ("rollback", "command"),
)


def programs(part: Manifest) -> frozenset[str]:
    """The programs that the commands of a recipe run."""
    found: set[str] = set()
    for where, key in _COMMANDS:
        for step in sequence(part.document.value, where):
            command = text(step, key)
            if command is not None:
                found |= {program for program in programs_of(command) if program is not None}
    return frozenset(found)
