"""Measure what memory and disk a process tree uses, whether it exceeds its limits, and end it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from skillstudio.dryrun.prepared import PreparedProcess, UsageLimits


def ask(process: subprocess.Popen[bytes], prepared_process: PreparedProcess) -> None:
    """Ask every process of the tree to end (TERM). Windows has no such signal: see `kill`."""
    _send(process, prepared_process, b"T", signal.SIGTERM)


def kill(process: subprocess.Popen[bytes], prepared_process: PreparedProcess) -> None:
    """Kill every process of the tree."""
    if os.name == "posix":
        _send(process, prepared_process, b"K", signal.SIGKILL)
    else:
        tree = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
        with suppress(OSError):  # A bare PATH; the program itself can still be ended.
            subprocess.run(tree, check=False, capture_output=True)  # noqa: S603
        process.kill()


def _send(
    process: subprocess.Popen[bytes], prepared_process: PreparedProcess, order: bytes, number: int
) -> None:
    """Give an order to the launcher, else a signal to the process group."""
    with suppress(OSError):  # It has just ended.
        if prepared_process.control is not None:
            os.write(prepared_process.control, order)
        elif os.name == "posix":
            os.killpg(process.pid, number)


def give_up(process: subprocess.Popen[bytes]) -> None:
    """Kill a supervisor that does not answer, and every descendant that can be found."""
    for pid in descendants(process.pid):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.kill()


def descendants(pid: int) -> list[int]:
    """Every living descendant of a process, nearest first; [] on systems without `/proc`."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb", 0) as file:
                    fields = file.read(4096).rpartition(b")")[2].split()
            except OSError:
                continue  # It has ended.
            if len(fields) > 1 and fields[0] not in (b"Z", b"X"):
                parents.setdefault(int(fields[1]), []).append(int(name))
    pids = list(parents.get(pid, ()))
    for descendant in pids:
        pids += parents.get(descendant, ())
    return pids


_EVERY = 0.25  # Seconds between two samples of memory, and of free disk space.
_FILES_EVERY = 10.0  # Seconds between two counts of all files while free space barely changes.
_SHARE = 20  # A slow sample is repeated only after this many times its own duration.
_LEAST_FREE = 256 << 20
"""Bytes of disk and memory left to the machine, or half of what was free at the start."""


class Usage:
    """Samples a process tree and the folders it may write to."""

    def __init__(
        self, pid: int, folders: Sequence[str], initial_size: int, limits: UsageLimits
    ) -> None:
        """`initial_size` bytes are in the folders from the start."""
        self.reason = ""
        """Which limit was exceeded, with figures and the option that raises it; "" for none."""
        self._pid = pid
        self._folders = folders
        self._initial_size = initial_size
        self._limits = limits
        self._free = _disk_free(folders[0]) if folders else 0
        self._available = _memory_available()
        now = time.monotonic()
        self._memory_next, self._disk_next, self._files_next = now, now, now + _FILES_EVERY

    def is_over(self) -> bool:
        """Whether a limit is exceeded. Most calls only read the clock."""
        now = time.monotonic()
        if now >= self._memory_next:
            self.reason = self.reason or self._memory()
            self._memory_next = _after(now, _EVERY)
        if self._folders and now >= self._disk_next:
            self.reason = self.reason or self._disk(now)
            self._disk_next = _after(now, _EVERY)
        return bool(self.reason)

    def _memory(self) -> str:
        pids = [self._pid, *descendants(self._pid)]
        if len(pids) > self._limits.together:
            return f"ended: it had more than {self._limits.together:,} processes at once"
        if sum(map(_resident, pids)) > self._limits.memory:
            # Counts memory shared by several processes once.
            used = sum(map(_proportional, pids))
            if used > self._limits.memory:
                return (
                    f"ended: its processes used {size(used)} of memory, more than the limit of "
                    f"{size(self._limits.memory)}; raise it with --memory-limit"
                )
        least = min(_LEAST_FREE, self._available // 2)
        if self._available and _memory_available() < least:
            return (
                f"ended: less than {size(least)} of the machine's memory was free, although its "
                "processes show less use than the limit"
            )
        return ""

    def _disk(self, now: float) -> str:
        free = _disk_free(self._folders[0])
        if free < min(_LEAST_FREE, self._free // 2):
            return "ended: the disk with its copies was almost full"
        if self._free - free <= self._limits.disk and now < self._files_next:
            return ""
        used = _on_disk(self._folders) - self._initial_size
        self._files_next = _after(now, _FILES_EVERY)
        if used > self._limits.disk:
            return (
                f"ended: its folders grew by {size(used)} on disk, more than the limit of "
                f"{size(self._limits.disk)}; raise it with --disk-limit"
            )
        return ""


def size(number: int) -> str:
    """A number of bytes in the largest fitting unit."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if number >= 1 << power:
            return f"{number / (1 << power):.1f} {unit}"
    return f"{number} bytes"


def _after(start_time: float, interval: float) -> float:
    now = time.monotonic()
    return now + max(interval, _SHARE * (now - start_time))


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb", 0) as file:
            return int(file.read(256).split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0  # It has ended, or this system has no such files.


def _proportional(pid: int) -> int:
    memory_size = _fields(f"/proc/{pid}/smaps_rollup", b"Pss:", b"SwapPss:")
    return _resident(pid) if memory_size is None else memory_size


def _memory_available() -> int:
    """Bytes of memory still available; 0 when the system does not say."""
    return _fields("/proc/meminfo", b"MemAvailable:") or 0


def _fields(path: str, *names: bytes) -> int | None:
    """The sum of some fields of a file of the kernel, in bytes; None when it cannot be read."""
    try:
        with open(path, "rb") as file:
            sizes = [line.split()[1] for line in file if line.startswith(names)]
        return sum(map(int, sizes)) << 10
    except (OSError, IndexError, ValueError):
        return None


def _disk_free(folder: str) -> int:
    return shutil.disk_usage(folder).free


def _on_disk(folders: Sequence[str]) -> int:
    """Bytes that all files below `folders` use on disk, without unallocated parts."""
    total = 0
    pending_folders = list(folders)
    seen_inodes: set[tuple[int, int]] = set()
    while pending_folders:
        with suppress(OSError), os.scandir(pending_folders.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    about = entry.stat(follow_symlinks=False)
                    if about.st_nlink > 1 and not entry.is_dir(follow_symlinks=False):
                        if (about.st_dev, about.st_ino) in seen_inodes:
                            continue
                        seen_inodes.add((about.st_dev, about.st_ino))
                    total += getattr(about, "st_blocks", about.st_size // 512) * 512
                    if entry.is_dir(follow_symlinks=False):
                        pending_folders.append(entry.path)
    return total
