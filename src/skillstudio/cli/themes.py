"""`skillstudio themes`: the workbench's themes and what is wrong with their files."""

from __future__ import annotations

import os

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Parser, print_json, say
from skillstudio.resources import folder
from skillstudio.session.drafts import config_folder
from skillstudio.session.themes import read_themes
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    made = Parser("themes", "List the themes: those that come along, and the user's own.")
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Print the themes; exit status 1 when a theme file has faults."""
    options = parser().parse_args(arguments)
    own = os.path.join(config_folder(), "themes")
    themes, faults = read_themes([folder("themes"), own])
    for fault in faults:
        say(safe_text(str(fault)))
    if options.format == "json":
        values = [
            {"name": each.name, "title": each.title, "dark": each.dark, "path": each.path}
            for each in themes.values()
        ]
        print_json({"themes": values, "folder": own})
    else:
        width = max((len(name) for name in themes), default=0)
        for each in themes.values():
            kind = "terminal" if each.terminal else "dark" if each.dark else "light"
            print(f"{safe_text(each.name):<{width}}  {kind:<8}  {safe_text(each.title)}")
        print(f"your own: {safe_text(own)}")
    return PROBLEMS if faults else OK
