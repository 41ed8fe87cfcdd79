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


class UnfencedManifest(NamedTuple):
    """A manifest in the text of a SKILL.md: its missing fence, and the span of the object.

    `opening` is the first line of another fence around it, if there is one.
    """

    fence: str
    start: int
    end: int
    opening: Span | None = None


def find_blocks(markdown: Markdown) -> dict[str, list[Fence]]:
    """The manifest blocks by the word of their fence; nested blocks are illustrations."""
    blocks: dict[str, list[Fence]] = {fence: [] for fence in FENCES}
    for fence in markdown.fences:
        word = fence.info.split()[:1]
        if fence.top_level and word and word[0] in blocks:
            blocks[word[0]].append(fence)
    return blocks


def find_unfenced(markdown: Markdown) -> list[UnfencedManifest]:
    """JSON objects in the body that look like a manifest and are in no manifest block.

    Of the fenced blocks, only those of JSON or without a language that contain nothing else count;
    any other one is an illustration.
    """
    text = markdown.source.text
    plain: dict[int, Fence] = {}
    covered_spans: list[Span] = []
    for fence in markdown.fences:
        inside = text[fence.inner.start : fence.inner.end]
        word = fence.info.split()[:1]
        if fence.top_level and (word[0].lower() if word else "") in _JSON_FENCES:
            plain[fence.inner.start + len(inside) - len(inside.lstrip())] = fence
        covered_spans.append(Span(fence.opening_line.start, fence.inner.end))
    covered_spans += [
        Span(*comment.span()) for comment in _COMMENT.finditer(text, markdown.body.start)
    ]
    objects: list[UnfencedManifest] = []
    decoder = json.JSONDecoder()
    end = markdown.body.start
    attempts = 0
    for candidate in _OPEN.finditer(text, markdown.body.start):
        start = candidate.start(1)
        block = plain.get(start)
        if start < end or (
            block is None and any(span.start <= start < span.end for span in covered_spans)
        ):
            continue
        attempts += 1
        if attempts > _MOST_CANDIDATES:
            break
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        word_needed = _fence_of(value)
        if word_needed and (block is None or not text[end : block.inner.end].strip()):
            objects.append(
                UnfencedManifest(word_needed, start, end, block.opening_line if block else None)
            )
    return objects


def check_blocks(skill: Skill) -> Iterator[Diagnostic]:
    """`manifest-block-second` and `manifest-block-unfenced`."""
    markdown = skill.markdown
    if markdown is None:
        return
    blocks = find_blocks(markdown)
    for word, fences in blocks.items():
        for fence in fences[1:]:
            message = f"duplicate {word} block; only the first one is read"
            yield Diagnostic("manifest-block-second", message, fence.opening_line)
    if any(blocks.values()):
        # If a block exists, an object in the text can only be an illustration.
        return
    for manifest in find_unfenced(markdown)[:1]:
        if manifest.opening is None:
            title, edits = "Wrap it in a block", _wrap(markdown, manifest)
            at = Span(manifest.start, manifest.start + 1)
        else:
            title, edits = f"Mark the block as {manifest.fence}", (_mark(markdown, manifest),)
            at = manifest.opening
        yield Diagnostic(
            "manifest-block-unfenced",
            f"this manifest is outside a {manifest.fence} block, so agents do not find it",
            at,
            fixes=(Fix(title, edits),),
        )


def reread_as_yaml(document: Document) -> Document | None:
    """The block read as YAML, if its only fault is that it is not JSON; None if it is neither."""
    syntax = [fault for fault in document.faults if fault.rule == "syntax-json"]
    if all(_is_spare_comma(document, fault) for fault in syntax):
        return None
    syntax_fault = syntax[0]
    yaml_document = read(document.source, "yaml", document.span, document.opening_line)
    if not isinstance(resolve(yaml_document.root), Mapping) or any(
        fault.rule not in _HARMLESS for fault in yaml_document.faults
    ):
        return None
    edits = as_json(yaml_document, yaml_document.value)
    fault = Fault(
        "manifest-block-yaml",
        "the block is valid YAML but not valid JSON from here on; routers require JSON",
        syntax_fault.start,
        max(syntax_fault.end, syntax_fault.start),
        "Rewrite the block as JSON" if edits else "",
        edits,
    )
    return Document(
        yaml_document.source,
        "yaml",
        yaml_document.span,
        yaml_document.root,
        [fault, *yaml_document.faults],
        yaml_document.opening_line,
    )


def _is_spare_comma(document: Document, fault: Fault) -> bool:
    """Whether removing a comma is enough: YAML allows it, but the author intended JSON."""
    text = document.source.text
    return bool(fault.edits) and all(
        text[start:end] == "," and not replacement for start, end, replacement in fault.edits
    )


def as_json(document: Document, value: Any) -> tuple[tuple[int, int, str], ...]:
    """The edit that writes a value as the JSON of a block; none if it has no JSON."""
    text = document.source.text[document.span.start : document.span.end]
    try:
        json_text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        # A number such as .inf cannot be written in JSON, so only the author can fix it.
        return ()
    newline = document.source.newline
    json_text = json_text.replace("\n", newline)
    tail = newline if text.endswith(("\n", "\r")) else ""
    return ((document.span.start, document.span.end, json_text + tail),)


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


def _wrap(markdown: Markdown, manifest: UnfencedManifest) -> tuple[Splice, ...]:
    text = markdown.source.text
    newline = markdown.source.newline
    line = max(text.rfind("\n", 0, manifest.start), text.rfind("\r", 0, manifest.start)) + 1
    after = text[manifest.end : manifest.end + 1]
    closing_fence = f"{newline}```" + ("" if after in ("", "\n", "\r") else newline)
    return (
        Splice(line, line, f"```{manifest.fence}{newline}"),
        Splice(manifest.end, manifest.end, closing_fence),
    )


def _mark(markdown: Markdown, manifest: UnfencedManifest) -> Splice:
    """The splice that replaces the language of the block around a manifest."""
    start, end = manifest.opening or Span(manifest.start, manifest.start)
    line = markdown.source.text[start:end].rstrip()
    marks = _MARKS.search(line)
    return Splice(start + (marks.end() if marks else 0), start + len(line), manifest.fence)
