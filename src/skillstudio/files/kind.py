"""What a file holds, by its name, its first line and its first bytes: a word for people."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, NamedTuple

HEAD = 8192
"""How many bytes are looked at."""


class FileKind(NamedTuple):
    """What a file holds."""

    name: str
    """One word, such as `markdown`, `sqlite`, `text` or `binary`."""
    is_text: bool
    """Whether it can be shown as lines."""


def kind_of(path: str, head: bytes) -> FileKind:
    """The kind of a file of this name that begins with `head`, its first `HEAD` bytes.

    What the bytes say comes before what the name says: a picture that is called notes.md is a
    picture. An empty file is text.
    """
    table = _table()
    for magic, at, name in table["magic"]:
        if head[at : at + len(magic)] == magic:
            return FileKind(name, False)
    if not _is_text(head):
        return FileKind("binary", False)
    base = os.path.basename(path)
    named: dict[str, str] = table["name"]
    suffixes: dict[str, str] = table["suffix"]
    by_name = named.get(base) or suffixes.get(os.path.splitext(base)[1].lower())
    return FileKind(by_name or _of_shebang(head, table["shebang"]) or "text", True)


def _of_shebang(head: bytes, programs: dict[str, str]) -> str | None:
    if not head.startswith(b"#!"):
        return None
    words = head[2:].split(b"\n", 1)[0].decode("utf-8", "replace").split()
    names = [os.path.basename(word) for word in words if not word.startswith("-")]
    if names[:1] == ["env"]:
        names = [name for name in names[1:] if "=" not in name]
    return programs.get(names[0].rstrip("0123456789.")) if names else None


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    if b"\0" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # The head may end within a character.
        return len(head) == HEAD and error.start >= HEAD - 3
    return True


@cache
def _table() -> dict[str, Any]:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "kinds.toml"), "rb") as file:
        table = tomllib.load(file)
    table["magic"] = [
        (bytes.fromhex(each["hex"]), each.get("at", 0), each["kind"]) for each in table["magic"]
    ]
    return table
