"""A tree built from a list of entries: of a commit, an archive, or files in memory."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from errno import EINVAL, ENOENT
from typing import NamedTuple, Protocol

from skillstudio.files.paths import is_absolute
from skillstudio.files.temporary import has_temporary
from skillstudio.files.tree import FileEntry, Kind, pieces

_LINKS = 40  # Links in one path, as in Linux.
_NO_LINKS: Mapping[str, str] = {}


class ListedEntry(NamedTuple):
    """One entry: permission bits, size in bytes, and the key of its bytes."""

    kind: Kind
    mode: int
    size: int
    key: str


class EntryContents(Protocol):
    """The source of the entries' bytes."""

    def read(self, key: str, limit: int | None = None) -> bytes:
        """At most `limit` bytes. Raises OSError."""

    def chunks(self, key: str, length: int, size: int) -> Iterator[bytes]:
        """The bytes, `length` in all, in pieces of at most `size`. Raises OSError."""


class ListedTree:
    """Entries by path; their folders are implied. Links are followed within the tree only."""

    def __init__(self, name: str, entries: dict[str, ListedEntry], contents: EntryContents) -> None:
        entries = {path: entry for path, entry in entries.items() if not has_temporary(path)}
        self.name = name
        self._entries = entries
        self._contents = contents
        self._folders = _folders(entries)

    def kind(self, path: str) -> Kind | None:
        if path in self._folders:
            return "folder"
        return self._entries[path].kind if path in self._entries else None

    def list(self, path: str = "") -> list[FileEntry]:
        where = self._follow_links(path)
        if where not in self._folders:
            raise FileNotFoundError(ENOENT, "no such folder", path)
        return list(self._folders[where])

    def read(self, path: str, limit: int | None = None) -> bytes:
        return self._contents.read(self._file(path).key, limit)

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        entry = self._file(path)
        return self._contents.chunks(entry.key, entry.size, size)

    def size(self, path: str) -> int:
        return self._file(path).size

    def mode(self, path: str) -> int:
        where = self._follow_links(path)
        return 0o755 if where in self._folders else self._file(where).mode

    def target(self, path: str) -> str:
        if self.kind(path) != "link":
            raise OSError(EINVAL, "not a link", path)
        return self._contents.read(self._entries[path].key).decode("utf-8", "surrogateescape")

    def links(self) -> Iterator[str]:
        """The paths of all symbolic links."""
        return (path for path, entry in self._entries.items() if entry.kind == "link")

    def resolve(self, path: str) -> str | None:
        return self._follow(path)[0]

    def trail(self, path: str) -> Sequence[str]:
        """The links on the way of a path, and its end, or where it leads to nothing."""
        return self._follow(path)[1]

    def _follow(self, path: str) -> tuple[str | None, Sequence[str]]:
        """What `resolve` and `trail` answer."""
        remaining_parts = [part for part in reversed(path.split("/")) if part]
        at = ""
        trail: list[str] = []
        links = 0
        while remaining_parts:
            part = remaining_parts.pop()
            if part == "..":
                if not at:
                    return None, trail
                at = at.rpartition("/")[0]
                continue
            step = f"{at}/{part}" if at else part
            kind = self.kind(step)
            if kind not in ("link", None):
                at = step
                continue
            trail.append(step)
            if kind is None:
                return None, trail
            try:
                target = self.target(step)
            except OSError:
                return None, trail
            links += 1
            if links > _LINKS or is_absolute(target):
                return None, trail
            remaining_parts += [
                part for part in reversed(target.split("/")) if part not in ("", ".")
            ]
        return at, [*trail, at]

    def _follow_links(self, path: str) -> str:
        if self.kind(path) not in (None, "link"):
            return path
        where = self.resolve(path)
        if where is None:
            raise FileNotFoundError(ENOENT, "no such file in the tree", path)
        return where

    def _file(self, path: str) -> ListedEntry:
        where = self._follow_links(path)
        if self.kind(where) != "file":
            raise OSError(EINVAL, "not a regular file", path)
        return self._entries[where]


class MemoryContents:
    """Bytes in memory by key."""

    def __init__(self) -> None:
        self.data: dict[str, bytes | memoryview] = {}

    def read(self, key: str, limit: int | None = None) -> bytes:
        return bytes(self.data[key][:limit])

    def chunks(self, key: str, length: int, size: int) -> Iterator[bytes]:  # noqa: ARG002
        return pieces(self.read(key), size)


class MemoryTree(ListedTree):
    """A tree of files in memory, given as `path: bytes`, and links, as `path: target`."""

    def __init__(
        self,
        files: Mapping[str, bytes],
        name: str = "skill",
        executable: Container[str] = (),
        links: Mapping[str, str] = _NO_LINKS,
    ) -> None:
        contents = MemoryContents()
        contents.data.update(files)
        entries = {
            path: ListedEntry("file", 0o755 if path in executable else 0o644, len(data), path)
            for path, data in files.items()
        }
        for path, target in links.items():
            data = target.encode("utf-8", "surrogateescape")
            contents.data[path] = data
            entries[path] = ListedEntry("link", 0o777, len(data), path)
        super().__init__(name, entries, contents)


def _folders(entries: dict[str, ListedEntry]) -> dict[str, list[FileEntry]]:
    """Every folder with its entries, sorted by name."""
    folders: dict[str, dict[str, FileEntry]] = {"": {}}
    for path, entry in entries.items():
        if entry.kind == "folder":
            folders.setdefault(path, {})
        # A hostile listing can name a file and entries below it: then it is a folder only.
        kind: Kind = "folder" if path in folders else entry.kind
        size = 0 if path in folders else entry.size
        while path:
            folder, _, name = path.rpartition("/")
            is_known = folder in folders
            folders.setdefault(folder, {})[name] = FileEntry(name, kind, size)
            path, kind, size = "" if is_known else folder, "folder", 0
    return {path: [inside[name] for name in sorted(inside)] for path, inside in folders.items()}
