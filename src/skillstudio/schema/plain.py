"""Convert values for the engines: valid UTF-8, finite numbers, string keys."""

from __future__ import annotations

from typing import Any

# The 2,048 surrogates and as many private-use characters, one for one: jsonschema-rs does not
# accept a lone surrogate, which must still differ from every other character.
_TO_PRIVATE = {0xD800 + index: 0x10F800 + index for index in range(0x800)}
_FROM_PRIVATE = {private: surrogate for surrogate, private in _TO_PRIVATE.items()}


def plain(value: Any) -> Any:
    """Replace lone surrogates, and non-finite numbers with null."""
    if isinstance(value, str):
        return value if value.isascii() else value.translate(_TO_PRIVATE)
    if isinstance(value, dict):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if value - value == 0 else None
    return value if value is None or isinstance(value, int) else str(value)


def restore(value: Any) -> Any:
    """Restore the strings that `plain` was given."""
    if isinstance(value, str):
        return value if value.isascii() else value.translate(_FROM_PRIVATE)
    if isinstance(value, dict):
        return {restore(key): restore(item) for key, item in value.items()}
    return [restore(item) for item in value] if isinstance(value, list) else value
