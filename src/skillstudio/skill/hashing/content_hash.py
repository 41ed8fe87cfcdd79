"""The digests of a skill: `content_hash` (ADR-003) and `tree-sha256`, which is free of
collisions.

Both cover the same files. docs/hashing.md defines the hashed bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.ignore import IGNORE_FILE, MAX_FILE, Ignore, IgnoreRefused
from skillstudio.files.tree import FileTree

if TYPE_CHECKING:
    from hashlib import _Hash

PREFIX = "sha256:"

_NEVER = (".DS_Store", "__pycache__")
_PIECE = 1 << 20  # Piece size for larger files, in bytes.

_AHEAD = 4

_SHELL = frozenset('"$\\`')  # Characters that the reference script's shell interprets.

_MAX_NAMED = 5


class HashRefused(Exception):
    """A tree without a digest; the message is for users."""


class HashedFile(NamedTuple):
    """A hashed file or link: mode as in git, size in bytes, SHA-256 in hex."""

    path: str
    mode: str
    size: int
    sha256: str


class TreeHash(NamedTuple):
    """Both digests as `sha256:…`, their files and warnings."""

    content_hash: str
    tree_sha256: str
    files: tuple[HashedFile, ...]
    """In hashing order. Symbolic links are only part of `tree_sha256`."""
    warnings: tuple[str, ...]


class _Selected(NamedTuple):
    """The entries to hash by the bytes of their path, and warnings about the ignore file."""

    entries: list[tuple[bytes, str, int, bool]]
    """Bytes of the path, path, size, and whether it is a symbolic link."""
    others: list[str]
    warnings: list[str]


def hash_tree(tree: FileTree) -> TreeHash:
    """Both digests of a skill's folder; each file is read once. Raises HashRefused."""
    selection = _select(tree)
    stream, whole = hashlib.sha256(), hashlib.sha256(b"tree-sha256\n")
    files = []
    for key, path, listed_size, link in selection.entries:
        with _convert_errors(path):
            if link:
                kind, mode = b"link", "120000"
                data = tree.target(path).encode("utf-8", "surrogateescape")
                size, digest = len(data), hashlib.sha256(data).hexdigest()
            else:
                kind, mode = b"file", "100755" if tree.mode(path) & 0o100 else "100644"
                stream.update(b"./%s\n" % key)
                size, digest = _take(tree, path, listed_size, stream)
        words = (kind, mode.encode(), len(key), key, size, digest.encode())
        whole.update(b"%s %s %d:%s %d:%s\n" % words)
        files.append(HashedFile(path, mode, size, digest))
    links = [path for _, path, _, link in selection.entries if link]
    names = [path for _, path, _, link in selection.entries if not link]
    warnings = (*selection.warnings, *_digest_warnings(names, links, selection.others))
    return TreeHash(PREFIX + stream.hexdigest(), PREFIX + whole.hexdigest(), tuple(files), warnings)


def content_hash(tree: FileTree) -> str:
    """Only the `content_hash`, which takes half the work of both. Raises HashRefused."""
    stream = hashlib.sha256()
    for key, path, size, link in _select(tree).entries:
        if link:
            continue
        stream.update(b"./%s\n" % key)
        with _convert_errors(path):
            if size <= _PIECE:
                stream.update(tree.read(path))
                continue
            for piece in tree.chunks(path, _PIECE):
                stream.update(piece)
    return PREFIX + stream.hexdigest()


def hashed_files(tree: FileTree) -> list[str]:
    """The files of the `content_hash`, without reading them. Raises HashRefused."""
    return [path for _, path, _, link in _select(tree).entries if not link]


def _take(tree: FileTree, path: str, listed_size: int, stream: _Hash) -> tuple[int, str]:
    """Hash a file into the stream and separately; return its size and its own digest."""
    if listed_size <= _PIECE:
        data = tree.read(path)
        stream.update(data)
        return len(data), hashlib.sha256(data).hexdigest()
    from collections import deque
    from concurrent.futures import Future, ThreadPoolExecutor

    file_hash, size = hashlib.sha256(), 0
    behind: deque[Future[None]] = deque()
    # Hashing releases the GIL, so a second core can compute one of the digests.
    with ThreadPoolExecutor(1) as pool:
        for piece in tree.chunks(path, _PIECE):
            behind.append(pool.submit(file_hash.update, piece))
            stream.update(piece)
            size += len(piece)
            if len(behind) > _AHEAD:
                behind.popleft().result()
    return size, file_hash.hexdigest()


def _select(tree: FileTree) -> _Selected:
    ignore = read_ignore(tree)
    selection = _Selected([], [], list(ignore.warnings) if ignore else [])
    folders = [""]
    while folders:
        folder = folders.pop()
        inside = f"{folder}/" if folder else ""
        with _convert_errors(folder or "the folder"):
            entries = tree.list(folder)
        for entry in entries:
            path = inside + entry.name
            if path in (".git", IGNORE_FILE):
                if path == ".git" and entry.kind == "file":
                    selection.others.append(path)
                continue
            if ignore is not None and ignore.excludes(path, entry.kind == "folder"):
                if "/" not in path and _carries_manifest(path):
                    message = f"{IGNORE_FILE} excludes {path}; the digest must include the manifest"
                    raise HashRefused(message)
            elif entry.kind == "folder":
                folders.append(path)
            elif entry.kind == "other":
                selection.others.append(path)
            elif entry.name not in _NEVER and not entry.name.endswith(".pyc"):
                selection.entries.append((_key(path), path, entry.size, entry.kind == "link"))
    selection.entries.sort()
    return selection


def _carries_manifest(file: str) -> bool:
    from skillstudio.manifest.registry import dialects

    return any(dialect.file == file and not dialect.ignorable for dialect in dialects())


def _key(path: str) -> bytes:
    if "\n" in path:
        message = f"the name {path!r} contains a line break, which the digest cannot represent"
        raise HashRefused(message)
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise HashRefused(f"the name {path!r} is not valid UTF-8") from None


def read_ignore(tree: FileTree) -> Ignore | None:
    """The ignore file at a tree's root, None if there is none. Raises HashRefused."""
    path = tree.resolve(IGNORE_FILE) if tree.kind(IGNORE_FILE) == "link" else IGNORE_FILE
    if path is None:
        raise HashRefused(
            f"{IGNORE_FILE} is a symbolic link that is broken or points outside the skill"
        )
    if tree.kind(path) != "file":
        return None
    with _convert_errors(IGNORE_FILE):
        data = tree.read(path, MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise HashRefused(f"{IGNORE_FILE} is larger than 64 KiB")
    try:
        return Ignore(data, IGNORE_FILE)
    except IgnoreRefused as error:
        raise HashRefused(str(error)) from None


@contextmanager
def _convert_errors(path: str) -> Iterator[None]:
    """Turn a file system error into HashRefused, because a partial digest would be wrong."""
    try:
        yield
    except OSError as error:
        raise HashRefused(f"{path} cannot be read: {error.strerror or error}") from None


def _digest_warnings(names: list[str], links: list[str], other_paths: list[str]) -> Iterator[str]:
    if links:
        yield f"symbolic links are in tree-sha256 but not in content_hash: {_some(links)}"
    if ".git" in other_paths:
        yield ".git is a file and is excluded here; the reference script includes it"
    devices = [path for path in other_paths if path != ".git"]
    if devices:
        yield f"special files, excluded from every digest: {_some(devices)}"
    shell = [path for path in names if not _SHELL.isdisjoint(path)]
    if shell:
        yield f"the reference script's shell alters these names, so it differs: {_some(shell)}"
    if not all(path.isascii() for path in names):
        yield from _beyond_ascii(names)


def _beyond_ascii(names: list[str]) -> Iterator[str]:
    import unicodedata

    broken_names = [
        path for path in names if any("\udc80" <= letter <= "\udcff" for letter in path)
    ]
    if broken_names:
        yield (
            "names that are not valid UTF-8, which some systems do not support: "
            f"{_some(broken_names)}"
        )
    seen_names: dict[str, str] = {}
    normal = ((unicodedata.normalize("NFC", path), path) for path in names)
    if alike := [path for name, path in normal if seen_names.setdefault(name, path) != path]:
        yield f"names equal to another after Unicode normalization: {_some(alike)}"


def _some(paths: list[str]) -> str:
    hidden_count = len(paths) - _MAX_NAMED
    return ", ".join(sorted(paths)[:_MAX_NAMED]) + (
        f" and {hidden_count} more" if hidden_count > 0 else ""
    )
