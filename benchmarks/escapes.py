"""Attempts to get out of each isolation level: how many are held, and whether each other is stated.

The attempts are those of the tests: what a program tries (`escapes.toml`), and paths that lead out
of a copy by links and `..` (`test_gate.py`). An attempt that gets out and that no known gap of the
level states is a fault.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.dryrun.isolation.field import Field, sentence, user_of
from tests.dryrun.isolation.test_escapes import BY_NAME, ROWS, got_out
from tests.dryrun.isolation.test_gate import ESCAPES, escaping
from tests.dryrun.running.ground import Start

from skillstudio.dryrun.isolation.gate import GateRefused
from skillstudio.dryrun.isolation.host import this_host
from skillstudio.dryrun.isolation.known_gaps import known_gaps
from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.prepared import Options, Preopen, StepStart

LEVELS = ("copy", "confined", "isolated")


class Count(NamedTuple):
    """What became of the attempts on one level."""

    held: int
    stated: int
    unstated: tuple[str, ...]
    not_here: int
    """Attempts that this machine or this user cannot even make."""


def escapes() -> None:
    """Print a row for each level and user, and the name of every attempt that is not stated."""
    print("\nattempts to get out")
    print("  level     user      held  stated  unstated  not to be tried here")
    for user in ("root", "ordinary"):
        for level in LEVELS:
            _show(level, user, programs(level, user))
    for level in (*LEVELS, "wasm"):
        _show(level, "paths", paths(level))


def _show(level: str, user: str, found: Count | str) -> None:
    if isinstance(found, str):
        print(f"  {level:<9} {user:<9} {found}")
        return
    print(
        f"  {level:<9} {user:<9} {found.held:>4} {found.stated:>7} {len(found.unstated):>9}"
        f" {found.not_here:>6}"
    )
    for name in found.unstated:
        print(f"    UNSTATED: {name}")


def programs(level: str, name: str) -> Count | str:
    """What a program tries on a level as a user; why there is nothing to try it with."""
    user = user_of(name)
    if isinstance(user, str):
        return user
    if reason := probe_isolation().level(level).reason:
        return reason
    abi = this_host().landlock
    with ExitStack() as stack:
        field = Field(stack, user, list(BY_NAME))
        host = field.host(abi)
        stated = known_gaps(level, host, is_traced=False)
        sentences = {row["gap"]: sentence(row["gap"], host) for row in ROWS if "gap" in row}
        tried = field.run(level, abi)
    held, known, not_here, unstated = 0, 0, 0, []
    for row in ROWS:
        outcome = tried[row["name"]]
        if row.get("user", name) != name or outcome.said == "not-here":
            not_here += 1
        elif not got_out(row, outcome):
            held += 1
        elif level == "copy" or ("gap" in row and sentences[row["gap"]] in stated):
            # The gaps of `copy` are of whole kinds: files, network, processes, rights.
            known += 1
        else:
            unstated.append(row["name"])
    return Count(held, known, tuple(unstated), not_here)


def paths(level: str) -> Count | str:
    """Paths that lead out of a copy, as the folder of a program or, with WASI, a preopened one."""
    if reason := probe_isolation().level(level).reason:
        return reason
    unstated = tuple(name for name in ESCAPES if not _is_refused(level, name))
    return Count(len(ESCAPES) - len(unstated), 0, unstated, 0)


def _is_refused(level: str, name: str) -> bool:
    with tempfile.TemporaryDirectory(prefix="skillstudio-escapes-") as folder:
        (Path(folder) / "outside" / "inner").mkdir(parents=True)
        start = Start(Path(folder))
        path = escaping(start, name)
        options, cwd, argv = Options(), path, ["/bin/true"]
        if level == "wasm":
            (start.copy / "program.wasm").write_bytes(b"")
            cwd = start.ground.copies[0].original
            options = Options(wasi_preopens=(Preopen(path, "data", writable=True),))
            argv = [f"{cwd}/program.wasm"]
        try:
            prepared = probe_isolation().prepare(
                level, StepStart(argv, {}, cwd, start.ground, options)
            )
        except GateRefused:
            return True
        for fd in prepared.descriptors():
            os.close(fd)
        return False
