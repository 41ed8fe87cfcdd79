"""How each dialect says what a run showed: `adopt.toml` in its folder.

[[say]]
  dialects   some of the folder's; all without it
  findings   effects that were seen and are not declared, by their name, and
               output, output-unobserved           a file that no pattern declares; a pattern
                                                   without a file
               field, field-unobserved, field-type of the value that is printed
               unobserved, command-unobserved      an effect or permission, a command, that is
                                                   declared and was not seen
               idempotent                          what a second run changed
  form       the way in which it is said; each is a function of this package
  at         where: a JSON Pointer into the manifest
  cannot     why it cannot be said here; beside a form, of what of it cannot
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from skillstudio.manifest.registry import tables_of

_UNSAID = "its dialect has no way to declare it"


class AdoptSuggestion(NamedTuple):
    """How one dialect says one finding."""

    form: str = ""
    """The function that builds the edit; "" when it cannot be declared."""
    at: str = ""
    """A JSON pointer into the manifest."""
    cannot: str = ""
    """Why it, or some of it, cannot be declared."""


def suggestion(dialect: str, finding: str) -> AdoptSuggestion:
    """How a dialect says a finding."""
    return _table().get((dialect, finding), AdoptSuggestion(cannot=_UNSAID))


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
    """The tables of all dialects, each row with its dialects."""
    return [{**row, "dialects": dialects} for dialects, row in tables_of("adopt.toml", "say")]
