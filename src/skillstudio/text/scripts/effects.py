"""Map names in a script to effects, from `effects.toml`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any


def of_names(table: str, names: Iterable[str]) -> set[str]:
    """The effects of `modules`, `calls`, `javascript`, `commands` or `cmdlets` with these names."""
    effects_by_name = _tables()[table]
    return {effect for name in names for effect in effects_by_name.get(name, ())}


def of_call(words: Sequence[str]) -> set[str]:
    """The known effects of a command line."""
    if not words:
        return set()
    program = words[0].replace("\\", "/").rpartition("/")[2]
    effects = {"proc.exec", *of_names("commands", [program])}
    is_module = words[0] == "-m" or (program.startswith("python") and words[1:2] == ["-m"])
    if is_module or program == "sudo":
        # `python3 -m pip install`, `sudo apt-get install`.
        effects |= of_call(words[words.index("-m") + 1 if is_module else 1 :])
    plain = [word for word in words[1:] if not word.startswith("-")]
    for at, verb in enumerate(plain[:2]):
        # `uv pip install` has a verb of two words.
        name = " ".join((program, *plain[:at]))
        effects |= {"net.fetch"} if verb in _tables()["fetches"].get(name, ()) else set()
        effects |= {"git.write"} if name == "git" and verb in _tables()["git"]["writes"] else set()
    return effects


@cache
def _tables() -> dict[str, Any]:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "effects.toml"), "rb") as file:
        return tomllib.load(file)
