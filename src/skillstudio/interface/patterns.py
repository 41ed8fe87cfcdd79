"""Output file patterns as regular languages.

`*` matches any text within a folder, `?` one character of it, `**` any text; `{{name}}` matches the
values of that input. An input without a pattern or enum can be any text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from skillstudio.interface.model import Input
from skillstudio.interface.schemas import work_left
from skillstudio.schema.outcome import Escape
from skillstudio.schema.regex import PatternError, parse_pattern
from skillstudio.schema.regex.charsets import ANY, negate, of
from skillstudio.schema.regex.inclusion import find_witness
from skillstudio.schema.regex.nodes import (
    Alternate,
    Assertion,
    Chars,
    Concat,
    Foreign,
    Node,
    Repeat,
)
from skillstudio.schema.work import Undecidable

_PART = re.compile(r"\{\{([A-Za-z_][A-Za-z0-9_.\-]*)\}\}|\*\*|\*|\?|[^*?{]+|\{")
_NO_SLASH = negate(of("/"))
_STARS: dict[str, Node] = {
    "**": Repeat(Chars(ANY), 0, None),
    "*": Repeat(Chars(_NO_SLASH), 0, None),
    "?": Chars(_NO_SLASH),
}
_ANYTHING = _STARS["**"]
_DIGITS: Node = Repeat(Chars(of("0123456789")), 1, None)
_INTEGER: Node = Concat((Repeat(Chars(of("-")), 0, 1), _DIGITS))
_NUMBER: Node = Concat((_INTEGER, Repeat(Concat((Chars(of(".")), _DIGITS)), 0, 1)))
_WORDS = 500  # Longer enums are treated as any text.


def compare_patterns(
    old: str, olds: Mapping[str, Input], new: str, news: Mapping[str, Input]
) -> tuple[Escape | None, Escape | None]:
    """Paths that only the old and only the new pattern matches, or None. Raises Undecidable."""
    before, after = language(old, olds), language(new, news)
    return _escape(before, after), _escape(after, before)


def _escape(narrow: Node, wide: Node) -> Escape | None:
    counterexample = find_witness(narrow, wide, whole=True, work=work_left())
    return None if counterexample is None else Escape(counterexample, "")


def language(pattern: str, inputs: Mapping[str, Input]) -> Node:
    """The language of a pattern's paths. Raises Undecidable."""
    parts: list[Node] = []
    for match in _PART.finditer(pattern):
        text, name = match.group(), match.group(1)
        if name:
            operation_input = inputs.get(name)
            parts.append(
                _values(operation_input.schema) if operation_input is not None else _ANYTHING
            )
        else:
            parts.append(_STARS.get(text) or _literal(text))
    return Concat(tuple(parts))


def names(pattern: str) -> list[str]:
    """The inputs that a pattern refers to."""
    return [match.group(1) for match in _PART.finditer(pattern) if match.group(1)]


def _literal(text: str) -> Node:
    return Concat(tuple(Chars(of(character)) for character in text))


def _values(schema: Any) -> Node:
    """The language of a value's texts in a path."""
    if not isinstance(schema, dict):
        return _ANYTHING
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list) and len(values) <= _WORDS:
        words = [_word(value) for value in values]
        if None not in words:
            return Alternate(tuple(_literal(word) for word in words if word is not None))
    kind = schema.get("type")
    if kind == "integer":
        return _INTEGER
    if kind == "number":
        return _NUMBER
    if kind == "boolean":
        return Alternate((_literal("true"), _literal("false")))
    pattern = schema.get("pattern")
    if kind == "string" and isinstance(pattern, str):
        try:
            return _widen_ends(parse_pattern(pattern).root)
        except PatternError:
            return _ANYTHING
    return _ANYTHING


def _word(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None


def _widen_ends(node: Node) -> Node:
    """The language of texts that contain a match; unanchored ends match any text."""
    if isinstance(node, Alternate):
        return Alternate(tuple(_widen_ends(option) for option in node.options))
    parts = _flat(node)
    start = not parts or parts[0] != Assertion("^")
    end = not parts or parts[-1] != Assertion("$")
    inner = parts[0 if start else 1 : len(parts) if end else -1]
    if len(inner) == 1 and isinstance(inner[0], Alternate) and not (start or end):
        inner = [Alternate(tuple(_inner(option) for option in inner[0].options))]
    for part in inner:
        _refuse_assertions(part)
    return Concat((*[_ANYTHING] * start, *inner, *[_ANYTHING] * end))


def _inner(option: Node) -> Node:
    """An option between `^` and `$`, which may repeat the anchors."""
    parts = _flat(option)
    if parts and parts[0] == Assertion("^"):
        parts = parts[1:]
    if parts and parts[-1] == Assertion("$"):
        parts = parts[:-1]
    return Concat(tuple(parts))


def _flat(node: Node) -> list[Node]:
    if not isinstance(node, Concat):
        return [node]
    return [part for child in node.parts for part in _flat(child)]


def _refuse_assertions(node: Node) -> None:
    """Raise Undecidable for an assertion, whose meaning changes within a path."""
    stack: list[Node] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, Assertion | Foreign):
            construct = part.kind if isinstance(part, Assertion) else part.construct
            raise Undecidable(f"{construct} is not supported in the pattern of a path")
        if isinstance(part, Concat):
            stack += part.parts
        elif isinstance(part, Alternate):
            stack += part.options
        elif isinstance(part, Repeat):
            stack.append(part.body)
