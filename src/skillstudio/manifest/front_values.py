"""Values of a frontmatter: the name, and the tools of `allowed-tools` with their uses."""

from __future__ import annotations

import re

MAX_NAME = 64
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def is_name(name: str) -> bool:
    """Whether the specification allows a name."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


def split_tools(value: str) -> list[str] | None:
    """The tools of a comma-separated text; None without a comma outside parentheses."""
    tools, commas = _split(value)
    return tools if commas else None


def tools_by_item(value: object) -> list[list[str]]:
    """The tools of each list item, or of each part between commas; empty parts are omitted."""
    parts = [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
    if isinstance(value, str):
        depth = start = 0
        for at, character in enumerate(value):
            depth = max(depth + (character == "(") - (character == ")"), 0)
            if depth == 0 and character == ",":
                parts.append(value[start:at])
                start = at + 1
        parts.append(value[start:])
    return [tools for part in parts if (tools := _split(part)[0])]


def tool_uses(value: object) -> list[tuple[str, str]]:
    """Each tool of an `allowed-tools` value with the text in its parentheses, for any separator."""
    found: list[tuple[str, str]] = []
    for item in value if isinstance(value, list) else [value]:
        for tool in _split(item)[0] if isinstance(item, str) else ():
            name, _, uses = tool.partition("(")
            found.append((name, uses.removesuffix(")").strip()))
    return found


def _split(value: str) -> tuple[list[str], int]:
    """The words outside parentheses, and the number of commas between them."""
    words = [""]
    depth = commas = 0
    for character in value:
        depth = max(depth + (character == "(") - (character == ")"), 0)
        if depth == 0 and (character == "," or character.isspace()):
            commas += character == ","
            words.append("")
        else:
            words[-1] += character
    return [word for word in words if word], commas
