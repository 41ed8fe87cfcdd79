"""Detect the kind of a file by its name, first line and first bytes."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern

HEAD = 8192  # Bytes that are inspected.
_BEGIN = 64
_PART = lazy_pattern("(?:[0-9a-f]{2})+")


Magic = list[tuple[str, list[tuple[bytes, int]]]]  # Kinds with their bytes and the offset of those.


class FileKind(NamedTuple):
    """The kind of a file."""

    name: str  # One word, such as `markdown`, `sqlite`, `text` or `binary`.
    is_text: bool  # Whether it can be shown as lines.


def kind_of(path: str, head: bytes) -> FileKind:
    """The kind of a file by its first `HEAD` bytes, else by its name. An empty file is text."""
    table = _table()
    base = os.path.basename(path)
    suffix = os.path.splitext(base)[1].lower()
    by_bytes = _begins_with(head, table["magic"])
    if by_bytes is None and not _is_text(head):
        by_bytes = _begins_with(head, table["bytes"]) or table["no_text"].get(suffix, "binary")
    if by_bytes is not None:
        return FileKind(by_bytes, False)
    by_name = table["name"].get(base) or table["suffix"].get(suffix)
    start = head[:_BEGIN].decode("utf-8", "replace").lstrip("\ufeff \t\r\n").lower()
    by_start = (kind for begin, kind in table["begins"].items() if start.startswith(begin))
    text_kind = by_name or _of_shebang(head, table["shebang"]) or next(by_start, "text")
    return FileKind(text_kind, True)


def _begins_with(head: bytes, magic: Magic) -> str | None:
    return next((kind for kind, parts in magic if all(head.startswith(*p) for p in parts)), None)


def _of_shebang(head: bytes, programs: dict[str, str]) -> str | None:
    if not head.startswith(b"#!"):
        return None
    words = head[2:].split(b"\n", 1)[0].decode("utf-8", "replace").split()
    names = [os.path.basename(word) for word in words if not word.startswith("-")]
    if names[:1] == ["env"]:
        names = [name for name in names[1:] if "=" not in name]
    return programs.get(names[0].rstrip("0123456789.")) if names else None


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        return True
    if b"\0" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # The head can end within a character.
        return len(head) == HEAD and error.start >= HEAD - 3
    return True


@cache
def _table() -> dict[str, Any]:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "kinds.toml"), "rb") as file:
        table = tomllib.load(file)
    for name in ("magic", "bytes"):
        table[name] = [
            (signature["kind"], _parts(signature["hex"], signature.get("at", 0)))
            for signature in table[name]
        ]
    return table


def _parts(pattern: str, at: int) -> list[tuple[bytes, int]]:
    matches = _PART.finditer(pattern)
    return [(bytes.fromhex(match.group()), at + match.start() // 2) for match in matches]
