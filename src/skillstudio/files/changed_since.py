"""Which folders have files that differ from a revision, also in submodules."""

from __future__ import annotations

import os

from skillstudio.files.git import (
    GitError,
    ask_git,
    changed_files,
    enclosing_repository,
    resolve_commit,
)
from skillstudio.files.paths import below, make_relative
from skillstudio.text.safe import safe_text

_SUBMODULE = "160000"  # The mode of a submodule in a tree.
_LIST_IGNORED = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory")


class ChangedSince:
    """The files that differ from a revision, in the repositories of the folders asked about.

    In a submodule they are those that differ from its commit at the revision, unless `start` is in
    the submodule.
    """

    def __init__(self, ref: str, start: str = os.curdir) -> None:
        self.ref = ref
        self.notes: list[str] = []  # What could not be compared.
        self._start = os.path.realpath(start)
        self._changed_paths: dict[str, set[str] | None] = {}  # None: all files count as changed.

    def contains(self, folder: str) -> bool:
        """Whether a file in a folder differs. Raises GitError."""
        folder = os.path.realpath(folder)
        repository = enclosing_repository(folder)
        if repository not in self._changed_paths:
            try:
                changed_paths = self._find_changed_paths(repository or folder)
            except GitError as error:
                changed_paths = self._nested_paths(repository, error)
            self._changed_paths[repository] = changed_paths
        paths = self._changed_paths[repository]
        return paths is None or any(path.startswith(folder + os.sep) for path in paths)

    def _find_changed_paths(self, repository: str) -> set[str] | None:
        """The absolute paths that differ; None if the submodule has no commit to compare with."""
        above, path = self._superproject(repository)
        commit = self._commit(repository)
        if above and not commit:
            return None
        try:
            root, changed_paths = changed_files(repository, commit)
        except GitError:
            if not above:
                raise
            self.notes.append(
                f"the submodule {safe_text(path)} does not contain {commit[:12]}, its commit at "
                f"{safe_text(self.ref)}, so all of its skills count as changed; run git fetch in it"
            )
            return None
        return {os.path.join(root, path) for path in changed_paths}

    def _nested_paths(self, repository: str, error: GitError) -> set[str] | None:
        """Those of a repository without the revision inside of another one, which may ignore it.

        Raises the error where there is no repository around.
        """
        outer = enclosing_repository(self._start)
        path = below(repository, outer) if outer and repository else None
        if not path:
            raise error
        if ask_git(outer, *_LIST_IGNORED, "--", path):
            return set()
        self.notes.append(
            f"the repository {safe_text(path)} does not have {safe_text(self.ref)}, so all of its "
            "skills count as changed"
        )
        return None

    def _commit(self, repository: str) -> str:
        """The commit of a repository to compare with; "" for a submodule that is new since."""
        above, path = self._superproject(repository)
        if not above:
            return resolve_commit(repository, self.ref)
        base = self._commit(above)
        if not base:
            return ""
        try:
            entry = ask_git(above, "ls-tree", "--full-tree", "-z", base, "--", path)
        except GitError:
            return ""
        mode, _, commit = entry.partition("\t")[0].rpartition("\0")[2].partition(" commit ")
        return commit if mode == _SUBMODULE else ""

    def _superproject(self, repository: str) -> tuple[str, str]:
        """The repository around a submodule, and its path in it; "" where the revision is of the
        repository itself."""
        if below(self._start, repository) is not None:
            return "", ""
        command = ("rev-parse", "--show-superproject-working-tree")
        above = ask_git(repository, *command).rstrip("\r\n")
        path = make_relative(repository, os.path.realpath(above)) if above else ""
        return above, path.replace(os.sep, "/")
