"""The patterns that `listed` restates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.manifest.values import strings
from skillstudio.text.diagnostic import Edit, Remove, Set


def added(value: Any, pattern: str) -> Iterator[Edit]:
    """List it where patterns are listed."""
    if isinstance(value.get("listed"), list):
        yield Set("/listed/-", pattern)


def removed(value: Any, pattern: str) -> Iterator[Edit]:
    """List it no longer."""
    for at, each in strings(value, "listed"):
        if each == pattern:
            yield Remove(at)
