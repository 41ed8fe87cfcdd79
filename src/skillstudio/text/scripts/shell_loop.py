"""Options that a shell script parses itself: `while … case "$1" in --name) …`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from skillstudio.text.scripts.model import NOTHING, ScriptOption

_CASE = re.compile(r"case\s+\"?\$\{?1\}?\"?\s+in\b")
_BRANCH = re.compile(r"\(?\s*(-[\w-]+(?:\s*\|\s*-[\w-]+)*)\s*\)\s*(.*)")
_VALUE = re.compile(r"([A-Za-z_]\w*)=[\"']?\$\{?2\b")
_TAKEN = re.compile(r"\$\{?2\b")
_HELP = frozenset({"-h", "--help"})
LONGEST_BRANCH = 2_000
"""Maximum length of a branch, in characters."""
MAX_OPTIONS = 100
"""Maximum number of options per script."""


def loop_at(lines: Sequence[str]) -> int | None:
    """The line at which a script starts to parse its arguments; None if it does not."""
    return next((at for at, line in enumerate(lines) if _CASE.search(line)), None)


def loop_options(
    lines: Sequence[str],
    before: Mapping[str, str],
    required: set[str],
    help_of: Callable[[str], str],
) -> list[ScriptOption]:
    """The options of the branches from the loop on.

    `before` are the variables set before the loop, `required` those that must not be empty.
    """
    found: list[ScriptOption] = []
    for flags, text in _branches(lines):
        if _HELP & set(flags) and not _TAKEN.search(text):
            continue
        assigned = _VALUE.search(text)
        valued = assigned is not None or bool(_TAKEN.search(text))
        variable = assigned[1] if assigned else ""
        longest = max(flags, key=len)
        default = before.get(variable) or NOTHING
        found.append(
            ScriptOption(
                name=variable.lower() or longest.lstrip("-").replace("-", "_"),
                flags=flags,
                type="string" if valued else "boolean",
                required=valued and default is NOTHING and variable in required,
                default=default if valued else NOTHING,
                help=next(filter(None, map(help_of, flags)), ""),
                switch=not valued,
            )
        )
    return found[:MAX_OPTIONS]


def _branches(lines: Sequence[str]) -> list[tuple[tuple[str, ...], str]]:
    """The flags of each branch with its text up to `;;`."""
    found: list[tuple[tuple[str, ...], str]] = []
    inside = False
    for line in lines:
        branch = _BRANCH.match(line)
        if branch:
            flags = tuple(re.split(r"\s*\|\s*", branch[1]))
            inside = any(each.strip("-") for each in flags)
            if inside:
                found.append((flags, branch[2]))
        elif inside:
            flags, text = found[-1]
            inside = len(text) < LONGEST_BRANCH
            found[-1] = (flags, f"{text}\n{line}")
        if ";;" in line:
            inside = False
        if re.match(r"esac\b", line):
            break
    return found
