"""Find the manifest at an offset of a file, and the schemas for a place in it."""

from __future__ import annotations

from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Dialect, Skill
from skillstudio.manifest.registry import dialects, schema_of
from skillstudio.text.node import Document, Mapping, Node, Sequence, join_pointer, resolve
from skillstudio.text.reading import read
from skillstudio.text.reading.markdown import Markdown, read_markdown
from skillstudio.text.source import Source, Span


class Focus(NamedTuple):
    """The manifest around the cursor: its text, syntax and schemas."""

    source: Source
    syntax: str
    span: Span
    schemas: tuple[dict[str, Any], ...]

    def document(self) -> Document:
        """The parsed manifest, also for half-typed text."""
        return read(self.source, self.syntax, self.span)

    def at(self, pointer: tuple[str, ...], value: Any = None) -> list[dict[str, Any]]:
        """The schemas of a place. With `value`, alternatives that do not match are left out."""
        from skillstudio.schema.navigate import subschemas

        address = join_pointer(pointer)
        if value is None:
            return [
                subschema for schema in self.schemas for subschema in subschemas(schema, address)
            ]
        return [
            subschema for schema in self.schemas for subschema in subschemas(schema, address, value)
        ]


def focus_at(skill: Skill, path: str, text: str, offset: int) -> Focus | None:
    """The manifest at an offset of a file, or None."""
    source = Source(text, path)
    manifests = [manifest for manifest in skill.manifests if manifest.path == path]
    for manifest in manifests:
        if manifest.part != "manifest" or manifest.dialect.carrier == "file":
            schema = schema_of(manifest.dialect, manifest.part)
            return Focus(source, manifest.document.syntax, Span(0, len(text)), (schema,))
    file_dialects = [dialect for dialect in dialects() if dialect.file == path]
    whole = [dialect for dialect in file_dialects if dialect.carrier == "file"]
    whole = [dialect for dialect in whole if dialect.id == skill.settings.dialect] or whole
    if whole:
        return _focus(source, Span(0, len(text)), whole)
    if path.lower().endswith(".md"):
        return _in_markdown(read_markdown(source), offset)
    return None


def _in_markdown(markdown: Markdown, offset: int) -> Focus | None:
    markdown_dialects = [
        dialect for dialect in dialects() if dialect.carrier in ("frontmatter", "fence")
    ]
    front = markdown.frontmatter
    is_unclosed = any(fault.rule == "frontmatter-unclosed" for fault in markdown.faults)
    if front and (front.start <= offset < front.end or (is_unclosed and offset == front.end)):
        group = [dialect for dialect in markdown_dialects if dialect.carrier == "frontmatter"]
        return _focus(markdown.source, front, group)
    for fence in markdown.fences:
        start, end = fence.inner
        if start <= offset < end or (offset == end and not fence.is_closed):
            group = [
                dialect
                for dialect in markdown_dialects
                if fence.info.split()[:1] == [dialect.fence]
            ]
            return _focus(markdown.source, fence.inner, group) if group else None
    return None


def _focus(source: Source, span: Span, group: list[Dialect]) -> Focus:
    return Focus(source, group[0].syntax, span, tuple(schema_of(dialect) for dialect in group))


class Around(NamedTuple):
    """The value or key at the cursor, by pointer."""

    pointer: tuple[str, ...]
    span: Span
    on_key: bool


def around(document: Document, offset: int) -> Around | None:
    """The innermost key or value of a document at an offset."""
    node: Node | None = resolve(document.root)
    pointer: tuple[str, ...] = ()
    place: Around | None = None
    while node is not None:
        below: Node | None = None
        if isinstance(node, Mapping):
            for entry in node.entries:
                inside = (*pointer, entry.name)
                if entry.key.start <= offset <= entry.key.end:
                    return Around(inside, entry.key.span, True)
                if entry.value.start <= offset <= entry.value.end:
                    below, place = entry.value, Around(inside, entry.value.span, False)
        elif isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                if item.start <= offset <= item.end:
                    inside = (*pointer, str(index))
                    below, place = item, Around(inside, item.span, False)
        if below is None or place is None:
            return place
        node, pointer = below, place.pointer
    return place
