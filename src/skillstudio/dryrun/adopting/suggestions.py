"""The table of how each dialect declares what a run showed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from skillstudio.resources import toml_table


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
    found: list[dict[str, Any]] = toml_table(__file__, "suggestions.toml")["say"]
    return found
