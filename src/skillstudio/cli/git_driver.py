"""`diff --git-driver`: a git external diff driver that shows interface changes above the text."""

from __future__ import annotations

import os

from skillstudio.cli.compared import ComparedVersions, comparison_parts
from skillstudio.cli.output import UsageError, paint
from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree, MemoryTree, Overlay
from skillstudio.manifest.locate import TOO_LARGE
from skillstudio.skill.discover import is_skill
from skillstudio.skill.versions.comparison import UnreadableManifest, compare_versions, open_version
from skillstudio.skill.versions.operands import Operand
from skillstudio.text.safe import safe_text
from skillstudio.text.source import decode


def drive(arguments: list[str], ruleset: str, plain: bool) -> int:
    """Print what changed in one file. The status is always 0, as git requires.

    The arguments are the path and, for each version, a file with the bytes, their id and the
    mode; after a rename also the new path and a line about it. Of an unmerged file only the path.
    """
    if len(arguments) == 1:
        print(f"* Unmerged path {safe_text(arguments[0])}")
        return 0
    if len(arguments) not in (7, 9):
        raise UsageError(
            "--git-driver is for git: git config diff.skill.command 'skillstudio diff --git-driver'"
        )
    path, old_file, old_id, _, new_file, new_id, _ = arguments[:7]
    new_path = arguments[7] if len(arguments) == 9 else path
    old, new = _bytes(old_file), _bytes(new_file)
    print(safe_text(f"skill a/{path} b/{new_path}"))
    for line in _interface(path, new_path, old, new, ruleset, plain):
        print(line)
    before, after = decode(old or b"")[0], decode(new or b"")[0]
    from skillstudio.text.hunks import unified

    names = (
        "/dev/null" if old is None else f"a/{path}",
        "/dev/null" if new is None else f"b/{new_path}",
    )
    print(safe_text(f"index {old_id[:10]}..{new_id[:10]}"))
    print(safe_text(unified(before, after, *names), keep_newlines=True), end="")
    return 0


def _bytes(file: str) -> bytes | None:
    """The bytes of a version; None if it has no such file."""
    if file in (os.devnull, "/dev/null", "nul"):
        return None
    with open(file, "rb") as stream:
        return stream.read(TOO_LARGE + 1)


def _interface(
    path: str, new_path: str, old: bytes | None, new: bytes | None, ruleset: str, plain: bool
) -> list[str]:
    """The changes of the interface, or why they cannot be determined."""
    from skillstudio.cli.formats.painting import painted

    sides = _operand(path, old, "old"), _operand(new_path, new, "new")
    if sides[0].tree is None and sides[1].tree is None:
        return []
    try:
        versions = open_version(sides[0]), open_version(sides[1])
    except UnreadableManifest as error:
        return [safe_text(line) for line in error.sentences()]
    made = compare_versions(*versions, ruleset=ruleset)
    row = ComparedVersions(*sides, made)
    return list(painted(comparison_parts([row], plain, texts=False), paint()))


def _operand(path: str, data: bytes | None, which: str) -> Operand:
    """The skill with one file of that version; the other files are the current ones."""
    folder, _, file = path.rpartition("/")
    name = folder.rpartition("/")[2] or os.path.basename(os.getcwd())
    tree: FileTree | None = None
    if data is not None:
        current = os.path.join(*folder.split("/")) if folder else os.curdir
        tree = MemoryTree({file: data}, name)
        if os.path.isdir(current):
            tree = Overlay(DiskTree(current), {file: data})
        if not is_skill(tree):
            tree = None
    return Operand(tree, folder or ".", which, f"{path} ({which})")
