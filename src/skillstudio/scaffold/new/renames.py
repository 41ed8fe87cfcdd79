"""Match files that the template or the author renamed, by their contents, as git does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from skillstudio.files.left_out import why_not_copied
from skillstudio.files.tree import FileTree

_ALIKE = 0.5  # The least share of equal lines, git's default.
_LARGEST = 1 << 20  # Bytes of a file to compare.
_MOST_FILES = 2_000
_MOST_PAIRS = 10_000


def match_files(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """Renamed files, old path to new path; each path once, the most similar pairs first."""
    if len(before) * len(after) > _MOST_PAIRS:
        by_content = {data: path for path, data in after.items()}
        names = {path: by_content[data] for path, data in before.items() if data in by_content}
        return names if len(set(names.values())) == len(names) else {}
    pairs = sorted(
        (-share, _name(old) != _name(new), old, new)
        for old, data in before.items()
        for new, new_data in after.items()
        if (share := _similarity(data, new_data)) >= _ALIKE
    )
    renames: dict[str, str] = {}
    taken_paths: set[str] = set()
    for _, _, old, new in pairs:
        if old not in renames and new not in taken_paths:
            renames[old] = new
            taken_paths.add(new)
    return renames


def own_files(tree: FileTree, other_paths: Iterable[str]) -> dict[str, bytes]:
    """The files of a skill without those at some paths; unreadable and large ones are left out."""
    excluded_paths = set(other_paths)
    files: dict[str, bytes] = {}
    for path in _paths(tree):
        if len(files) == _MOST_FILES:
            break
        if path in excluded_paths:
            continue
        try:
            data = tree.read(path, _LARGEST + 1)
        except OSError:
            continue
        if len(data) <= _LARGEST:
            files[path] = data
    return files


def _paths(tree: FileTree) -> Iterator[str]:
    stack = [""]
    entry_count = 0
    while stack and entry_count < _MOST_FILES:
        folder = stack.pop()
        try:
            entries = tree.list(folder)
        except OSError:
            continue
        for entry in entries:
            entry_count += 1
            path = f"{folder}/{entry.name}" if folder else entry.name
            if why_not_copied(f"{entry.name}/" if entry.kind == "folder" else entry.name):
                continue
            if entry.kind == "folder":
                stack.append(path)
            elif entry.kind == "file":
                yield path


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _similarity(old: bytes, new: bytes) -> float:
    """The share of bytes in equal lines, from 0 to 1; line ends are ignored."""
    if old == new:
        return float(bool(old))
    if max(len(old), len(new)) > _LARGEST or b"\0" in old + new:
        return 0
    old_lines, new_lines = (Counter(data.splitlines()) for data in (old, new))
    equal_size = sum((len(line) + 1) * number for line, number in (old_lines & new_lines).items())
    sizes = [
        sum((len(line) + 1) * number for line, number in lines.items())
        for lines in (old_lines, new_lines)
    ]
    return equal_size / max(*sizes, 1)
