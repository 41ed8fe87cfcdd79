"""Render Markdown as styled lines: headings, lists, tables and code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Any

from skillstudio.preview.source import read_lines
from skillstudio.preview.spans import Line, StyledSpan, align_rows, cut, line, plain, wrap_line
from skillstudio.preview.view import FileView, LazyView, ViewRequest
from skillstudio.preview.views.colours import within
from skillstudio.preview.views.text import LONGEST

if TYPE_CHECKING:
    from markdown_it.token import Token

FIRST = 8 << 10  # Bytes of Markdown that are read at first.
_SOON = 4 << 10  # Characters that are parsed first, on their own.
MOST = 256 << 10  # The most bytes that are read on repeated requests.
_MAX_NESTING = 20
_ROWS = 200  # Rows of a table, besides the first.
_PARAGRAPH = 4_000  # Characters of a paragraph; longer ones are shown raw.
_SECONDS = 0.03  # Seconds for highlighting one code block, and all of them.
_COLUMN = 40
_LEAST = 20
_LANGUAGES = {
    **dict.fromkeys(("sh", "bash", "zsh", "console"), "shell"),
    **dict.fromkeys(("skill-manifest", "router-manifest"), "json"),
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "yml": "yaml",
    "rs": "rust",
}
"""Kinds by info word of a fence, if different."""


def markdown_view(request: ViewRequest, limit: int = FIRST) -> FileView:
    """The rendered start of a file; asked for more, four times as much."""
    source, size = request.source, min(limit, MOST)
    text, is_all = read_lines(source, size)
    notes = [request.note]
    if not is_all:
        notes.append(f"the first {len(text.encode()):,} of {source.size:,} bytes are shown")
    longer = None if is_all or size >= MOST else partial(markdown_view, request, size * 4)
    return LazyView(
        source.name, "markdown", render_markdown(text, request.width), notes, source, longer
    )


def warm(_kind: str) -> None:
    # With frontmatter, so that its lexer is loaded, too.
    list(render_markdown("---\na: 1\n---\n# A\n", 80))


def render_markdown(text: str, width: int) -> Iterator[Line]:
    """The lines of a Markdown text, wrapped to `width` cells."""
    front, body = _split_frontmatter(text)
    if front:
        yield line(("frontmatter", "quiet"))
        yield from _indent_lines(within("yaml", front, _SECONDS))
        yield ()
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable(
        ["table", "strikethrough"]
    )
    # Inline content is parsed when it is shown.
    parser.core.ruler.enableOnly(["normalize", "block"])
    env: dict[str, Any] = {}

    def inline(text: str) -> list[Token]:
        inline_tokens: list[Token] = []
        parser.inline.parse(text, parser, env, inline_tokens)
        return inline_tokens

    is_empty = True
    blocks = _Blocks(inline, width)
    start = 0
    # Lines that can contain link reference definitions.
    rows = (row for row in body[_SOON:].split("\n") if "]:" in row)
    if len(body) > _SOON and not any(row.lstrip(" >").startswith("[") for row in rows):
        # Show the start quickly: all of its blocks except the last, which may continue.
        tokens = parser.parse(body[: body.rfind("\n", 0, _SOON) + 1], env)
        end, start = (_starts(tokens) or [(0, 0)])[-1]
        for block_line in blocks.lines(tokens[:end]):
            is_empty = False
            yield block_line
    tokens = parser.parse(body, env)
    first = next((at for at, row in _starts(tokens) if row >= start), len(tokens))
    for block_line in blocks.lines(tokens[first:]):
        is_empty = False
        yield block_line
    if is_empty and body.strip():
        yield line(("‹too deeply nested to be rendered›", "error"))
        for row in body.split("\n"):
            yield from wrap_line(line(row[:LONGEST]), width)


def _split_frontmatter(text: str) -> tuple[list[str], str]:
    """The lines of the frontmatter, and the rest."""
    rows = text.removeprefix("\ufeff").split("\n")
    if rows[0].rstrip() != "---":
        return [], text
    for number, row in enumerate(rows[1:], 1):
        if row.rstrip() in ("---", "..."):
            return [text_line.rstrip("\r") for text_line in rows[1:number]], "\n".join(
                rows[number + 1 :]
            )
    return [], text


def _starts(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """The index of each block that is not in another one, and its line."""
    outer = (
        (at, token) for at, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0
    )
    return [(at, token.map[0]) for at, token in outer if token.map]


class _Blocks:
    """Renders the blocks of a text."""

    def __init__(self, inline: Callable[[str], list[Token]], width: int) -> None:
        self._inline = inline
        self._width = width
        self._before: list[str] = []
        """Prefixes of each line: quote bars, indentation below list markers."""
        self._marks: dict[int, str] = {}
        """List markers for the next line, by their index in `_before`."""
        self._numbers: list[int | None] = []
        self._time_budget = _SECONDS * 3
        self._apart: int | None = None
        """If a blank line precedes the next one: how many prefixes of `_before` it has."""

    def lines(self, tokens: Sequence[Token]) -> Iterator[Line]:
        """The lines of the next whole blocks."""
        at = 0
        while at < len(tokens):
            token = tokens[at]
            kind = token.type
            if kind == "table_open":
                end = at
                while tokens[end].type != "table_close":
                    end += 1
                yield from self._put(self._table(tokens[at:end]))
                self._apart = len(self._before)
                at = end
            elif kind == "heading_open":
                parts = self._parts(tokens[at + 1].content, "heading")
                marks = "#" * int(token.tag[1:]) + " "
                yield from self._put(wrap_line(line((marks, "marker"), *parts), self._room()))
                at += 1
            elif kind == "inline":
                yield from self._paragraph(token)
            elif kind in ("fence", "code_block"):
                yield from self._code(token)
            elif kind == "html_block":
                rows = token.content.rstrip("\n").split("\n")
                yield from self._put([line((row, "comment")) for row in rows])
            elif kind == "hr":
                yield from self._put([line(("─" * self._room(), "quiet"))])
            else:
                self._container(token)
            single = token.nesting == 0 and kind != "inline"
            closes = kind.endswith("_close") and kind != "list_item_close"
            inner = kind.endswith("list_close") and self._numbers
            if (single or closes) and not token.hidden and not inner:
                self._apart = len(self._before)
            at += 1

    def _container(self, token: Token) -> None:
        kind = token.type
        if kind == "blockquote_open":
            self._before.append("│ ")
        elif kind == "blockquote_close":
            self._before.pop()
        elif kind == "bullet_list_open":
            self._numbers.append(None)
        elif kind == "ordered_list_open":
            self._numbers.append(int(token.attrs.get("start", 1)))
        elif kind.endswith("list_close"):
            self._numbers.pop()
        elif kind == "list_item_open":
            number = self._numbers[-1]
            mark = "• " if number is None else f"{number}. "
            self._marks[len(self._before)] = mark
            if number is not None:
                self._numbers[-1] = number + 1
            self._before.append(" " * len(mark))
        elif kind == "list_item_close":
            self._before.pop()
            self._marks.pop(len(self._before), None)

    def _room(self) -> int:
        return max(self._width - sum(map(len, self._before)), _LEAST)

    def _parts(self, text: str, style: str) -> list[tuple[str, str]]:
        if len(text) > _PARAGRAPH:
            return [(text.replace("\n", " "), style)]
        return inline_parts(self._inline(text), style)

    def _paragraph(self, token: Token) -> Iterator[Line]:
        rows: list[list[tuple[str, str]]] = [[]]
        for text, style in self._parts(token.content, ""):
            if style == "break":
                rows.append([])
            else:
                rows[-1].append((text, style))
        for row in rows:
            yield from self._put(wrap_line(line(*row), self._room()))

    def _code(self, token: Token) -> Iterator[Line]:
        word = next(iter(token.info.lower().split()), "")
        rows = token.content.rstrip("\n").split("\n")
        if word:
            yield from self._put([line((word, "quiet"))])
        began = thread_time()
        lines = within(_LANGUAGES.get(word, word), rows, min(_SECONDS, self._time_budget))
        self._time_budget = max(self._time_budget - (thread_time() - began), 0.0)
        yield from self._put(_indent_lines(lines))

    def _table(self, tokens: Sequence[Token]) -> Iterator[Line]:
        rows: list[list[str]] = []
        hidden_count = 0
        for token in tokens:
            if token.type == "tr_open":
                hidden_count += len(rows) > _ROWS
                if hidden_count:
                    continue
                rows.append([])
            elif token.type == "inline" and not hidden_count:
                rows[-1].append(cut(plain(line(*self._parts(token.content, ""))), _COLUMN))
        yield from align_rows(rows, numbers=False)
        if hidden_count:
            yield line((f"… {hidden_count:,} more rows", "quiet"))

    def _put(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Lines with their prefixes; list markers only on the first."""
        if self._apart is not None:
            bars = "".join(self._before[: self._apart]).rstrip()
            yield (StyledSpan(bars, "marker"),) if bars else ()
            self._apart = None
        for block_line in lines:
            before = "".join(self._marks.get(at, prefix) for at, prefix in enumerate(self._before))
            self._marks = {}
            yield (StyledSpan(before, "marker"), *block_line) if before else block_line


def _indent_lines(lines: Iterable[Line]) -> Iterator[Line]:
    for code_line in lines:
        yield (StyledSpan("  "), *code_line)


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
            if href and (not parts or href != parts[-1][0]):
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
