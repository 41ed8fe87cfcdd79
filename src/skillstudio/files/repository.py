"""Read commits, tags, history and trees of a git repository."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import NamedTuple

from skillstudio.files.git import (
    Configuration,
    GitError,
    ask_git,
    no_filters,
    read_configuration,
    unknown_revision,
    work_tree,
)
from skillstudio.files.git_tree import GitObject, GitObjects, read_tree, with_index
from skillstudio.files.paths import below
from skillstudio.files.tree import FileTree

MAX_HISTORY = 10_000  # Commits that a walk through the history reads.
_LINK = "160000"  # The mode of a submodule.
_TAGS = "%(refname:strip=2)%00%(objecttype) %(objectname)%00%(*objecttype) %(*objectname)"


class PathAbsent(GitError):
    """A commit has no folder at that path."""


class Tag(NamedTuple):
    """A tag and its commit, with annotations resolved."""

    name: str
    commit: str


class MovedSubmodule(NamedTuple):
    """The path of a submodule, and its commits; "" where there is none."""

    path: str
    old: str
    new: str


def open_repository(folder: str | os.PathLike[str]) -> Repository:
    """The repository of a folder, which may have been removed. Raises GitError."""
    there = os.path.abspath(folder)
    while not os.path.isdir(there) and there != os.path.dirname(there):
        there = os.path.dirname(there)
    return Repository(work_tree(there))


class Repository(AbstractContextManager["Repository"]):
    """Read-only access to one repository. Every method raises GitError.

    One git process serves all reads of commits until `close`, also those of returned trees.
    """

    def __init__(self, root: str) -> None:
        self.root = root  # The real path of the work tree's root.
        self._objects = GitObjects(root)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the git process; the next read starts another."""
        self._objects.close()

    def prefix(self, path: str | os.PathLike[str]) -> str:
        """The path within the repository of a path on disk; "" for the root."""
        inside = below(os.path.realpath(path), self.root)
        if inside is None:
            raise GitError(f"{os.fspath(path)} is outside of the repository {self.root}")
        return inside.replace(os.sep, "/")

    def commit(self, ref: str) -> str:
        """The id of the commit that a revision names."""
        git_object = self._get(ref + "^{commit}", 0) if ref else None
        if git_object is None:
            raise unknown_revision(self.root, ref)
        return git_object.id

    def has(self, ref: str) -> bool:
        """Whether a revision names a commit."""
        return bool(ref) and self._get(ref + "^{commit}", 0) is not None

    def tags(self) -> list[Tag]:
        """The tags of commits, newest first; at the same time, the highest version first."""
        order = ("--sort=-version:refname", "--sort=-creatordate")
        lines = ask_git(self.root, "for-each-ref", *order, f"--format={_TAGS}", "refs/tags")
        tags = []
        for line in lines.splitlines():
            name, direct, peeled_object = line.split("\0")
            kind, _, commit = (peeled_object if peeled_object.strip() else direct).partition(" ")
            if kind == "tag" and self.has(f"refs/tags/{name}"):
                kind, commit = "commit", self.commit(f"refs/tags/{name}")
            if kind == "commit":
                tags.append(Tag(name, commit))
        return tags

    def history(self, path: str = "", since: str = "HEAD", limit: int = MAX_HISTORY) -> list[str]:
        """At most `limit` commits up to `since` that touch a path, newest first."""
        if since == "HEAD" and not self.has(since):
            return []
        start = self.commit(since)
        limits = [f"--max-count={limit}", "--date-order"]
        return ask_git(self.root, "rev-list", *limits, start, "--", path or ".").split()

    def tree(self, commit: str, path: str = "") -> FileTree:
        """A folder of a commit, named by the last part of its path. Raises PathAbsent."""
        git_object = self._folder(commit, path)
        name = _plain(path).rpartition("/")[2] or os.path.basename(self.root)
        return read_tree(self.root, git_object.id, name, self._objects)

    def require_folder(self, commit: str, path: str) -> None:
        """Raise PathAbsent unless a commit has a folder at that path."""
        self._folder(commit, path)

    def _folder(self, commit: str, path: str) -> GitObject:
        place = _plain(path)
        git_object = self._get(f"{commit}:{place}" if place else f"{commit}^{{tree}}", 0)
        if git_object is None:
            self.commit(commit)
            raise PathAbsent(f"{place} does not exist in {commit[:12]}")
        if git_object.type != "tree":
            raise PathAbsent(f"{place} is not a folder in {commit[:12]}")
        return git_object

    def read(self, commit: str, path: str, limit: int | None = None) -> bytes | None:
        """The bytes of one file in a commit, if it exists. Links are not followed."""
        git_object = self._get(f"{commit}:{_plain(path)}", limit)
        return git_object.data if git_object is not None and git_object.type == "blob" else None

    def files_changed(self, base: str, head: str) -> list[str]:
        """The files that were added, changed or removed between two commits."""
        verb = ("diff-tree", "-r", "-z", "--name-only", "--no-renames")
        safe = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
        output = ask_git(self.root, *verb, *safe, self.commit(base), self.commit(head), "--")
        return sorted(path for path in output.split("\0") if path)

    def submodules_changed(self, base: str, head: str) -> list[MovedSubmodule]:
        """The submodules whose commit differs between two commits."""
        return self._submodules("diff-tree", "-r", self.commit(base), self.commit(head))

    def submodules_staged(self, base: str, index: str = "") -> list[MovedSubmodule]:
        """The submodules whose commit differs between a commit and the index."""
        return self._submodules("diff-index", "--cached", self.commit(base), index=index)

    def _submodules(
        self, command: str, option: str, *ends: str, index: str = ""
    ) -> list[MovedSubmodule]:
        raw = (option, "-z", "--raw", "--no-renames", "--ignore-submodules=none")
        fields = ask_git(self.root, command, *raw, *ends, "--", env=with_index(index)).split("\0")
        moved_submodules = []
        for about, path in zip(fields[::2], fields[1::2], strict=False):
            old_mode, new_mode, old, new, _ = about.lstrip(":").split()
            was, is_now = old if old_mode == _LINK else "", new if new_mode == _LINK else ""
            if was or is_now:
                moved_submodules.append(MovedSubmodule(path, was, is_now))
        return moved_submodules

    def dirty(self, path: str = "", configuration: Configuration = ()) -> list[str]:
        """The uncommitted files at and below a path, including untracked ones.

        Files with a clean filter can be listed although they are clean: filters are not run.
        """
        names = (name for name, _ in configuration or self.configuration())
        status = (*no_filters(self.root, names), "status", "--porcelain", "-z", "--no-renames")
        which = ("--untracked-files=all", "--ignore-submodules=all", "--", path or ".")
        output = ask_git(self.root, *status, *which)
        return sorted(line[3:] for line in output.split("\0") if line)

    def remote(self, configuration: Configuration = ()) -> str:
        """The URL of the remote `origin`, else of the only remote, else ""."""
        urls: dict[str, str] = {}
        for name, value in configuration or self.configuration():
            if name.startswith("remote.") and name.endswith(".url"):
                urls.setdefault(name, value)
        return urls.get("remote.origin.url") or next(iter(urls.values()), "")

    def configuration(self) -> Configuration:
        """The configuration, for what is asked more than once."""
        return read_configuration(self.root)

    def _get(self, name: str, limit: int | None) -> GitObject | None:
        try:
            return self._objects.get(name, limit)
        except OSError as error:
            raise GitError(str(error)) from None


def _plain(path: str) -> str:
    """A path without `./` and double slashes."""
    return "/".join(part for part in path.split("/") if part not in ("", "."))
