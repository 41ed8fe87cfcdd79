"""Choose the view of a file by its kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Literal

from skillstudio.files.kind import HEAD, FileKind, kind_of
from skillstudio.preview.source import ByteSource, MemorySource, Special
from skillstudio.preview.spans import Line, fact_lines, line, size_words, wrap_line
from skillstudio.preview.view import FileView, LazyView, sentence_view
from skillstudio.preview.views.colours import Colours, lexer, tables
from skillstudio.preview.views.text import ENCODING_NOTE, HexView, TextView

How = Literal["preview", "raw", "hex"]
HOWS: tuple[How, ...] = ("preview", "raw", "hex")

READ = 1 << 20  # Bytes that are read for a view that is not lazy.
TABLE_BYTES = 256 << 10  # Bytes of a table that are read and counted.
WIDTH = 80
_CHECKED_KINDS = ("yaml", "toml")
_CHECKED_SIZE = 16 << 10  # Bytes of a file that is read for its first syntax error.
_IMPORTS = 5_000  # Types, imports and exports of a module that are read.
_MAX_NAMES = 200
_LEXERS = 12  # Lexers to load ahead at most; some take 30 ms.
_WIDE = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_NO_TEXT = "it is binary; shown as hexadecimal"
_ODD = 0.3  # The largest share of non-ASCII bytes in text of an unknown encoding.
_PLAIN_CONTROL = frozenset(b"\t\n\r\f\b\x1b")


def view_of(
    source: ByteSource | Special, how: How = "preview", width: int = WIDTH, on_screen: bool = False
) -> FileView:
    """The view of a file; `width` is that of rendered text in cells.

    `on_screen`: the lines are painted in full colour by something that can fold them.
    """
    if isinstance(source, Special):
        return sentence_view(source.name, source.what, source.description)
    head = source.read(0, HEAD)
    kind = kind_to_show(source.name, head)
    if how == "hex":
        return HexView(source, kind.name, width=width)
    if not source.size:
        return TextView(source, kind.name, "it is empty")
    wide = next((name for mark, name in _WIDE if head.startswith(mark)), "")
    note = ""
    if wide and kind.is_text:
        source, note = _narrow(source, wide)
    elif kind.is_text and not kind_of(source.name, head).is_text:
        note = ENCODING_NOTE
    if how == "raw":
        if not kind.is_text:
            return HexView(source, kind.name, _NO_TEXT, width)
        return TextView(source, kind.name, note)
    return _preview(source, kind, note, width, on_screen)


def kind_to_show(name: str, head: bytes) -> FileKind:
    """The kind of a file; damaged UTF-8 counts as text."""
    kind = kind_of(name, head)
    if kind.name == "binary" and _is_broken_text(head):
        return kind_of(name, bytes(byte for byte in head if byte < 0x80))
    return kind


def is_editable(name: str, head: bytes) -> bool:
    """Whether a file is text in UTF-8, or in a damaged or 8-bit encoding."""
    is_wide = head.startswith(tuple(mark for mark, _ in _WIDE))
    return kind_to_show(name, head).is_text and not is_wide


def _preview(
    source: ByteSource, kind: FileKind, note: str, width: int, on_screen: bool
) -> FileView:
    name = tables()["view"].get(kind.name, "")
    if name == "markdown":
        return _markdown(source, note, width)
    if name == "json":
        view = _json(source, note)
        return _foldable(view, "json") if on_screen and isinstance(view, LazyView) else view
    if name == "json-lines":
        from skillstudio.preview.views.json_text import one_line

        return TextView(source, kind.name, note, one_line)
    if name == "table":
        return _table(source, note)
    if name and name != "svg":
        return _facts(source, kind.name, name, note, width, on_screen)
    if not kind.is_text:
        if kind.name == "binary":
            return HexView(source, kind.name, _NO_TEXT, width)
        return _other(source, kind.name, width)
    if name == "svg":
        from skillstudio.preview.views.images import svg_size

        size = svg_size(source.read(0, HEAD).decode("utf-8", "replace"))
        remark = f"image of {size}, shown as source" if size else "image, shown as source"
        note = _join_notes(note, remark)
    colours = Colours(kind.name) if kind.name in tables()["lexer"] else None
    fault = _fault(source, kind.name) if kind.name in _CHECKED_KINDS else ""
    view = TextView(source, kind.name, _join_notes(note, fault), colours)
    return _foldable(view, kind.name) if on_screen and not fault else view


def _foldable(view: FileView, kind: str) -> FileView:
    from skillstudio.preview.views.folding import foldable

    return foldable(view, kind)


def _fault(source: ByteSource, syntax: str) -> str:
    """The first syntax error of a small file, with its place; "" for none."""
    if source.size > _CHECKED_SIZE:
        return ""
    from skillstudio.text.reading import read
    from skillstudio.text.source import Source, Span, decode

    text, _ = decode(source.read(0, _CHECKED_SIZE))
    # Only the first document of a stream would be read.
    if "\n---" in text:
        return ""
    faults = read(Source(text, source.name), syntax, Span(0, len(text))).faults
    if not faults:
        return ""
    place = Source(text, source.name).position(faults[0].start)
    return f"{place.line}:{place.column}: {faults[0].message}; shown as text"


def _join_notes(*notes: str) -> str:
    return "; ".join(filter(None, notes))


def _markdown(source: ByteSource, note: str, width: int, limit: int = 0) -> FileView:
    from skillstudio.preview.views.markdown import FIRST, MOST, render_markdown

    size = min(limit or FIRST, MOST)
    text, whole = _read_beginning(source, size)
    notes = [note]
    if not whole:
        notes.append(f"the first {len(text.encode()):,} of {source.size:,} bytes are shown")
    load_more = partial(_markdown, source, note, width, size * 4)
    is_all = whole or size >= MOST
    lines = render_markdown(text, width)
    return LazyView(source.name, "markdown", lines, notes, source, None if is_all else load_more)


def _json(source: ByteSource, note: str) -> FileView:
    from skillstudio.preview.views.json_text import one_line, pretty

    text, whole = _read_beginning(source, READ)
    if not whole:
        # Truncated JSON does not parse; the raw text can be shown in full.
        remark = "it is too large to be rendered; shown as raw text"
        return TextView(source, "json", _join_notes(note, remark), one_line)
    return LazyView(source.name, "json", pretty(text), [note], source)


def _table(source: ByteSource, note: str) -> FileView:
    from skillstudio.preview.views.table import table_lines

    text, whole = _read_beginning(source, TABLE_BYTES)
    remarks, lines = table_lines(text, source.name, whole)
    return LazyView(source.name, "csv", lines, [note, remarks], source)


def _facts(
    source: ByteSource, kind: str, name: str, note: str, width: int, on_screen: bool
) -> FileView:
    """A view of a file's metadata."""
    notes = [note]
    lines: Iterator[Line]
    if name == "sqlite":
        from skillstudio.preview.views.database import database_lines

        lines = database_lines(source, notes)
    elif name == "image":
        from skillstudio.preview.views.images import picture_lines

        facts = (
            row
            for picture_line in picture_lines(source, kind)
            for row in wrap_line(picture_line, width)
        )
        lines = chain(facts, _picture(source, kind, width)) if on_screen else facts
    elif name == "wasm":
        lines = _module_lines(source)
    else:
        from skillstudio.preview.views import archives

        lines = getattr(archives, f"{name}_lines")(source, notes)
    return LazyView(source.name, kind, lines, notes, source)


def _picture(source: ByteSource, kind: str, width: int) -> Iterator[Line]:
    from skillstudio.preview.views.pictures import half_blocks

    yield from half_blocks(source, kind, width)


def _other(source: ByteSource, kind: str, width: int) -> FileView:
    """A line of facts, then hexadecimal."""
    facts = fact_lines([("kind", kind), ("file", size_words(source.size))])
    view = HexView(source, kind, width=width)

    def lines() -> Iterator[Line]:
        yield from facts
        yield ()
        at = 0
        while batch := view.lines(at, 64):
            yield from batch
            at += len(batch)

    return LazyView(source.name, kind, lines(), source=source)


def _module_lines(source: ByteSource) -> Iterator[Line]:
    """Imports first: they show what the module needs from its host."""
    from skillstudio.manifest.wasm import WasmFault, read_exports, read_imports

    yield from fact_lines([("kind", "WebAssembly module"), ("file", size_words(source.size))])
    data = source.read(0, READ)
    whole = source.size <= READ
    try:
        imports = read_imports(data, whole, _IMPORTS)
        exports = read_exports(data, whole, _IMPORTS)
    except WasmFault as error:
        yield line((str(error), "error"))
        return
    yield ()
    yield line(("imports", "heading"), (f"  {len(imports):,}", "quiet"))
    for import_ in imports[:_MAX_NAMES]:
        yield line(
            (f"  {import_.kind} ", "quiet"), (f"{import_.module}.", "place"), (import_.name, "key")
        )
    yield from _rest(len(imports))
    yield ()
    yield line(("exports", "heading"), (f"  {len(exports):,}", "quiet"))
    for name, export in list(exports.items())[:_MAX_NAMES]:
        signature = f" {export.signature}" if export.signature else ""
        yield line((f"  {export.kind} ", "quiet"), (name, "key"), signature)
    yield from _rest(len(exports))


def _rest(count: int) -> Iterator[Line]:
    if count > _MAX_NAMES:
        yield line((f"  and {count - _MAX_NAMES:,} more", "quiet"))


def _read_beginning(source: ByteSource, size: int) -> tuple[str, bool]:
    """The first lines of a text, and whether that is all of it."""
    data = source.read(0, size)
    whole = source.size <= size
    end = -1 if whole else data.rfind(b"\n")
    return (data if end < 0 else data[: end + 1]).decode("utf-8", "replace"), whole


def _narrow(source: ByteSource, encoding: str) -> tuple[ByteSource, str]:
    """Convert UTF-16 or UTF-32 text to UTF-8."""
    text = source.read(4 if "32" in encoding else 2, READ).decode(encoding, "replace")
    data = text.encode("utf-8", "replace")
    limit_note = f"; the first {READ:,} bytes are shown" if source.size > READ else ""
    return MemorySource(
        source.name, data, source.mode
    ), f"it is in {encoding[:6].upper()}{limit_note}"


def _is_broken_text(head: bytes) -> bool:
    """Whether bytes that are not UTF-8 are text in another or a damaged encoding."""
    if not head or b"\0" in head:
        return False
    high = sum(byte >= 0x80 for byte in head)
    control = sum(byte < 0x20 and byte not in _PLAIN_CONTROL for byte in head)
    return high <= _ODD * len(head) and not control


def kinds_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The kinds that files of these names can have, each once."""
    return tuple(dict.fromkeys(kind_of(path, b"").name for path in paths))


def warm(kinds: Iterable[str]) -> None:
    """Load parsers and lexers of these kinds, which take most of the time of a first view."""
    lexer_count = 0
    views, lexers = tables()["view"], tables()["lexer"]
    for kind in kinds:
        if views.get(kind) == "markdown":
            from skillstudio.preview.views.markdown import render_markdown

            # For the frontmatter.
            list(render_markdown("---\na: 1\n---\n# A\n", 80))
        elif views.get(kind) == "image":
            from skillstudio.preview.views.pictures import load_decoder

            load_decoder(kind)
        elif views.get(kind) == "sqlite":
            import sqlite3  # noqa: F401
        elif kind in lexers and views.get(kind) in (None, "svg") and lexer_count < _LEXERS:
            lexer(lexers[kind])
            lexer_count += 1
