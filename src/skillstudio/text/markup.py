"""Escape text for Markdown and HTML."""

from __future__ import annotations

import re

from skillstudio.text.safe import safe_text

_PUNCTUATION = r"!-/:-@\[-`{-~"
_MARKUP = re.compile(
    rf"""
      \\(?=[{_PUNCTUATION}]|$)
    | (?P<word>(?<=[^\W_])_+(?=[^\W_]))
    | (?P<apart>(?<=\s)(?:_+|\*+)(?=\s))
    | [`*_\[\]|~]
    | <(?=[A-Za-z/!?]|$)
    | &(?=[A-Za-z#]|$)
    """,
    re.VERBOSE,
)
"""Characters and places that are markup in CommonMark, GitHub's tables or strike-through.

A backslash escapes only punctuation; underscores within a word, and stars between spaces, are not
emphasis; what follows `<` and `&` decides whether they start a tag or an entity.
"""
_BLOCK = re.compile(r"(?:\d{1,9}(?=[.)](?:\s|$))|(?=[+-](?:\s|$)|#{1,6}(?:\s|$)|>|[=:-][=:\s-]*$))")
"""The start of a line before a mark that makes it a heading, a list, a quotation or a rule."""
_CALLS = re.compile(r"[@#](?=[A-Za-z0-9])|(?<=[A-Za-z]):(?=//)|\bwww(?=\.)")


_MAYBE_MARKUP = re.compile(r"[\\\\`*_\[\]|~<&]")
"""A character that `_MARKUP` begins with; most texts have none."""


def markdown_text(text: str) -> str:
    """Escape a text as one line of Markdown without any markup, for any position.

    Source: CommonMark 0.31.2; GitHub Flavored Markdown 0.29, tables and strikethrough.
    """
    plain = safe_text(text).strip()
    if _MAYBE_MARKUP.search(plain):
        plain = _MARKUP.sub(_escape_markup, plain)
    block_start = _BLOCK.match(plain)
    return f"{block_start[0]}\\{plain[block_start.end() :]}" if block_start else plain


def _escape_markup(match: re.Match[str]) -> str:
    return match[0] if match["word"] or match["apart"] else f"\\{match[0]}"


def break_mentions(markdown: str) -> str:
    """Break GitHub's mentions and links with an invisible joiner, because escapes do not."""
    return _CALLS.sub(lambda match: f"{match[0]}\u2060", markdown)


def github_text(text: str) -> str:
    """Escape a text as one line of a GitHub comment: no markup, formulas or mentions."""
    return break_mentions(markdown_text(text)).replace("$", r"\$")


def html_text(text: str) -> str:
    """Escape a text as one line of HTML, without mentions."""
    plain = safe_text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return break_mentions(plain.replace('"', "&quot;"))
