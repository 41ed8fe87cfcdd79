"""Find placeholders in the source text of a manifest, with their exact spans."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Document, Scalar, resolve
from skillstudio.text.source import Span

DOUBLE = "{{ }}"
SINGLE = "{ }"

_NAME = r"[A-Za-z_][A-Za-z0-9_.\-]*"
_PATTERNS = {
    DOUBLE: lazy_pattern(rf"\{{\{{({_NAME})\}}\}}|\{{\{{(?:[^{{}}\r\n]*\}}\}})?|\}}\}}"),
    SINGLE: lazy_pattern(rf"\{{({_NAME})\}}"),
}
_ESCAPE = lazy_pattern(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_HEX = frozenset("xuU")


class Placeholder(NamedTuple):
    """A placeholder: its name (empty if malformed) and its span, including braces."""

    name: str
    start: int
    end: int
    text: str  # The placeholder without escapes.

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


def placeholders(raw: str, style: str = DOUBLE) -> list[Placeholder]:
    """The placeholders of a scalar's source text, with offsets from its start.

    `style` is `{{ }}` or `{ }`. Between double braces anything but a name is malformed, and so are
    unpaired braces; single braces around anything else are ordinary text, which is common in JSON
    and shell scripts.
    """
    if "\\" in raw and raw.startswith('"'):
        return _find_escaped(raw, style)
    if "{" not in raw and "}}" not in raw:
        return []
    matches = _PATTERNS[style].finditer(raw)
    return [Placeholder(m.group(1) or "", m.start(), m.end(), m.group()) for m in matches]


def placeholders_at(document: Document, pointer: str, style: str = DOUBLE) -> list[Placeholder]:
    """The placeholders of the string at a JSON Pointer, with offsets into the whole source."""
    node = resolve(document.at(pointer))
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return []
    raw = document.source.text[node.start : node.end]
    return [
        Placeholder(
            placeholder.name,
            node.start + placeholder.start,
            node.start + placeholder.end,
            placeholder.text,
        )
        for placeholder in placeholders(raw, style)
    ]


def names(value: str, style: str = DOUBLE) -> list[str]:
    """The names in the well-formed placeholders of a plain value, in order, each once."""
    matches = _PATTERNS[style].finditer(value)
    return list(dict.fromkeys(match.group(1) for match in matches if match.group(1)))


def fill(value: str, texts: Mapping[str, str], style: str = DOUBLE) -> str:
    """Replace the placeholders of these names in one pass, without those in inserted values."""
    return _PATTERNS[style].sub(lambda match: texts.get(match.group(1) or "", match.group()), value)


def _find_escaped(raw: str, style: str) -> list[Placeholder]:
    """The same for a double-quoted text with escapes, keeping the original offsets."""
    characters: list[str] = []
    offsets: list[int] = []
    at = 0
    for escape in _ESCAPE.finditer(raw):
        characters += raw[at : escape.start()]
        offsets += range(at, escape.start())
        characters.append(_character(escape.group()))
        offsets.append(escape.start())
        at = escape.end()
    characters += raw[at:]
    offsets += range(at, len(raw) + 1)
    read = "".join(characters)
    matches = _PATTERNS[style].finditer(read)
    return [
        Placeholder(m.group(1) or "", offsets[m.start()], offsets[m.end()], m.group())
        for m in matches
    ]


def _character(escape: str) -> str:
    if escape[1] in _HEX and len(escape) > 2:
        code = int(escape[2:], 16)
        return chr(code) if code < 0x110000 else "\ufffd"
    # The exact character does not matter here: no letter escape is a brace.
    return " "
