"""The known gaps of each isolation level on a machine, from `known_gaps.toml`."""

from __future__ import annotations

from typing import Any

from skillstudio.dryrun.isolation import seccomp
from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.readable import abbreviate_home, readable
from skillstudio.files.paths import below
from skillstudio.resources import toml_table

_TMP = "/tmp"  # noqa: S108 - at the level `isolated` a folder of the run


def known_gaps(isolation: str, host: Host, is_traced: bool) -> tuple[str, ...]:
    """The known gaps of a level, a sentence each; `is_traced` says whether runs are observed
    there."""
    gaps = [gap for gap in _table() if _applies(gap, isolation, host, is_traced)]
    return tuple(text for gap in gaps if (text := fill_paths(gap["text"], host)))


def network_gaps(isolation: str, network: str) -> tuple[str, ...]:
    """The further known gaps of a run with a network, by its mode."""
    return tuple(
        gap["text"]
        for gap in _table()
        if isolation in gap["levels"] and gap.get("network") == network
    )


def _table() -> list[dict[str, Any]]:
    gaps: list[dict[str, Any]] = toml_table(__file__, "known_gaps.toml")["gap"]
    return gaps


def fill_paths(text: str, host: Host) -> str:
    """Insert the readable paths of a host; "" for a text about tools when there are none."""
    if "{" not in text:
        return text
    access = readable(host)
    replacements = {
        "system": ", ".join(access.system),
        "tools": ", ".join(abbreviate_home(tool, host.home) for tool in access.tools),
        "temporary": ", ".join(tool for tool in access.tools if below(tool, _TMP) is not None),
    }
    if any(f"{{{name}}}" in text and not replacements[name] for name in replacements):
        return ""
    return text.format(**replacements)


def _applies(gap: dict[str, Any], isolation: str, host: Host, is_traced: bool) -> bool:
    system = "linux" if host.system == "linux" else "other"
    return (
        isolation in gap["levels"]
        and "network" not in gap
        and host.landlock < gap.get("below_abi", host.landlock + 1)
        and (host.root or gap.get("user") != "root")
        and gap.get("system", system) == system
        and not (is_traced and gap.get("unless") == "trace")
        and not (has_filter(host) and gap.get("unless") == "filter")
        and (is_traced or gap.get("only") != "trace")
    )


def has_filter(host: Host) -> bool:
    """Whether system calls can be filtered on this system and processor."""
    return host.system == "linux" and host.machine in seccomp.table()["arch"]
