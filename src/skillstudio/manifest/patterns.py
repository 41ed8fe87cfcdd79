"""Check the regular expressions in authors' schemas, which are ECMA-262."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Document

_PLAIN = re.compile(
    r"\^?(?:(?:\\[dDwWsS.^$*+?()\[\]{}|/\\]|[A-Za-z0-9 _/:,@#%&=~\"'<>;!-]|\."
    r"|\[\^?(?:a-z|A-Z|0-9|[A-Za-z0-9_ .,:;/@]|\\[dws.])+-?\])(?:[*+?]|\{[0-9]{1,3}\})?)*\$?"
)
"""Patterns without groups that are valid without parsing."""
_NESTED = re.compile(r"\)\s*[*+{]")


def pattern_findings(
    document: Document, pointer: str, pattern: str, key: bool = False
) -> Iterator[Diagnostic]:
    """Problems of the pattern at a JSON Pointer, or of the key there."""
    rule, message = _judge(pattern)
    if rule:
        node = document.at(pointer)
        span = document.key_span(pointer) if key else node.span if node is not None else None
        yield Diagnostic(rule, message, span, pointer)


@lru_cache(maxsize=512)
def _judge(pattern: str) -> tuple[str, str]:
    if _PLAIN.fullmatch(pattern):
        return "", ""
    from skillstudio.schema.regex import PatternError, parse_pattern, python_only

    for _, construct in python_only(pattern):
        return (
            "pattern-python-only",
            f"{construct} is Python syntax; use an ECMA-262 regular expression",
        )
    try:
        parse_pattern(pattern)
    except PatternError as error:
        return "pattern-invalid", f"not a valid regular expression: {error}"
    if _NESTED.search(pattern):
        from skillstudio.manifest.ambiguity import is_exponential

        if is_exponential(pattern):
            return (
                "pattern-expensive",
                "nested repetitions can take exponential time in many regex engines",
            )
    return "", ""
