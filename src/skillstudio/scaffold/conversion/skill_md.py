"""Set the frontmatter and manifest blocks of a SKILL.md.

Values are spliced in to keep comments and style; frontmatter that cannot be spliced is rewritten.
"""

from __future__ import annotations

import re
from typing import Any

from skillstudio.manifest.locate import TOO_LARGE
from skillstudio.manifest.values import mapping, pointer
from skillstudio.text import image
from skillstudio.text.diagnostic import Edit, Remove, Set
from skillstudio.text.edit import EditRefused, resolve_edits, set_value
from skillstudio.text.editing import yaml
from skillstudio.text.editing.yaml_writing import Style, write_block, write_scalar
from skillstudio.text.node import Document, split_pointer
from skillstudio.text.reading import read
from skillstudio.text.reading.fences import Fence
from skillstudio.text.reading.markdown import read_markdown
from skillstudio.text.source import BOM, Source
from skillstudio.text.splicing import apply

PATH = "SKILL.md"
_BLANK_LINES = re.compile(r"(\r\n|\n)(?:[ \t]*\1){2,}")
_BLANK_END = re.compile(r"(\r\n|\n)(?:[ \t]*\1)+\Z")


def with_frontmatter(text: str, value: dict[str, Any]) -> str:
    """Replace the frontmatter's value. Raises EditRefused if YAML cannot express it."""
    spliced_text = with_spliced_frontmatter(text, value)
    return with_fresh_frontmatter(text, value) if spliced_text is None else spliced_text


def with_spliced_frontmatter(text: str, value: dict[str, Any]) -> str | None:
    """Splice the frontmatter; None if it must be rewritten, such as one in braces."""
    text = text.removeprefix(BOM)
    markdown = read_markdown(Source(text, PATH))
    if markdown.frontmatter is None:
        return None
    document = read(markdown.source, "yaml", markdown.frontmatter, markdown.opening)
    old = document.value if isinstance(document.value, dict) else {}
    try:
        edited_text = _apply_edits(document, list(_edits(old, value)), value)
        return (
            _tidy(edited_text, value)
            if edited_text is not None and old.keys() - value.keys()
            else edited_text
        )
    except EditRefused:
        return None


def with_fresh_frontmatter(text: str, value: dict[str, Any]) -> str:
    """Rewrite the frontmatter in plain YAML. Raises EditRefused."""
    text = text.removeprefix(BOM)
    markdown = read_markdown(Source(text, PATH))
    return _fresh(value, markdown.source.newline, text[markdown.body.start :])


def with_id(text: str, word: str, name: str) -> str:
    """Replace the `id` in the block with an info word. Raises EditRefused."""
    fence = blocks_in(text, word)[0]
    source = Source(text, PATH)
    document = read(source, "json", fence.inner, fence.opening_line)
    if document.faults:
        document = read(source, "yaml", fence.inner, fence.opening_line)
    return apply(text, set_value(document, "/id", name))


def blocks_in(text: str, word: str) -> list[Fence]:
    """The top-level blocks with an info word."""
    if word not in text:
        return []
    fences = read_markdown(Source(text, PATH)).fences
    return [fence for fence in fences if fence.top_level and fence.info.split()[:1] == [word]]


def _apply_edits(document: Document, edits: list[Edit], value: dict[str, Any]) -> str | None:
    """The text after some edits of its frontmatter; None if its value is not the expected one.

    Raises EditRefused.
    """
    text = document.source.text
    removed_keys = [split_pointer(edit.pointer) for edit in edits if isinstance(edit, Remove)]
    if len(removed_keys) == len(edits):
        # Verified once for all keys because it reads the whole frontmatter.
        splices = [splice for keys in removed_keys for splice in yaml.remove(document, keys)]
        try:
            edited_text = apply(text, sorted(splices))
        except ValueError:
            edited_text = text
        if _frontmatter(edited_text) == image.of_value(value):
            return edited_text
    edited_text = apply(text, resolve_edits(document, edits))
    return edited_text if _frontmatter(edited_text) == image.of_value(value) else None


def _edits(old: dict[str, Any], new: dict[str, Any], *above: str) -> list[Edit]:
    """The edits of the frontmatter, or of the mapping at the key `above`, value by value."""
    removals: list[Edit] = [Remove(pointer(*above, key)) for key in old if key not in new]
    edits: list[Edit] = []
    for key, value in new.items():
        old_mapping = mapping(old, key)
        if not above and old_mapping and isinstance(value, dict) and value:
            edits += _edits(old_mapping, value, key)
        elif key not in old or image.of_value(old[key]) != image.of_value(value):
            edits.append(Set(pointer(*above, key), value))
    # Each edit re-reads the text, so remove keys first, but never the last one.
    is_safe = not above and old.keys() & new.keys()
    return [*removals, *edits] if is_safe else [*edits, *removals]


def _fresh(value: dict[str, Any], newline: str, body: str) -> str:
    """A SKILL.md with new frontmatter, `name` first. Raises EditRefused."""
    ordered_value = {"name": value.get("name", ""), **value}
    needs_quotes = write_scalar(ordered_value["name"]).startswith('"')
    lines = [
        "---",
        *write_block(ordered_value, Style(quote="double" if needs_quotes else "")),
        "---",
        body,
    ]
    text = newline.join(lines)
    if why := too_large(PATH, text.encode("utf-8", "surrogatepass")):
        raise EditRefused(why)
    if _frontmatter(text) != image.of_value(value):
        raise EditRefused("YAML cannot express the values of the new frontmatter")
    return text


def too_large(path: str, content: bytes) -> str:
    """Why a file is too large for a manifest, or ""."""
    size = len(content)
    return f"{path} would have {size:,} bytes, more than 1 MiB" if size > TOO_LARGE else ""


def _tidy(text: str, value: dict[str, Any]) -> str:
    """Remove the blank lines that removed keys left."""
    span = read_markdown(Source(text, PATH)).frontmatter
    if span is None:
        return text
    inside = _BLANK_LINES.sub(r"\1\1", text[span.start : span.end])
    tidy = text[: span.start] + _BLANK_END.sub(r"\1", inside) + text[span.end :]
    return tidy if _frontmatter(tidy) == image.of_value(value) else text


def _frontmatter(text: str) -> Any:
    """A comparable image of the frontmatter. Raises EditRefused."""
    markdown = read_markdown(Source(text, PATH))
    if markdown.frontmatter is None:
        raise EditRefused("the frontmatter could not be read back")
    document = read(markdown.source, "yaml", markdown.frontmatter, markdown.opening)
    try:
        return image.of_node(document.root)
    except image.TreeTooLarge:
        raise EditRefused("the frontmatter has too many values") from None
