"""Select the files of a skill to pack; read each once, so that what is checked is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skillstudio.files.archive_entries import (
    MAX_DEPTH,
    MAX_ENTRIES,
    MAX_FILE,
    MAX_PATH,
    MAX_TOTAL,
)
from skillstudio.files.lfs import LARGEST, describe_pointer, is_pointer
from skillstudio.files.listed import Listed, ListedTree, MemoryContents
from skillstudio.files.paths import is_absolute, judge_path
from skillstudio.files.placing import tree_faults
from skillstudio.files.tree import FileTree
from skillstudio.manifest.exclusions import PackExclusions

EMPTY = "an empty folder"
_NONE: Mapping[str, str] = {}
_TOLD = 20  # Reasons listed in an error.


class PackRefused(Exception):
    """A skill cannot be packed: one message for each path."""

    def __init__(self, reasons: list[str], advice: str = "") -> None:
        more = len(reasons) - _TOLD
        shown = [*reasons[:_TOLD], *([f"and {more} more"] if more > 0 else [])]
        super().__init__("\n".join([*shown, advice] if advice else shown))
        self.reasons = reasons


class LeftOut(NamedTuple):
    """An excluded entry (folders end with `/`) and the reason."""

    path: str
    reason: str


class Selected(NamedTuple):
    """Packed and excluded entries."""

    tree: ListedTree
    paths: tuple[str, ...]  # Files and links sorted by the bytes of their paths.
    left: tuple[LeftOut, ...]
    replaced: tuple[str, ...]  # Links that are packed as the files they point to.
    followed: Mapping[str, str] = _NONE
    """Links that lead out of the skill or to folders, packed as what they lead to, with its path in
    the repository."""


def select(
    tree: FileTree, leaving: PackExclusions, root: str, links: bool, drops_links: bool = False
) -> Selected:
    """Read the files to pack below `root`; without `links`, follow links. Raises PackRefused.

    A link that cannot be followed is refused, or left out if `drops_links`.
    """
    found, left = _walk(tree, leaving)
    _refuse_size(found, root)
    held = MemoryContents()
    entries = _read(tree, found, held)
    if pointers := [path for path, data in held.data.items() if is_pointer(bytes(data[:LARGEST]))]:
        reasons = [describe_pointer(path) for path in sorted(pointers)]
        raise PackRefused(
            reasons, "or list a file that does not belong to the skill in .skillignore"
        )
    packed = ListedTree(root, entries, held)
    if bad := dict(_bad_links(tree, packed, entries, left, links)):
        if not drops_links:
            reasons = [f"{path} is {why}" for path, why in bad.items()]
            raise PackRefused(reasons, "replace it with a file, or list the link in .skillignore")
        left = sorted([*left, *(LeftOut(path, why) for path, why in bad.items())])
        entries = {path: entry for path, entry in entries.items() if path not in bad}
        packed = ListedTree(root, entries, held)
    followed = [path for path, entry in entries.items() if entry.kind == "link" and not links]
    kept = entries | {path: entries[packed.resolve(path) or path] for path in followed}
    if wrong := list(tree_faults(kept)):
        raise PackRefused(wrong, "rename the file, or list it in .skillignore")
    paths = sorted(kept, key=lambda path: path.encode())
    replaced = tuple(path for path in paths if kept[path] is not entries[path])
    return Selected(ListedTree(root, kept, held), tuple(paths), tuple(left), replaced)


def _walk(tree: FileTree, leaving: PackExclusions) -> tuple[dict[str, Listed], list[LeftOut]]:
    """The packed files and links with their listed sizes, and the excluded entries."""
    found: dict[str, Listed] = {}
    left: list[LeftOut] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            entries = tree.list(folder)
        except OSError as error:
            raise _unreadable(folder or "the folder", error) from None
        names = {entry.name for entry in entries}
        if folder and (reason := leaving.reason_within(names) if names else EMPTY):
            left.append(LeftOut(f"{folder}/", reason))
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.kind == "folder"
            if reason := leaving.reason(path, entry):
                left.append(LeftOut(f"{path}/" if is_folder else path, reason))
            elif is_folder:
                folders.append(path)
            else:
                found[path] = Listed(entry.kind, 0, entry.size, path)
    return found, sorted(left)


def _refuse_size(found: dict[str, Listed], root: str) -> None:
    """Raise PackRefused for files that `unpack` would reject."""
    wrong = [
        f"{path} is larger than {MAX_FILE >> 20} MiB"
        for path, entry in found.items()
        if entry.size > MAX_FILE
    ]
    wrong += [
        f"{path[:80]}… is too long or too deeply nested"
        for path in found
        if len(f"{root}/{path}") > MAX_PATH or path.count("/") + 2 > MAX_DEPTH
    ]
    if sum(entry.size for entry in found.values()) > MAX_TOTAL * 9 // 10:
        # The rest is for the headers of the archive.
        wrong.append(f"the skill is larger than {MAX_TOTAL * 9 // 10 >> 20} MiB")
    if len(found) > MAX_ENTRIES:
        wrong.append(f"the skill has more than {MAX_ENTRIES} files")
    if wrong:
        raise PackRefused(wrong, "list files that do not belong to the skill in .skillignore")


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
    tree: FileTree, packed: ListedTree, entries: dict[str, Listed], left: list[LeftOut], links: bool
) -> Iterator[tuple[str, str]]:
    """The links that cannot be followed, and why."""
    for path, entry in entries.items():
        if entry.kind != "link":
            continue
        target = packed.target(path)
        where = packed.resolve(path)
        if is_absolute(target) or "\\" in target:
            yield path, f"a link to {target!r}, which is not a path within the skill"
        elif where is None:
            yield path, f"a link to {target!r}, which {_why(tree, packed, path, left)}"
        elif packed.kind(where) == "folder" and not links:
            why = "zip files with links to folders do not work everywhere"
            advice = "pack a .tgz, or replace the link with a folder"
            yield path, f"a link to the folder {where}; {why}; {advice}"


def _why(tree: FileTree, packed: ListedTree, path: str, left: list[LeftOut]) -> str:
    """Why a link cannot be followed in the archive."""
    if judge_path(packed, path).problem == "path-link-outside":
        return "points outside of the skill"
    where = tree.resolve(path)
    for entry in left if where is not None else ():
        if f"{where}/".startswith(entry.path.rstrip("/") + "/"):
            return f"is not packed ({entry.reason})"
    return "points to a file that does not exist"
