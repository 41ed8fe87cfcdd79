"""The rung `wasm`: wasmtime in a process of its own, with the folders that are asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from skillstudio.dryrun.prepared import Ground, Options, Prepared
from skillstudio.dryrun.rungs.host import Host
from skillstudio.dryrun.rungs.launch import launched
from skillstudio.dryrun.rungs.surroundings import moved

_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wasm_child.py")
PREFIX = "WASI_"
"""Before each variable: one that tells Python or the linker something must not do so."""


def prepare(
    host: Host,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    ground: Ground,
    options: Options,
) -> Prepared:
    """A WASM program, `argv[0]` being its path; it sees the declared variables and no others.

    A relative path is one in `cwd`.
    """
    import json

    module = os.path.join(moved(cwd, ground), moved(argv[0], ground))
    policy = {
        "fuel": options.fuel,
        "memory": options.memory,
        "preopens": [
            [moved(each.folder, ground), each.name, each.writable] for each in options.preopens
        ],
    }
    command = [host.python, "-I", "-X", "utf8", _CHILD, json.dumps(policy), module, *argv[1:]]
    prefixed = {PREFIX + name: value for name, value in env.items()}
    options = options._replace(trace=False)
    if host.system == "linux":
        return launched(host, command, prefixed, ground.temporary, options, {"confine": False})
    return Prepared(
        tuple(command), prefixed, ground.temporary, stdin=options.stdin, limits=options.limits
    )


def canary(host: Host, ground: Ground, options: Options) -> Prepared:
    """A WASM program that looks for a folder that nobody gave it. Raises ValueError where it cannot
    be made.
    """
    try:
        import wasmtime
    except ImportError:
        raise ValueError("wasmtime is not installed: `pip install 'skillstudio[wasm]'`") from None
    path = os.path.join(ground.folder, "canary.wasm")
    try:
        made = wasmtime.wat2wasm(_CANARY)
    except wasmtime.WasmtimeError as error:
        raise ValueError(f"wasmtime does not work here: {error}") from None
    with open(path, "wb") as file:
        file.write(made)
    return prepare(host, [path], {}, ground.temporary, ground, options)


_CANARY = r"""
(module
  (import "wasi_snapshot_preview1" "fd_prestat_get" (func $look (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write"
    (func $say (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\10\00\00\00\06\00\00\00\18\00\00\00\06\00\00\00tried\n\00\00write\n")
  (func (export "_start")
    (if (i32.eqz (call $look (i32.const 3) (i32.const 64)))
      (then (drop (call $say (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 96)))))
    (drop (call $say (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 96)))))
"""
"""It says `tried`, and `write` before that where a folder stands open."""
