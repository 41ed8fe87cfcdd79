"""Find the skills of a tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.locate import SKIPPED_FOLDERS, TOO_LARGE, is_recognised, recognisable
from skillstudio.manifest.registry import dialects
from skillstudio.text.reading import read
from skillstudio.text.reading.markdown import read_markdown
from skillstudio.text.source import Source, Span, decode

MAX_DEPTH = 40
TEMPLATE_RECORD = ".copier-answers.yml"
"""The file of a skill that names its template."""


def has_template(folder: str) -> bool:
    """Whether a skill on disk records its template."""
    return os.path.isfile(os.path.join(folder, TEMPLATE_RECORD))


def find_skills(
    tree: FileTree,
    base: str = "",
    unreadable: Callable[[str, OSError], None] | None = None,
    visit: Callable[[str, set[str]], None] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[str]:
    """The skills at or below `base`, parents first; does not follow symbolic links.

    Another work tree of the same repository, such as in `.claude/worktrees`, is not searched.

    `visit` is called with each folder, and the names in it; `is_cancelled` before each folder.
    """
    stack = [base]
    while stack and not is_cancelled():
        path = stack.pop()
        try:
            entries = tree.list(path)
        except OSError as error:
            if unreadable is not None:
                unreadable(path, error)
            continue
        names = {entry.name for entry in entries}
        has_link = any(entry.name == ".git" and entry.kind == "file" for entry in entries)
        if has_link and path != base and isinstance(tree, DiskTree):
            from skillstudio.files.git import is_other_work_tree

            if is_other_work_tree(tree.path(path), tree.path(base)):
                continue
        if visit is not None:
            visit(path, names)
        if _is_skill(tree, path, names):
            yield path
        if path.count("/") < MAX_DEPTH:
            stack += [
                f"{path}/{entry.name}" if path else entry.name
                for entry in reversed(entries)
                if entry.kind == "folder" and entry.name not in SKIPPED_FOLDERS
            ]


def is_skill(tree: FileTree, path: str = "") -> bool:
    """Whether a folder of a tree is a skill; false if it cannot be listed."""
    try:
        names = {entry.name for entry in tree.list(path)}
    except OSError:
        return False
    return _is_skill(tree, path, names)


def _is_skill(tree: FileTree, path: str, names: set[str]) -> bool:
    for dialect in dialects():
        if dialect.file in names:
            if not dialect.recognise or _is_ours(tree, f"{path}/{dialect.file}".lstrip("/")):
                return True
        elif dialect.carrier == "frontmatter":
            odd = [name for name in names if name.lower() == dialect.file.lower()]
            if any(_has_identity(tree, f"{path}/{name}".lstrip("/"), dialect) for name in odd):
                return True
    return False


def is_flat_skill(tree: FileTree, path: str) -> bool:
    """Whether a Markdown file has the frontmatter of a skill."""
    return any(
        tree.kind(path) == "file" and _has_identity(tree, path, dialect)
        for dialect in dialects()
        if dialect.carrier == "frontmatter"
    )


def _has_identity(tree: FileTree, path: str, dialect: Dialect) -> bool:
    """Whether the frontmatter of a file has one of the keys that name and describe a skill.

    A page about skills can be named skill.md.
    """
    try:
        text, _ = decode(tree.read(path, TOO_LARGE))
    except OSError:
        return True  # The check reports why it cannot be read.
    markdown = read_markdown(Source(text, path))
    if markdown.frontmatter is None:
        return False
    value = read(markdown.source, "yaml", markdown.frontmatter, markdown.opening).value
    keys = value if isinstance(value, dict) else ()
    return any(pointer.lstrip("/") in keys for pointer in dialect.identity.values())


def _is_ours(tree: FileTree, path: str) -> bool:
    """Whether a file with a common name is a manifest, according to its keys."""
    file = path.rpartition("/")[2]
    if tree.kind(path) != "file":
        return False
    try:
        text, _ = decode(tree.read(path, TOO_LARGE))
    except OSError:
        return False
    candidates = [dialect for dialect in dialects() if dialect.file == file]
    document = read(Source(text, path), candidates[0].syntax, Span(0, len(text)))
    candidate = recognisable(document)
    return any(is_recognised(dialect, candidate) for dialect in candidates)


def skill_around(path: str) -> str:
    """The nearest parent folder of a path, which need not exist, that is a skill; "" for none."""
    at = os.path.abspath(path)
    while (above := os.path.dirname(at)) != at:
        at = above
        if is_skill(DiskTree(at)):
            return at
    return ""
