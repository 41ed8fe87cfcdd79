"""The regular expressions that authors put into their schemas: ECMA-262, as JSON Schema says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Document

_CONSTRUCT = re.compile(r"\(\?P[<=>]|\(\?#|\(\?>|\(\?[aiLmsux]+\)|[*+?}]\+")
_NESTED = re.compile(r"\)\s*[*+{]")


def pattern_findings(
    document: Document, pointer: str, pattern: str, key: bool = False
) -> Iterator[Diagnostic]:
    """What is wrong with the pattern at a JSON Pointer, or with the key there."""
    rule, message = _judge(pattern)
    if rule:
        node = document.at(pointer)
        span = document.key_span(pointer) if key else node.span if node is not None else None
        yield Diagnostic(rule, message, span, pointer)


@lru_cache(maxsize=512)
def _judge(pattern: str) -> tuple[str, str]:
    python = _python_only(pattern)
    if python:
        return (
            "pattern-python-only",
            f"{python} is Python's own syntax; patterns here are ECMA-262 regular expressions",
        )
    wrong = _invalid(pattern)
    if wrong:
        return "pattern-invalid", f"not a valid regular expression: {wrong}"
    if _NESTED.search(pattern):
        from skillstudio.manifest.ambiguity import is_exponential

        if is_exponential(pattern):
            return (
                "pattern-expensive",
                "this pattern repeats a repetition; many regex engines take for ever on some texts",
            )
    return "", ""


def _python_only(pattern: str) -> str:
    """The first construct that only Python's engine knows, or nothing."""
    at, in_class = 0, False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            if not in_class and pattern[at + 1 : at + 2] in ("A", "Z"):
                return pattern[at : at + 2]
            at += 2
            continue
        if in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
        else:
            found = _CONSTRUCT.match(pattern, at)
            if found:
                return found.group()
        at += 1
    return ""


def _invalid(pattern: str) -> str:
    from skillstudio.schema.regex import PatternError, parse_pattern

    try:
        parse_pattern(pattern)
    except PatternError as error:
        return str(error)
    return ""
