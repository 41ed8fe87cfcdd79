"""The known gaps of each isolation level on a machine, from `known_gaps.toml`."""

from __future__ import annotations

from typing import Any

from skillstudio.dryrun.isolation import seccomp
from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.readable import readable, shown
from skillstudio.files.paths import below
from skillstudio.resources import toml_table

_TMP = "/tmp"  # noqa: S108 - at the level `isolated` a folder of the run


def known_gaps(isolation: str, host: Host, traced: bool) -> tuple[str, ...]:
    """The known gaps of a level, a sentence each; `traced` says whether runs are observed there."""
    table = toml_table(__file__, "known_gaps.toml")["gap"]
    found = [each for each in table if _applies(each, isolation, host, traced)]
    return tuple(text for each in found if (text := filled(each["text"], host)))


def filled(text: str, host: Host) -> str:
    """Insert the readable paths of a host; "" for a text about tools when there are none."""
    if "{" not in text:
        return text
    found = readable(host)
    named = {
        "system": ", ".join(found.system),
        "tools": ", ".join(shown(each, host.home) for each in found.tools),
        "temporary": ", ".join(each for each in found.tools if below(each, _TMP) is not None),
    }
    if any(f"{{{name}}}" in text and not named[name] for name in named):
        return ""
    return text.format(**named)


def _applies(gap: dict[str, Any], isolation: str, host: Host, traced: bool) -> bool:
    system = "linux" if host.system == "linux" else "other"
    return (
        isolation in gap["levels"]
        and host.landlock < gap.get("below_abi", host.landlock + 1)
        and (host.root or gap.get("user") != "root")
        and gap.get("system", system) == system
        and not (traced and gap.get("unless") == "trace")
        and not (has_filter(host) and gap.get("unless") == "filter")
        and (traced or gap.get("only") != "trace")
    )


def has_filter(host: Host) -> bool:
    """Whether system calls can be filtered on this system and processor."""
    return host.system == "linux" and host.machine in seccomp.table()["arch"]
