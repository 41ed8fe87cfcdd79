"""Read the YAML of most manifests line by line, in half the time and without loading libyaml.

It knows block mappings and lists whose lines have a key, a value or both: plain and quoted texts on
one line, numbers and words. A text with anything else, or with a problem, is left to the composer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Entry, Mapping, Node, Scalar, Sequence
from skillstudio.text.reading.yaml_scalars import (
    SPECIAL,
    is_plain_number,
    older_reading,
    resolve_plain,
    same_in_both,
)

_LINE = lazy_pattern(
    r"""
    ([ ]*) (-[ ]+)?  # Indentation and dash.
    (?: ([A-Za-z_][\w-]{0,99}) : (?:[ ]+(?=[^ \n])|(?=[ ]*$)) )?  # Key.
    (?: ([^\s?:,\[\]{}\#&*!|>'"%@`-] [^\n:\#]* (?:(?::(?=\S)|(?<=\S)\#) [^\n:\#]*)*)  # Plain text.
      | ("(?:[^"\\\n]|\\["\\])*" | '[^'\n]*')  # Quoted text.
      | (\#.*) )?  # Comment.
    [ ]*$
    """,
    re.ASCII | re.MULTILINE | re.VERBOSE,
)
_ESCAPE = lazy_pattern(r"\\(.)")
_OTHER_SPACE = lazy_pattern("[\t\r\x85\u2028\u2029\ufeff]")
_MAX_DEPTH = 50


class _OtherYaml(Exception):
    """The text has something that this module does not know."""


def read_lines(text: str, base: int) -> Mapping | None:
    """The mapping of a whole text, which begins at the offset `base`; None for any other YAML.

    The text has only characters that YAML allows.
    """
    if _OTHER_SPACE.search(text):
        return None
    try:
        return _read(text, base)
    except _OtherYaml:
        return None


def _read(text: str, base: int) -> Mapping:
    at, size = 0, len(text)
    columns: list[int] = []
    nodes: list[Mapping | Sequence] = []  # The collections that may go on, by `columns`.
    key: Scalar | None = None  # The key before, if its value begins on a later line.
    while at < size:
        line = _LINE.match(text, at)
        if line is None:
            raise _OtherYaml
        at = line.end() + 1
        indent, dash, name, plain, quoted_text, comment = line.groups()
        if not (dash or name or plain or quoted_text):
            continue
        if comment or not (dash or name):
            raise _OtherYaml
        column = len(indent)
        while columns and columns[-1] > column:
            if len(columns) == 1:
                raise _OtherYaml
            columns.pop()
            _end(nodes.pop(), key)
        if dash:
            if key:
                start = base + line.start(2)
                _begin(Sequence(start, start, [], flow=False), nodes, key)
                columns.append(column)
                key = None
            elif not columns or columns[-1] != column or type(nodes[-1]) is not Sequence:
                raise _OtherYaml
            column += len(dash)
        elif columns and columns[-1] == column and type(nodes[-1]) is Sequence:
            columns.pop()
            _end(nodes.pop(), key)
        if name:
            start = base + line.start(3)
            if dash or not columns or (key and columns[-1] < column):
                _begin(Mapping(start, start, [], flow=False), nodes, key)
                columns.append(column)
            elif columns[-1] != column or key:
                raise _OtherYaml
            if name[0] in SPECIAL and not _is_plain_key(name):
                raise _OtherYaml
            key = Scalar(start, start + len(name), name, "plain")
        if plain or quoted_text:
            start = base + line.start(4 if plain else 5)
            value = _plain(plain.rstrip(" "), start) if plain else _read_quoted(quoted_text, start)
            _add(value, nodes, key)
            key = None
        elif not name:
            raise _OtherYaml
    for node in reversed(nodes):
        _end(node, key)
    if not nodes or not isinstance(nodes[0], Mapping):
        raise _OtherYaml
    return nodes[0]


def _begin(node: Mapping | Sequence, nodes: list[Mapping | Sequence], key: Scalar | None) -> None:
    """Add a collection to the innermost one, unless it is the whole text, and begin it."""
    if len(nodes) >= _MAX_DEPTH:
        raise _OtherYaml
    if nodes:
        _add(node, nodes, key)
    nodes.append(node)


def _add(node: Node, nodes: list[Mapping | Sequence], key: Scalar | None) -> None:
    """Add a value to the innermost collection, after which no key is left without one."""
    parent = nodes[-1]
    if isinstance(parent, Sequence):
        parent.items.append(node)
    elif key:
        parent.entries.append(Entry(key, node))
    else:
        raise _OtherYaml


def _end(node: Mapping | Sequence, key: Scalar | None) -> None:
    """Set where a collection ends."""
    if key:  # It has no value.
        raise _OtherYaml
    if isinstance(node, Sequence):
        node.end = node.items[-1].end
        return
    if len({entry.name for entry in node.entries}) < len(node.entries):
        raise _OtherYaml
    node.end = node.entries[-1].value.end


def _plain(text: str, start: int) -> Scalar:
    value: Any = text
    if text[0] in SPECIAL:
        value = int(text) if is_plain_number(text) else resolve_plain(text)
        if type(value) is float or older_reading(text, value):
            raise _OtherYaml
    return Scalar(start, start + len(text), value, "plain")


def _read_quoted(quoted_text: str, start: int) -> Scalar:
    text = quoted_text[1:-1]
    if quoted_text[0] == '"' and "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    style = "double" if quoted_text[0] == '"' else "single"
    return Scalar(start, start + len(quoted_text), text, style)


@lru_cache(maxsize=1000)
def _is_plain_key(name: str) -> bool:
    return same_in_both(name)
