"""A folder of a tree as a tree."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.files.tree import FileEntry, FileTree, Kind


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
        found = self._tree.resolve(self._inside(path))
        if found is None or not self._path:
            return found
        return found[len(self._path) + 1 :] if f"{found}/".startswith(f"{self._path}/") else None
