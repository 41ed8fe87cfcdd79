"""The keys and headings of a file with their places, for navigation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.focus import focus_at
from skillstudio.text.node import Mapping, Node, Scalar, Sequence, resolve
from skillstudio.text.reading.markdown import read_markdown
from skillstudio.text.source import Source, Span

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t#]*$")
_DEEPEST = 4
_LABELS = ("name", "id", "key", "path", "pattern", "cmd")  # Keys that label a list item.


class OutlineItem(NamedTuple):
    """A key, list item or heading; `level` starts at 0, `line` at 1."""

    name: str
    level: int
    offset: int
    line: int


def outline(skill: Skill, path: str, text: str) -> list[OutlineItem]:
    """The keys of a file's manifests and, in Markdown, the headings, in order."""
    source = Source(text, path)
    items: list[OutlineItem] = []
    if path.lower().endswith(".md"):
        markdown = read_markdown(source)
        spans = [markdown.frontmatter] if markdown.frontmatter else []
        spans += [fence.inner for fence in markdown.fences]
        for span in spans:
            items += _keys(skill, source, span.start)
        items += _headings(source, markdown.body, [fence.inner for fence in markdown.fences])
    else:
        items += _keys(skill, source, 0)
    return sorted(items, key=lambda item: item.offset)


def _keys(skill: Skill, source: Source, offset: int) -> Iterator[OutlineItem]:
    focus = focus_at(skill, source.path, source.text, offset)
    if focus is not None:
        yield from _below(source, focus.document().root, 0)


def _below(source: Source, node: Node | None, level: int) -> Iterator[OutlineItem]:
    node = resolve(node)
    if level >= _DEEPEST or node is None:
        return
    if isinstance(node, Mapping):
        for entry in node.entries:
            yield _item(source, entry.name, level, entry.key.start)
            yield from _below(source, entry.value, level + 1)
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            inner = resolve(item)
            if isinstance(inner, Mapping):
                yield _item(source, _label(inner) or f"[{index}]", level, item.start)
                yield from _below(source, inner, level + 1)


def _label(node: Mapping) -> str:
    for name in _LABELS:
        value = resolve(node.get(name))
        if isinstance(value, Scalar) and isinstance(value.value, str) and value.value:
            return value.value
    return ""


def _headings(source: Source, body: Span, fences: list[Span]) -> Iterator[OutlineItem]:
    first = source.position(body.start).line
    for number in range(first, len(source.line_starts) + 1):
        start = source.line_starts[number - 1]
        if start < body.start or any(fence.start <= start < fence.end for fence in fences):
            continue
        match = _HEADING.match(source.line(number))
        if match:
            yield OutlineItem(match.group(2), len(match.group(1)) - 1, start, number)


def _item(source: Source, name: str, level: int, offset: int) -> OutlineItem:
    return OutlineItem(name, level, offset, source.position(offset).line)
