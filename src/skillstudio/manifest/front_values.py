"""Values of a frontmatter: the name, and the tools of `allowed-tools` with their uses."""

from __future__ import annotations

from itertools import chain

from skillstudio.text.lazy_pattern import lazy_pattern

MAX_NAME = 64
_MARK = lazy_pattern(r"[(),\s]")
_NAME = lazy_pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def is_name(name: str) -> bool:
    """Whether the specification allows a name."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


def split_tools(value: str) -> list[str] | None:
    """The tools of a comma-separated text; None without a comma outside parentheses."""
    parts = _split(value)
    return list(chain(*parts)) if len(parts) > 1 else None


def tools_by_item(value: object) -> list[list[str]]:
    """The tools of each list item, or of each part between commas; empty parts are omitted."""
    if isinstance(value, str):
        parts = _split(value)
    else:
        items = value if isinstance(value, list) else []
        parts = [list(chain(*_split(item))) for item in items if isinstance(item, str)]
    return [tools for tools in parts if tools]


def tool_uses(value: object) -> list[tuple[str, str]]:
    """Each tool of an `allowed-tools` value with the text in its parentheses, for any separator."""
    tools: list[tuple[str, str]] = []
    for item in value if isinstance(value, list) else [value]:
        for tool in chain(*_split(item)) if isinstance(item, str) else ():
            name, _, uses = tool.partition("(")
            tools.append((name, uses.removesuffix(")").strip()))
    return tools


def _split(value: str) -> list[list[str]]:
    """The words of each part between commas; commas and spaces in parentheses do not separate."""
    parts: list[list[str]] = [[]]
    depth = start = 0
    for mark in _MARK.finditer(value):
        character = mark.group()
        if character in "()":
            depth = max(depth + (1 if character == "(" else -1), 0)
        elif depth == 0:
            parts[-1].append(value[start : mark.start()])
            start = mark.end()
            if character == ",":
                parts.append([])
    parts[-1].append(value[start:])
    return [[word for word in words if word] for words in parts]
