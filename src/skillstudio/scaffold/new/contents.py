"""Read the files of a template with limits."""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.files.tree import FileEntry, FileTree
from skillstudio.scaffold.new.copier_file import TemplateFault

MAX_FILES = 2_000
MAX_TOTAL = 16 << 20  # Files of a template, and their bytes in total.
MAX_DEPTH = 40
NEVER = frozenset({".git", ".hg"})
"""Folders of the template's repository that are not part of the template."""


class TemplateContents(NamedTuple):
    """Files by path: bytes, and text if it is UTF-8."""

    files: dict[str, bytes]
    texts: dict[str, str]
    executable: frozenset[str]


def read_contents(tree: FileTree, shown: str) -> TemplateContents:
    """Read all files of a template; a link to a file in it counts as that file.

    Raises TemplateFault: over a limit, a link that points outside, a device, an unreadable file.
    """
    files: dict[str, bytes] = {}
    texts: dict[str, str] = {}
    executable: set[str] = set()
    left = MAX_TOTAL
    for path in _paths(tree, shown):
        try:
            data = tree.read(path, left + 1)
            if tree.mode(path) & 0o111:
                executable.add(path)
        except OSError as error:
            raise TemplateFault(
                f"cannot be read: {error.strerror or error}", f"{shown}/{path}"
            ) from None
        left -= len(data)
        if left < 0 or len(files) == MAX_FILES:
            raise TemplateFault(
                f"a template of more than {MAX_FILES} files or {MAX_TOTAL >> 20} MiB", shown
            )
        files[path] = data
        try:
            texts[path] = data.decode("utf-8")
        except UnicodeDecodeError:
            # Binary: copied, not rendered.
            continue
    return TemplateContents(files, texts, frozenset(executable))


def _paths(tree: FileTree, shown: str) -> list[str]:
    found: list[str] = []
    stack = [""]
    while stack:
        folder = stack.pop()
        try:
            entries = tree.list(folder)
        except OSError as error:
            raise TemplateFault(
                f"cannot be listed: {error.strerror or error}", f"{shown}/{folder}"
            ) from None
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name in NEVER:
                continue
            if entry.kind == "folder" and path.count("/") < MAX_DEPTH:
                stack.append(path)
            elif _is_file(tree, path, entry, shown):
                found.append(path)
            if len(found) + len(stack) > MAX_FILES:
                raise TemplateFault(f"a template of more than {MAX_FILES} files", shown)
    return sorted(found)


def _is_file(tree: FileTree, path: str, entry: FileEntry, shown: str) -> bool:
    where = f"{shown}/{path}"
    if entry.kind == "folder":
        raise TemplateFault("a folder nested too deeply", where)
    if entry.kind == "link":
        target = tree.resolve(path)
        if target is None:
            raise TemplateFault(
                "a link that points outside of the template or to a file that does not exist", where
            )
        if tree.kind(target) != "file" or NEVER & set(target.split("/")):
            raise TemplateFault("a link to something other than a file of the template", where)
    elif entry.kind != "file":
        raise TemplateFault("not a file or folder", where)
    return True
