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
from skillstudio.files.listed import ListedEntry, ListedTree, MemoryContents
from skillstudio.files.paths import is_absolute, judge_path
from skillstudio.files.placing import tree_faults
from skillstudio.files.tree import FileTree
from skillstudio.manifest.exclusions import PackExclusions

EMPTY = "an empty folder"
_NONE: Mapping[str, str] = {}
_MAX_REASONS = 20  # Reasons listed in an error.


class PackRefused(Exception):
    """A skill cannot be packed: one message for each path."""

    def __init__(self, reasons: list[str], advice: str = "") -> None:
        hidden_count = len(reasons) - _MAX_REASONS
        lines = [
            *reasons[:_MAX_REASONS],
            *([f"and {hidden_count} more"] if hidden_count > 0 else []),
        ]
        super().__init__("\n".join([*lines, advice] if advice else lines))
        self.reasons = reasons


class LeftOut(NamedTuple):
    """An excluded entry (folders end with `/`) and the reason."""

    path: str
    reason: str


class SelectedFiles(NamedTuple):
    """Packed and excluded entries."""

    tree: ListedTree
    paths: tuple[str, ...]  # Files and links sorted by the bytes of their paths.
    exclusions: tuple[LeftOut, ...]
    replaced_links: tuple[str, ...]  # Links that are packed as the files they point to.
    followed_links: Mapping[str, str] = _NONE
    """Links that lead out of the skill or to folders, packed as what they lead to, with its path in
    the repository."""


def select(
    tree: FileTree, exclusions: PackExclusions, root: str, links: bool, drops_links: bool = False
) -> SelectedFiles:
    """Read the files to pack below `root`; without `links`, follow links. Raises PackRefused.

    A link that cannot be followed is refused, or left out if `drops_links`.
    """
    listed_files, excluded_entries = _walk(tree, exclusions)
    _refuse_size(listed_files, root)
    contents = MemoryContents()
    entries = _read(tree, listed_files, contents)
    if pointers := [
        path for path, data in contents.data.items() if is_pointer(bytes(data[:LARGEST]))
    ]:
        reasons = [describe_pointer(path) for path in sorted(pointers)]
        raise PackRefused(
            reasons, "or list a file that does not belong to the skill in .skillignore"
        )
    packed_tree = ListedTree(root, entries, contents)
    if bad := dict(_bad_links(tree, packed_tree, entries, excluded_entries, links)):
        if not drops_links:
            reasons = [f"{path} is {why}" for path, why in bad.items()]
            raise PackRefused(reasons, "replace it with a file, or list the link in .skillignore")
        excluded_entries = sorted(
            [*excluded_entries, *(LeftOut(path, why) for path, why in bad.items())]
        )
        entries = {path: entry for path, entry in entries.items() if path not in bad}
        packed_tree = ListedTree(root, entries, contents)
    followed_links = [path for path, entry in entries.items() if entry.kind == "link" and not links]
    kept_entries = entries | {
        path: entries[packed_tree.resolve(path) or path] for path in followed_links
    }
    if wrong := list(tree_faults(kept_entries)):
        raise PackRefused(wrong, "rename the file, or list it in .skillignore")
    paths = sorted(kept_entries, key=lambda path: path.encode())
    replaced_links = tuple(path for path in paths if kept_entries[path] is not entries[path])
    return SelectedFiles(
        ListedTree(root, kept_entries, contents),
        tuple(paths),
        tuple(excluded_entries),
        replaced_links,
    )


def _walk(
    tree: FileTree, exclusions: PackExclusions
) -> tuple[dict[str, ListedEntry], list[LeftOut]]:
    """The packed files and links with their listed sizes, and the excluded entries."""
    listed_files: dict[str, ListedEntry] = {}
    excluded_entries: list[LeftOut] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            entries = tree.list(folder)
        except OSError as error:
            raise _unreadable(folder or "the folder", error) from None
        names = {entry.name for entry in entries}
        if folder and (reason := exclusions.reason_within(names) if names else EMPTY):
            excluded_entries.append(LeftOut(f"{folder}/", reason))
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.kind == "folder"
            if reason := exclusions.reason(path, entry):
                excluded_entries.append(LeftOut(f"{path}/" if is_folder else path, reason))
            elif is_folder:
                folders.append(path)
            else:
                listed_files[path] = ListedEntry(entry.kind, 0, entry.size, path)
    return listed_files, sorted(excluded_entries)


def _refuse_size(listed_files: dict[str, ListedEntry], root: str) -> None:
    """Raise PackRefused for files that `unpack` would reject."""
    wrong = [
        f"{path} is larger than {MAX_FILE >> 20} MiB"
        for path, entry in listed_files.items()
        if entry.size > MAX_FILE
    ]
    wrong += [
        f"{path[:80]}… is too long or too deeply nested"
        for path in listed_files
        if len(f"{root}/{path}") > MAX_PATH or path.count("/") + 2 > MAX_DEPTH
    ]
    if sum(entry.size for entry in listed_files.values()) > MAX_TOTAL * 9 // 10:
        # The rest is for the headers of the archive.
        wrong.append(f"the skill is larger than {MAX_TOTAL * 9 // 10 >> 20} MiB")
    if len(listed_files) > MAX_ENTRIES:
        wrong.append(f"the skill has more than {MAX_ENTRIES} files")
    if wrong:
        raise PackRefused(wrong, "list files that do not belong to the skill in .skillignore")


def _read(
    tree: FileTree, listed_files: dict[str, ListedEntry], contents: MemoryContents
) -> dict[str, ListedEntry]:
    entries = {}
    for path, entry in listed_files.items():
        try:
            if entry.kind == "link":
                mode, data = 0o777, tree.target(path).encode("utf-8", "surrogateescape")
            else:
                mode = 0o755 if tree.mode(path) & 0o100 else 0o644
                data = tree.read(path, MAX_FILE)
        except OSError as error:
            raise _unreadable(path, error) from None
        contents.data[path] = data
        entries[path] = ListedEntry(entry.kind, mode, len(data), path)
    return entries


def _unreadable(path: str, error: OSError) -> PackRefused:
    return PackRefused([f"{path} cannot be read: {error.strerror or error}"])


def _bad_links(
    tree: FileTree,
    packed_tree: ListedTree,
    entries: dict[str, ListedEntry],
    excluded_entries: list[LeftOut],
    links: bool,
) -> Iterator[tuple[str, str]]:
    """The links that cannot be followed, and why."""
    for path, entry in entries.items():
        if entry.kind != "link":
            continue
        target = packed_tree.target(path)
        where = packed_tree.resolve(path)
        if is_absolute(target) or "\\" in target:
            yield path, f"a link to {target!r}, which is not a path within the skill"
        elif where is None:
            yield (
                path,
                f"a link to {target!r}, which {_why(tree, packed_tree, path, excluded_entries)}",
            )
        elif packed_tree.kind(where) == "folder" and not links:
            why = "zip files with links to folders do not work everywhere"
            advice = "pack a .tgz, or replace the link with a folder"
            yield path, f"a link to the folder {where}; {why}; {advice}"


def _why(
    tree: FileTree, packed_tree: ListedTree, path: str, excluded_entries: list[LeftOut]
) -> str:
    """Why a link cannot be followed in the archive."""
    if judge_path(packed_tree, path).problem == "path-link-outside":
        return "points outside of the skill"
    where = tree.resolve(path)
    for entry in excluded_entries if where is not None else ():
        if f"{where}/".startswith(entry.path.rstrip("/") + "/"):
            return f"is not packed ({entry.reason})"
    return "points to a file that does not exist"
