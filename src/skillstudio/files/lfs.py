"""Pointers of Git LFS, which are in the place of files whose content was not downloaded."""

from __future__ import annotations

from contextlib import suppress

from skillstudio.files.tree import FileTree

LARGEST = 1024  # Bytes of a pointer (git-lfs docs/spec.md: less than 1024).
_START = b"version https://git-lfs.github.com/spec/v1"


def is_pointer(data: bytes) -> bool:
    """Whether the content of a file is a pointer."""
    return data.startswith(_START) and len(data) < LARGEST


def describe_pointer(path: str) -> str:
    """What is wrong with a pointer, and the fix."""
    return f"{path} is a Git LFS pointer, not the file; run git lfs pull"


def find_pointers(tree: FileTree) -> list[str]:
    """The paths of all pointers in a tree, sorted, as far as it can be read."""
    paths: list[str] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        with suppress(OSError):
            for entry in tree.list(folder):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.kind == "folder":
                    folders.append(path)
                elif entry.kind == "file" and entry.size < LARGEST and _is_pointer_at(tree, path):
                    paths.append(path)
    return sorted(paths)


def _is_pointer_at(tree: FileTree, path: str) -> bool:
    try:
        return is_pointer(tree.read(path, LARGEST))
    except OSError:
        return False
