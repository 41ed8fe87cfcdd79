"""What every command prints with: results to stdout, everything else to stderr."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any, Literal, NoReturn, TextIO

from skillstudio.cli.exit_codes import USAGE
from skillstudio.text.safe import safe_text

Colour = Literal["error", "warning", "info", "place", "quiet", "good"]
COLOURS: dict[Colour, str] = {
    "error": "31",
    "warning": "33",
    "info": "36",
    "place": "1",
    "quiet": "2",
    "good": "32",
}


class UsageError(Exception):
    """A command that cannot be carried out as it was asked for; exit status 2."""

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message)
        self.usage = usage
        """The usage of the command, where its arguments are wrong."""


class CommandRefused(Exception):
    """A command that is not carried out for what its files hold; exit status 1."""


def _help_format(prog: str) -> argparse.HelpFormatter:
    # Without a width argparse asks shutil, whose import costs more than all arguments of a check.
    try:
        width = int(os.environ.get("COLUMNS", "")) or os.get_terminal_size().columns
    except (ValueError, OSError):
        width = 80
    return argparse.HelpFormatter(prog, width=width - 2)


class Parser(argparse.ArgumentParser):
    """Arguments of one verb; its errors are like all others."""

    def __init__(self, verb: str, about: str, **options: Any) -> None:
        super().__init__(
            prog=f"skillstudio {verb}", description=about, formatter_class=_help_format, **options
        )

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.format_usage().strip())


def fail(message: str, status: int = USAGE, in_json: bool = False, usage: str = "") -> int:
    """Print an error, also as the result where that is JSON, and return the exit status."""
    say(f"skillstudio: {safe_text(message, keep_newlines=True)}")
    if usage:
        say(safe_text(usage, keep_newlines=True))
    if in_json:
        print_json({"error": message})
    return status


def say(line: str) -> None:
    """One line for the person, beside the results."""
    print(line, file=sys.stderr)


_printed = 0


def values_printed() -> int:
    """How many results this process has printed as JSON."""
    return _printed


def print_json(value: Any) -> None:
    """One JSON value as the whole result."""
    global _printed
    # ASCII: whatever the terminal's encoding, and lone surrogates in names leave as escapes.
    # Indented for people only: it takes a program five times as long to write.
    indent = 2 if sys.stdout.isatty() else None
    try:
        text = json.dumps(value, indent=indent, allow_nan=False)
    except ValueError:
        # A manifest in YAML or TOML may hold numbers that JSON has no word for.
        from skillstudio.interface.plain import plain

        text = json.dumps(plain(value), indent=indent, allow_nan=False)
    _printed += 1
    sys.stdout.write(text)
    sys.stdout.write("\n")


def colours_wanted(stream: TextIO) -> bool:
    """Colours only on a terminal that has them, and never under NO_COLOR (no-color.org)."""
    return (
        not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
        and hasattr(stream, "isatty")
        and stream.isatty()
    )


class Paint:
    """Colours for words, or none."""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted

    def __call__(self, text: str, colour: Colour) -> str:
        return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if self.wanted else text
