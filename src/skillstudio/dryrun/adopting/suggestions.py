"""The table of how each dialect says what a run showed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple


class AdoptSuggestion(NamedTuple):
    """How one dialect says one finding."""

    form: str = ""
    """The way in which it is said; "" where it cannot be."""
    at: str = ""
    """A JSON Pointer into the manifest."""
    cannot: str = ""
    """Why it, or what of it, cannot be said."""


def suggestion(dialect: str, finding: str) -> AdoptSuggestion:
    """How a dialect says a finding. Raises KeyError for what the table does not know."""
    return _table()[dialect, finding]


def suggestions() -> Iterator[tuple[str, str, AdoptSuggestion]]:
    """The whole table: dialect, finding, and how it is said."""
    for (dialect, finding), found in _table().items():
        yield dialect, finding, found


@cache
def _table() -> dict[tuple[str, str], AdoptSuggestion]:
    return {
        (dialect, finding): AdoptSuggestion(
            row.get("form", ""), row.get("at", ""), row.get("cannot", "")
        )
        for row in rows()
        for dialect in row["dialects"]
        for finding in row["findings"]
    }


def rows() -> list[dict[str, Any]]:
    """The table as it is written."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "suggestions.toml"), "rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["say"]
        return found
