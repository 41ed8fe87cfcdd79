"""What an archive may hold. Nothing that its headers claim is believed before it is measured."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillstudio.files.listed import Listed, ListedTree
from skillstudio.files.tree import Kind, pieces

MAX_ENTRIES = 10_000
MAX_TOTAL = 256 << 20
MAX_FILE = 128 << 20
"""Bytes unpacked, of all files and of one."""

MAX_RATIO = 200
"""How many times its own size an archive may unpack to, once that is more than a megabyte."""

MAX_PATH = 1024
"""Characters of a path."""

MAX_DEPTH = 64
_MAX_LINK = 4096
_DRIVE = re.compile(r"[A-Za-z]:")
_FINDER = "__MACOSX"
"""The folder in which a Mac puts what its file system knows besides: no part of a skill."""


class ArchiveRefused(Exception):
    """A file that is no archive, is damaged, or is not safe to read: a sentence for the user."""


class MemoryContents:
    """Bytes in memory by their key."""

    def __init__(self) -> None:
        self.data: dict[str, bytes | memoryview] = {}

    def read(self, key: str, limit: int | None = None) -> bytes:
        return bytes(self.data[key][:limit])

    def chunks(self, key: str, length: int, size: int) -> Iterator[bytes]:  # noqa: ARG002
        return pieces(self.read(key), size)


class Entries:
    """The entries of one archive as they are read, each refused where it is not safe."""

    def __init__(self, packed: int) -> None:
        self._left = min(MAX_TOTAL, max(MAX_RATIO * packed, 1 << 20))
        self._count = 0
        self._found: dict[str, Listed] = {}
        self._held = MemoryContents()

    def spend(self, size: int) -> None:
        """Count bytes that were just unpacked. Raises ArchiveRefused where they are too many."""
        self._left -= size
        if self._left < 0:
            raise ArchiveRefused(
                f"it unpacks to more than {MAX_TOTAL >> 20} MiB or {MAX_RATIO} times its own size"
            )

    def place(self, name: str) -> str:
        """The plain path of an entry's name; "" for the root. Raises ArchiveRefused."""
        self._count += 1
        if self._count > MAX_ENTRIES:
            raise ArchiveRefused(f"it holds more than {MAX_ENTRIES} entries")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.startswith("/") or _DRIVE.match(name) or ".." in parts:
            raise ArchiveRefused(f"the path {name[:200]!r} in it leads out of it")
        if "\\" in name or "\0" in name:
            raise ArchiveRefused(f"the path {name[:200]!r} in it holds a backslash or a NUL")
        if len(name) > MAX_PATH or len(parts) > MAX_DEPTH:
            raise ArchiveRefused(f"the path {name[:80]!r}… in it is too long or too deep")
        return "/".join(parts)

    def add(self, path: str, kind: Kind, mode: int, data: bytes | memoryview = b"") -> None:
        """Take an entry in; `data` is the target of a link. Raises ArchiveRefused."""
        if not path and kind == "folder":
            return
        known = self._found.get(path)
        if not path or (known is not None and (known.kind, kind) != ("folder", "folder")):
            raise ArchiveRefused(f"the path {path!r} is in it twice")
        if kind == "link" and len(data) > _MAX_LINK:
            raise ArchiveRefused(f"the link {path!r} in it leads to a place of no length allowed")
        self._held.data[path] = data
        self._found[path] = Listed(kind, mode & 0o777, len(data), path)

    def again(self, path: str, earlier: str) -> None:
        """Take in a hard link: the bytes of an entry before it, which count once more.

        Raises ArchiveRefused.
        """
        found = self._found.get(earlier)
        if found is None or found.kind != "file":
            raise ArchiveRefused(f"the path {path!r} in it is a second name of no file before it")
        self.spend(found.size)
        self.add(path, "file", found.mode, self._held.data[earlier])

    def tree(self, name: str) -> ListedTree:
        """All of it; where all lies below one folder, that folder. Raises ArchiveRefused."""
        found = {
            path: entry for path, entry in self._found.items() if path.split("/")[0] != _FINDER
        }
        for path in found:
            above = path.rpartition("/")[0]
            while above:
                if above in found and found[above].kind != "folder":
                    raise ArchiveRefused(f"the path {path!r} in it lies below what is no folder")
                above = above.rpartition("/")[0]
        tops = {path.partition("/")[0] for path in found}
        top = next(iter(tops)) if len(tops) == 1 else ""
        if top and found.get(top, _FOLDER).kind == "folder":
            name = top
            inside = len(top) + 1
            found = {path[inside:]: entry for path, entry in found.items() if path != top}
        return ListedTree(name, found, self._held)


_FOLDER = Listed("folder", 0o755, 0, "")
