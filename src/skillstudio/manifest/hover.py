"""Describe the key or value at the cursor."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.focus import Focus, around, focus_at
from skillstudio.manifest.snippets import Schemas, first, types
from skillstudio.manifest.targets import most_characters
from skillstudio.text.node import Scalar, join_pointer, resolve
from skillstudio.text.source import Span

_LONGEST_LIST = 12
_FILE = "SKILL.md"  # The file whose frontmatter targets read.


class Hover(NamedTuple):
    """`title` names the place; `text` describes the expected value."""

    title: str
    text: str
    span: Span


def hover(skill: Skill, path: str, text: str, offset: int) -> Hover | None:
    """The description of the place at an offset of the editor's text; None if there is none."""
    focus = focus_at(skill, path, text, offset)
    return None if focus is None else hover_in(focus, offset, skill.settings.targets)


def hover_in(focus: Focus, offset: int, targets: Sequence[str] = ()) -> Hover | None:
    """The description of the place at an offset of a text with a schema."""
    document = focus.document()
    place = around(document, offset)
    if place is None or not place.pointer:
        return None
    schemas = focus.at(place.pointer, document.value)
    if not schemas:
        return None
    node = resolve(document.at(join_pointer(place.pointer)))
    scalar = node.value if isinstance(node, Scalar) else None
    sentences = _sentences(focus, place.pointer, schemas, None if place.on_key else scalar)
    most = most_characters("/".join(place.pointer), targets)
    if isinstance(scalar, str) and focus.source.path == _FILE and focus.syntax == "yaml" and most:
        sentences.insert(0, f"{len(scalar):,} of {most:,} characters.")
    return Hover(_title(place.pointer), " ".join(sentences), place.span) if sentences else None


def _title(pointer: tuple[str, ...]) -> str:
    """The keys that lead to a place, with an item's number after its list."""
    title = ""
    for token in pointer:
        number = token.isascii() and token.isdecimal()
        title += f"[{token}]" if number else f".{token}" if title else token
    return title


def _sentences(focus: Focus, pointer: tuple[str, ...], schemas: Schemas, value: Any) -> list[str]:
    about = first(schemas, "x-enum-descriptions", {})
    sentences = []
    if isinstance(value, str) and value in about:
        sentences.append(f"{value}: {about[value]}")
    if description := first(schemas, "description"):
        sentences.append(str(description))
    type_names = types(schemas)
    facts = []
    if any(pointer[-1] in schema.get("required", ()) for schema in focus.at(pointer[:-1])):
        facts.append("required")
    if type_names:
        facts.append(" or ".join(type_names))
    options = first(schemas, "enum")
    if options:
        facts.append("one of " + _list_values(options))
    elif (constant := first(schemas, "const")) is not None:
        facts.append("always " + _render_value(constant))
    default = first(schemas, "default")
    if default is not None and first(schemas, "const") is None:
        facts.append("default " + _render_value(default))
    for keyword, words in (("minimum", "at least"), ("maximum", "at most")):
        if (limit := first(schemas, keyword)) is not None:
            facts.append(f"{words} {_render_value(limit)}")
    if (longest := first(schemas, "maxLength")) is not None:
        facts.append(f"at most {longest} characters")
    if facts:
        sentences.append(f"({', '.join(facts)})")
    return sentences


def _list_values(values: list[Any]) -> str:
    text = ", ".join(_render_value(value) for value in values[:_LONGEST_LIST])
    return text + (", …" if len(values) > _LONGEST_LIST else "")


def _render_value(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
