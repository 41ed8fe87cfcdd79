"""The value of `allowed-tools`: names of tools, some with what they may be used for."""

from __future__ import annotations


def split_tools(value: str) -> list[str] | None:
    """The tools of a text that separates them by commas; None where none is outside parentheses.

    `Bash(git add:*, git rm:*), Read` holds two tools: what stands in parentheses is theirs.
    """
    if "," not in value:
        return None
    tools = [""]
    depth = 0
    commas = 0
    for character in value:
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(depth - 1, 0)
        elif depth == 0 and (character == "," or character.isspace()):
            commas += character == ","
            tools.append("")
            continue
        tools[-1] += character
    return [tool for tool in tools if tool] if commas else None
