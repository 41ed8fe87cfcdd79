"""WASM programs: what they see, what they may do, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dryrun.running.ground import Start

from skillstudio.dryrun.isolation import wasm
from skillstudio.dryrun.isolation.gate import GateRefused
from skillstudio.dryrun.isolation.host import this_host
from skillstudio.dryrun.prepared import CopiedFolder, Options, Preopen, RunFolders, StepStart

wasmtime = pytest.importorskip("wasmtime")

WASI = "wasi_snapshot_preview1"
OPEN = """
(import "wasi_snapshot_preview1" "path_open"
  (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
(memory (export "memory") 1)
(data (i32.const 0) "%s")
(func (export "_start")
  (call $exit (call $open (i32.const 3) (i32.const 1) (i32.const 0) (i32.const %d)
    (i32.const %d) (i64.const %d) (i64.const 0) (i32.const 0) (i32.const 64))))
"""


def opening(path: str, *, create: bool) -> str:
    """Ends with the WASI error of opening a file in the first folder: 0 where it worked."""
    return OPEN % (path, len(path), 1 if create else 0, 64 if create else 2)


def fails_with(text: str) -> str:
    exit_ = f'(import "{WASI}" "proc_exit" (func $exit (param i32)))'
    return f'{exit_} (memory (export "memory") 1) {text}'


@pytest.fixture
def start(tmp_path: Path) -> Start:
    return Start(tmp_path)


def run(
    start: Start, text: str, options: Options | None = None, **more: object
) -> tuple[int | None, bytes]:
    (start.copy / "program.wasm").write_bytes(wasmtime.wat2wasm(f"(module {text})"))
    argv = (f"{start.ground.copies[0].original}/program.wasm",)
    ran = start("wasm", *argv, options=options or Options(), **more)  # type: ignore[arg-type]
    return ran.ended.exit_code, ran.err


@pytest.mark.parametrize("code", [0, 7])
def test_its_exit_code_is_its_own(start: Start, code: int) -> None:
    text = fails_with(f'(func (export "_start") (call $exit (i32.const {code})))')
    assert run(start, text) == (code, b"")


def test_standard_input_reaches_it(start: Start, tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "examples" / "echo-json" / "skill.wasm"
    if not example.exists():
        pytest.skip("the example is not here")
    said = start("wasm", str(example), options=Options(stdin=b'{"message": "hello"}')).out
    assert said == b'{"message": "hello"}'


BAD_FILE, NOT_PERMITTED = 8, 63


@pytest.mark.parametrize(
    ("writable", "path", "create", "code"),
    [
        (None, "in", False, BAD_FILE),
        (False, "in", False, 0),
        (True, "in", False, 0),
        (True, "new", True, 0),
        (True, "../secret", False, NOT_PERMITTED),
        (True, "/etc/passwd", False, NOT_PERMITTED),
        (True, "link", False, NOT_PERMITTED),
    ],
)
def test_it_opens_what_it_is_given(
    start: Start, writable: bool | None, path: str, create: bool, code: int
) -> None:
    original = start.ground.copies[0].original
    given = start.copy / "given"
    given.mkdir()
    (given / "in").write_text("")
    (start.copy / "secret").write_text("")
    (given / "link").symlink_to("../secret")
    wasi_preopens = () if writable is None else (Preopen(f"{original}/given", "/", writable),)
    assert run(start, opening(path, create=create), Options(wasi_preopens=wasi_preopens)) == (
        code,
        b"",
    )


def test_a_folder_to_read_is_not_written_to(start: Start) -> None:
    (start.copy / "given").mkdir()
    wasi_preopens = (Preopen(f"{start.ground.copies[0].original}/given", "/"),)
    code, _ = run(start, opening("new", create=True), Options(wasi_preopens=wasi_preopens))
    assert code != 0
    assert not (start.copy / "given" / "new").exists()


def test_it_sees_the_declared_variables_alone(start: Start) -> None:
    """Ends with the number of its variables."""
    text = f"""
    (import "{WASI}" "environ_sizes_get" (func $sizes (param i32 i32) (result i32)))
    (import "{WASI}" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (func (export "_start")
      (drop (call $sizes (i32.const 0) (i32.const 4))) (call $exit (i32.load (i32.const 0))))"""
    env = {"ONE": "1", "LD_PRELOAD": "/no/such/library", "PYTHONHOME": "/no/such/folder"}
    assert run(start, text, env=env) == (3, b"")


def test_one_that_does_not_end_runs_out_of_fuel(start: Start) -> None:
    text = fails_with('(func (export "_start") (loop (br 0)))')
    code, said = run(start, text, Options(fuel=1_000_000))
    assert code == 134
    assert b"the fixed limit of 1000000 WASM instructions" in said
    ran = start("wasm", f"{start.ground.copies[0].original}/program.wasm", options=Options(fuel=9))
    [limit] = ran.ended.limits
    assert "the fixed limit of 9 WASM instructions" in limit


def test_one_that_traps_at_the_end_of_its_memory_says_how_much_it_had(start: Start) -> None:
    text = (
        '(memory (export "memory") 1) (func (export "_start")'
        " (drop (memory.grow (i32.const 14))) (drop (memory.grow (i32.const 9))) unreachable)"
    )
    (start.copy / "program.wasm").write_bytes(wasmtime.wat2wasm(f"(module {text})"))
    path = f"{start.ground.copies[0].original}/program.wasm"
    ran = start("wasm", path, options=Options(memory=1 << 20))
    [limit] = ran.ended.limits
    assert limit.startswith("the program used 983,040 of 1,048,576 bytes of WASM memory, a ")


@pytest.mark.slow
def test_one_that_does_not_end_is_ended(start: Start) -> None:
    text = '(module (func (export "_start") (loop (br 0))))'
    (start.copy / "p.wasm").write_bytes(wasmtime.wat2wasm(text))
    argv = f"{start.ground.copies[0].original}/p.wasm"
    ended = start("wasm", argv, timeout=1, options=Options(fuel=1 << 60)).ended
    assert ended.timed_out


def test_memory_is_limited(start: Start) -> None:
    """Ends with whether it got 64 MB more."""
    text = fails_with(
        '(func (export "_start")'
        " (call $exit (i32.eq (memory.grow (i32.const 1024)) (i32.const -1))))"
    )
    assert run(start, text, Options(memory=1 << 20)) == (1, b"")
    assert run(start, text, Options(memory=1 << 30)) == (0, b"")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"not wasm", b"expected"),
        (wasmtime.wat2wasm("(module)"), b"exports no function _start"),
        (wasmtime.wat2wasm('(module (import "env" "f" (func)))'), b"unknown import"),
        (wasmtime.wat2wasm('(module (func (export "_start") unreachable))'), b"unreachable"),
    ],
)
def test_what_is_no_program(start: Start, content: bytes, said: bytes) -> None:
    (start.copy / "program.wasm").write_bytes(content)
    ran = start("wasm", f"{start.ground.copies[0].original}/program.wasm")
    assert ran.ended.exit_code == 134
    assert said in ran.err
    assert b"Traceback" not in ran.err


def test_a_program_that_is_not_there(start: Start) -> None:
    with pytest.raises(GateRefused, match=r"no-such.wasm cannot be opened in its copy: No such"):
        start("wasm", "no-such.wasm")


def test_without_the_extra_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "wasmtime", None)
    ground = RunFolders("/a", (CopiedFolder("/b", "/c"),), "/d", "/e")
    with pytest.raises(ValueError, match="wasmtime is not installed"):
        wasm.canary(this_host(), StepStart([], {}, "/b", ground, Options()))
