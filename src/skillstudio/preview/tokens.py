"""Estimate the tokens of a text without a tokenizer."""

from __future__ import annotations

from unicodedata import east_asian_width

HOW = (
    "estimated: one token per 4 ASCII characters, 2 other letters, or 1 Chinese, Japanese or "
    "Korean character; tokenizers differ by a third or more"
)


def listed_as(name: str, description: str) -> str:
    """The text of a skill that is always in an agent's context."""
    return f"{name}: {description}"


def estimate_tokens(text: str) -> int:
    """The estimated tokens of a text by the rule in `HOW`; 0 only for an empty one."""
    quarters = len(text)
    if not text.isascii():
        quarters = sum(
            1 if character.isascii() else 4 if east_asian_width(character) in "WF" else 2
            for character in text
        )
    return -(-quarters // 4)
