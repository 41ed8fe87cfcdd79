"""Report a crash of skillstudio: one sentence, and a report in a file."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
import traceback
from collections.abc import Sequence

from skillstudio import __version__
from skillstudio.text.safe import safe_text

_LONGEST = 2_000
"""Characters of one line of the traceback; the error itself may quote a value of any length."""
_SHORTEST_SECRET = 4


def report_crash(
    error: BaseException, folder: str, arguments: Sequence[str] = (), advice: str = ""
) -> str:
    """Write a report without any values of the command line; return a sentence that names it."""
    secrets = _values(arguments)
    what = safe_text(_without(f"{type(error).__name__}: {error}", secrets)[:200])
    try:
        where = f"The report is in {_write(error, folder, arguments, secrets)}"
    except (OSError, MemoryError) as trouble:
        reason = getattr(trouble, "strerror", None) or type(trouble).__name__
        where = f"No report could be written to {folder}: {reason}"
    return " ".join(filter(None, (f"skillstudio failed and had to stop ({what}).", advice, where)))


def _write(
    error: BaseException, folder: str, arguments: Sequence[str], secrets: Sequence[str]
) -> str:
    """Write a report that only this user can read, and return its path."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{time.strftime('%Y-%m-%d-%H%M%S')}-{os.getpid()}.txt")
    textual = getattr(sys.modules.get("textual"), "__version__", "not loaded")
    lines = [
        f"skillstudio {__version__}, textual {textual}",
        f"Python {platform.python_version()} on {platform.platform()}",
        f"TERM={os.environ.get('TERM', '')} COLORTERM={os.environ.get('COLORTERM', '')}",
        f"Command line: {' '.join(shape(arguments))}",
        "",
        *_without("".join(traceback.format_exception(error)), secrets).splitlines(),
    ]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write("\n".join(line[:_LONGEST] for line in lines) + "\n")
    return path


def shape(arguments: Sequence[str]) -> list[str]:
    """A command line without its values: the verb, the options and existing paths."""
    parts = []
    for number, argument in enumerate(arguments):
        name, equals, _ = argument.partition("=")
        if number == 0 or (argument.startswith("-") and not equals and len(argument) < 40):
            parts.append(safe_text(argument[:100]))
        elif argument.startswith("--") and equals:
            parts.append(f"{safe_text(name[:40])}=…")
        elif len(argument) < 1_000 and os.path.lexists(argument):
            parts.append(safe_text(argument))
        else:
            parts.append(f"<{len(argument)} characters>")
    return parts


def _values(arguments: Sequence[str]) -> list[str]:
    """The values to omit from the report, including those of named environment variables."""
    values = set()
    for argument, part in zip(arguments, shape(arguments), strict=True):
        if part == safe_text(argument):
            continue
        values.add(argument)
        # `--env=NAME=VALUE` has its value after the second sign.
        for value in (argument.partition("=")[2], argument.rpartition("=")[2]):
            values.add(value)
            if value.startswith("env:"):
                values.add(os.environ.get(value.removeprefix("env:"), ""))
        values.update(re.findall(r'"((?:[^"\\]|\\.)*)"', argument[:100_000]))
    return sorted(
        (secret for secret in values if len(secret) >= _SHORTEST_SECRET), key=len, reverse=True
    )


def _without(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        for form in (secret, repr(secret)[1:-1]):
            text = text.replace(form, "…")
    return text
