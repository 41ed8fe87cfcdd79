"""Interfaces and what is in them as JSON: mappings, lists, strings, numbers and null."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from skillstudio.interface.model import ABSENT


def plain(value: Any) -> Any:
    """A value of the interface as JSON has it.

    What is `ABSENT` is left out of mappings and null elsewhere. Numbers that JSON cannot write,
    which YAML calls `.inf` and `.nan`, become these words.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _WORDS.get(value, ".nan")
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items() if each is not ABSENT}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None


_WORDS = {math.inf: ".inf", -math.inf: "-.inf"}
