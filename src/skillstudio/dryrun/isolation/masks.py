"""The files and folders of this machine that a run cannot read."""

from __future__ import annotations

import functools
import os


def masked(home: str) -> tuple[str, ...]:
    """The masked names that exist, as real paths, none inside another."""
    relative, absolute = _names()
    wanted = [os.path.join(home, name) for name in relative] if home else []
    there = {os.path.realpath(path) for path in (*wanted, *absolute) if os.path.lexists(path)}
    return tuple(
        path
        for path in sorted(there)
        if not any(path.startswith(other + "/") for other in there) and path != "/"
    )


def secrets(*homes: str) -> tuple[str, ...]:
    """The masked names as paths below each home folder, existing or not."""
    relative, absolute = _names()
    return (*absolute, *(os.path.join(home, name) for home in homes for name in relative))


@functools.cache
def _names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "masked.toml"), "rb") as file:
        table = tomllib.load(file)
    return tuple(table["home"]), tuple(table["absolute"])
