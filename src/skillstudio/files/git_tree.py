"""Read objects of a repository, folders of commits and the index, without the work tree."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from copy import copy
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

from skillstudio.files.git import NAMES_ONLY, GitError, RunningGit, ask_git, no_filters
from skillstudio.files.listed import ListedEntry, ListedTree
from skillstudio.files.tree import FileTree, Kind, pieces

_KINDS: dict[str, Kind] = {"100": "file", "120": "link", "040": "folder"}
"""Kinds by the first digits of a mode; 160 is a submodule."""
MAX_TOTAL = 16 << 30  # Bytes of all files; one object can be listed any number of times.
MAX_LISTING = 32 << 20  # Bytes of a listing; a few nested objects can list any number of files.


_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
"""The ids of an empty file, in repositories of SHA-1 and SHA-256."""
_MOST_FOLDERS = 200  # Folders that are named to git; with more it is asked about everything.
_LARGE = 8 << 20  # The size in bytes from which a blob is read by a separate git.
_READ_FAILURE = "git could not read {}: the repository may be damaged; run git fsck"


class GitObject(NamedTuple):
    """Id, type, size in bytes, and the requested part of the content."""

    id: str
    type: str
    size: int
    data: bytes


class GitObjects:
    """Objects by id or any name that git resolves. Thread-safe."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = Lock()
        self._git: RunningGit | None = None

    def get(self, name: str, limit: int | None = None) -> GitObject | None:
        """The object of that name, if any. Raises OSError, GitError."""
        if "\n" in name:
            name = self._id(name)
        if not name:
            return None
        with self._lock:
            try:
                return self._ask(name, limit)
            except OSError:
                self._close()
                raise

    def read(self, key: str, limit: int | None = None) -> bytes:
        """The bytes of the object with that id. Raises OSError."""
        return self._find(key, limit).data

    def _find(self, key: str, limit: int | None) -> GitObject:
        try:
            git_object = self.get(key, limit)
        except GitError as error:
            raise OSError(str(error)) from None
        if git_object is None:
            raise OSError(f"git has no object {key}; the repository may be a partial clone")
        return git_object

    def size(self, key: str) -> int:
        """The size of the object with that id in bytes. Raises OSError."""
        return self._find(key, 0).size

    def chunks(self, key: str, length: int, size: int) -> Iterator[bytes]:
        """The bytes of a blob of `length` in pieces of at most `size`. Raises OSError."""
        if length < _LARGE:
            yield from pieces(self.read(key), size)
            return
        try:
            git = RunningGit(self._root, "cat-file", "blob", key)
        except GitError as error:
            raise OSError(str(error)) from None
        with closing(git):
            while piece := git.read(size):
                length -= len(piece)
                yield piece
        if length:
            raise OSError(_READ_FAILURE.format(key))

    def close(self) -> None:
        """End the git process; the next read starts another."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._git is not None:
            self._git.close()
            self._git = None

    def _ask(self, name: str, limit: int | None) -> GitObject | None:
        if self._git is None:
            self._git = RunningGit(self._root, "cat-file", "--batch")
        git = self._git
        git.write(name.encode("utf-8", "surrogateescape") + b"\n")
        answer = git.line()
        if not answer:
            # Git exits for a name such as `@{u}` without an upstream branch.
            self._close()
            if not self._id(name):
                return None
        # Names can contain spaces, so split from the end.
        words = answer.rsplit(b" ", 2)
        if answer.endswith((b" missing\n", b" ambiguous\n")):
            return None
        if len(words) != 3 or not words[2].strip().isdigit():
            raise OSError(_READ_FAILURE.format(name))
        size = int(words[2])
        data = git.read(size if limit is None else min(limit, size))
        if size - len(data) > _LARGE:
            self._close()
        elif len(git.read(size - len(data) + 1)) != size - len(data) + 1:
            raise OSError(_READ_FAILURE.format(name))
        return GitObject(words[0].decode("ascii", "replace"), words[1].decode(), size, data)

    def _id(self, name: str) -> str:
        """The id of an object whose name contains a line break, or ""."""
        try:
            output = ask_git(
                self._root, "rev-parse", "--verify", "--quiet", "--end-of-options", name
            )
        except GitError:
            return ""
        return output.strip()


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
        listing = git.read(max_listing + 1)
    finally:
        status = git.close()
    if len(listing) > max_listing:
        raise GitError(f"the folder {name} has too many files in that commit")
    if status:
        raise GitError(f"git could not list {tree}: the repository may be damaged")
    entries = dict(map(_entry, _lines(listing.decode("utf-8", "surrogateescape"))))
    check_total(name, entries.values(), max_total)
    return ListedTree(name, entries, objects)


def check_total(name: str, entries: Iterable[ListedEntry], most: int = MAX_TOTAL) -> None:
    """Raise GitError if the files are too large in total."""
    if sum(entry.size for entry in entries) > most:
        limit = f"{most >> 30} GiB" if most >> 30 else f"{most} bytes"
        raise GitError(f"the files of {name} come to more than {limit} at that revision")


def _entry(line: str) -> tuple[str, ListedEntry]:
    """Parse `MODE TYPE ID SIZE<tab>PATH`; the size is `-` except for blobs."""
    about, _, path = line.partition("\t")
    mode, _, key, size = about.split()
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise GitError(f"the commit contains the path {path!r}, which is not valid")
    return path, _make_entry(mode, size, key)


def _make_entry(mode: str, size: str, key: str) -> ListedEntry:
    kind = _KINDS.get(mode[:3], "other")
    return ListedEntry(kind, int(mode[3:], 8), int(size) if size.isdigit() else 0, key)


def with_index(index: str) -> dict[str, str]:
    """The variable for another index; none for the repository's own."""
    return {"GIT_INDEX_FILE": index} if index else {}


class StagedTree(ListedTree):
    """Staged files. A size that was not asked for is 0 in lists."""

    def __init__(
        self,
        name: str,
        entries: dict[str, ListedEntry],
        objects: GitObjects,
        unwatched_paths: Collection[str] = (),
    ) -> None:
        super().__init__(name, entries, objects)
        self._objects = objects
        self.unwatched_paths = unwatched_paths
        """Those that git does not compare with the disk, as in a sparse checkout."""

    def size(self, path: str) -> int:
        entry = self._file(path)
        return entry.size or (0 if entry.key in _EMPTY else self._objects.size(entry.key))

    def with_sizes(self, folder: str, tree: StagedTree) -> StagedTree:
        """The same files, with the sizes of those in a folder from another tree."""
        sized_tree = copy(self)
        # This tree is kept for other folders, and would keep a git process for as long.
        sized_tree._contents = sized_tree._objects = tree._objects
        sized_tree._entries = self._entries | tree._entries
        sized_tree._folders = self._folders | {
            path: entries
            for path, entries in tree._folders.items()
            if f"{path}/".startswith(f"{folder}/")
        }
        return sized_tree

    def is_stored(self, path: str) -> bool:
        """Whether the repository has the bytes of an entry, which a partial clone may lack."""
        try:
            self._objects.size(self._entries[path].key)
        except OSError:
            return False
        return True

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        return self._objects.chunks(self._file(path).key, self.size(path), size)


def staged_tree(root: str, name: str, index: str = "", folder: str = "") -> StagedTree:
    """The staged files, or those of a folder, as a tree called `name`.

    Raises GitError, also for unresolved conflicts.
    """
    entries: dict[str, ListedEntry] = {}
    sizes = RunningGit(root, "cat-file", "--batch-check=%(objectsize)")
    try:
        for path, mode, key, is_watched in _staged_entries(root, index, folder):
            size = ""
            if is_watched:  # A partial clone may lack the others, and git then ends.
                sizes.write(key.encode() + b"\n")
                size = sizes.line().decode("ascii", "replace").strip()
            entries[path] = _make_entry(mode, size, key)
    except OSError as error:
        raise GitError(f"git could not read the index: {error}") from None
    finally:
        sizes.close()
    check_total(name, entries.values())
    return StagedTree(name, entries, GitObjects(root))


def staged_names(root: str, name: str, index: str = "") -> StagedTree:
    """The staged files without their sizes, which take most of the time. Raises GitError."""
    entries: dict[str, ListedEntry] = {}
    unwatched_paths = set()
    for path, mode, key, is_watched in _staged_entries(root, index):
        entries[path] = _make_entry(mode, "", key)
        if not is_watched:
            unwatched_paths.add(path)
    return StagedTree(name, entries, GitObjects(root), unwatched_paths)


@lru_cache(maxsize=1)
def _read_once(root: str, index: str, moment: int) -> StagedTree:  # noqa: ARG001
    """The names of all staged files, for every folder."""
    return staged_names(root, os.path.basename(root), index)


class _StagedEntry(NamedTuple):
    path: str
    mode: str
    key: str
    is_watched: bool
    """False for `--skip-worktree`, which sparse checkouts set, and `--assume-unchanged`."""


class StagedFolder(NamedTuple):
    """What is staged of a folder of a repository."""

    root: str
    folder: str
    """Relative to the root with `/`; "" for the root."""
    index_file: str
    """Another index than the repository's own, or ""."""
    moment: int
    """When the command began; what is staged is read again for another one."""

    @property
    def tree(self) -> FileTree:
        """The repository with the staged files of the folder, and all to which links in it may
        lead. Raises OSError."""
        name = os.path.basename(self.root)
        try:
            tree = staged_tree(self.root, name, self.index_file, self.folder)
            if not self.folder or next(tree.links(), None) is None:
                return tree
            around = _read_once(self.root, self.index_file, self.moment)
            return around.with_sizes(self.folder, tree)
        except GitError as error:
            raise OSError(str(error)) from None


def unstaged_paths(root: str, folders: Collection[str], index: str = "") -> set[str]:
    """The paths at or below some others at which the disk has something else than the index.

    Those of untracked and ignored files, too; of folders without tracked files only the folder.
    Raises GitError.
    """
    env = with_index(index)
    named = [folder for folder in folders if folder]
    within = named if len(named) == len(folders) <= _MOST_FOLDERS else []
    changed = ask_git(root, *no_filters(root), "diff", *NAMES_ONLY, "--", *within, env=env)
    new = ask_git(root, "ls-files", "--others", "--directory", "-z", "--", *within, env=env)
    return {path.rstrip("/") for path in _lines(changed + new)}


def _staged_entries(root: str, index: str, folder: str = "") -> Iterator[_StagedEntry]:
    """The staged files. Raises GitError."""
    within = ("--", folder) if folder else ()
    listing = ask_git(root, "ls-files", "--stage", "-v", "-z", *within, env=with_index(index))
    entries = []
    for line in _lines(listing):
        about, _, path = line.partition("\t")
        tag, mode, key, stage = about.split()
        if stage != "0":
            raise GitError(f"{path} has an unresolved merge conflict")
        entries.append(_StagedEntry(path, mode, key, tag == "H"))
    # `git add --intent-to-add` lists a file as empty, and a commit does not contain it.
    intended_paths = set()
    if any(entry.key in _EMPTY for entry in entries):
        added = ("diff", *NAMES_ONLY, "--diff-filter=A", *within)
        listing = ask_git(root, *no_filters(root), *added, env=with_index(index))
        intended_paths = set(_lines(listing))
    yield from (entry for entry in entries if entry.path not in intended_paths)


def staged_files(root: str, commit: str, index: str = "") -> list[str]:
    """The staged files that differ from a commit, or all if it is "". Raises GitError."""
    if not commit:
        return sorted(_lines(ask_git(root, "ls-files", "-z", env=with_index(index))))
    options = ("--cached", *NAMES_ONLY, commit, "--")
    return sorted(_lines(ask_git(root, "diff-index", *options, env=with_index(index))))


def _lines(listing: str) -> list[str]:
    return [line for line in listing.split("\0") if line]
