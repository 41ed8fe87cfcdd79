"""Read the settings file of a repository without running git or following includes."""

from __future__ import annotations

import os
import re
import stat

_MOST = 1 << 20  # Bytes of a settings file that are read.
_SECTION = re.compile(r'\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]')
_WORK_TREE = re.compile(r"\s*worktree\s*=(.*)", re.IGNORECASE | re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


def work_tree_setting(path: str) -> str:
    """The last `core.worktree` of a settings file, or "". Raises OSError if unreadable."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return ""
    with open(handle, "rb") as file:
        text = file.read(_MOST).decode("utf-8", "surrogateescape")
    section, found = "", ""
    # A backslash at the end of a line continues it.
    for line in re.sub(r"\\\r?\n", "", text.removeprefix("\ufeff")).split("\n"):
        rest = line
        while head := _SECTION.match(rest):
            # [core "x"] is another section than [core].
            section = head[1].lower() if '"' not in head[0] else ""
            rest = rest[head.end() :]
        if section == "core" and (setting := _WORK_TREE.match(rest)):
            found = _value(setting[1])
    return found


def _value(text: str) -> str:
    """The value after `=` without quotes, escapes and comments."""
    made: list[str] = []
    quoted = False
    kept = 0
    signs = iter(text)
    for sign in signs:
        if sign == '"':
            quoted = not quoted
            kept = len(made)
        elif sign == "\\":
            escaped = next(signs, "")
            made.append(_ESCAPES.get(escaped, escaped))
            kept = len(made)
        elif sign in "#;" and not quoted:
            break
        elif quoted or not sign.isspace():
            made.append(sign)
            kept = len(made)
        elif made:
            made.append(sign)
    return "".join(made[:kept])
