"""A folder as it was in a commit, listed by one git and read without touching the work tree."""

from __future__ import annotations

from skillstudio.files.git import GitError, RunningGit
from skillstudio.files.git_objects import GitObjects
from skillstudio.files.listed import Listed, ListedTree
from skillstudio.files.tree import Kind

_KINDS: dict[str, Kind] = {"100": "file", "120": "link", "040": "folder"}
"""The first digits of a mode; 160 is a submodule, whose files are in another repository."""
_MAX_TOTAL = 16 << 30
"""Bytes of all files. One object can stand for any number of them."""
_MAX_LISTING = 32 << 20
"""Bytes. A few objects that name each other can list more files than a disk can hold."""


def read_tree(root: str, tree: str, name: str, objects: GitObjects) -> ListedTree:
    """The tree object with that id as a tree called `name`.

    `ls-tree` and `cat-file` know no filters, no line ends and no `export-ignore`: the bytes are
    those of the commit. Raises GitError.
    """
    git = RunningGit(root, "ls-tree", "-r", "-l", "-z", "--full-tree", tree)
    try:
        said = git.read(_MAX_LISTING + 1)
    finally:
        status = git.close()
    if len(said) > _MAX_LISTING:
        raise GitError(f"the folder {name} has too many files in that commit")
    if status:
        raise GitError(f"git could not list {tree}: the repository may be damaged")
    lines = said.decode("utf-8", "surrogateescape").split("\0")
    entries = dict(_entry(line) for line in lines if line)
    if sum(entry.size for entry in entries.values()) > _MAX_TOTAL:
        raise GitError(f"the folder {name} holds more than {_MAX_TOTAL >> 30} GiB in that commit")
    return ListedTree(name, entries, objects)


def _entry(line: str) -> tuple[str, Listed]:
    """`MODE TYPE ID SIZE<tab>PATH`, in which the size of what is no blob is `-`."""
    about, _, path = line.partition("\t")
    mode, _, key, size = about.split()
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise GitError(f"the commit holds the path {path!r}, which no folder can have")
    kind = _KINDS.get(mode[:3], "other")
    return path, Listed(kind, int(mode[3:], 8), int(size) if size.isdigit() else 0, key)
