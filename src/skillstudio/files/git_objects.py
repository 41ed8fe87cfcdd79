"""Read the objects of a repository through one long-running git."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import NamedTuple

from skillstudio.files.git import GitError, RunningGit, ask_git
from skillstudio.files.tree import pieces

_LARGE = 8 << 20  # The size in bytes from which a blob is read by a separate git.


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
        try:
            found = self.get(key, limit)
        except GitError as error:
            raise OSError(str(error)) from None
        if found is None:
            raise OSError(f"git has no object {key}; the repository may be a partial clone")
        return found.data

    def chunks(self, key: str, length: int, size: int) -> Iterator[bytes]:
        """The bytes of a blob of `length` in pieces of at most `size`. Raises OSError."""
        if length < _LARGE:
            yield from pieces(self.read(key), size)
            return
        try:
            git = RunningGit(self._root, "cat-file", "blob", key)
        except GitError as error:
            raise OSError(str(error)) from None
        try:
            for piece in git.rest(size):
                length -= len(piece)
                yield piece
        finally:
            git.close()
        if length:
            raise OSError(_BROKEN.format(key))

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
        said = git.line()
        if not said:
            # Git exits for a name such as `@{u}` without an upstream branch.
            self._close()
            if not self._id(name):
                return None
        # Names can contain spaces, so split from the end.
        words = said.rsplit(b" ", 2)
        if said.endswith((b" missing\n", b" ambiguous\n")):
            return None
        if len(words) != 3 or not words[2].strip().isdigit():
            raise OSError(_BROKEN.format(name))
        size = int(words[2])
        data = git.read(size if limit is None else min(limit, size))
        if size - len(data) > _LARGE:
            self._close()
        elif len(git.read(size - len(data) + 1)) != size - len(data) + 1:
            raise OSError(_BROKEN.format(name))
        return GitObject(words[0].decode("ascii", "replace"), words[1].decode(), size, data)

    def _id(self, name: str) -> str:
        """The id of an object whose name contains a line break, or ""."""
        try:
            said = ask_git(self._root, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
        except GitError:
            return ""
        return said.strip()


_BROKEN = "git could not read {}: the repository may be damaged; run git fsck"
