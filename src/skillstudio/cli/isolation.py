"""The isolation levels of this machine, and the leftovers of killed runs."""

from __future__ import annotations

import os
from importlib import metadata
from typing import Any, NamedTuple

from skillstudio.dryrun.isolation import canary
from skillstudio.dryrun.isolation.levels import TITLES, IsolationLevel, probe_isolation
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.planning.requirements import check
from skillstudio.dryrun.planning.run_inputs import this_machine
from skillstudio.dryrun.staging.leftovers import Leftover, leftovers
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.files.folders import remove
from skillstudio.interface.model import Requirement

_PROGRAMS = {
    "bwrap": "needed for isolation level isolated; install the package bubblewrap",
    "strace": "observes commands, network and reads; without it only changed files are observed",
}
_WASM = "needed for isolation level wasm; install skillstudio[wasm]"

Row = tuple[str, str, str, str]


class Cleaned(NamedTuple):
    """The leftovers of killed runs."""

    removed: tuple[Leftover, ...]
    failed: tuple[tuple[str, str], ...]
    """Folders that could not be removed, each with the reason."""


def isolation_levels() -> tuple[IsolationLevel, ...]:
    """Every isolation level, probed on this machine."""
    return probe_isolation().all


def isolation_rows(found: tuple[IsolationLevel, ...]) -> list[Row]:
    """A row for each isolation level, and one for each tool that the levels use."""
    rows: list[Row] = [
        (
            f"isolation level {each.id}",
            "ok" if each.available else "none",
            TITLES[each.id],
            each.reason,
        )
        for each in found
    ]
    abi = probe_isolation().host.landlock
    note = "" if abi else "needed for isolation level confined; Linux 5.13 and later have it"
    rows.append(("landlock", "ok" if abi else "none", f"ABI {abi}" if abi else "", note))
    asked = [Requirement("command", name, minimum="0") for name in _PROGRAMS]
    for each in check(asked, this_machine(), Roots(os.getcwd(), os.getcwd())):
        there = each.state != "missing"
        rows.append(
            (
                each.name,
                "ok" if there else "optional",
                each.found,
                "" if there else _PROGRAMS[each.name],
            )
        )
    try:
        rows.append(("wasmtime", "ok", metadata.version("wasmtime"), ""))
    except metadata.PackageNotFoundError:
        rows.append(("wasmtime", "optional", "", _WASM))
    return rows


def isolation_values(found: tuple[IsolationLevel, ...]) -> list[dict[str, Any]]:
    """The isolation levels as JSON."""
    return [
        {
            "id": each.id,
            "title": TITLES[each.id],
            "available": each.available,
            "reason": each.reason or None,
            "known_gaps": list(each.known_gaps),
            "traced": each.traced,
        }
        for each in found
    ]


def find_leftovers() -> list[Leftover]:
    """The copies of killed runs, and the canaries of killed probes."""
    import tempfile

    return [*leftovers(copies_folder()), *leftovers(tempfile.gettempdir(), canary.PREFIX)]


def clean() -> Cleaned:
    """Remove them; which were removed, and which were not."""
    removed: list[Leftover] = []
    failed: list[tuple[str, str]] = []
    for each in find_leftovers():
        try:
            remove(each.folder)
            removed.append(each)
        except FileNotFoundError:
            # Its own run, or another doctor --clean, removed it first.
            continue
        except OSError as error:
            failed.append((each.folder, error.strerror or str(error)))
    return Cleaned(tuple(removed), tuple(failed))
