"""Inlay hints: how long a description is, and how long it may be."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from skillstudio.lsp.skills import SkillPlace
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.focus import focus_at
from skillstudio.manifest.targets import most_characters
from skillstudio.preview.tokens import estimate_tokens
from skillstudio.text.node import Scalar, resolve, split_pointer


def inlay_hints(place: SkillPlace, shown_range: types.Range) -> list[types.InlayHint]:
    """The hints for a range of a document."""
    analysis = place.check.analysis
    if analysis is None:
        return []
    start, end = place.text.span(shown_range)
    hints = {
        hint.position.line: hint
        for manifest in analysis.manifests
        if manifest.path == place.inside and manifest.part == "manifest"
        for hint in _description_hints(place, manifest, start, end)
    }
    return list(hints.values())


def _description_hints(
    place: SkillPlace, manifest: Manifest, start: int, end: int
) -> Iterator[types.InlayHint]:
    pointer = manifest.place_of("description")
    node = resolve(manifest.document.at(pointer)) if pointer else None
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    text = place.text
    # The span of a block scalar ends after its last line.
    at = node.start + len(text.text[node.start : node.end].rstrip())
    if not start <= at <= end:
        return
    longest = _longest(place, manifest, pointer)
    length = len(node.value)
    label = f"{length:,} of {longest:,} characters" if longest else f"{length:,} characters"
    yield types.InlayHint(
        text.position(at),
        label,
        tooltip=f"≈{estimate_tokens(node.value):,} tokens that an agent always loads",
        padding_left=True,
    )


def _longest(place: SkillPlace, manifest: Manifest, pointer: str) -> int | None:
    """The most characters that the selected targets, or the format, allow."""
    analysis = place.check.analysis
    if analysis is None:
        return None
    keys = split_pointer(pointer)
    if manifest.dialect.carrier == "frontmatter":
        longest = most_characters("/".join(keys), analysis.skill.settings.targets)
        if longest is not None:
            return longest
    offset = manifest.document.span.start
    focus = focus_at(analysis.skill, place.inside, place.text.text, offset)
    limits = [
        schema["maxLength"]
        for schema in (focus.at(tuple(keys)) if focus else ())
        if isinstance(schema.get("maxLength"), int)
    ]
    return min(limits, default=None)
