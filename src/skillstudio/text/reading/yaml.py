"""Read YAML with spans, even if it is broken."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Document, Entry, Fault, Mapping, Missing, Node, Scalar
from skillstudio.text.reading.yaml_lines import read_lines
from skillstudio.text.source import BOM, Source, Span

if TYPE_CHECKING:
    from skillstudio.text.reading.yaml_composer import Composer

_UNPRINTABLE_ASCII = lazy_pattern("[^\t\n\r\x20-\x7e]+")
_WORD = lazy_pattern(r"[A-Za-z_][\w.-]*", re.ASCII)


def read_yaml(source: Source, span: Span, opening: Span | None = None) -> Document:
    """Read YAML. An empty text is an empty mapping. Never raises."""
    base = span.start + source.text.startswith(BOM, span.start, span.end)
    original = source.text[base : span.end]
    faults: list[Fault] = []
    text = original
    unprintable = _UNPRINTABLE_ASCII if text.isascii() else _unprintable()
    if unprintable.search(text):
        for match in unprintable.finditer(text):
            start, end = match.start() + base, match.end() + base
            message = f"the character U+{ord(match.group()[0]):04X} is not allowed in YAML"
            faults.append(Fault("control-character", message, start, end))
        text = unprintable.sub(lambda match: " " * len(match.group()), text)
    elif plain := read_lines(text, base):
        return Document(source, "yaml", span, plain, [], opening)
    # libyaml takes as long to load as to check a skill.
    from skillstudio.text.reading.yaml_composer import Composer, Repairs

    composer = Composer(Repairs(text), original, base)
    problem = composer.run()
    if problem:
        from skillstudio.text.reading.yaml_recovery import recover

        composer = recover(composer, problem)
    root = _root(composer, base)
    faults += composer.faults
    faults.sort(key=lambda fault: (fault.start, fault.end))
    return Document(source, "yaml", span, root, faults, opening)


@cache
def _unprintable() -> re.Pattern[str]:
    """Characters that YAML does not allow. Compiled lazily: slow, and most files are ASCII."""
    return re.compile(
        "\\A\ufeff|[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+"
    )


def _root(composer: Composer, base: int) -> Node:
    root = composer.root
    if root is None:
        empty = Mapping(base, base, [], flow=False)
        empty.incomplete = bool(composer.repairs.lost_spans)
        return empty
    if isinstance(root, Scalar) and isinstance(root.value, str) and _WORD.fullmatch(root.value):
        return _first_key(composer, root)
    return root


def _first_key(composer: Composer, word: Scalar) -> Node:
    """A single word is a key whose colon is not typed yet."""
    if word.style != "plain":
        return word
    message = f'"{word.value}" is not a key; add a colon after it'
    edits = ((word.end, word.end, ":"),)
    fault = Fault("syntax-yaml", message, word.start, word.end, "Add a colon", edits)
    composer.faults.append(fault)
    return Mapping(word.start, word.end, [Entry(word, Missing(word.end, word.end))], flow=False)
