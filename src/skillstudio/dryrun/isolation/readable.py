"""What a confined or isolated program can read of this machine: the system and tools on PATH."""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.landlock import subtract_paths
from skillstudio.files.paths import below
from skillstudio.resources import toml_table

_BIN = ("bin", "sbin")
_LIBRARIES = ("lib", "lib64", "libexec")
_FIRST_LINE = 256
_LINKS = 40


class Readable(NamedTuple):
    """Readable places, as absolute paths."""

    system: tuple[str, ...]  # The system's own folders that exist here, under their usual names.
    tools: tuple[str, ...]
    """Installations elsewhere whose programs are on PATH, by name and by real path."""
    home: str  # The real home folder when it is inside one of the system's folders, else "".
    hidden_paths: tuple[
        str, ...
    ]  # Real paths that stay unreadable even inside `system` and `tools`.

    def collect_paths(self) -> list[str]:
        """Everything readable and nothing else, as real paths."""
        home = (self.home,) if self.home else ()
        system = subtract_paths(_real(self.system), (*home, *self.hidden_paths))
        return sorted({*system, *subtract_paths(_real(self.tools), self.hidden_paths)})

    def shows(self, path: str) -> bool:
        """Whether a program can open an existing absolute path."""
        real = os.path.realpath(path)
        if _inside(real, self.hidden_paths):
            return False
        system = _inside(real, _real(self.system)) and not (
            self.home and below(real, self.home) is not None
        )
        return system or _inside(real, _real(self.tools))


def readable(host: Host) -> Readable:
    """What a program can read on a host."""
    system, home = _system(), _home(host)
    own_folders = tuple(
        os.path.realpath(path) for path in host.own_folders if os.path.lexists(path)
    )
    folders = host.path.split(os.pathsep)
    interpreter = (os.path.abspath(host.python), os.path.realpath(host.python))
    tools = _tools(system, home, (*folders, *map(os.path.dirname, interpreter)))
    inside = (
        home
        and _inside(home, _real(system))
        # The home folder itself is on PATH for some system users.
        and not any(home == os.path.realpath(folder) for folder in folders if os.path.isabs(folder))
    )
    hidden_paths = tuple(dict.fromkeys((*find_masked_paths(host.home), *own_folders)))
    return Readable(system, tools, home if inside else "", hidden_paths)


def installations(host: Host, folder: str) -> tuple[str, ...]:
    """What programs could read because a folder of programs is on PATH, searched anew."""
    search = _Search(_system(), _home(host))
    search.programs([folder])
    return search.collect_grants()


def _system() -> tuple[str, ...]:
    return tuple(path for path in _table()["system"] if os.path.exists(path))


def _home(host: Host) -> str:
    return os.path.realpath(host.home) if host.home not in ("", "/") else ""


@functools.lru_cache(maxsize=4)  # A run asks five times, and the search reads every folder of PATH.
def _tools(system: tuple[str, ...], home: str, folders: tuple[str, ...]) -> tuple[str, ...]:
    search = _Search(system, home)
    search.programs(list(folders))
    return search.collect_grants()


def abbreviate_home(path: str, home: str) -> str:
    """A path for display, with `~` for the home folder."""
    inside = below(path, home) if home not in ("", "/") else None
    return path if inside is None else os.path.join("~", inside).rstrip("/")


class _Search:
    """Follows the folders of PATH to the installations of their programs."""

    def __init__(self, system: tuple[str, ...], home: str) -> None:
        self._starts = tuple(path + "/" for path in _real(system))
        self._home = home
        self._granted_paths: dict[str, None] = {}
        self._visited_folders: set[str] = set()

    def programs(self, folders: list[str]) -> None:
        """Grant the installation of each folder of programs."""
        pending_folders = [
            os.path.normpath(folder) for folder in reversed(folders) if os.path.isabs(folder)
        ]
        while pending_folders:
            folder = pending_folders.pop()
            real = os.path.realpath(folder)
            is_system = self._is_system(real)
            if is_system:
                folder = real
            if folder in self._visited_folders or not os.path.isdir(folder):
                continue
            self._visited_folders.add(folder)
            if not is_system:
                self._installation(folder)
                pending_folders += _base(os.path.dirname(folder))
            if os.path.basename(folder) not in _table()["whole"]:
                pending_folders += self._elsewhere(folder, is_system)

    def collect_grants(self) -> tuple[str, ...]:
        """Everything found, by name and by real path, nothing inside another one."""
        paths = dict.fromkeys(
            path for name in self._granted_paths for path in (name, os.path.realpath(name))
        )
        return tuple(
            path
            for path in sorted(paths)
            if not any(path != other and below(path, other) is not None for other in paths)
        )

    def _installation(self, folder: str) -> None:
        table = _table()
        self._grant(folder)
        prefix, name = os.path.split(folder)
        if name in table["whole"] or any(
            os.path.lexists(os.path.join(prefix, mark)) for mark in table["marks"]
        ):
            self._grant(prefix)
        if name in _BIN and not self._holds_home(os.path.realpath(prefix)):
            is_shared = os.path.basename(prefix) in table["shared"]
            for part in _LIBRARIES if is_shared else table["beside"]:
                self._grant(os.path.join(prefix, part))

    def _grant(self, path: str) -> None:
        real = os.path.realpath(path)
        if (
            os.path.exists(real)
            and real not in _table()["never"]
            and not self._holds_home(real)
            and not self._is_system(real)
        ):
            self._granted_paths[path] = None

    def _is_system(self, real: str) -> bool:
        return (real + "/").startswith(self._starts) and not (
            self._home and below(real, self._home) is not None
        )

    def _holds_home(self, real: str) -> bool:
        """Whether a folder is or contains the home folder: never granted as a whole."""
        return bool(self._home) and below(self._home, real) is not None

    def _elsewhere(self, folder: str, is_system: bool) -> Iterator[str]:
        """Folders of other installations that programs lead to; other single programs are
        granted."""
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink():
                    target = self._led_to(entry.path)
                elif is_system:
                    continue
                else:
                    target = _first_line(entry)
                if not target or self._is_system(target) or not _is_program(target):
                    continue
                holder = os.path.dirname(target)
                if os.path.basename(holder) in _BIN:
                    yield holder
                elif not _inside(target, tuple(self._granted_paths)):
                    self._grant(target)

    def _led_to(self, link: str) -> str:
        """The real path of a link that leads out of the system's folders, else ""."""
        for _ in range(_LINKS):
            try:
                target = os.readlink(link)
            except OSError:
                break
            link = os.path.normpath(os.path.join(os.path.dirname(link), target))
            if not self._is_system(link):
                return os.path.realpath(link)
        return ""


def _base(prefix: str) -> Iterator[str]:
    """The base installation of a virtual environment (PEP 405)."""
    with (
        suppress(OSError, UnicodeDecodeError),
        open(os.path.join(prefix, "pyvenv.cfg"), encoding="utf-8") as file,
    ):
        for line in file.read(1 << 16).splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "home" and os.path.isabs(value.strip()):
                yield os.path.normpath(value.strip())


def _first_line(entry: os.DirEntry[str]) -> str:
    """The interpreter in a script's first line, else ""."""
    try:
        if not entry.is_file():
            return ""
        with open(entry.path, "rb") as file:
            line = file.read(_FIRST_LINE).partition(b"\n")[0]
    except OSError:
        return ""
    words = os.fsdecode(line[2:]).split() if line[:2] == b"#!" else []
    return words[0] if words and os.path.isabs(words[0]) else ""


def _is_program(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.X_OK)
    except OSError:
        return False


def _inside(path: str, folders: tuple[str, ...]) -> bool:
    return any(below(path, folder) is not None for folder in folders)


@functools.lru_cache(maxsize=64)
def _real(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.path.realpath(path) for path in paths))


def _table() -> dict[str, Any]:
    return toml_table(__file__, "readable.toml")


def find_masked_paths(home: str) -> tuple[str, ...]:
    """The masked names that exist, as real paths, none inside another."""
    relative, absolute = _names()
    home_paths = [os.path.join(home, name) for name in relative] if home else []
    there = {os.path.realpath(path) for path in (*home_paths, *absolute) if os.path.lexists(path)}
    return tuple(
        path
        for path in sorted(there)
        if not any(path.startswith(other + "/") for other in there) and path != "/"
    )


def secret_paths(*homes: str) -> tuple[str, ...]:
    """The masked names as paths below each home folder, existing or not."""
    relative, absolute = _names()
    return (*absolute, *(os.path.join(home, name) for home in homes for name in relative))


def is_secret(path: str) -> bool:
    """Whether a path is one of the masked names, or below one, in any home folder."""
    relative, absolute = _names()
    return any(f"/{name}/" in f"{path}/" for name in relative) or any(
        below(path, secret) is not None for secret in absolute
    )


@functools.cache
def _names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    table = toml_table(__file__, "masked.toml")
    return tuple(table["home"]), tuple(table["absolute"])
