"""`skillstudio screenshots`: the workbench's screens as SVG files."""

from __future__ import annotations

import os

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.open import draw_screens
from skillstudio.cli.output import Parser
from skillstudio.resources import folder
from skillstudio.text.safe import safe_text

_NAME = "screenshots"


def parser() -> Parser:
    made = Parser(_NAME, "Draw the workbench's screens as SVG files. No terminal is needed.")
    made.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="where to write them; by default screenshots/ of this checkout, or else here",
    )
    return made


def run(arguments: list[str]) -> int:
    """Draw each picture in the place of the one before, and print where it is."""
    output = parser().parse_args(arguments).output or _default()
    for name, svg in draw_screens():
        path = os.path.join(output, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(svg)
        print(safe_text(path), flush=True)
    return OK


def _default() -> str:
    try:
        return os.path.relpath(folder(_NAME))
    except FileNotFoundError:
        return _NAME
