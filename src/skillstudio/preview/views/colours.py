"""Highlight the visible lines of a text with Pygments.

Lexers run patterns over untrusted text, so input and time are limited; the rest stays plain.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import takewhile
from time import thread_time
from typing import Any

from skillstudio.preview.spans import Line, line
from skillstudio.preview.view import MOST_LINES
from skillstudio.preview.views.text import SourceLines
from skillstudio.resources import toml_table

_HEAD_LINES = 1_000
_HEAD = 32 << 10  # Characters of the start that are read at once, to know the lexer's state.
_BEFORE = 60  # Lines before the visible ones that are read further down.
_AT_ONCE = 16 << 10  # Characters that a lexer gets further down.
_SECONDS = 0.04
_LONGEST = 2_000  # Characters of a line that a lexer gets.

_TOKENS = {
    "comment": "Comment",
    "marker": "Comment.Preproc Keyword.Type Name.Builtin Name.Decorator",
    "": "Error",
    "removed": "Generic.Deleted",
    "emphasis": "Generic.Emph",
    "heading": "Generic.Heading Generic.Subheading",
    "added": "Generic.Inserted",
    "strong": "Generic.Strong",
    "word": "Keyword",
    "string": "Literal Literal.String",
    "number": "Literal.Date Literal.Number",
    "code": "Literal.String.Backtick",
    "key": "Name.Attribute Name.Class Name.Function Name.Tag",
    "link": "Name.Label Name.Variable",
    "punctuation": "Operator Punctuation",
}
"""Pygments tokens by style; the nearest ancestor applies."""
_STYLES = {token: style for style, tokens in _TOKENS.items() for token in tokens.split()}
_STYLES_OF = {"org": {"Generic.Error": "error", "Generic.Deleted": "added"}}
"""Kinds in which tokens mean something else: to do and done."""


def tables() -> dict[str, dict[str, str]]:
    """The tables of `views.toml`."""
    return toml_table(os.path.dirname(__file__), "views.toml")


class Colours:
    """Highlights the lines of one text."""

    def __init__(self, kind: str) -> None:
        """`kind` must have a lexer in `views.toml`."""
        self._kind = kind
        self._head: list[Line] = []
        self._pending_head: Iterator[Line] | None = None
        self._off = False
        self._until = 0.0

    def __call__(self, lines: SourceLines, start: int, texts: list[str]) -> list[Line]:
        if self._off or not texts:
            return [line(text) for text in texts]
        until = thread_time() + _SECONDS
        if self._pending_head is None:
            self._pending_head = self._head_lines(lines)
        while len(self._head) < start + len(texts) and thread_time() < until:
            next_line = next(self._pending_head, None)
            if next_line is None:
                break
            self._head.append(next_line)
        coloured_lines = self._head[start : start + len(texts)]
        if len(coloured_lines) < len(texts):
            self._until = thread_time() + _SECONDS
            at = start + len(coloured_lines)
            before = lines.texts(max(at - _BEFORE, 0), min(_BEFORE, at))
            coloured_lines += self._window(before, texts[len(coloured_lines) :])
        return coloured_lines + [line(text) for text in texts[len(coloured_lines) :]]

    def _head_lines(self, lines: SourceLines) -> Iterator[Line]:
        texts: list[str] = []
        size = 0
        while len(texts) < _HEAD_LINES and size < _HEAD:
            batch = lines.texts(len(texts), MOST_LINES)
            if not batch:
                break
            texts += batch
            size += sum(map(len, batch))
        return highlight_lines(self._kind, texts)

    def _window(self, before: list[str], texts: list[str]) -> list[Line]:
        context_texts = _limit_texts(reversed(before), _AT_ONCE - sum(map(len, texts)))
        fitting_texts = _limit_texts(texts, _AT_ONCE)
        coloured_lines = list(
            highlight_lines(self._kind, [*reversed(context_texts), *fitting_texts], self._is_late)
        )
        return coloured_lines[len(context_texts) :]

    def _is_late(self) -> bool:
        # It would be slow again.
        self._off = self._off or thread_time() > self._until
        return self._off


def _limit_texts(texts: Iterable[str], size: int) -> list[str]:
    """The first texts with at most `size` characters in all."""
    fitting_texts: list[str] = []
    for text in texts:
        size -= len(text)
        if size < 0:
            break
        fitting_texts.append(text)
    return fitting_texts


def within(kind: str, texts: list[str], seconds: float) -> list[Line]:
    """All lines, highlighted as far as the time allows."""
    until = thread_time() + seconds
    coloured_lines = list(highlight_lines(kind, texts, lambda: thread_time() > until))
    return coloured_lines + [line(text) for text in texts[len(coloured_lines) :]]


def highlight_lines(
    kind: str, texts: list[str], is_late: Callable[[], bool] = lambda: False
) -> Iterator[Line]:
    """Highlight lines lazily, up to a line that is too long or until `is_late`.

    Lines of a kind without a lexer are plain.
    """
    name = tables()["lexer"].get(kind)
    if name is None:
        yield from (line(text) for text in texts)
        return
    # Patterns are slowest on generated text; the rest is plain.
    texts = list(takewhile(lambda row: len(row) <= _LONGEST, texts))
    if not texts:
        return
    parts: list[tuple[str, str]] = []
    for _, token, text in lexer(name).get_tokens_unprocessed("\n".join(texts)):
        if is_late():
            return
        style = _style(kind, token)
        first, *rest = text.split("\n")
        parts.append((first, style))
        for other in rest:
            yield line(*parts)
            parts = [(other, style)]
    yield line(*parts)


@cache
def lexer(name: str) -> Any:
    """The lexer with a name in `views.toml`; making it takes longer than using it."""
    module, _, kind = name.partition(":")
    return getattr(import_module(f"pygments.lexers.{module}"), kind)()


@cache
def _style(kind: str, token: Any) -> str:
    styles = _STYLES | _STYLES_OF.get(kind, {})
    parts = re.sub(r"^Token\.?", "", str(token)).split(".")
    for size in range(len(parts), 0, -1):
        style = styles.get(".".join(parts[:size]))
        if style is not None:
            return style
    return ""
