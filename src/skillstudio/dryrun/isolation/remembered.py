"""Remember which canaries have succeeded, while nothing that decides on that has changed.

Only successes are kept, for a day, by a digest of the facts: kernel and start of the machine,
rights and limits of this process, the programs that contain a run, and skillstudio's own files."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from skillstudio.dryrun.isolation.host import CanaryResult, Host
from skillstudio.files.state import cache_folder, make_private

_FILE = "canaries.json"
_LASTS = 86_400  # Seconds.
_LARGEST = 1 << 16  # Bytes of the file.
_MOST = 8  # Successes of a level, for shells with other search paths and limits.
_RIGHTS = ("Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp")
"""The lines of /proc/self/status that say what this process may do."""
_SETTINGS = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/yama/ptrace_scope",
    "/proc/sys/user/max_user_namespaces",
    "/proc/self/attr/current",
    "/sys/kernel/security/lsm",
)
_NAMESPACES = ("mnt", "net", "pid", "user")


def recall(isolation: str, host: Host) -> CanaryResult | None:
    """The success of a level's canary, if it is remembered."""
    entry = _entries(isolation).get(_digest(host))
    return CanaryResult("", bool(entry.get("traced"))) if entry else None


def remember(isolation: str, host: Host, is_traced: bool) -> None:
    """Keep the success of a level's canary."""
    entries = {**_entries(isolation), _digest(host): {"time": time.time(), "traced": is_traced}}
    newest = sorted(entries, key=lambda facts: entries[facts]["time"])[-_MOST:]
    path = os.path.join(cache_folder(), _FILE)
    temporary_path = f"{path}.{os.getpid()}"
    # Without a place to keep it the canary runs again.
    with suppress(OSError):
        make_private(cache_folder())
        with open(temporary_path, "w", encoding="utf-8") as file:
            json.dump({**_read(), isolation: {facts: entries[facts] for facts in newest}}, file)
        os.replace(temporary_path, path)


def forget() -> None:
    """Let every canary run again."""
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(os.path.join(cache_folder(), _FILE))


def _entries(isolation: str) -> dict[str, dict[str, Any]]:
    """The successes of a level that still count, by the digest of their facts."""
    entries = _read().get(isolation)
    now = time.time()
    return {
        facts: entry
        for facts, entry in (entries.items() if isinstance(entries, dict) else ())
        if isinstance(entry, dict)
        and isinstance(since := entry.get("time"), int | float)
        and 0 <= now - since < _LASTS
    }


def _read() -> dict[str, object]:
    try:
        with open(os.path.join(cache_folder(), _FILE), encoding="utf-8") as file:
            value = json.loads(file.read(_LARGEST))
    except (OSError, ValueError):
        return {}  # What cannot be read is not remembered.
    return value if isinstance(value, dict) else {}


def _digest(host: Host) -> str:
    return hashlib.sha256("\0".join(_facts(host)).encode("utf-8", "replace")).hexdigest()


def _facts(host: Host) -> Iterator[str]:
    yield repr((tuple(host), tuple(os.uname()) if hasattr(os, "uname") else ()))
    for path in _SETTINGS:
        yield _text(path)
    for line in _text("/proc/self/status").splitlines():
        if line.startswith(_RIGHTS):
            yield line
    for name in _NAMESPACES:
        with suppress(OSError):
            yield os.readlink(f"/proc/self/ns/{name}")
    yield from _limits()
    for path in (host.python, host.bwrap or ""):
        yield _state(os.path.realpath(path)) if path else ""
    with os.scandir(os.path.dirname(os.path.abspath(__file__))) as entries:
        for path in sorted(entry.path for entry in entries if entry.is_file()):
            yield _state(path)


def _limits() -> Iterator[str]:
    if os.name == "posix":
        import resource

        names = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))
        yield repr([resource.getrlimit(getattr(resource, name)) for name in names])


def _text(path: str) -> str:
    """A small file of the system; "" where it does not have it."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    except OSError:
        return ""


def _state(path: str) -> str:
    """What changes with a file's content."""
    try:
        about = os.stat(path)
    except OSError:
        return path
    return repr((path, about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_mode))
