"""A folder as it was in a commit, listed by one git and read without touching the work tree."""

from __future__ import annotations

from skillstudio.files.git import GitError, ask_git
from skillstudio.files.git_objects import GitObjects
from skillstudio.files.listed import Listed, ListedTree
from skillstudio.files.tree import Kind

_KINDS: dict[str, Kind] = {"100": "file", "120": "link", "040": "folder"}
"""The first digits of a mode; 160 is a submodule, whose files are in another repository."""


def read_tree(root: str, tree: str, name: str, objects: GitObjects) -> ListedTree:
    """The tree object with that id as a tree called `name`.

    `ls-tree` and `cat-file` know no filters, no line ends and no `export-ignore`: the bytes are
    those of the commit. Raises GitError.
    """
    listing = ask_git(root, "ls-tree", "-r", "-l", "-z", "--full-tree", tree)
    return ListedTree(name, dict(_entry(line) for line in listing.split("\0") if line), objects)


def _entry(line: str) -> tuple[str, Listed]:
    """`MODE TYPE ID SIZE<tab>PATH`, in which the size of what is no blob is `-`."""
    about, _, path = line.partition("\t")
    mode, _, key, size = about.split()
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise GitError(f"the commit holds the path {path!r}, which no folder can have")
    kind = _KINDS.get(mode[:3], "other")
    return path, Listed(kind, int(mode[3:], 8), int(size) if size.isdigit() else 0, key)
