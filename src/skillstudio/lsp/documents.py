"""Open documents: their text as the editor has it, and places in the editor's units.

The engine counts code points; editors count UTF-8 or UTF-16 units, or code points, as negotiated.
Lines end at LF, CR LF and a lone CR only, as the protocol says.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

from lsprotocol import types

from skillstudio.text.source import BOM, Source, Span

_LINE_ENDS = "\r\n"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_BYTES = {"utf-8": 1, "utf-16": 2}
_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le"}
_DRIVE = re.compile(r"/[A-Za-z]:")


class EditorText:
    """An immutable text with places in the units of the editor.

    `hidden_count` is 1 if the text starts with a byte order mark that the editor does not show.
    """

    __slots__ = ("_starts", "encoding", "hidden_count", "text")

    def __init__(self, text: str, encoding: str = "utf-16", hidden_count: int = 0) -> None:
        self.text = text
        self.encoding = encoding
        self.hidden_count = hidden_count
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """The offset at which each line starts."""
        if self._starts is None:
            self._starts = [self.hidden_count, *Source(self.text).line_starts[1:]]
        return self._starts

    def line(self, number: int) -> Span:
        """The offsets of a line without its end; the end of the text for one beyond it."""
        starts = self.starts
        if number >= len(starts):
            return Span(len(self.text), len(self.text))
        start = starts[max(number, 0)]
        end = starts[number + 1] if number + 1 < len(starts) else len(self.text)
        while end > start and self.text[end - 1] in _LINE_ENDS:
            end -= 1
        return Span(start, end)

    def offset(self, place: types.Position) -> int:
        """The offset of a position, limited to the text and the line."""
        start, end = self.line(place.line)
        return start + self._code_points(self.text[start:end], max(place.character, 0))

    def _code_points(self, line: str, units: int) -> int:
        size = _BYTES.get(self.encoding)
        if size is None or line.isascii():
            return min(units, len(line))
        # No character has more units than bytes of its encoding, so the rest need not be encoded.
        codec = _CODECS[self.encoding]
        data = line[:units].encode(codec)[: units * size]
        return len(data.decode(codec, "ignore"))

    def position(self, offset: int) -> types.Position:
        """The position of an offset."""
        offset = min(max(offset, self.hidden_count), len(self.text))
        line = max(bisect_right(self.starts, offset) - 1, 0)
        before = self.text[self.starts[line] : offset]
        if self.encoding in _CODECS and not before.isascii():
            units = len(before.encode(_CODECS[self.encoding])) // _BYTES[self.encoding]
        else:
            units = len(before)
        return types.Position(line, units)

    def range(self, span: Span | None) -> types.Range:
        """The range of a span; the start of the text for none."""
        start, end = span or (self.hidden_count, self.hidden_count)
        return types.Range(self.position(start), self.position(end))

    def span(self, place: types.Range) -> Span:
        """The offsets of a range; a reversed one counts as its opposite."""
        start, end = sorted((self.offset(place.start), self.offset(place.end)))
        return Span(start, end)

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> EditorText:
        """The text after one change of the editor."""
        new = _replace_surrogates(change.text)
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = self.span(change.range)
            new = self.text[:start] + new + self.text[end:]
        elif self.hidden_count:
            new = BOM + new.removeprefix(BOM)
        return EditorText(new, self.encoding, self.hidden_count)


class OpenDocument(NamedTuple):
    """A document that is open in the editor."""

    uri: str  # As the editor writes it.
    path: str  # Its path on disk; empty if it is no file.
    version: int | None
    text: EditorText


def open_document(item: types.TextDocumentItem, encoding: str) -> OpenDocument:
    """The document of a `didOpen`."""
    path = path_of(item.uri)
    text = _replace_surrogates(item.text)
    # Most editors remove a byte order mark, and write it back when they save.
    hidden_count = int(not text.startswith(BOM) and _has_mark(path))
    return OpenDocument(
        item.uri, path, item.version, EditorText(BOM * hidden_count + text, encoding, hidden_count)
    )


def path_of(uri: str) -> str:
    """The absolute path of a `file:` URI; "" for any other. A host is a share of Windows."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    host = "" if parts.netloc.lower() == "localhost" else parts.netloc
    if parts.scheme.lower() != "file" or (host and os.name != "nt"):
        return ""
    path = os.fsdecode(unquote_to_bytes(parts.path))
    if host:
        path = f"//{host}{path}"
    elif os.name == "nt" and _DRIVE.match(path):
        path = path[1:]
    return "" if "\0" in path or not path else os.path.normpath(path)


def uri_of(path: str) -> str:
    """The `file:` URI of an absolute path."""
    path = path.replace(os.sep, "/")
    if os.name == "nt" and path.startswith("//"):
        return "file:" + quote(os.fsencode(path))
    return "file://" + ("" if path.startswith("/") else "/") + quote(os.fsencode(path))


def _replace_surrogates(text: str) -> str:
    """A text that can be encoded: JSON can contain a lone surrogate, a file cannot."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def _has_mark(path: str) -> bool:
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(3) == BOM.encode()
    except OSError:
        return False
