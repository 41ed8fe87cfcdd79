"""What of a skill's folder goes into an archive, as a tree in memory, and what stays out.

All files are read once. What is checked, hashed, looked through for credentials and written is
then the same, whatever happens to the folder meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.files.archive_entries import (
    MAX_DEPTH,
    MAX_ENTRIES,
    MAX_FILE,
    MAX_PATH,
    MAX_TOTAL,
    MemoryContents,
)
from skillstudio.files.listed import Listed, ListedTree
from skillstudio.files.paths import is_absolute, judge_path
from skillstudio.files.placing import tree_faults
from skillstudio.files.tree import FileTree
from skillstudio.scaffold.packing.exclusions import EMPTY, Leaving

_TOLD = 20
"""How many reasons of a refusal are listed."""


class PackRefused(Exception):
    """A skill that cannot be packed: one sentence a place, for the user."""

    def __init__(self, reasons: list[str], advice: str = "") -> None:
        more = len(reasons) - _TOLD
        shown = [*reasons[:_TOLD], *([f"and {more} more"] if more > 0 else [])]
        super().__init__("\n".join([*shown, advice] if advice else shown))
        self.reasons = reasons


class LeftOut(NamedTuple):
    """An entry that is not packed, a folder with `/` at its end, and why."""

    path: str
    reason: str


class Selected(NamedTuple):
    """What is packed, and what is not."""

    tree: ListedTree
    paths: tuple[str, ...]
    """Of files and links in the order in which they are packed: by the bytes of the path."""
    left: tuple[LeftOut, ...]
    replaced: tuple[str, ...]
    """The links that are packed as the files they lead to."""


def select(tree: FileTree, leaving: Leaving, root: str, links: bool) -> Selected:
    """Read what is to be packed below a folder called `root`.

    With `links` a link is packed as one, else as the file that it leads to. Raises PackRefused
    for what no archive should hold, each with its path.
    """
    found, left = _walk(tree, leaving)
    _refuse_size(found, root)
    held = MemoryContents()
    entries = _read(tree, found, held)
    packed = ListedTree(root, entries, held)
    wrong = list(_bad_links(tree, packed, entries, left, links))
    if wrong:
        raise PackRefused(wrong, "put a file in its place, or name the link in .skillignore")
    kept = {path: _followed(packed, entries, path, links) for path in entries}
    wrong = list(tree_faults(kept))
    if wrong:
        raise PackRefused(wrong, "rename the file, or name it in .skillignore")
    paths = sorted(kept, key=lambda path: path.encode())
    replaced = tuple(path for path in paths if kept[path] is not entries[path])
    return Selected(ListedTree(root, kept, held), tuple(paths), tuple(left), replaced)


def _walk(tree: FileTree, leaving: Leaving) -> tuple[dict[str, Listed], list[LeftOut]]:
    """The files and links with their sizes as they are listed, and what stays out."""
    found: dict[str, Listed] = {}
    left: list[LeftOut] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            entries = tree.list(folder)
        except OSError as error:
            raise _unreadable(folder or "the folder", error) from None
        reason = leaving.reason_within({each.name for each in entries}) if folder else ""
        if folder and not entries:
            reason = EMPTY
        if reason:
            left.append(LeftOut(f"{folder}/", reason))
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.kind == "folder"
            reason = leaving.reason(path, entry)
            if reason:
                left.append(LeftOut(f"{path}/" if is_folder else path, reason))
            elif is_folder:
                folders.append(path)
            else:
                found[path] = Listed(entry.kind, 0, entry.size, path)
    return found, sorted(left)


def _refuse_size(found: dict[str, Listed], root: str) -> None:
    """Refuse what `unpack` would refuse. Raises PackRefused."""
    wrong = [
        f"{path} is larger than {MAX_FILE >> 20} MiB"
        for path, entry in found.items()
        if entry.size > MAX_FILE
    ]
    wrong += [
        f"{path[:80]}… is too long or too deep a path"
        for path in found
        if len(f"{root}/{path}") > MAX_PATH or path.count("/") + 2 > MAX_DEPTH
    ]
    if sum(entry.size for entry in found.values()) > MAX_TOTAL * 9 // 10:
        # The rest is for what an archive says of its files.
        wrong.append(f"the skill is larger than {MAX_TOTAL * 9 // 10 >> 20} MiB")
    if len(found) > MAX_ENTRIES:
        wrong.append(f"the skill has more than {MAX_ENTRIES} files")
    if wrong:
        raise PackRefused(wrong, "name what is no part of the skill in .skillignore")


def _read(tree: FileTree, found: dict[str, Listed], held: MemoryContents) -> dict[str, Listed]:
    entries = {}
    for path, listed in found.items():
        try:
            if listed.kind == "link":
                mode, data = 0o777, tree.target(path).encode("utf-8", "surrogateescape")
            else:
                mode = 0o755 if tree.mode(path) & 0o100 else 0o644
                data = tree.read(path, MAX_FILE)
        except OSError as error:
            raise _unreadable(path, error) from None
        held.data[path] = data
        entries[path] = Listed(listed.kind, mode, len(data), path)
    return entries


def _unreadable(path: str, error: OSError) -> PackRefused:
    return PackRefused([f"{path} cannot be read: {error.strerror or error}"])


def _bad_links(
    tree: FileTree,
    packed: ListedTree,
    entries: dict[str, Listed],
    left: list[LeftOut],
    links: bool,
) -> Iterator[str]:
    for path in [path for path, entry in entries.items() if entry.kind == "link"]:
        target = packed.target(path)
        where = packed.resolve(path)
        if is_absolute(target) or "\\" in target:
            yield f"{path} is a link to {target!r}, which is no path within the skill"
        elif where is None:
            yield f"{path} is a link to {target!r}, which {_why(tree, packed, path, left)}"
        elif packed.kind(where) == "folder" and not links:
            yield (
                f"{path} is a link to the folder {where}, which a zip file cannot hold so that"
                " every client reads it; pack a .tgz, or put a folder in its place"
            )


def _why(tree: FileTree, packed: ListedTree, path: str, left: list[LeftOut]) -> str:
    """Why a link cannot be followed in the archive."""
    if judge_path(packed, path).problem == "path-link-outside":
        return "leads out of the skill"
    where = tree.resolve(path)
    for each in left:
        if where is not None and f"{where}/".startswith(each.path.rstrip("/") + "/"):
            return f"is not packed ({each.reason})"
    return "leads nowhere"


def _followed(packed: ListedTree, entries: dict[str, Listed], path: str, links: bool) -> Listed:
    entry = entries[path]
    if links or entry.kind != "link":
        return entry
    return entries[packed.resolve(path) or path]
