"""Read the imports and exports of a WebAssembly module without running it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

MAGIC = b"\0asm"
READ_LIMIT = 16 * 1024 * 1024
"""Maximum number of bytes to read; the relevant sections precede the code."""

_MAX_ITEMS = 200_000
_TYPES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64", 0x7B: "v128"}
_KINDS = {0: "function", 1: "table", 2: "memory", 3: "global", 4: "tag"}


class WasmFault(ValueError):
    """Bytes that are not a valid WebAssembly module."""


class Signature(NamedTuple):
    """The type of a function."""

    parameters: tuple[str, ...]
    results: tuple[str, ...]

    def __str__(self) -> str:
        return f"({', '.join(self.parameters)}) -> {', '.join(self.results) or '()'}"


class Import(NamedTuple):
    """Something that a module requires from its host."""

    module: str
    name: str
    kind: str


class Export(NamedTuple):
    """An export; `signature` is None for anything but a function, or if unknown."""

    kind: str
    signature: Signature | None


def read_exports(data: bytes, whole: bool = True, most: int = _MAX_ITEMS) -> dict[str, Export]:
    """The exports of a module by name. Raises WasmFault.

    `whole` is False if `data` is only the start of a module. A section with more than `most`
    entries is a fault; for functions, which are only indices, ten times as many.
    """
    types: list[Signature | None] = []
    functions: list[int] = []
    exports: dict[str, Export] = {}
    for section, part in _sections(data, whole, most):
        if section == 1:
            types = _types(part)
        elif section == 2:
            functions += [index for import_, index in _imports(part) if import_.kind == "function"]
        elif section == 3:
            functions += [part.number() for _ in range(part.count(10))]
        elif section == 7:
            exports = _exports(part, types, functions)
    return exports


def read_imports(data: bytes, whole: bool = True, most: int = _MAX_ITEMS) -> list[Import]:
    """The imports of a module in order. Raises WasmFault, as `read_exports` does."""
    return [
        import_
        for section, part in _sections(data, whole, most)
        if section == 2
        for import_, _ in _imports(part)
    ]


def _sections(data: bytes, whole: bool, most: int) -> Iterator[tuple[int, _WasmReader]]:
    if data[:4] != MAGIC:
        raise WasmFault("not a WebAssembly module: it does not start with \\0asm")
    if data[4:8] == b"\x0d\0\x01\0":
        raise WasmFault("this is a WebAssembly component; use a core module")
    if data[4:8] != b"\x01\0\0\0":
        raise WasmFault("not a WebAssembly module of version 1")
    reader = _WasmReader(data, 8, len(data), most)
    while reader.at < reader.end:
        section = reader.byte()
        size = reader.number()
        end = reader.at + size
        if end > reader.end:
            if not whole:
                return
            raise WasmFault(f"section {section} of the module is truncated")
        yield section, _WasmReader(data, reader.at, end, most)
        reader.at = end


class _WasmReader:
    """A position in the bytes, up to an end."""

    __slots__ = ("at", "data", "end", "most")

    def __init__(self, data: bytes, at: int, end: int, most: int) -> None:
        self.data = data
        self.at = at
        self.end = end
        self.most = most

    def byte(self) -> int:
        if self.at >= self.end:
            raise WasmFault("the module is truncated")
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """An unsigned LEB128 number; also skips a signed one."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift >= 70:
                raise WasmFault("a number in the module is too long")

    def count(self, times: int = 1) -> int:
        count = self.number()
        if count > min(self.most * times, _MAX_ITEMS):
            raise WasmFault("the module has too many entries")
        return count

    def name(self) -> str:
        size = self.number()
        if size > self.end - self.at:
            raise WasmFault("a name in the module is truncated")
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8", "replace")

    def value_type(self) -> str:
        code = self.byte()
        if code in (0x63, 0x64):
            self.number()
        return _TYPES.get(code, "ref")

    def limits(self) -> None:
        flags = self.byte()
        self.number()
        if flags & 1:
            self.number()
        if flags & 8:
            self.number()


def _types(part: _WasmReader) -> list[Signature | None]:
    """The function types; after an unknown kind of type, the rest are None."""
    signatures: list[Signature | None] = []
    count = part.count()
    for _ in range(count):
        if part.byte() != 0x60:
            break
        parameters = tuple(part.value_type() for _ in range(part.count()))
        signatures.append(
            Signature(parameters, tuple(part.value_type() for _ in range(part.count())))
        )
    return signatures + [None] * (count - len(signatures))


def _imports(part: _WasmReader) -> Iterator[tuple[Import, int]]:
    """Each import, and for a function the index of its type."""
    for _ in range(part.count()):
        module, name = part.name(), part.name()
        kind = part.byte()
        index = 0
        if kind == 0:
            index = part.number()
        elif kind == 1:
            part.value_type()
            part.limits()
        elif kind == 2:
            part.limits()
        elif kind == 3:
            part.value_type()
            part.byte()
        elif kind == 4:
            part.byte()
            part.number()
        else:
            raise WasmFault(f"the module has an import of the unknown kind {kind}")
        yield Import(module, name, _KINDS[kind]), index


def _exports(
    part: _WasmReader, types: list[Signature | None], functions: list[int]
) -> dict[str, Export]:
    exports: dict[str, Export] = {}
    for _ in range(part.count()):
        name = part.name()
        kind = _KINDS.get(part.byte(), "unknown thing")
        index = part.number()
        signature = None
        if kind == "function":
            if index >= len(functions):
                raise WasmFault("the module exports a function that does not exist")
            if functions[index] < len(types):
                signature = types[functions[index]]
        exports[name] = Export(kind, signature)
    return exports
