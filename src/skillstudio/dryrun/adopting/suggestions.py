"""The table of how each dialect declares what a run showed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple


class AdoptSuggestion(NamedTuple):
    """How one dialect declares one kind of finding."""

    form: str = ""
    """The function that builds the edit; "" when it cannot be declared."""
    at: str = ""
    """A JSON pointer into the manifest."""
    cannot: str = ""
    """Why it, or some of it, cannot be declared."""


def suggestion(dialect: str, finding: str) -> AdoptSuggestion:
    """How a dialect declares a finding. Raises KeyError for an unknown one."""
    return _table()[dialect, finding]


def suggestions() -> Iterator[tuple[str, str, AdoptSuggestion]]:
    """The whole table: dialect, finding, suggestion."""
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
    """The rows of the file."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "suggestions.toml"), "rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["say"]
        return found
