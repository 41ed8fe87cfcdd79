"""Map names in a script to effects, from `effects.toml`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any


def of_names(table: str, names: Iterable[str]) -> set[str]:
    """The effects of `modules`, `calls`, `javascript`, `commands` or `cmdlets` with these names."""
    known = _tables()[table]
    return {effect for name in names for effect in known.get(name, ())}


def of_call(words: Sequence[str]) -> set[str]:
    """The known effects of a command line."""
    if not words:
        return set()
    program = words[0].replace("\\", "/").rpartition("/")[2]
    found = {"proc.exec", *of_names("commands", [program])}
    if program == "git":
        verb = next((word for word in words[1:] if not word.startswith("-")), "")
        git = _tables()["git"]
        found |= {"git.write"} if verb in git["writes"] else set()
        found |= {"net.fetch"} if verb in git["fetches"] else set()
    return found


@cache
def _tables() -> dict[str, Any]:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "effects.toml"), "rb") as file:
        return tomllib.load(file)
