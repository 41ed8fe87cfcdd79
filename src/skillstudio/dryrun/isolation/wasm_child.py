"""The process of a WASM program: `python -I wasm_child.py POLICY MODULE ARGUMENT…`."""

from __future__ import annotations

import json
import os
import sys

_TRAP_CODE = 134
_PREFIX = "WASI_"
LIMIT = "skillstudio: "  # The start of a line on standard error that reports a limit.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def main(policy_text: str, path: str, arguments: list[str]) -> int:
    import wasmtime

    policy = json.loads(policy_text)
    config = wasmtime.Config()
    config.consume_fuel = True
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    store.set_fuel(policy["fuel"])
    store.set_limits(memory_size=policy["memory"])
    wasi = wasmtime.WasiConfig()
    wasi.argv = [os.path.basename(path), *arguments]
    wasi.env = [
        (name.removeprefix(_PREFIX), value)
        for name, value in os.environ.items()
        if name.startswith(_PREFIX)
    ]
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    try:
        for folder, name, writable in policy["wasi_preopens"]:
            wasi.preopen_dir(folder, name, fs_mutable=writable)
    except wasmtime.WasmtimeError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return _TRAP_CODE
    store.set_wasi(wasi)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    instance = None
    try:
        module = wasmtime.Module.from_file(engine, policy["module"])
        instance = linker.instantiate(store, module)
        start = instance.exports(store)["_start"]
        if not isinstance(start, wasmtime.Func):
            raise KeyError("_start")
        start(store)
    except wasmtime.ExitTrap as exit_trap:
        return exit_trap.code
    except OSError as error:
        print(f"{path}: {error.strerror}", file=sys.stderr)
        return _TRAP_CODE
    except KeyError:
        print(f"{path}: the module exports no function _start", file=sys.stderr)
        return _TRAP_CODE
    except (wasmtime.WasmtimeError, wasmtime.Trap) as error:
        for limit in _find_limits(store, instance, policy):
            print(f"{LIMIT}{limit}", file=sys.stderr)
        print(str(error), file=sys.stderr)
        return _TRAP_CODE
    return 0


def _find_limits(store: Any, instance: Any, policy: dict[str, Any]) -> Iterator[str]:
    """The limits that a trapped program had reached, a sentence each."""
    import wasmtime

    if store.get_fuel() == 0:
        yield (f"the program reached the fixed limit of {policy['fuel']} WASM instructions")
    memory = instance.exports(store).get("memory") if instance else None
    if isinstance(memory, wasmtime.Memory):
        used, most = memory.data_len(store), policy["memory"]
        if used > most // 2:
            yield (
                f"the program used {used:,} of {most:,} bytes of WASM memory, a quarter of "
                "--memory-limit; if it needs more, raise that limit"
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
