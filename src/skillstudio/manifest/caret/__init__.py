"""Locate the cursor in half-typed text, by the brackets and indentation before it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Role = Literal["key", "value", "item", "table"]
"""`item` is the text after a YAML dash: a value, or the first key of a mapping. `table` is the name
in a TOML header."""


class Caret(NamedTuple):
    """What may be typed at a place, and the text to replace."""

    role: Role
    pointer: tuple[str, ...]  # The mapping for a new key, or the value itself.
    start: int
    end: int  # The end of the range that a completion replaces: the typed text, including quotes.
    typed_text: str  # The text before the cursor, without its opening quote.
    quote: str = ""  # The opening quote, if there is one.
    siblings: frozenset[str] = frozenset()
    column: int = 0  # The column of the mapping's keys, in block style.
    flow: bool = False  # Between brackets.
    is_assigned: bool = False  # The key has its colon or equals sign.
    before: str = ""  # Text to insert before: a missing comma, with the space up to the cursor.
    after: str = ""  # Text to insert after: a comma before the next key or item.
