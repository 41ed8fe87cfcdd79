"""Limits on the content of an archive. Sizes are measured, never taken from headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from skillstudio.files.listed import ListedEntry, ListedTree, MemoryContents
from skillstudio.files.tree import Kind

MAX_ENTRIES = 10_000
MAX_TOTAL = 256 << 20  # Unpacked bytes of all files.
MAX_FILE = 128 << 20  # Unpacked bytes of one file.
MAX_RATIO = 200  # The largest unpacked size relative to the archive, for more than 1 MiB.
MAX_PATH = 1024  # Characters of a path.
MAX_DEPTH = 64
_MAX_LINK = 4096
_DRIVE = re.compile(r"[A-Za-z]:")
_FINDER = "__MACOSX"  # The folder with macOS metadata, which is not part of a skill.


class ArchiveRefused(Exception):
    """A file is not an archive, damaged, or unsafe to read."""


@contextmanager
def prefix_errors(path: str) -> Iterator[None]:
    """Turn an OSError into ArchiveRefused, and start messages with the path."""
    try:
        yield
    except ArchiveRefused as error:
        raise ArchiveRefused(f"{path}: {error}") from None
    except OSError as error:
        raise ArchiveRefused(f"{path} cannot be read: {error.strerror or error}") from None


class Entries:
    """Collects the entries of one archive and rejects unsafe ones."""

    def __init__(self, packed_size: int) -> None:
        self._budget = min(MAX_TOTAL, max(MAX_RATIO * packed_size, 1 << 20))
        self._count = 0
        self._entries: dict[str, ListedEntry] = {}
        self._contents = MemoryContents()

    def spend(self, size: int) -> None:
        """Count unpacked bytes. Raises ArchiveRefused over the limit."""
        self._budget -= size
        if self._budget < 0:
            limits = f"{MAX_TOTAL >> 20} MiB or {MAX_RATIO} times its own size"
            raise ArchiveRefused(f"it unpacks to more than {limits}")

    def place(self, name: str) -> str:
        """The normalized path of an entry; "" for the root. Raises ArchiveRefused."""
        self._count += 1
        if self._count > MAX_ENTRIES:
            raise ArchiveRefused(f"it contains more than {MAX_ENTRIES} entries")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.startswith("/") or _DRIVE.match(name) or ".." in parts:
            raise ArchiveRefused(f"the path {name[:200]!r} in it points outside of it")
        if "\\" in name or "\0" in name:
            raise ArchiveRefused(f"the path {name[:200]!r} in it contains a backslash or a NUL")
        if len(name) > MAX_PATH or len(parts) > MAX_DEPTH:
            raise ArchiveRefused(f"the path {name[:80]!r}… in it is too long or too deeply nested")
        return "/".join(parts)

    def add(self, path: str, kind: Kind, mode: int, data: bytes | memoryview = b"") -> None:
        """Add an entry; `data` is the target of a link. Raises ArchiveRefused."""
        if not path and kind == "folder":
            return
        known_entry = self._entries.get(path)
        if not path or (
            known_entry is not None and (known_entry.kind, kind) != ("folder", "folder")
        ):
            raise ArchiveRefused(f"the path {path!r} is in it twice")
        if kind == "link" and len(data) > _MAX_LINK:
            raise ArchiveRefused(f"the link {path!r} in it has an empty or too long target")
        self._contents.data[path] = data
        self._entries[path] = ListedEntry(kind, mode & 0o777, len(data), path)

    def again(self, path: str, earlier: str) -> None:
        """Add a hard link to an earlier entry; its bytes count again. Raises ArchiveRefused."""
        entry = self._entries.get(earlier)
        if entry is None or entry.kind != "file":
            why = "is a hard link to a file that does not precede it"
            raise ArchiveRefused(f"the path {path!r} in it {why}")
        self.spend(entry.size)
        self.add(path, "file", entry.mode, self._contents.data[earlier])

    def tree(self, name: str) -> ListedTree:
        """The whole tree, or its only top-level folder. Raises ArchiveRefused."""
        entries = self._entries.items()
        tree_entries = {path: entry for path, entry in entries if path.split("/")[0] != _FINDER}
        for path in tree_entries:
            above = path.rpartition("/")[0]
            while above:
                if tree_entries.get(above, _FOLDER).kind != "folder":
                    why = "is below an entry that is not a folder"
                    raise ArchiveRefused(f"the path {path!r} in it {why}")
                above = above.rpartition("/")[0]
        tops = {path.partition("/")[0] for path in tree_entries}
        top = next(iter(tops)) if len(tops) == 1 else ""
        if top and tree_entries.get(top, _FOLDER).kind == "folder":
            name = top
            inside = len(top) + 1
            tree_entries = {
                path[inside:]: entry for path, entry in tree_entries.items() if path != top
            }
        return ListedTree(name, tree_entries, self._contents)


_FOLDER = ListedEntry("folder", 0o755, 0, "")
