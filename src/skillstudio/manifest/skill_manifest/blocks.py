"""Find manifest blocks in a SKILL.md: duplicate ones, unfenced ones and those in YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.text.diagnostic import Diagnostic, Fix, Splice
from skillstudio.text.node import Document, Fault, Mapping, resolve
from skillstudio.text.reading import read
from skillstudio.text.reading.fences import Fence
from skillstudio.text.reading.markdown import Markdown
from skillstudio.text.source import Span

FENCES = ("skill-manifest", "router-manifest")

_OPEN = re.compile(
    r'^ {0,3}(\{)(?=[ \t\r\n]*"(?:schema_version|id|version|capabilities|effects|operations'
    r'|entrypoints|stdout_contract)"[ \t\r\n]*:)',
    re.MULTILINE,
)
_JSON_FENCES = ("", "json", "jsonc", "json5")
"""The first words of fences that authors use in place of the dialect's own."""
_MARKS = re.compile(r"`{3,}|~{3,}")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MOST_CANDIDATES = 50
_HARMLESS = frozenset(("alias-used", "value-yaml-1.1"))


class Unfenced(NamedTuple):
    """A manifest in the text of a SKILL.md: its missing fence, and the span of the object.

    `opening` is the first line of another fence around it, if there is one.
    """

    fence: str
    start: int
    end: int
    opening: Span | None = None


def find_blocks(markdown: Markdown) -> dict[str, list[Fence]]:
    """The manifest blocks by the word of their fence; nested blocks are illustrations."""
    found: dict[str, list[Fence]] = {fence: [] for fence in FENCES}
    for fence in markdown.fences:
        word = fence.info.split()[:1]
        if fence.top_level and word and word[0] in found:
            found[word[0]].append(fence)
    return found


def find_unfenced(markdown: Markdown) -> list[Unfenced]:
    """JSON objects in the body that look like a manifest and are in no manifest block.

    Of the fenced blocks, only those of JSON or without a language that contain nothing else count;
    any other one is an illustration.
    """
    text = markdown.source.text
    plain: dict[int, Fence] = {}
    covered: list[Span] = []
    for fence in markdown.fences:
        inside = text[fence.inner.start : fence.inner.end]
        word = fence.info.split()[:1]
        if fence.top_level and (word[0].lower() if word else "") in _JSON_FENCES:
            plain[fence.inner.start + len(inside) - len(inside.lstrip())] = fence
        covered.append(Span(fence.opening.start, fence.inner.end))
    covered += [Span(*comment.span()) for comment in _COMMENT.finditer(text, markdown.body.start)]
    found: list[Unfenced] = []
    decoder = json.JSONDecoder()
    end = markdown.body.start
    tried = 0
    for candidate in _OPEN.finditer(text, markdown.body.start):
        start = candidate.start(1)
        own = plain.get(start)
        if start < end or (own is None and any(span.start <= start < span.end for span in covered)):
            continue
        tried += 1
        if tried > _MOST_CANDIDATES:
            break
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        word_needed = _fence_of(value)
        if word_needed and (own is None or not text[end : own.inner.end].strip()):
            found.append(Unfenced(word_needed, start, end, own.opening if own else None))
    return found


def check_blocks(skill: Skill) -> Iterator[Diagnostic]:
    """`manifest-block-second` and `manifest-block-unfenced`."""
    markdown = skill.markdown
    if markdown is None:
        return
    blocks = find_blocks(markdown)
    for word, fences in blocks.items():
        for fence in fences[1:]:
            message = f"duplicate {word} block; only the first one is read"
            yield Diagnostic("manifest-block-second", message, fence.opening)
    if any(blocks.values()):
        # If a block exists, an object in the text can only be an illustration.
        return
    for found in find_unfenced(markdown)[:1]:
        if found.opening is None:
            title, edits = "Wrap it in a block", _wrap(markdown, found)
            at = Span(found.start, found.start + 1)
        else:
            title, edits = f"Mark the block as {found.fence}", (_mark(markdown, found),)
            at = found.opening
        yield Diagnostic(
            "manifest-block-unfenced",
            f"this manifest is outside a {found.fence} block, so agents do not find it",
            at,
            fixes=(Fix(title, edits),),
        )


def reread_as_yaml(document: Document) -> Document | None:
    """The block read as YAML, if its only fault is that it is not JSON; None if it is neither."""
    syntax = [fault for fault in document.faults if fault.rule == "syntax-json"]
    if all(_is_spare_comma(document, fault) for fault in syntax):
        return None
    broken = syntax[0]
    found = read(document.source, "yaml", document.span, document.opening)
    if not isinstance(resolve(found.root), Mapping) or any(
        fault.rule not in _HARMLESS for fault in found.faults
    ):
        return None
    edits = as_json(found, found.value)
    fault = Fault(
        "manifest-block-yaml",
        "the block is valid YAML but not valid JSON from here on; routers require JSON",
        broken.start,
        max(broken.end, broken.start),
        "Rewrite the block as JSON" if edits else "",
        edits,
    )
    return Document(
        found.source, "yaml", found.span, found.root, [fault, *found.faults], found.opening
    )


def _is_spare_comma(document: Document, fault: Fault) -> bool:
    """Whether removing a comma is enough: YAML allows it, but the author intended JSON."""
    text = document.source.text
    return bool(fault.edits) and all(
        text[start:end] == "," and not put for start, end, put in fault.edits
    )


def as_json(document: Document, value: Any) -> tuple[tuple[int, int, str], ...]:
    """The edit that writes a value as the JSON of a block; none if it has no JSON."""
    text = document.source.text[document.span.start : document.span.end]
    try:
        made = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        # A number such as .inf cannot be written in JSON, so only the author can fix it.
        return ()
    newline = document.source.newline
    made = made.replace("\n", newline)
    tail = newline if text.endswith(("\n", "\r")) else ""
    return ((document.span.start, document.span.end, made + tail),)


def _fence_of(value: Any) -> str:
    """The missing fence of an object, or "" if it is not a manifest."""
    if not isinstance(value, dict):
        return ""
    operations, entrypoints = value.get("operations"), value.get("entrypoints")
    if isinstance(operations, dict) and ("schema_version" in value or "id" in value):
        return "skill-manifest"
    if isinstance(entrypoints, dict) and "id" in value and "effects" in value:
        return "router-manifest"
    return ""


def _wrap(markdown: Markdown, found: Unfenced) -> tuple[Splice, ...]:
    text = markdown.source.text
    newline = markdown.source.newline
    line = max(text.rfind("\n", 0, found.start), text.rfind("\r", 0, found.start)) + 1
    after = text[found.end : found.end + 1]
    closing = f"{newline}```" + ("" if after in ("", "\n", "\r") else newline)
    return (
        Splice(line, line, f"```{found.fence}{newline}"),
        Splice(found.end, found.end, closing),
    )


def _mark(markdown: Markdown, found: Unfenced) -> Splice:
    """The splice that replaces the language of the block around a manifest."""
    start, end = found.opening or Span(found.start, found.start)
    line = markdown.source.text[start:end].rstrip()
    marks = _MARKS.search(line)
    return Splice(start + (marks.end() if marks else 0), start + len(line), found.fence)
