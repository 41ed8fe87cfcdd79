"""What the description of a skill takes."""

from __future__ import annotations

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.targets import most_characters
from skillstudio.preview.tokens import estimate_tokens, listed_as
from skillstudio.text.node import Scalar, resolve


def description_size(skill: Skill, name: str) -> tuple[int, str] | None:
    """The end of the description in SKILL.md; its characters of those that it may have at selected
    targets, or all, and the tokens of the skill in the list that agents read."""
    front = skill.front
    node = resolve(front.document.at("/description")) if front is not None else None
    most = most_characters("description", skill.settings.targets)
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or most is None:
        return None
    tokens = estimate_tokens(listed_as(name, node.value))
    return node.end, f"≈{tokens:,} tokens  {len(node.value):,}/{most:,}"
