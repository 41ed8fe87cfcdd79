"""The outputs that `interface:` restates, beside those that `adopt` adds and removes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.manifest.frontmatter.contract import is_listed
from skillstudio.manifest.values import mapping, mappings, text
from skillstudio.text.diagnostic import Edit, Remove, Set


def added(value: Any, pattern: str) -> Iterator[Edit]:
    """List a pattern that no pattern of the interface includes."""
    lists = isinstance(mapping(value, "interface").get("outputs"), list)
    if lists and not is_listed(value, pattern):
        yield Set("/interface/outputs/-", {"pattern": pattern})


def removed(value: Any, pattern: str) -> Iterator[Edit]:
    """Take a pattern out of the interface."""
    for at, item in mappings(value, "interface", "outputs"):
        if text(item, "pattern") == pattern:
            yield Remove(at)
