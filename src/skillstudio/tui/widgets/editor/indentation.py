"""The line end and indentation that the enter key inserts."""

from __future__ import annotations

import re
from typing import NamedTuple

_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_YAML_OPENS = re.compile(r":(\s+[&!]\S+)*(\s+[|>][-+0-9]*)?\s*(#.*)?$")
_YAML_ITEM_WITH_KEY = re.compile(r"(-\s+)+[^\s#'\"][^:]*:(\s|$)")


class Break(NamedTuple):
    """The texts to insert before and after the cursor, each starting with a line end."""

    before: str
    after: str = ""


def line_break(language: str, before: str, after: str, unit: str) -> Break:
    """Return the break for a cursor with `before` and `after` on its line."""
    lead = before[: len(before) - len(before.lstrip())]
    text = before.strip()
    closer = _CLOSERS.get(text[-1:]) if language in ("json", "yaml", "toml") else None
    if closer:
        closing = after.lstrip().startswith(closer)
        return Break("\n" + lead + unit, "\n" + lead if closing else "")
    if language == "yaml" and not text.startswith("#"):
        item = _YAML_ITEM_WITH_KEY.match(text)
        if item:
            dash = re.match(r"(-\s+)+", text)
            lead += " " * (dash.end() if dash else 2)
        if _YAML_OPENS.search(text):
            return Break("\n" + lead + unit)
    return Break("\n" + lead)


def unit_of(text: str) -> int:
    """Return the columns of one level of indentation: 4 if no line has fewer, else 2."""
    widths = {len(found) for found in re.findall(r"^( +)(?=\S)", text, re.MULTILINE)}
    return 4 if widths and min(widths) == 4 else 2
