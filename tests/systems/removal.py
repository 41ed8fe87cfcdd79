"""Let the modules of skillstudio see Python as another system has it.

Only what a module of skillstudio imports is replaced. The standard library and other packages keep
the real modules, because they decide by the system when they are imported. What cannot be had this
way: backslashes in `os.path` (see `test_windows_paths.py`), and files that Windows does not delete
or rename while they are open.
"""

from __future__ import annotations

import asyncio
import builtins
import errno
import functools
import importlib
import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

SYSTEMS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("missing.toml").read_text("utf-8")
)
_ONLY_LINUX = ("/proc", "/sys")
_BY_PATH = ("open", "stat", "lstat", "listdir", "scandir", "readlink", "access", "walk")
_QUESTIONS = ("exists", "isdir", "isfile", "islink", "lexists")
_BINARY = 0x8000
_text_handles: dict[int, tuple[int, int]] = {}
"""What is open without `O_BINARY`, with its disk and number: other functions reuse handles."""
_FOLDER_HANDLES = ("listdir", "scandir", "chdir", "utime", "chmod", "access")
"""Functions that Windows does not call with a handle (`os.supports_fd`)."""


class View(ModuleType):
    """A module without some names, and with others in place of its own."""

    def __init__(self, module: ModuleType, missing: set[str], others: dict[str, Any]) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(others)
        self.__dict__.update(_module=module, _missing=missing)

    def __getattr__(self, name: str) -> Any:
        if name in self._missing:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self._module, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._module), *self.__dict__} - self._missing)


def remove_linux(system: str) -> None:
    """Replace what modules of skillstudio import from now on; for the rest of the process."""
    table = SYSTEMS[system]
    views: dict[str, ModuleType] = {}
    for name, names in table["lacks"].items():
        if name not in table["modules"]:
            module = importlib.import_module(name)
            views[name] = View(module, set(names), _replacements(system, name, module))
    for name in ("sys", "subprocess", "ctypes"):
        module = importlib.import_module(name)
        views[name] = View(module, set(), _replacements(system, name, module))
    if system == "windows":
        views["msvcrt"] = _msvcrt()
    missing_modules = set(table["modules"])
    real_import, real_open = builtins.__import__, builtins.open

    def import_as_there(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if level == 0 and _is_ours(globals):
            first = name.partition(".")[0]
            if first in missing_modules:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if name in views:
                return views[name]
            if name == "os.path":
                return views["os"].path if fromlist else views["os"]
        return real_import(name, globals, locals, fromlist, level)

    def open_as_there(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if _is_ours(sys._getframe(1).f_globals):
            _reject_only_linux(file)
            if system == "windows" and "b" not in mode:
                _check_text(mode, arguments, options)
        return real_open(file, mode, *arguments, **options)

    if system == "windows":
        # Other packages get the loop, too.
        for name in ("add_signal_handler", "add_reader", "add_writer"):
            refusal = functools.partialmethod(_not_implemented, name)
            setattr(asyncio.SelectorEventLoop, name, refusal)
    builtins.__import__ = import_as_there
    builtins.open = open_as_there


def _check_text(mode: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Raise for a text file with the encoding of the machine; end written lines as Windows does."""
    if options.get("encoding") is None and len(arguments) < 2:
        raise AssertionError("open() without an encoding depends on the machine on Windows")
    if options.get("newline") is None and len(arguments) < 4 and set(mode) & set("wax+"):
        options["newline"] = "\r\n"


def _is_ours(names: dict[str, Any] | None) -> bool:
    return str((names or {}).get("__name__", "")).partition(".")[0] == "skillstudio"


def _reject_only_linux(path: Any) -> None:
    if isinstance(path, (str, bytes, os.PathLike)):
        text = os.fsdecode(path)
        if any(text == top or text.startswith(f"{top}/") for top in _ONLY_LINUX):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text)


def _replacements(system: str, name: str, module: ModuleType) -> dict[str, Any]:
    windows = system == "windows"
    table = SYSTEMS[system]
    if name == "sys":
        return {"platform": table["platform"]}
    if name == "os":
        return {"name": table["name"], **_os(windows)}
    if name == "signal" and windows:
        return {
            "SIGBREAK": 21, "CTRL_C_EVENT": 0, "CTRL_BREAK_EVENT": 1, "signal": _windows_signal,
        }  # fmt: skip
    if name == "select" and windows:
        return {"select": _windows_select}
    if name == "subprocess" and windows:
        return {"Popen": _WindowsPopen, "run": _windows_run, "CREATE_NEW_PROCESS_GROUP": 0x200}
    if name == "ctypes":
        return {"CDLL": functools.partial(_library, windows)}
    return {}


def _os(windows: bool) -> dict[str, Any]:
    result: dict[str, Any] = {"path": View(os.path, set(), _paths())}
    for name in _BY_PATH:
        result[name] = _hides_linux(getattr(os, name), windows)
    if not windows:
        # The sets contain the functions as this system's modules see them.
        wrapped = {getattr(os, name): result[name] for name in _BY_PATH}
        for name in ("supports_dir_fd", "supports_fd", "supports_follow_symlinks"):
            result[name] = {wrapped.get(item, item) for item in getattr(os, name)}
        return result
    for name in (
        "chmod", "link", "mkdir", "remove", "rename", "replace", "rmdir", "unlink", "utime",
        "symlink", "truncate",
    ):  # fmt: skip
        result[name] = _hides_linux(getattr(os, name), windows)
    result["symlink"] = _no_privilege
    result["open"] = _windows_open
    result["kill"] = _windows_kill
    result["rename"] = _windows_rename
    result["supports_dir_fd"] = set()
    result["supports_fd"] = {result["stat"], result["truncate"]}
    result["supports_follow_symlinks"] = {result["stat"]}
    result["supports_effective_ids"] = set()
    result["O_BINARY"] = _BINARY
    result["read"], result["write"] = _binary(os.read), _binary(os.write)
    return result


def _paths() -> dict[str, Any]:
    return {name: _answers_no(getattr(os.path, name)) for name in _QUESTIONS}


def _answers_no(function: Callable[..., bool]) -> Callable[..., bool]:
    @functools.wraps(function)
    def answer(path: Any) -> bool:
        try:
            _reject_only_linux(path)
        except FileNotFoundError:
            return False
        return function(path)

    return answer


def _hides_linux(function: Callable[..., Any], windows: bool) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if arguments:
            _reject_only_linux(arguments[0])
        if windows:
            _reject_handles(function.__name__, arguments, options)
        return function(*arguments, **options)

    return call


def _reject_handles(name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Raise as Windows does for `dir_fd`, `follow_symlinks` and handles of folders."""
    for option in ("dir_fd", "src_dir_fd", "dst_dir_fd"):
        if options.get(option) is not None:
            raise NotImplementedError(f"{name}: {option} unavailable on this platform")
    if options.get("follow_symlinks") is False and name not in ("stat", "walk"):
        raise NotImplementedError(f"{name}: follow_symlinks unavailable on this platform")
    if name in _FOLDER_HANDLES and arguments and isinstance(arguments[0], int):
        raise TypeError(f"{name}: path should be string, bytes or os.PathLike, not int")


def _windows_open(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    _reject_only_linux(path)
    _reject_handles("open", (path,), {"dir_fd": dir_fd})
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    handle = os.open(path, flags & ~_BINARY, mode)
    _text_handles.pop(handle, None)
    if not flags & _BINARY:
        about = os.fstat(handle)
        _text_handles[handle] = about.st_dev, about.st_ino
    return handle


def _binary(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(handle: int, *arguments: Any) -> Any:
        about = os.fstat(handle)
        if _text_handles.get(handle) == (about.st_dev, about.st_ino):
            raise AssertionError(f"os.{function.__name__} would convert line ends on Windows")
        return function(handle, *arguments)

    return call


def _no_privilege(source: Any, *_: Any, **__: Any) -> None:
    raise OSError(errno.EINVAL, "A required privilege is not held by the client", source)


def _windows_kill(pid: int, number: int) -> None:
    if number not in (2, 15, 21):
        # The documentation: any other number ends the process, and 0 is CTRL_C_EVENT.
        raise AssertionError(f"os.kill(pid, {number}) ends the process on Windows")
    os.kill(pid, 15 if number == 21 else number)


def _windows_rename(source: Any, target: Any, **options: Any) -> None:
    _reject_handles("rename", (), options)
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), source, None, target)
    os.rename(source, target)


def _windows_signal(number: int, handler: Any) -> Any:
    import signal

    if number not in (2, 4, 6, 8, 11, 15, 21):
        raise ValueError("invalid signal value")
    return signal.signal(number, handler) if number != 21 else None


def _windows_select(readable: Any, writable: Any, rest: Any, *timeout: Any) -> Any:
    import select

    for item in (*readable, *writable, *rest):
        handle = item if isinstance(item, int) else item.fileno()
        if not stat.S_ISSOCK(os.fstat(handle).st_mode):
            raise OSError(errno.ENOTSOCK, os.strerror(errno.ENOTSOCK))
    return select.select(readable, writable, rest, *timeout)


class _WindowsPopen(subprocess.Popen[Any]):
    """As documented: `pass_fds`, `preexec_fn` and `user` are POSIX only."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if options.get("pass_fds"):
            raise AssertionError("pass_fds not supported on Windows.")
        if options.get("preexec_fn"):
            raise ValueError("preexec_fn is not supported on Windows platforms")
        options["start_new_session"] = bool(options.pop("creationflags", 0))
        super().__init__(*arguments, **options)


def _windows_run(*arguments: Any, **options: Any) -> Any:
    if options.get("pass_fds") or options.get("preexec_fn"):
        raise AssertionError("pass_fds not supported on Windows.")
    options.pop("creationflags", None)
    return subprocess.run(*arguments, **options)


def _library(windows: bool, name: str | None, *arguments: Any, **options: Any) -> Any:
    """`ctypes.CDLL` of the program itself: Windows has none, macOS none of Linux's calls."""
    import ctypes

    if name is None and windows:
        raise TypeError("bad argument type for built-in operation")
    library = ctypes.CDLL(name, *arguments, **options)
    missing = {"prctl", "syncfs", "unshare", "mount", "seccomp", "ptrace", "process_vm_readv"}
    return _Library(library, missing)


class _Library:
    def __init__(self, library: Any, missing: set[str]) -> None:
        self._library, self._missing = library, missing

    def __getattr__(self, name: str) -> Any:
        if name in self._missing:
            raise AttributeError(f"dlsym(RTLD_DEFAULT, {name}): symbol not found")
        if name == "syscall":
            raise AssertionError("syscall of Linux on another system")
        return getattr(self._library, name)


def _not_implemented(loop: Any, name: str, *_: Any) -> None:
    """The loop of Windows has neither signal handlers nor readers of handles."""
    raise NotImplementedError(name)


def _msvcrt() -> ModuleType:
    import fcntl

    module = ModuleType("msvcrt")

    def locking(handle: int, mode: int, size: int) -> None:
        try:
            fcntl.lockf(handle, fcntl.LOCK_UN if mode == 0 else fcntl.LOCK_EX | fcntl.LOCK_NB, size)
        except OSError as error:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from error

    module.__dict__.update(
        locking=locking, setmode=lambda handle, mode: 0,
        LK_UNLCK=0, LK_LOCK=1, LK_NBLCK=2, LK_RLCK=3, LK_NBRLCK=4,
    )  # fmt: skip
    return module
