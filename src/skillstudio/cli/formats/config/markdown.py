"""`config keys --format markdown`: the table of the documentation."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.output import UsageError
from skillstudio.session.commands.commands import COMMANDS
from skillstudio.session.commands.keymap import Keymap


def lines(keymap: Keymap | None) -> Iterator[str]:
    """A row for each command. Raises UsageError for themes."""
    if keymap is None:
        raise UsageError("config themes has no format markdown")
    yield "| command | keys | what | on the command line |"
    yield "|---|---|---|---|"
    for command in COMMANDS:
        keys = ", ".join(f"`{key}`" for key in keymap.keys[command.id])
        twin = f"`{command.twin}`" if command.twin else ""
        yield f"| `{command.id}` | {keys} | {command.help} | {twin} |"
