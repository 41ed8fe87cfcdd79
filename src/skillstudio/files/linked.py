"""A tree in which links that lead out of it, or to folders, are what they lead to."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillstudio.files.disk import DiskTree
from skillstudio.files.left_out import is_left_out
from skillstudio.files.paths import below, is_absolute
from skillstudio.files.tree import FileEntry, FileTree, Kind, below_replacements


class LinkedTree:
    """A tree whose links to files of the same repository, and to folders, are files and folders.

    A link stays one if it leads out of the repository, to a folder around itself, or to what no
    archive contains. Links within a linked folder stay, too.
    """

    def __init__(self, tree: FileTree, around: FileTree, place: str) -> None:
        """`place` is the path of `tree` in `around`, its repository."""
        self.name = tree.name
        self.followed_links: dict[str, str] = {}
        """The links that are shown as what they lead to, with its path in the repository."""
        self._tree = tree
        self._around = around
        self._place = place
        self._checked_links: set[str] = set()

    def kind(self, path: str) -> Kind | None:
        tree, where = self._of(path)
        return tree.kind(where)

    def list(self, path: str = "") -> list[FileEntry]:
        tree, where = self._of(path)
        inside = f"{path}/" if path else ""
        return [self._entry(inside + entry.name, entry) for entry in tree.list(where)]

    def read(self, path: str, limit: int | None = None) -> bytes:
        tree, where = self._of(path)
        return tree.read(where, limit)

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        tree, where = self._of(path)
        return tree.chunks(where, size)

    def size(self, path: str) -> int:
        tree, where = self._of(path)
        return tree.size(where)

    def mode(self, path: str) -> int:
        tree, where = self._of(path)
        return tree.mode(where)

    def target(self, path: str) -> str:
        tree, where = self._of(path)
        return tree.target(where)

    def resolve(self, path: str) -> str | None:
        tree, where = self._of(path)
        if where == path and tree is self._tree:
            return tree.resolve(where)
        return path if tree.kind(where) in ("file", "folder") else None

    def _entry(self, path: str, entry: FileEntry) -> FileEntry:
        tree, where = self._of(path) if entry.kind == "link" else (self._tree, path)
        if where == path and tree is self._tree:
            return entry
        kind = tree.kind(where) or "other"
        return FileEntry(entry.name, kind, tree.size(where) if kind == "file" else 0)

    def _of(self, path: str) -> tuple[FileTree, str]:
        """The tree with a path, and the path in it."""
        parts = path.split("/") if path else []
        for end in range(1, len(parts) + 1):
            link = "/".join(parts[:end])
            if link not in self._checked_links:
                self._checked_links.add(link)
                if where := self._led_to(link):
                    self.followed_links[link] = where
            if link in self.followed_links:
                return self._around, "/".join([self.followed_links[link], *parts[end:]])
        return self._tree, path

    def _led_to(self, link: str) -> str:
        """The path in the repository that a link leads to; "" if it stays a link."""
        tree = self._tree
        if tree.kind(link) != "link" or is_absolute(tree.target(link)):
            return ""
        inner_path = tree.resolve(link)
        if inner_path is not None and tree.kind(inner_path) != "folder":
            return ""
        at = "/".join(filter(None, (self._place, link)))
        where = self._around.resolve(at) or ""
        is_loop = f"{at}/".startswith(f"{where}/")
        is_plain = where and self._around.kind(where) in ("file", "folder")
        return where if is_plain and not is_loop and not is_left_out(where) else ""


def in_repository(tree: FileTree) -> LinkedTree:
    """A tree with what its links to files of the same repository lead to."""
    base_tree = below_replacements(tree)
    if isinstance(base_tree, DiskTree):
        from skillstudio.files.git import enclosing_repository

        folder = os.path.realpath(base_tree.root)
        root = enclosing_repository(folder)
        place = below(folder, root) if root else None
        if place is not None:
            return LinkedTree(tree, DiskTree(root), place.replace(os.sep, "/"))
    return LinkedTree(tree, tree, "")
