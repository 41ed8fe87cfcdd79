"""Whether one item of an allow-list allows everything that another allows."""

from __future__ import annotations

from skillstudio.interface.model import Covering
from skillstudio.text.lazy_pattern import lazy_pattern

_HOST = lazy_pattern(r"(?:([A-Za-z][A-Za-z0-9+.-]*)://)?(\[[^\]]*\]|[^:/]*)(?::([0-9]+))?(/.*)?")


def covers(wide: str, narrow: str, how: Covering) -> bool:
    """Whether `wide` allows everything that `narrow` allows."""
    if wide in (narrow, "*"):
        return True
    if how == "path":
        return _path(wide, narrow)
    if how == "host":
        return _host(wide, narrow)
    if how == "variable" and wide.endswith("*"):
        return narrow.startswith(wide[:-1])
    return False


def _path(wide: str, narrow: str) -> bool:
    """Whether a folder contains a path, segment by segment; `..` may lead outside."""
    outer, inner = _segments(wide), _segments(narrow)
    return ".." not in inner and inner[: len(outer)] == outer


def _segments(path: str) -> list[str]:
    path = path.removesuffix("**").rstrip("/") or "/"
    return [""] if path == "/" else path.split("/")


def _host(wide: str, narrow: str) -> bool:
    """`*.x` covers every host below x; a host alone covers every scheme and port of it."""
    outer, inner = _HOST.fullmatch(wide), _HOST.fullmatch(narrow)
    if outer is None or inner is None:
        return False
    for part in (1, 3, 4):
        if outer[part] and (outer[part] or "").lower() != (inner[part] or "").lower():
            return False
    above, below = outer[2].lower(), inner[2].lower()
    return above == below or (above.startswith("*.") and below.endswith(above[1:]))
