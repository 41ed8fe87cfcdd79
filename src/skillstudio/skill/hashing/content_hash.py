"""The digests of a skill: `content_hash` of seed 003, and `tree-sha256`, which cannot collide.

Both are of the same files. docs/hashing.md gives the bytes that are hashed, one by one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.ignore import Ignore, IgnoreRefused
from skillstudio.files.tree import FileTree
from skillstudio.skill.hashing.hash_warnings import remarks

if TYPE_CHECKING:
    from hashlib import _Hash

IGNORE_FILE = ".skillignore"
PREFIX = "sha256:"

_NEVER = (".DS_Store", "__pycache__")
_PIECE = 1 << 20
"""Bytes of a piece of a large file; up to here a file is read in one go."""

_AHEAD = 4
"""How many pieces one of the two digests may be ahead of the other."""

_MAX_IGNORE = 1 << 16


class HashRefused(Exception):
    """A tree that has no digest: a sentence for the user."""


class HashedFile(NamedTuple):
    """A file or link of the digest: mode as git writes it, size in bytes, SHA-256 in hex."""

    path: str
    mode: str
    size: int
    sha256: str


class Hashed(NamedTuple):
    """Both digests as `sha256:…`, what they are made of, and what to know about them."""

    content_hash: str
    tree_sha256: str
    files: tuple[HashedFile, ...]
    """In the order in which they are hashed. Links are in `tree_sha256` alone."""
    warnings: tuple[str, ...]


class _Selected(NamedTuple):
    """What is hashed, by the bytes of its path, and remarks on the ignore file."""

    entries: list[tuple[bytes, str, int, bool]]
    """Bytes of the path, path, size, and whether it is a link."""
    others: list[str]
    """Entries that are neither file nor folder nor link."""
    warnings: list[str]


def hash_tree(tree: FileTree) -> Hashed:
    """Both digests of a skill's folder, each file read once. Raises HashRefused."""
    selected = _select(tree)
    stream, whole = hashlib.sha256(), hashlib.sha256(b"tree-sha256\n")
    files = []
    for key, path, listed, link in selected.entries:
        with _refusing(path):
            if link:
                kind, mode = b"link", "120000"
                data = tree.target(path).encode("utf-8", "surrogateescape")
                size, digest = len(data), hashlib.sha256(data).hexdigest()
            else:
                kind, mode = b"file", "100755" if tree.mode(path) & 0o100 else "100644"
                stream.update(b"./%s\n" % key)
                size, digest = _take(tree, path, listed, stream)
        words = (kind, mode.encode(), len(key), key, size, digest.encode())
        whole.update(b"%s %s %d:%s %d:%s\n" % words)
        files.append(HashedFile(path, mode, size, digest))
    links = [path for _, path, _, link in selected.entries if link]
    names = [path for _, path, _, link in selected.entries if not link]
    warnings = (*selected.warnings, *remarks(names, links, selected.others))
    return Hashed(PREFIX + stream.hexdigest(), PREFIX + whole.hexdigest(), tuple(files), warnings)


def content_hash(tree: FileTree) -> str:
    """The `content_hash` alone, which takes half the work of both. Raises HashRefused."""
    stream = hashlib.sha256()
    for key, path, size, link in _select(tree).entries:
        if link:
            continue
        stream.update(b"./%s\n" % key)
        with _refusing(path):
            if size <= _PIECE:
                stream.update(tree.read(path))
                continue
            for piece in tree.chunks(path, _PIECE):
                stream.update(piece)
    return PREFIX + stream.hexdigest()


def hashed_files(tree: FileTree) -> list[str]:
    """The files that the `content_hash` is made of, none of them read. Raises HashRefused."""
    return [path for _, path, _, link in _select(tree).entries if not link]


def _take(tree: FileTree, path: str, listed: int, stream: _Hash) -> tuple[int, str]:
    """Hash a file into the stream and by itself; its size and its own digest."""
    if listed <= _PIECE:
        data = tree.read(path)
        stream.update(data)
        return len(data), hashlib.sha256(data).hexdigest()
    from collections import deque
    from concurrent.futures import Future, ThreadPoolExecutor

    own, size = hashlib.sha256(), 0
    behind: deque[Future[None]] = deque()
    # Hashing lets go of the interpreter's lock, so a second core does one of the two digests.
    with ThreadPoolExecutor(1) as pool:
        for piece in tree.chunks(path, _PIECE):
            behind.append(pool.submit(own.update, piece))
            stream.update(piece)
            size += len(piece)
            if len(behind) > _AHEAD:
                behind.popleft().result()
    return size, own.hexdigest()


def _select(tree: FileTree) -> _Selected:
    ignore = read_ignore(tree)
    found = _Selected([], [], list(ignore.warnings) if ignore else [])
    folders = [""]
    while folders:
        folder = folders.pop()
        inside = f"{folder}/" if folder else ""
        with _refusing(folder or "the folder"):
            entries = tree.list(folder)
        for entry in entries:
            path = inside + entry.name
            if path in (".git", IGNORE_FILE):
                if path == ".git" and entry.kind == "file":
                    found.others.append(path)
                continue
            if ignore is not None and ignore.excludes(path, entry.kind == "folder"):
                if "/" not in path and _carries_manifest(path):
                    raise HashRefused(
                        f"{IGNORE_FILE} leaves out {path}; a digest without the manifest says"
                        " nothing of the skill"
                    )
            elif entry.kind == "folder":
                folders.append(path)
            elif entry.kind == "other":
                found.others.append(path)
            elif entry.name not in _NEVER and not entry.name.endswith(".pyc"):
                link = entry.kind == "link"
                found.entries.append((_key(path), path, entry.size, link))
    found.entries.sort()
    return found


def _carries_manifest(file: str) -> bool:
    from skillstudio.manifest.registry import dialects

    return any(each.file == file and not each.ignorable for each in dialects())


def _key(path: str) -> bytes:
    """The bytes of a path as they are hashed."""
    if "\n" in path:
        raise HashRefused(f"the name {path!r} holds a line end, which the digest cannot tell apart")
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise HashRefused(f"the name {path!r} cannot be written in UTF-8") from None


def read_ignore(tree: FileTree) -> Ignore | None:
    """The ignore file at a tree's root, None where there is none. Raises HashRefused."""
    path: str | None = IGNORE_FILE
    kind = tree.kind(IGNORE_FILE)
    if kind == "link":
        path = tree.resolve(IGNORE_FILE)
        if path is None:
            raise HashRefused(f"{IGNORE_FILE} is a link that leaves the skill or leads nowhere")
        kind = tree.kind(path)
    if path is None or kind != "file":
        return None
    with _refusing(IGNORE_FILE):
        data = tree.read(path, _MAX_IGNORE + 1)
    if len(data) > _MAX_IGNORE:
        raise HashRefused(f"{IGNORE_FILE} is larger than 64 KiB")
    try:
        return Ignore(data, IGNORE_FILE)
    except IgnoreRefused as error:
        raise HashRefused(str(error)) from None


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    """Turn an error of the file system into a refusal: a part left out would be a wrong digest."""
    try:
        yield
    except OSError as error:
        raise HashRefused(f"{path} cannot be read: {error.strerror or error}") from None
