"""The programs that plans start."""

from __future__ import annotations

from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.values import strings


def programs(part: Manifest) -> frozenset[str]:
    """Those that a plan lists."""
    return frozenset(each for _, each in strings(part.document.value, "programs"))
