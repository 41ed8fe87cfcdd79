"""Format JSON token by token, so numbers, duplicate keys and errors are kept at any depth."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillstudio.preview.source import read_lines
from skillstudio.preview.spans import Line, line
from skillstudio.preview.view import FileView, LazyView, ViewRequest, join_notes
from skillstudio.preview.views.folding import foldable
from skillstudio.preview.views.text import LONGEST, SourceLines, TextView

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")'
    r"|(?P<number>-?[0-9][0-9.eE+-]*)"
    r"|(?P<word>true|false|null)"
    r"|(?P<punctuation>[\[\]{},:])"
)
_SPACE = re.compile(r"[ \t\r\n]*")
READ = 1 << 20  # Bytes that are indented; a larger text is shown raw.
_DEEPEST = 40  # Indented levels; deeper ones are aligned.
_COLOURED_PARTS = 200  # Highlighted pieces of a line.

Part = tuple[str, str]


def json_view(request: ViewRequest) -> FileView:
    """The text, indented and, on a screen, with folds."""
    source = request.source
    text, is_all = read_lines(source, READ)
    if not is_all:
        # Truncated JSON does not parse; the raw text can be shown in full.
        remark = "it is too large to be rendered; shown as raw text"
        return TextView(source, "json", join_notes(request.note, remark), one_line)
    view = LazyView(source.name, "json", pretty(text), [request.note], source)
    return foldable(view, "json") if request.on_screen else view


def json_lines_view(request: ViewRequest) -> FileView:
    return TextView(request.source, request.kind, request.note, one_line)


def pretty(text: str) -> Iterator[Line]:
    """The lines of a JSON text, indented by two spaces; raw text after the first error."""
    parts: list[Part] = []
    depth = 0
    at = _SPACE.match(text, 1 if text.startswith("\ufeff") else 0).end()  # type: ignore[union-attr]
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            if parts:
                yield _indent_line(depth, parts)
            yield line(("‹invalid JSON from here on›", "error"))
            for row in text[at : at + (1 << 16)].split("\n"):
                yield line(row[:LONGEST])
            return
        word, style = match.group(), match.lastgroup or ""
        after = _SPACE.match(text, match.end()).end()  # type: ignore[union-attr]
        if word in "[{":
            closing_bracket = "]" if word == "[" else "}"
            if text[after : after + 1] == closing_bracket:
                parts.append((word + closing_bracket, style))
                after = _SPACE.match(text, after + 1).end()  # type: ignore[union-attr]
            else:
                yield _indent_line(depth, [*parts, (word, style)])
                parts = []
                depth += 1
        elif word in "]}":
            if parts:
                yield _indent_line(depth, parts)
            depth = max(depth - 1, 0)
            parts = [(word, style)]
        elif word == ",":
            yield _indent_line(depth, [*parts, (word, style)])
            parts = []
        elif word == ":":
            parts.append((": ", style))
        else:
            is_key = style == "string" and text[after : after + 1] == ":"
            if len(word) > LONGEST:
                word = f"{word[: LONGEST - 40]}… ({len(word):,} characters)"
            parts.append((word, "key" if is_key else style))
        at = after
    if parts:
        yield _indent_line(depth, parts)


def one_line(_lines: SourceLines, _start: int, texts: list[str]) -> list[Line]:
    """Highlighted JSON lines, one value each."""
    return [_highlight_line(text) for text in texts]


def _highlight_line(text: str) -> Line:
    parts: list[Part] = []
    at = 0
    while at < len(text) and len(parts) < _COLOURED_PARTS:
        match = _TOKEN.match(text, at)
        if match is None:
            space = _SPACE.match(text, at)
            end = space.end() if space and space.end() > at else at + 1
            parts.append((text[at:end], ""))
        else:
            end = match.end()
            style = match.lastgroup or ""
            if style == "string" and text[end : end + 3].lstrip().startswith(":"):
                style = "key"
            parts.append((match.group(), style))
        at = end
    return line(*parts, text[at:])


def _indent_line(depth: int, parts: list[Part]) -> Line:
    return line("  " * min(depth, _DEEPEST), *parts)
