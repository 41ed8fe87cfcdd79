"""`skillstudio keys`: the workbench's commands, their keys, and their twins on the command line."""

from __future__ import annotations

import os

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Parser, print_json, say
from skillstudio.session.commands.commands import COMMANDS
from skillstudio.session.commands.keymap import Keymap, all_shown, default_keymap, read_keymap
from skillstudio.session.drafts import config_folder
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source, decode

FILE = "keymap.yaml"


def parser() -> Parser:
    made = Parser("keys", "List the workbench's commands and keys, and check the keymap file.")
    made.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    made.add_argument("--keymap", metavar="FILE", help="instead of the user's keymap file")
    return made


def run(arguments: list[str]) -> int:
    """Print the table; exit status 1 when the keymap file has problems."""
    options = parser().parse_args(arguments)
    keymap = _keymap(options.keymap)
    for problem in keymap.problems:
        say(f"{safe_text(keymap.path)}:{problem.line}:{problem.column}: {problem.message}")
    if options.format == "json":
        print_json(
            {
                "commands": [
                    {
                        "id": command.id,
                        "title": command.title,
                        "category": command.category,
                        "help": command.help,
                        "keys": list(keymap.keys[command.id]),
                        "context": command.context,
                        "twin": command.twin,
                    }
                    for command in COMMANDS
                ]
            }
        )
    elif options.format == "markdown":
        print("| command | keys | what | on the command line |\n|---|---|---|---|")
        for command in COMMANDS:
            keys = ", ".join(f"`{key}`" for key in keymap.keys[command.id])
            twin = f"`{command.twin}`" if command.twin else ""
            print(f"| `{command.id}` | {keys} | {command.help} | {twin} |")
    else:
        _print(keymap)
    return PROBLEMS if keymap.problems else OK


def _print(keymap: Keymap) -> None:
    width = max(len(command.id) for command in COMMANDS)
    keys = {command.id: all_shown(keymap.keys[command.id]) for command in COMMANDS}
    wide = max(map(len, keys.values()))
    for command in COMMANDS:
        print(f"{command.id:<{width}}  {keys[command.id]:<{wide}}  {command.help}")


def _keymap(file: str | None) -> Keymap:
    path = file or os.path.join(config_folder(), FILE)
    if file is None and not os.path.isfile(path):
        return default_keymap()
    with open(path, "rb") as stream:
        text, _ = decode(stream.read())
    return read_keymap(Source(text, path))
