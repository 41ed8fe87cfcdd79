"""Render the inline content of a Markdown paragraph, with link targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

_OPENS = {"strong_open": "strong", "em_open": "emphasis", "s_open": "quiet"}


def inline_parts(tokens: Sequence[Token], style: str) -> list[tuple[str, str]]:
    """Styled pieces of text; a line break has the style `break`."""
    parts: list[tuple[str, str]] = []
    styles = [style]
    links: list[str] = []
    for token in tokens:
        kind = token.type
        if kind in _OPENS:
            styles.append(_OPENS[kind])
        elif kind == "link_open":
            styles.append("link")
            links.append(str(token.attrs.get("href", "")))
        elif kind == "link_close":
            styles.pop()
            href = links.pop()
            if href and href != _last(parts):
                parts.append((f" ({href})", "quiet"))
        elif kind.endswith("_close"):
            styles.pop()
        elif kind == "code_inline":
            parts.append((token.content, "code"))
        elif kind == "image":
            # Images are never fetched.
            parts.append((f"[image: {token.content}]", "link"))
            parts.append((f" ({token.attrs.get('src', '')})", "quiet"))
        elif kind == "softbreak":
            parts.append((" ", styles[-1]))
        elif kind == "hardbreak":
            parts.append(("", "break"))
        elif kind == "html_inline":
            parts.append((token.content, "comment"))
        else:
            parts.append((token.content, styles[-1]))
    return parts


def _last(parts: list[tuple[str, str]]) -> str:
    return parts[-1][0] if parts else ""
