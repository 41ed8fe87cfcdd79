"""How many tokens a text is for a model, estimated without a tokenizer."""

from __future__ import annotations

from unicodedata import east_asian_width

HOW = (
    "estimated: a token for 4 ASCII characters, for 2 other letters, or for one of Chinese, "
    "Japanese or Korean; tokenizers differ by a third and more"
)


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is; 0 only for an empty one. `HOW` says by what rule."""
    quarters = len(text)
    if not text.isascii():
        quarters = sum(
            1 if each.isascii() else 4 if east_asian_width(each) in "WF" else 2 for each in text
        )
    return -(-quarters // 4)
