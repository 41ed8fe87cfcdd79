"""Text from outside within Markdown and HTML, where it is to show as itself."""

from __future__ import annotations

import re

from skillstudio.text.safe import safe_text

_MARKUP = re.compile(r"([\\`*_\[\]<>|~&$])")
_BLOCK = re.compile(r"\d*(?=[.)#+=-])")
"""What begins a line before a mark that makes it a heading, a list or a rule."""
_CALLS = re.compile(r"[@#](?=[A-Za-z0-9])|(?<=[A-Za-z]):(?=//)|\bwww(?=\.)")


def markdown_text(text: str) -> str:
    """The text on one line in which nothing is markup, wherever in Markdown it stands.

    It makes no heading, list, link, picture, table, formula or HTML.
    """
    plain = _MARKUP.sub(r"\\\1", safe_text(text).strip())
    begun = _BLOCK.match(plain)
    return f"{begun[0]}\\{plain[begun.end() :]}" if begun else plain


def uncalling(markdown: str) -> str:
    """Markdown in which no text calls a person, an issue or a page where GitHub shows it.

    An invisible joiner takes them apart, for GitHub looks for them after all escapes.
    """
    return _CALLS.sub(lambda found: f"{found[0]}\u2060", markdown)


def html_text(text: str) -> str:
    """The text on one line in which nothing is HTML, nor calls for anything."""
    plain = safe_text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return uncalling(plain.replace('"', "&quot;"))
