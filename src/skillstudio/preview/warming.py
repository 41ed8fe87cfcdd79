"""What the views of files need is loaded before they are looked at: parsers and lexers.

That is most of the time that a first view takes, and it is the same for each file of a kind.
"""

from __future__ import annotations

from collections.abc import Iterable

from skillstudio.files.kind import kind_of
from skillstudio.preview.views.colours import load, tables

_MOST = 12
"""Lexers that are loaded at once: some take a thirtieth of a second."""


def kinds_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The kinds that files of these names may be of, each once."""
    return tuple(dict.fromkeys(kind_of(path, b"").name for path in paths))


def warm(kinds: Iterable[str]) -> None:
    """Load what views of these kinds need. Reads no file of anybody's."""
    loaded = 0
    views, lexers = tables()["view"], tables()["lexer"]
    for kind in kinds:
        if views.get(kind) == "markdown":
            from skillstudio.preview.views.markdown import rendered

            # With a frontmatter.
            list(rendered("---\na: 1\n---\n# A\n", 80))
        elif views.get(kind) == "sqlite":
            import sqlite3  # noqa: F401
        elif kind in lexers and views.get(kind) in (None, "svg") and loaded < _MOST:
            load(kind)
            loaded += 1
