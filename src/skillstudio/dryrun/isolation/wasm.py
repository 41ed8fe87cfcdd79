"""The level `wasm`: WASI, Landlock and seccomp confine wasmtime to the requested folders."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from skillstudio.dryrun.isolation import gate, landlock, seccomp
from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.known_gaps import has_filter
from skillstudio.dryrun.isolation.launch import prepare_launch
from skillstudio.dryrun.isolation.wasm_child import LIMIT
from skillstudio.dryrun.prepared import Preopen, PreparedProcess, RunFolders, StepStart

_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wasm_child.py")
PREFIX = "WASI_"  # Prefix of each variable, so that none affects Python or the linker.
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/opt", "/nix/store", "/gnu/store",
           "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")  # fmt: skip
"""Where systems keep the libraries that Python and wasmtime load."""

OpenedFolder = tuple[int, Preopen]
"""The descriptor of a folder in its copy, and what the program may do in it."""


def prepare(host: Host, start: StepStart) -> PreparedProcess:
    """Prepare the WASM program `argv[0]` with its module and folders as descriptors; folders
    missing in the copy are left out. Raises GateRefused."""
    import json

    argv, env, cwd, run_folders, options = start
    gate.check_folders(run_folders)
    path = os.path.join(cwd, argv[0])

    def make_command(module: str, folders: Sequence[tuple[str, Preopen]]) -> list[str]:
        policy = {
            "fuel": options.fuel,
            "memory": options.memory,
            "module": module,
            "wasi_preopens": [[at, preopen.name, preopen.writable] for at, preopen in folders],
        }
        return [host.python, "-I", "-X", "utf8", _CHILD, json.dumps(policy), path, *argv[1:]]

    variables = {PREFIX + name: value for name, value in env.items()}
    if host.system != "linux":
        # Without descriptor paths: the checked paths.
        gate.check_path(path, run_folders)
        checked = _check_folders(run_folders, options.wasi_preopens)
        command = make_command(
            _copy_path(path, run_folders),
            [(_copy_path(preopen.folder, run_folders), preopen) for preopen in checked],
        )
        return PreparedProcess(
            tuple(command), variables, run_folders.temporary,
            stdin=options.stdin, limits=options.limits,
        )  # fmt: skip
    with ExitStack() as stack:
        module = _open_path(stack, path, run_folders, gate.FILE)
        folders = list(_open_folders(stack, run_folders, options.wasi_preopens))
        command = make_command(
            f"/proc/self/fd/{module}", [(f"/proc/self/fd/{fd}", preopen) for fd, preopen in folders]
        )
        started_in = os.open(run_folders.temporary, gate.FOLDER | os.O_NOFOLLOW)
        stack.callback(os.close, started_in)
        options = options._replace(trace=False)
        confinement = _confinement(host, module, folders)
        extra_fds = [module, *(fd for fd, _ in folders)]
        prepared_process = prepare_launch(
            host, "confined", command, variables, started_in, options, confinement, extra_fds
        )
        stack.pop_all()  # From here on they are closed together with those of `prepared`.
        return prepared_process._replace(limit_lines=LIMIT)


def _check_folders(run_folders: RunFolders, wasi_preopens: Sequence[Preopen]) -> list[Preopen]:
    """The folders that exist in the copy. Raises GateRefused for one that leads out of it."""
    folders = []
    for preopen in wasi_preopens:
        try:
            gate.check_path(preopen.folder, run_folders)
        except gate.GateRefused as refusal:
            if refusal.leaves:
                raise
        else:
            folders.append(preopen)
    return folders


def _open_path(stack: ExitStack, path: str, run_folders: RunFolders, flags: int) -> int:
    fd = gate.enter(path, run_folders, flags)
    stack.callback(os.close, fd)
    return fd


def _open_folders(
    stack: ExitStack, run_folders: RunFolders, wasi_preopens: Sequence[Preopen]
) -> Iterator[OpenedFolder]:
    for preopen in wasi_preopens:
        try:
            yield _open_path(stack, preopen.folder, run_folders, gate.FOLDER), preopen
        except gate.GateRefused as refusal:
            if refusal.leaves:
                raise


def _copy_path(path: str, run_folders: RunFolders) -> str:
    """The real path of a checked path in its copy."""
    copy = gate.copy_of(path, run_folders)
    if copy is None:
        return path
    return os.path.realpath(copy.folder + path[len(copy.original) :])


def _confinement(host: Host, module: int, folders: Sequence[OpenedFolder]) -> dict[str, object]:
    """Allow reading Python, wasmtime, the module and the folders; writing in writable folders."""
    ruleset = landlock.Landlock(b"", ())
    if host.landlock:
        read: list[str | int] = [*_runtime(host), module]
        read += [fd for fd, preopen in folders if not preopen.writable]
        write = [fd for fd, preopen in folders if preopen.writable]
        ruleset = landlock.ruleset(host.landlock, write, read)
    return {
        "confine": True,
        "landlock": ruleset.attributes,
        "rules": [tuple(rule) for rule in ruleset.rules],
        "filter": seccomp.program("confined", False, host.machine) if has_filter(host) else b"",
    }


def _runtime(host: Host) -> list[str]:
    """The folders that Python loads itself and wasmtime from."""
    prefix = os.path.dirname(os.path.dirname(host.python))
    paths = {prefix, sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), *_SYSTEM, _CHILD}
    paths |= {os.path.realpath(path) for path in paths}
    return sorted(path for path in paths if path != "/" and os.path.exists(path))


def canary(host: Host, start: StepStart) -> PreparedProcess:
    """Prepare a WASM canary that looks for a folder nobody gave it. Raises ValueError."""
    try:
        import wasmtime
    except ImportError:
        raise ValueError("wasmtime is not installed: `pip install 'skillstudio[wasm]'`") from None
    path = os.path.join(start.run_folders.folder, "canary.wasm")
    try:
        module = wasmtime.wat2wasm(_CANARY)
    except wasmtime.WasmtimeError as error:
        raise ValueError(f"wasmtime does not work here: {error}") from None
    with open(path, "wb") as file:
        file.write(module)
    return prepare(host, start._replace(argv=[path], cwd=start.run_folders.temporary))


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
"""Prints `tried`, and before it `write` when a folder is open."""
