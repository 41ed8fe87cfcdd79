"""The place of the cursor in a manifest."""

from __future__ import annotations

from typing import Literal, NamedTuple

Role = Literal["key", "value", "item", "table"]
"""`item` is what follows a YAML dash: a value, or the first key of a mapping. `table` is the
name in a TOML header."""


class Caret(NamedTuple):
    """What may be typed at a place, and which text it would replace."""

    role: Role
    pointer: tuple[str, ...]
    """The mapping that a key would go into, or the value itself."""
    start: int
    end: int
    """The range of offsets that a completion replaces: what is typed so far, quotes included."""
    typed: str
    """What is typed up to the cursor, without its opening quote."""
    quote: str = ""
    """The opening quote, where there is one."""
    siblings: frozenset[str] = frozenset()
    """The other keys of the mapping."""
    column: int = 0
    """Where keys of the mapping begin, in a block."""
    flow: bool = False
    """Between brackets."""
    assigned: bool = False
    """The key has its colon or equals sign."""
    before: str = ""
    """What has to go before: a comma that is missing, with the space up to the cursor."""
    after: str = ""
    """What has to go behind: a comma before the next key or item."""
