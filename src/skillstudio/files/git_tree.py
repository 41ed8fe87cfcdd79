"""Read a folder of a commit, or the index, without touching the work tree."""

from __future__ import annotations

from collections.abc import Iterable

from skillstudio.files.git import NAMES_ONLY, GitError, RunningGit, ask_git
from skillstudio.files.git_objects import GitObjects
from skillstudio.files.listed import Listed, ListedTree
from skillstudio.files.tree import Kind

_KINDS: dict[str, Kind] = {"100": "file", "120": "link", "040": "folder"}
"""Kinds by the first digits of a mode; 160 is a submodule."""
MAX_TOTAL = 16 << 30  # Bytes of all files; one object can be listed any number of times.
MAX_LISTING = 32 << 20  # Bytes of a listing; a few nested objects can list any number of files.


def read_tree(
    root: str,
    tree: str,
    name: str,
    objects: GitObjects,
    max_listing: int = MAX_LISTING,
    max_total: int = MAX_TOTAL,
) -> ListedTree:
    """The tree object with that id as a tree called `name`. Raises GitError.

    `ls-tree` and `cat-file` apply no filters, line endings or `export-ignore`.
    """
    git = RunningGit(root, "ls-tree", "-r", "-l", "-z", "--full-tree", tree)
    try:
        said = git.read(max_listing + 1)
    finally:
        status = git.close()
    if len(said) > max_listing:
        raise GitError(f"the folder {name} has too many files in that commit")
    if status:
        raise GitError(f"git could not list {tree}: the repository may be damaged")
    entries = dict(map(_entry, _lines(said.decode("utf-8", "surrogateescape"))))
    check_total(name, entries.values(), max_total)
    return ListedTree(name, entries, objects)


def check_total(name: str, entries: Iterable[Listed], most: int = MAX_TOTAL) -> None:
    """Raise GitError if the files are too large in total."""
    if sum(entry.size for entry in entries) > most:
        bound = f"{most >> 30} GiB" if most >> 30 else f"{most} bytes"
        raise GitError(f"the files of {name} come to more than {bound} at that revision")


def _entry(line: str) -> tuple[str, Listed]:
    """Parse `MODE TYPE ID SIZE<tab>PATH`; the size is `-` except for blobs."""
    about, _, path = line.partition("\t")
    mode, _, key, size = about.split()
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise GitError(f"the commit contains the path {path!r}, which is not valid")
    kind = _KINDS.get(mode[:3], "other")
    return path, Listed(kind, int(mode[3:], 8), int(size) if size.isdigit() else 0, key)


def staged_tree(root: str, name: str, index: str = "") -> ListedTree:
    """The staged files as a tree called `name`, by default of the repository's own index.

    Raises GitError, also for unresolved conflicts.
    """
    entries: dict[str, Listed] = {}
    sizes = RunningGit(root, "cat-file", "--batch-check=%(objectsize)")
    try:
        for line in _lines(ask_git(root, "ls-files", "--stage", "-z", index=index)):
            about, _, path = line.partition("\t")
            mode, key, stage = about.split()
            if stage != "0":
                raise GitError(f"{path} has an unresolved merge conflict")
            sizes.write(key.encode() + b"\n")
            said = sizes.line().strip()
            size = int(said) if said.isdigit() else 0
            entries[path] = Listed(_KINDS.get(mode[:3], "other"), int(mode[3:], 8), size, key)
    except OSError as error:
        raise GitError(f"git could not read the index: {error}") from None
    finally:
        sizes.close()
    check_total(name, entries.values())
    return ListedTree(name, entries, GitObjects(root))


def staged_files(root: str, commit: str, index: str = "") -> list[str]:
    """The staged files that differ from a commit, or all if it is "". Raises GitError."""
    if not commit:
        return sorted(_lines(ask_git(root, "ls-files", "-z", index=index)))
    options = ("--cached", *NAMES_ONLY, commit, "--")
    return sorted(_lines(ask_git(root, "diff-index", *options, index=index)))


def _lines(said: str) -> list[str]:
    return [line for line in said.split("\0") if line]
