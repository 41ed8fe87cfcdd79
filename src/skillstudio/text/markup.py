"""Text from outside within Markdown and HTML, where it is to show as itself."""

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
"""What CommonMark or GitHub's tables and strike-through read as more than itself, and where.

A backslash escapes punctuation only; underscores within a word, and stars between spaces, begin no
emphasis; `<` begins a tag and `&` an entity by what follows them.
"""
_BLOCK = re.compile(r"(?:\d{1,9}(?=[.)](?:\s|$))|(?=[+-](?:\s|$)|#{1,6}(?:\s|$)|>|[=:-][=:\s-]*$))")
"""What begins a line before a mark that makes it a heading, a list, a quotation or a rule."""
_CALLS = re.compile(r"[@#](?=[A-Za-z0-9])|(?<=[A-Za-z]):(?=//)|\bwww(?=\.)")


def markdown_text(text: str) -> str:
    """The text on one line in which nothing is markup, wherever in Markdown it stands.

    It makes no heading, list, link, picture, table or HTML. No more is escaped than has to be.
    Source: CommonMark 0.31.2; GitHub Flavored Markdown 0.29, tables and strikethrough.
    """
    plain = _MARKUP.sub(_escaped, safe_text(text).strip())
    begun = _BLOCK.match(plain)
    return f"{begun[0]}\\{plain[begun.end() :]}" if begun else plain


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found["word"] or found["apart"] else f"\\{found[0]}"


def uncalling(markdown: str) -> str:
    """Markdown in which no text calls a person, an issue or a page where GitHub shows it.

    An invisible joiner takes them apart, for GitHub looks for them after all escapes.
    """
    return _CALLS.sub(lambda found: f"{found[0]}\u2060", markdown)


def github_text(text: str) -> str:
    """The text on one line as GitHub shows it in a comment: no markup, no formula, no call."""
    return uncalling(markdown_text(text)).replace("$", r"\$")


def html_text(text: str) -> str:
    """The text on one line in which nothing is HTML, nor calls for anything."""
    plain = safe_text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return uncalling(plain.replace('"', "&quot;"))
