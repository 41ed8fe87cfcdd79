"""Read the staged files from the index."""

from __future__ import annotations

from skillstudio.files.git import GitError, RunningGit, ask_git
from skillstudio.files.git_objects import GitObjects
from skillstudio.files.git_tree import check_total
from skillstudio.files.listed import Listed, ListedTree
from skillstudio.files.tree import Kind

_KINDS: dict[str, Kind] = {"100": "file", "120": "link"}


def staged_tree(root: str, name: str, index: str = "") -> ListedTree:
    """The staged files as a tree called `name`.

    `index` is the index that git passes to a hook (default: the repository's own). Raises GitError,
    also for unresolved conflicts.
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
    verb = ("diff-index", "--cached", "-z", "--name-only", "--no-renames")
    safe = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    return sorted(_lines(ask_git(root, *verb, *safe, commit, "--", index=index)))


def _lines(said: str) -> list[str]:
    return [line for line in said.split("\0") if line]
