"""A read-only tree of files on disk, in memory, in an archive or in a commit.

Paths are relative to the tree's root, with `/`, and never begin or end with one; the root is "".
A tree leaves out skillstudio's temporary files (`files/temporary.py`), as if they did not exist.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, Protocol

Kind = Literal["file", "folder", "link", "other"]
"""`other` is a FIFO, a socket or a device; never opened."""
_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


def kind_of_mode(mode: int) -> Kind:
    """The kind of an entry by its `st_mode`."""
    return _KINDS.get(stat.S_IFMT(mode), "other")


class FileEntry(NamedTuple):
    """An entry of a folder, with links not followed; `size` is in bytes."""

    name: str
    kind: Kind
    size: int = 0


class FileTree(Protocol):
    """Names, kinds and bytes on demand."""

    @property
    def name(self) -> str:
        """The name of the root folder."""

    def kind(self, path: str) -> Kind | None:
        """The kind of the entry at a path, with links not followed; None if there is none."""

    def list(self, path: str = "") -> list[FileEntry]:
        """The entries of a folder by name. Raises OSError."""

    def read(self, path: str, limit: int | None = None) -> bytes:
        """At most `limit` bytes of a regular file. Raises OSError."""

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        """The bytes of a regular file in pieces of at most `size`. Raises OSError."""

    def size(self, path: str) -> int:
        """The size of a regular file in bytes. Raises OSError."""

    def mode(self, path: str) -> int:
        """The permission bits. Raises OSError."""

    def target(self, path: str) -> str:
        """The target of a link as written. Raises OSError."""

    def resolve(self, path: str) -> str | None:
        """The path with all links followed; None if it leaves the tree or does not exist."""


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    """Bytes in pieces of at most `size`."""
    return (data[at : at + size] for at in range(0, len(data), size))


def walk(
    tree: FileTree, is_wanted: Callable[[str], bool] = lambda _: True
) -> Iterator[tuple[str, FileEntry]]:
    """Everything in a tree except folders, by path; unwanted paths are omitted with their content.

    Raises OSError if a folder cannot be listed.
    """
    folders = [""]
    while folders:
        folder = folders.pop()
        for entry in tree.list(folder):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not is_wanted(path):
                continue
            if entry.kind == "folder":
                folders.append(path)
            else:
                yield path, entry


class Overlay:
    """A tree that replaces some files of another, as for unsaved buffers, or adds files to it."""

    def __init__(self, tree: FileTree, files: dict[str, bytes]) -> None:
        self.name = tree.name
        self._tree = tree
        self._files = files
        self._folders: dict[str, dict[str, FileEntry]] = {}
        """The folders of the files, with these entries."""
        for path, data in files.items():
            folder, _, name = path.rpartition("/")
            self._folders.setdefault(folder, {})[name] = FileEntry(name, "file", len(data))
            while folder:
                above, _, name = folder.rpartition("/")
                self._folders.setdefault(above, {}).setdefault(name, FileEntry(name, "folder", 0))
                folder = above

    @property
    def below(self) -> FileTree:
        """The tree without the replacements."""
        return self._tree

    def kind(self, path: str) -> Kind | None:
        if path in self._files:
            return "file"
        kind = self._tree.kind(path)
        return "folder" if kind is None and path in self._folders else kind

    def list(self, path: str = "") -> list[FileEntry]:
        own_entries = self._folders.get(path, {})
        is_new = path in self._folders and path != "" and self._tree.kind(path) is None
        entries = {} if is_new else {entry.name: entry for entry in self._tree.list(path)}
        for name, entry in own_entries.items():
            if entry.kind == "file":
                entries[name] = entry
            else:
                entries.setdefault(name, entry)
        return [entries[name] for name in sorted(entries)]

    def read(self, path: str, limit: int | None = None) -> bytes:
        return self._files[path][:limit] if path in self._files else self._tree.read(path, limit)

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        if path in self._files:
            return pieces(self._files[path], size)
        return self._tree.chunks(path, size)

    def size(self, path: str) -> int:
        return len(self._files[path]) if path in self._files else self._tree.size(path)

    def mode(self, path: str) -> int:
        return 0o644 if self._tree.kind(path) is None else self._tree.mode(path)

    def target(self, path: str) -> str:
        return self._tree.target(path)

    def resolve(self, path: str) -> str | None:
        if path in self._files or (path in self._folders and self._tree.kind(path) is None):
            return path
        return self._tree.resolve(path)


def below_replacements(tree: FileTree) -> FileTree:
    """The tree whose files other trees replace."""
    while isinstance(tree, Overlay | ReplacedTree):
        tree = tree.below
    return tree


class Subtree:
    """The folder at `path` of another tree. Links that leave the folder do not resolve."""

    def __init__(self, tree: FileTree, path: str) -> None:
        self._tree = tree
        self._path = path
        self.name = path.rpartition("/")[2] or tree.name

    def _inside(self, path: str) -> str:
        return f"{self._path}/{path}" if path and self._path else path or self._path

    def kind(self, path: str) -> Kind | None:
        return self._tree.kind(self._inside(path))

    def list(self, path: str = "") -> list[FileEntry]:
        return self._tree.list(self._inside(path))

    def read(self, path: str, limit: int | None = None) -> bytes:
        return self._tree.read(self._inside(path), limit)

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        return self._tree.chunks(self._inside(path), size)

    def size(self, path: str) -> int:
        return self._tree.size(self._inside(path))

    def mode(self, path: str) -> int:
        return self._tree.mode(self._inside(path))

    def target(self, path: str) -> str:
        return self._tree.target(self._inside(path))

    def resolve(self, path: str) -> str | None:
        target = self._tree.resolve(self._inside(path))
        if target is None or not self._path:
            return target
        return target[len(self._path) + 1 :] if f"{target}/".startswith(f"{self._path}/") else None


class ReplacedTree(Subtree):
    """A folder of a tree at the place of another tree, such as what is staged of one on disk."""

    def __init__(self, around: FileTree, path: str, below: FileTree) -> None:
        super().__init__(around, path)
        self.name = below.name
        self.around = around
        self.path = path
        self.below = below
