"""Show the imports and exports of a WebAssembly module."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.manifest.wasm import WasmFault, read_exports, read_imports
from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, fact_lines, line, size_words

_READ = 1 << 20
_MOST = 5_000  # Types, imports and exports that are read.
_SHOWN = 200


def module_lines(source: ByteSource) -> Iterator[Line]:
    """Imports first: they show what the module needs from its host."""
    yield from fact_lines([("kind", "WebAssembly module"), ("file", size_words(source.size))])
    data = source.read(0, _READ)
    whole = source.size <= _READ
    try:
        imports = read_imports(data, whole, _MOST)
        exports = read_exports(data, whole, _MOST)
    except WasmFault as error:
        yield line((str(error), "error"))
        return
    yield ()
    yield line(("imports", "heading"), (f"  {len(imports):,}", "quiet"))
    for each in imports[:_SHOWN]:
        module = (f"{each.module}.", "place")
        yield line((f"  {each.kind} ", "quiet"), module, (each.name, "key"))
    yield from _rest(len(imports))
    yield ()
    yield line(("exports", "heading"), (f"  {len(exports):,}", "quiet"))
    for name, export in list(exports.items())[:_SHOWN]:
        signature = f" {export.signature}" if export.signature else ""
        yield line((f"  {export.kind} ", "quiet"), (name, "key"), signature)
    yield from _rest(len(exports))


def _rest(count: int) -> Iterator[Line]:
    if count > _SHOWN:
        yield line((f"  and {count - _SHOWN:,} more", "quiet"))
