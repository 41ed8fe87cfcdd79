"""Show facts about a file instead of its content."""

from __future__ import annotations

from collections.abc import Sequence

from skillstudio.preview.spans import Line, line

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def size_words(size: int, exactly: bool = True) -> str:
    """A size for people, and exactly in bytes."""
    value, unit = float(size), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value /= 1024
        unit += 1
    if not unit:
        return f"{size:,} byte{'' if size == 1 else 's'}"
    return f"{value:.1f} {_UNITS[unit]}" + (f" ({size:,} bytes)" if exactly else "")


def fact_lines(rows: Sequence[tuple[str, str]]) -> list[Line]:
    """Names and values in two columns, without empty values."""
    given = [(name, value) for name, value in rows if value]
    room = max((len(name) for name, _ in given), default=0) + 2
    return [line((f"{name:<{room}}", "quiet"), value) for name, value in given]
