"""Recognise what programs do regardless of the skill: loaders, interpreters, the C library."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from skillstudio.resources import toml_table


def is_noise_read(path: str, prefixes: frozenset[str]) -> bool:
    """Whether a loader or interpreter reads this; `prefixes` are the programs' install folders."""
    table = _table()
    if _starts(path, table["reads"]) or _starts(path, table["devices"]):
        return True
    return any(
        _starts(path, [f"{prefix}/{library}" for library in table["libraries"]])
        for prefix in prefixes
    )


def is_own_read(path: str, names: frozenset[str]) -> bool:
    """Whether a program of one of these names reads this itself, such as its settings."""
    return any(
        path.endswith(end) or (end[-1] == "/" and end in path)
        for name in names
        for end in _table()["own"].get(name, ())
    )


def is_device(path: str) -> bool:
    """Whether writing there stores nothing."""
    return _starts(path, _table()["devices"]) or path.startswith("/proc/self/")


def is_noise_socket(path: str) -> bool:
    """Whether this local socket belongs to the C library."""
    return _starts(path, _table()["sockets"])


def is_shim(path: str, argv: Sequence[str]) -> bool:
    """Whether a program only looks for another one to run: `env`, a version manager's shim."""
    if os.path.basename(path) == "env" and len(argv) > 1:
        return True
    return any(part in each for part in _table()["shims"] for each in (path, *argv[1:2]))


def prefix_of(program: str) -> str | None:
    """The folder a program is installed in: `/opt/x` for `/opt/x/bin/y`."""
    folder, _, _ = os.path.realpath(program).rpartition("/")
    above, _, name = folder.rpartition("/")
    return above if name in ("bin", "sbin") and above.count("/") > 1 else None


def _starts(path: str, starts: list[str]) -> bool:
    return any(path == each or (each[-1] == "/" and path.startswith(each)) for each in starts)


def _table() -> dict[str, Any]:
    return toml_table(__file__, "noise.toml")
