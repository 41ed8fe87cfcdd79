"""List the imports and exports of a WebAssembly module."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.manifest.wasm import WasmFault, read_exports, read_imports
from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, fact_lines, line, size_words
from skillstudio.preview.view import FileView, ViewRequest

_READ = 1 << 20  # Bytes that are read.
_MOST_READ = 5_000  # Types, imports and exports that are read.
_MOST = 200  # Imports and exports that are listed.


def module_view(request: ViewRequest) -> FileView:
    return request.lazy_view(_lines)


def _lines(source: ByteSource, _notes: list[str]) -> Iterator[Line]:
    """Imports first: they show what the module needs from its host."""
    yield from fact_lines([("kind", "WebAssembly module"), ("file", size_words(source.size))])
    data = source.read(0, _READ)
    is_all = source.size <= _READ
    try:
        imports = read_imports(data, is_all, _MOST_READ)
        exports = read_exports(data, is_all, _MOST_READ)
    except WasmFault as error:
        yield line((str(error), "error"))
        return
    yield from _heading("imports", len(imports))
    for import_ in imports[:_MOST]:
        yield line(
            (f"  {import_.kind} ", "quiet"), (f"{import_.module}.", "place"), (import_.name, "key")
        )
    yield from _rest(len(imports))
    yield from _heading("exports", len(exports))
    for name, export in list(exports.items())[:_MOST]:
        signature = f" {export.signature}" if export.signature else ""
        yield line((f"  {export.kind} ", "quiet"), (name, "key"), signature)
    yield from _rest(len(exports))


def _heading(title: str, count: int) -> Iterator[Line]:
    yield ()
    yield line((title, "heading"), (f"  {count:,}", "quiet"))


def _rest(count: int) -> Iterator[Line]:
    if count > _MOST:
        yield line((f"  and {count - _MOST:,} more", "quiet"))
