"""The jobs that a job needs; a version is admitted from the one that is written on."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.hook_values import Need
from skillstudio.manifest.values import members
from skillstudio.text.versions import semver_key


def needs(manifest: Manifest) -> Iterator[Need]:
    """Each key of `[needs]`."""
    for at, id, wanted in members(manifest.document.value, "needs"):
        if isinstance(wanted, str):
            yield Need(id, at, wanted, at)


def features(_manifest: Manifest) -> frozenset[str]:
    """Jobs have none."""
    return frozenset()


def admits(version_range: str, version: str) -> bool | None:
    """Whether a version is not lower."""
    low, own = semver_key(version_range), semver_key(version)
    return None if low is None else own is not None and own >= low
