"""Format values as TOML 1.0."""

from __future__ import annotations

import math
import re
from json import dumps
from typing import Any

from skillstudio.text.editing import EditRefused
from skillstudio.text.image import Date
from skillstudio.text.node import Document, Fault, Node, Scalar, Sequence
from skillstudio.text.reading.toml_values import read_bare, read_string

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_DATE_LIKE = re.compile(r"[0-9]{2}")
_WIDTH = 88
_LARGEST = 2**63


def render(doc: Document, value: Any, old: Node | None, indent: str, flat: bool = False) -> str:
    """Format a value to replace `old`, on a line with this indentation."""
    if isinstance(value, Date):
        return str(value)
    if isinstance(value, str):
        return _string(doc, value, old)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -_LARGEST <= value < _LARGEST:
            raise EditRefused("TOML cannot represent an integer this large")
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return _list(doc, list(value), old, indent, flat)
    if isinstance(value, dict):
        if not value:
            return "{}"
        pairs = (f"{key_text(key)} = {render(doc, inner, None, '', True)}"
                 for key, inner in value.items())  # fmt: skip
        return "{ " + ", ".join(pairs) + " }"
    raise EditRefused("TOML has no null" if value is None else "TOML cannot represent this value")


def key_text(name: str, quote: str = "") -> str:
    """A key: bare if possible, unless the key it replaces was quoted."""
    if not isinstance(name, str):
        raise EditRefused("a TOML key must be a string")
    if quote == "'" and not re.search(r"['\x00-\x08\x0a-\x1f\x7f]", name):
        return f"'{name}'"
    if quote != '"' and _BARE.match(name):
        return name
    return _basic(name)


def section(doc: Document, names: list[str], value: Any) -> str:
    """A table, or an array of tables, with its header and subtables."""
    return doc.source.newline.join(_section(doc, [key_text(name) for name in names], value))


def _section(doc: Document, names: list[str], value: Any) -> list[str]:
    """The blocks of a section, each with a final newline."""
    newline = doc.source.newline
    blocks = []
    many = isinstance(value, list)
    for table in value if isinstance(value, list) else [value]:
        header = ".".join(names)
        lines = [f"[[{header}]]" if many else f"[{header}]"]
        inner: list[str] = []
        for key, member in table.items():
            is_array = isinstance(member, list) and are_all(member, dict)
            if (isinstance(member, dict) and member) or is_array:
                inner += _section(doc, [*names, key_text(key)], member)
            else:
                lines.append(f"{key_text(key)} = {render(doc, member, None, '')}")
        blocks += ["".join(line + newline for line in lines), *inner]
    return blocks


def are_all(items: list[Any], kind: type) -> bool:
    """Whether there are items, all of one kind."""
    return bool(items) and all(isinstance(item, kind) for item in items)


def _list(doc: Document, value: list[Any], old: Node | None, indent: str, flat: bool) -> str:
    items = [render(doc, item, None, indent, True) for item in value]
    line = "[" + ", ".join(items) + "]"
    unit = "    "
    spread = not flat and len(items) > 1 and len(indent) + len(line) > _WIDTH
    comma = ","
    if isinstance(old, Sequence) and old.items and not flat:
        text = doc.source.text
        first = text[old.start + 1 : old.items[0].start]
        spread = "\n" in first
        if spread:
            unit = first.rpartition("\n")[2]
            unit = unit.removeprefix(indent) if not unit.strip() else "    "
            comma = "," if "," in text[old.items[-1].end : old.end].partition("#")[0] else ""
    if not spread or not items:
        return line
    newline = doc.source.newline
    start = newline + indent + unit
    return f"[{start}{(',' + start).join(items)}{comma}{newline}{indent}]"


def _string(doc: Document, value: str, old: Node | None) -> str:
    """A string with the quotes of the one it replaces, if they allow it."""
    style = old.style if isinstance(old, Scalar) else "basic"
    if style == "date" and _DATE_LIKE.match(value):
        faults: list[Fault] = []
        date = read_bare(value, 0, len(value), faults)
        if isinstance(date, Scalar) and date.style == "date" and date.end == len(value) > 0:
            return value if not faults else _basic(value)
    if style in ("literal", "multi-literal", "multi-basic"):
        quoted_text = _in_kind(doc, value, style, old)
        if quoted_text is not None:
            return quoted_text
    try:
        value.encode()
    except UnicodeEncodeError:
        raise EditRefused("TOML cannot represent a lone surrogate") from None
    return _basic(value)


def _in_kind(doc: Document, value: str, style: str, old: Node | None) -> str | None:
    """The string with other than basic quotes; None if they do not allow it."""
    from tomlkit import string
    from tomlkit.exceptions import InvalidStringError

    multi = style.startswith("multi")
    try:
        quoted_text = string(value, literal=style.endswith("literal"), multiline=multi).as_string()
    except (InvalidStringError, ValueError):
        return None
    if multi and old is not None:
        text = doc.source.text
        newline = doc.source.newline
        if text.startswith(("\n", "\r\n"), old.start + 3) or value.startswith("\n"):
            quoted_text = quoted_text[:3] + "\n" + quoted_text[3:]
        if "\r" in quoted_text:
            return None
        quoted_text = quoted_text.replace("\n", newline)
    faults: list[Fault] = []
    again = read_string(quoted_text, 0, len(quoted_text), faults)
    right = again.value == value and again.end == len(quoted_text) and again.style == style
    return quoted_text if right and not faults else None


def _basic(value: str) -> str:
    return dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
