"""The limits of an upload on the files of a skill, as a target's record states them.

Counted is what an archive by `pack` would contain: no caches, no version control, nothing that
`.skillignore` excludes, no inner skills.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from skillstudio.files.ignore import IGNORE_FILE, MAX_FILE, Ignore, IgnoreRefused
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.exclusions import FORBIDDEN_NAME, INNER, MARKDOWN, PackExclusions

_MOST_ENTRIES = 20_000  # Of folders that are listed.
_MOST_NAMES = 3

Limit = dict[str, Any]


def broken_limits(limits: Mapping[str, Limit], skill: Skill) -> Iterator[tuple[Limit, str, str]]:
    """The limits that the files of a skill exceed, each with the reason and the advice."""
    files = _UploadFiles(skill, limits)
    if "manifests" in limits and files.inner:
        text = f"it contains other skills: {_name_paths(files.inner)}"
        advice = "upload each skill alone; export and pack leave the others out"
        yield limits["manifests"], text, advice
    if "names" in limits and files.forbidden_paths:
        text = f"it contains a plugin manifest, {_name_paths(files.forbidden_paths)}"
        yield limits["names"], text, "remove it, as export and pack do, or upload a plugin"
    if "links" in limits and files.links:
        verb = "is a symbolic link" if len(files.links) == 1 else "are symbolic links"
        advice = "replace links by what they lead to, as export and pack do"
        yield limits["links"], f"{_name_paths(files.links)} {verb}", advice
    if "paths" in limits and files.odd:
        text = f"a path contains characters other than ASCII: {_name_paths(files.odd)}"
        yield limits["paths"], text, "rename the files, and correct the links to them"
    if "files" in limits and files.count > limits["files"]["max"]:
        total = f"{files.count:,}" if files.is_whole else f"more than {files.count:,}"
        text = f"it has {total} files, and at most {limits['files']['max']} are accepted"
        yield limits["files"], text, f"remove some, or list them in {IGNORE_FILE}"
    if "upload" in limits and files.size > limits["upload"]["max"]:
        text = f"the files of the skill are larger than {limits['upload']['max'] >> 20} MB"
        yield limits["upload"], text, "remove files that it does not need"


class _UploadFiles:
    """The files of a skill, counted up to a limit on listed entries."""

    def __init__(self, skill: Skill, limits: Mapping[str, Limit]) -> None:
        self.count = self.size = 0
        self.inner: list[str] = []
        self.forbidden_paths: list[str] = []
        self.links: list[str] = []
        self.odd: list[str] = []
        self.is_whole = True
        ids = {manifest.dialect.id for manifest in skill.manifests}
        exclusions = PackExclusions(_ignore(skill.tree), ids, upload=limits)
        with suppress(OSError):
            self._walk(skill.tree, exclusions)

    def _walk(self, tree: FileTree, exclusions: PackExclusions) -> None:
        folders, entry_count = [""], 0
        while folders:
            folder = folders.pop()
            entries = tree.list(folder)
            inside = f"{folder}/" if folder else ""
            if folder and (reason := exclusions.reason_within({entry.name for entry in entries})):
                if reason == INNER:
                    self.inner.append(inside + MARKDOWN)
                continue
            for entry in entries:
                entry_count += 1
                if entry_count > _MOST_ENTRIES:
                    self.is_whole = False
                    return
                path = inside + entry.name
                if reason := exclusions.reason(path, entry):
                    if reason == FORBIDDEN_NAME:
                        self.forbidden_paths.append(path)
                elif entry.kind == "folder":
                    folders.append(path)
                else:
                    self.count += 1
                    self.size += entry.size if entry.kind == "file" else 0
                    if entry.kind == "link":
                        self.links.append(path)
                    if not path.isascii():
                        self.odd.append(path)


def _ignore(tree: FileTree) -> Ignore | None:
    """The ignore file, if it can be read; `pack` names what is wrong with one that cannot."""
    with suppress(OSError, IgnoreRefused):
        if tree.kind(IGNORE_FILE) == "file" and tree.size(IGNORE_FILE) <= MAX_FILE:
            return Ignore(tree.read(IGNORE_FILE, MAX_FILE), IGNORE_FILE)
    return None


def _name_paths(paths: Sequence[str]) -> str:
    first = ", ".join(sorted(paths)[:_MOST_NAMES])
    hidden_count = len(paths) - _MOST_NAMES
    return f"{first} and {hidden_count:,} more" if hidden_count > 0 else first
