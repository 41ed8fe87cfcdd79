"""What a module exports, read from bytes put together here."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.manifest.caro.conftest import HEAD

from skillstudio.manifest.wasm import (
    Export,
    Import,
    Signature,
    WasmFault,
    read_exports,
    read_imports,
)

MANIFEST = f"""\
{HEAD}[provides]
executable = true

[executable]
module = "bin/skill.wasm"
exports = ["plan_workflow"]
"""


def number(value: int) -> bytes:
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def name(text: str) -> bytes:
    return number(len(text.encode())) + text.encode()


def vector(items: list[bytes]) -> bytes:
    return number(len(items)) + b"".join(items)


def section(id: int, content: bytes) -> bytes:
    return bytes([id]) + number(len(content)) + content


def module(functions: dict[str, tuple[int, int]], imported: int = 0, more: bytes = b"") -> bytes:
    """A module whose functions take and give so many i32; each has its own type."""
    shapes = [(0, 0)] * bool(imported) + list(functions.values())
    types = [b"\x60" + vector([b"\x7f"] * take) + vector([b"\x7f"] * give) for take, give in shapes]
    first = 1 if imported else 0
    exports = [
        name(each) + b"\0" + number(imported + index) for index, each in enumerate(functions)
    ]
    body = number(4) + b"\0" + b"\x41\0\x0b"
    return (
        b"\0asm\1\0\0\0"
        + section(0, name("made by a test"))
        + section(1, vector(types))
        + section(2, vector([name("m") + name("f") + b"\0" + number(0)] * imported))
        + section(3, vector([number(first + index) for index in range(len(functions))]))
        + section(
            7, vector(exports) if not more else number(len(exports) + 1) + b"".join(exports) + more
        )
        + section(10, vector([body] * len(functions)))
    )


CONTRACT = {"init": (2, 1), "shutdown": (0, 1), "plan_workflow": (6, 1)}


def test_functions_with_their_types() -> None:
    found = read_exports(module(CONTRACT))
    assert found["init"] == Export("function", Signature(("i32", "i32"), ("i32",)))
    assert str(found["shutdown"].signature) == "() -> i32"


def test_imported_functions_come_first() -> None:
    assert read_exports(module(CONTRACT, imported=3)) == read_exports(module(CONTRACT))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "does not start"),
        (b"#!/bin/sh\n", "does not start"),
        (b"\0asm\x0d\0\x01\0", "component"),
        (b"\0asm\2\0\0\0", "version 1"),
        (module(CONTRACT)[:40], "truncated"),
        (b"\0asm\1\0\0\0" + section(7, number(10**9)), "too many"),
        (b"\0asm\1\0\0\0" + section(7, vector([name("f") + b"\0" + number(5)])), "does not exist"),
        (b"\0asm\1\0\0\0\1" + b"\xff" * 20, "too long"),
    ],
)
def test_what_is_no_module(data: bytes, message: str) -> None:
    with pytest.raises(WasmFault, match=message):
        read_exports(data)


def test_the_beginning_of_a_large_module_will_do() -> None:
    data = module(CONTRACT)
    assert read_exports(data[:-3], whole=False) == read_exports(data)


@given(st.binary(max_size=80))
def test_any_bytes_end(data: bytes) -> None:
    with suppress(WasmFault):
        read_exports(b"\0asm\1\0\0\0" + data)


@given(st.integers(8, 200), st.integers(0, 255))
def test_any_damage_ends(at: int, byte: int) -> None:
    data = bytearray(module(CONTRACT, imported=2))
    data[at % len(data)] = byte
    with suppress(WasmFault):
        read_exports(bytes(data))


@pytest.mark.parametrize(
    ("functions", "lines"),
    [
        (CONTRACT, []),
        ({**CONTRACT, "more": (3, 2)}, []),
        (
            {"shutdown": (0, 1), "plan_workflow": (6, 1)},
            ['12:10 wasm-export-missing "bin/skill.wasm"'],
        ),
        ({**CONTRACT, "init": (0, 0)}, ['12:10 wasm-export-type "bin/skill.wasm"']),
        ({**CONTRACT, "plan_workflow": (4, 1)}, ['13:12 wasm-export-type "plan_workflow"']),
        ({"init": (2, 1), "shutdown": (0, 1)}, ['13:12 wasm-export-missing "plan_workflow"']),
    ],
)
def test_the_contract(
    found: Callable[..., Any], functions: dict[str, tuple[int, int]], lines: list[str]
) -> None:
    result = type(found())({"skill.toml": MANIFEST, "bin/skill.wasm": module(functions)})
    assert result.lines == [f"skill.toml:{line}" for line in lines]


def test_an_export_that_is_no_function(found: Callable[..., Any]) -> None:
    functions = {"init": (2, 1), "shutdown": (0, 1)}
    data = module(functions, more=name("plan_workflow") + b"\x02\0")
    result = type(found())({"skill.toml": MANIFEST, "bin/skill.wasm": data})
    assert result.lines == ['skill.toml:13:12 wasm-export-type "plan_workflow"']


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("bin/skill.wasm", "bin/other.wasm", ['12:10 path-missing "bin/other.wasm"']),
        ("bin/skill.wasm", "bin", ['12:10 path-missing "bin"']),
        ("bin/skill.wasm", "../skill.wasm", ['12:10 path-outside "../skill.wasm"']),
        ("bin/skill.wasm", "/skill.wasm", ['12:10 path-absolute "/skill.wasm"']),
        ('module = "bin/skill.wasm"\n', "", ["11:2 executable-module-required executable"]),
        ("executable = true", "executable = false", ["9:14 provides-undeclared false"]),
    ],
)
def test_the_module_must_be_there(
    found: Callable[..., Any], old: str, new: str, lines: list[str]
) -> None:
    files = {"skill.toml": MANIFEST.replace(old, new), "bin/skill.wasm": module(CONTRACT)}
    assert type(found())(files).lines == [f"skill.toml:{line}" for line in lines]


def test_a_module_promised_but_not_named(found: Callable[..., Any]) -> None:
    text = MANIFEST.partition("\n[executable]")[0]
    assert type(found())({"skill.toml": text}).lines == [
        "skill.toml:9:14 executable-module-required true"
    ]


def test_a_file_that_is_no_module(found: Callable[..., Any]) -> None:
    result = type(found())({"skill.toml": MANIFEST, "bin/skill.wasm": b"text"})
    assert result.lines == ['skill.toml:12:10 wasm-invalid "bin/skill.wasm"']


def test_what_a_module_imports_of_every_kind() -> None:
    kinds = {
        "function": b"\0\0",
        "table": b"\1\x70\0\1",
        "memory": b"\2\1\1\2",
        "global": b"\3\x7f\0",
        "tag": b"\4\0\0",
    }
    imports = [name("env") + name(kind) + about for kind, about in kinds.items()]
    data = b"\0asm\1\0\0\0" + section(1, vector([b"\x60\0\0"])) + section(2, vector(imports))
    assert read_imports(data) == [Import("env", kind, kind) for kind in kinds]
    assert read_imports(module({"run": (1, 0)}, imported=2)) == [Import("m", "f", "function")] * 2
    assert read_imports(data[:-3], whole=False) == []
    with pytest.raises(WasmFault, match="truncated"):
        read_imports(data[:-3])
    with pytest.raises(WasmFault, match="unknown kind"):
        read_imports(b"\0asm\1\0\0\0" + section(2, vector([name("a") + name("b") + b"\x09"])))
