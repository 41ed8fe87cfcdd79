"""Print results to standard output and everything else to standard error."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO

from skillstudio.cli.exit_codes import OK, PROBLEMS, REQUIREMENT_MISSING, USAGE
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.cli.annotations import AnnotationLog
    from skillstudio.present.lines import Part

Colour = Literal["error", "warning", "info", "place", "quiet", "good"]
COLOURS: dict[Colour, str] = {
    "error": "31",
    "warning": "33",
    "info": "36",
    "place": "1",
    "quiet": "2",
    "good": "32",
}


MOST_REASONS = 100  # Lines of an error; a broken manifest may have 50,000 faults.


class CommandRefused(Exception):
    """A command that is not run; the message names the problem and the fix."""

    status = PROBLEMS


class UsageError(CommandRefused):
    """A command line that is wrong, or an input that cannot be read."""

    status = USAGE


class PackageMissing(CommandRefused):
    """A package of an extra that is not installed."""

    status = REQUIREMENT_MISSING


@contextmanager
def refuse_on(
    *errors: type[Exception],
    kind: type[CommandRefused] = UsageError,
    of: str = "",
    advice: str = "",
) -> Iterator[None]:
    """Refuse the command where one of these errors is raised.

    The message is that of the error, after what it is about (`of`) and before the `advice`.
    """
    try:
        yield
    except errors as error:
        message = f"{of}: {error}" if of else str(error)
        raise kind(f"{message}; {advice}" if advice else message) from None


class Result(NamedTuple):
    """The result of a command, for every output format."""

    json: Callable[[], Any]
    text: Callable[["Paint"], Iterable[str]]  # Lines that are safe for a terminal.
    status: int = OK
    parts: "Callable[[], Iterable[Part]] | None" = None
    """The styled lines and tables of a comment in Markdown."""
    annotations: "Callable[[int], AnnotationLog] | None" = None
    """The problems for the formats of CI systems, at most so many of a rule."""
    has_version: bool = True  # Whether its JSON has the version of ours; not that of a schema.


class Paint:
    """Colours for words, or none."""

    def __init__(self, has_colours: bool) -> None:
        self.has_colours = has_colours

    def __call__(self, text: str, colour: Colour) -> str:
        return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if self.has_colours else text


def colours_wanted(stream: TextIO, choice: str) -> bool:
    """Whether to use colours, by the value of `--color`.

    `auto` follows NO_COLOR (no-color.org), then FORCE_COLOR and CLICOLOR_FORCE, then CLICOLOR
    (bixense.com/clicolors), and else uses colours on a terminal that has them.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if any(
        os.environ.get(variable, "0") not in ("", "0")
        for variable in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    if os.environ.get("CLICOLOR") == "0" or os.environ.get("TERM") == "dumb":
        return False
    return hasattr(stream, "isatty") and stream.isatty()


def fail(message: str, status: int = USAGE, in_json: bool = False, hint: str = "") -> int:
    """Print an error, as the result too if that is JSON, and return the exit status."""
    lines = message.split("\n")
    if len(lines) > MOST_REASONS:
        remainder = f"… {len(lines) - MOST_REASONS:,} more"
        message = "\n".join([*lines[:MOST_REASONS], remainder])
    warn(message)
    if hint:
        say(hint)
    if in_json:
        print_json({"error": message})
    return status


def say(*lines: str) -> None:
    """Print lines for people to standard error."""
    for line in lines:
        _print_error(safe_text(line))


def warn(line: str) -> None:
    """Print what prevents a command or a part of it."""
    _print_error(f"skillstudio: {safe_text(line, keep_newlines=True)}")


def _print_error(text: str) -> None:
    # Nobody reads it, or there is no space for it: the command goes on.
    with suppress(OSError):
        print(text, file=sys.stderr)


def ask_consent(question: str) -> bool:
    """Ask at the terminal; only `y` and `yes` agree."""
    print(f"{safe_text(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def print_json(value: Any) -> None:
    """Print one JSON value as the whole result."""
    # Indented for people only: it takes a program five times as long to write.
    sys.stdout.write(json_text(value, 2 if sys.stdout.isatty() else None) + "\n")


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON in ASCII, whatever the terminal's encoding; lone surrogates are escapes."""
    import json

    try:
        return json.dumps(value, indent=indent, allow_nan=False)
    except ValueError:
        # YAML and TOML have numbers that JSON does not have.
        from skillstudio.interface.plain import plain

        return json.dumps(plain(value), indent=indent, allow_nan=False)
