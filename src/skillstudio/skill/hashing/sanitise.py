"""Paths without the person in them, for what is shared."""

from __future__ import annotations

import re
from typing import Any

_NAME = r"[^/\\#\"'\s]+"
_HOME = re.compile(
    rf"(?:/home/{_NAME}|(?:/Users/|/?[A-Za-z]:[\\/]+(?i:Users)[\\/]+)(?:{_NAME}(?: {_NAME}){{1,3}}"
    rf"(?=[\\/])|{_NAME}))(?:[\\/]+|(?=[#\"'\s]|$))"
)
"""A home folder: the name ends at a separator, at the `#` of a source reference, or with the
text. A name with spaces, which only the last two systems have, is known by the separator."""


def sanitise(text: str) -> str:
    """The text with each `/home/<user>/`, `/Users/<user>/` and `C:\\Users\\<user>\\` as `LOCAL/`.

    The pattern is that of ADR-003, "Path Sanitization". What follows the user's name stays, and
    so do paths of the Nix store, which name no one.
    """
    return _HOME.sub(_local, text)


def sanitise_value(value: Any) -> Any:
    """A plain value with every string in it sanitised, keys included."""
    if isinstance(value, str):
        return sanitise(value)
    if isinstance(value, dict):
        return {sanitise_value(key): sanitise_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sanitise_value(item) for item in value]
    return value


def _local(found: re.Match[str]) -> str:
    """A home below another folder or on a host stays apart from what is before it."""
    before = found.string[: found.start()][-1:]
    return "/LOCAL/" if before.isalnum() or before in (".", "_", "-", "]") else "LOCAL/"
