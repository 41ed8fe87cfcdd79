"""Interfaces as JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from skillstudio.interface.model import ABSENT


def plain(value: Any) -> Any:
    """Convert a value to JSON: without ABSENT, infinite and undefined numbers as strings."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _WORDS.get(value, ".nan")
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items() if part is not ABSENT}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None


_WORDS = {math.inf: ".inf", -math.inf: "-.inf"}
