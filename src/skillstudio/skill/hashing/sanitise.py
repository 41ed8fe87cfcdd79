"""Remove personal paths from shared output."""

from __future__ import annotations

import re
from typing import Any

from skillstudio.text.lazy_pattern import lazy_pattern

_NAME = r"[^/\\#\"'\s]+"
_HOME = lazy_pattern(
    rf"(?:/home/{_NAME}|(?:/Users/|/?[A-Za-z]:[\\/]+(?i:Users)[\\/]+)(?:{_NAME}(?: {_NAME}){{1,3}}"
    rf"(?=[\\/])|{_NAME}))(?:[\\/]+|(?=[#\"'\s]|$))"
)
"""A home folder: the name ends at a separator, at the `#` of a source reference, or at the end of
the text. A name with spaces (macOS and Windows only) needs a separator after it."""


def sanitise(text: str) -> str:
    r"""Replace each `/home/<user>/`, `/Users/<user>/` and `C:\Users\<user>\` with `LOCAL/`.

    The pattern is that of ADR-003, "Path Sanitization". The path after the user's name is kept, and
    so are paths of the Nix store, which contain no user name.
    """
    return _HOME.sub(_local, text)


def sanitise_value(value: Any) -> Any:
    """Sanitize every string of a plain value, including keys."""
    if isinstance(value, str):
        return sanitise(value)
    if isinstance(value, dict):
        return {sanitise_value(key): sanitise_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sanitise_value(item) for item in value]
    return value


def _local(match: re.Match[str]) -> str:
    """Keep a separator before a home folder that is below another folder or on a host."""
    before = match.string[: match.start()][-1:]
    return "/LOCAL/" if before.isalnum() or before in (".", "_", "-", "]") else "LOCAL/"
