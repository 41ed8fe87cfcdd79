"""Names for placeholders: inputs and parameters declared around a place."""

from __future__ import annotations

from typing import Any

_DECLARING = ("input", "inputs", "parameters")


def declared_names(value: Any, pointer: tuple[str, ...]) -> dict[str, str]:
    """Names to descriptions, from the nearest mapping around `pointer` that declares any."""
    around = [value]
    for token in pointer:
        value = _child(value, token)
        around.append(value)
    for each in reversed(around):
        if isinstance(each, dict):
            found: dict[str, str] = {}
            for key in _DECLARING:
                found |= named(each.get(key))
            if found:
                return found
    return {}


def named(value: Any) -> dict[str, str]:
    """The names in a list of named items, in lists by group, or in the keys of a mapping."""
    if isinstance(value, list):
        items = [item for item in value if isinstance(item, dict)]
        return {
            item["name"]: _description(item)
            for item in items
            if isinstance(item.get("name"), str) and item["name"]
        }
    if not isinstance(value, dict):
        return {}
    groups = [each for each in value.values() if isinstance(each, list)]
    if groups:
        return {name: text for group in groups for name, text in named(group).items()}
    return {name: _description(each) for name, each in value.items()}


def _description(item: Any) -> str:
    text = item.get("description") if isinstance(item, dict) else ""
    return text if isinstance(text, str) else ""


def _child(value: Any, token: str) -> Any:
    if isinstance(value, dict):
        return value.get(token)
    if isinstance(value, list) and token.isascii() and token.isdecimal():
        return value[int(token)] if int(token) < len(value) else None
    return None
