"""Load parsers and lexers ahead, which takes most of the time of a first view."""

from __future__ import annotations

from collections.abc import Iterable

from skillstudio.files.kind import kind_of
from skillstudio.preview.views.colours import load, tables

_MOST = 12  # Lexers to load at most; some take 30 ms.


def kinds_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The kinds that files of these names can have, each once."""
    return tuple(dict.fromkeys(kind_of(path, b"").name for path in paths))


def warm(kinds: Iterable[str]) -> None:
    """Load what views of these kinds need. Reads no user files."""
    loaded = 0
    views, lexers = tables()["view"], tables()["lexer"]
    for kind in kinds:
        if views.get(kind) == "markdown":
            from skillstudio.preview.views.markdown import rendered

            # For the frontmatter.
            list(rendered("---\na: 1\n---\n# A\n", 80))
        elif views.get(kind) == "sqlite":
            import sqlite3  # noqa: F401
        elif kind in lexers and views.get(kind) in (None, "svg") and loaded < _MOST:
            load(kind)
            loaded += 1
