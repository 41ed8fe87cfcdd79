"""Compare two folders without digests."""

from __future__ import annotations

from skillstudio.files.tree import FileTree, Kind, walk

_PIECE = 1 << 20
_MOST = 100_000


def same_files(tree: FileTree, other: FileTree) -> bool:
    """Whether all files and symbolic links of two folders are equal; false if unknown.

    Files excluded by `.skillignore` count too, because they may be why a folder has no digest.
    """
    try:
        before, after = _list_files(tree), _list_files(other)
        return before == after and all(
            _same(tree, other, path, kind) for path, kind in before.items()
        )
    except OSError:
        return False


def _list_files(tree: FileTree) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for path, entry in walk(tree, lambda path: path != ".git"):
        kinds[path] = entry.kind
        if len(kinds) > _MOST:
            raise OSError("too many files")
    return kinds


def _same(tree: FileTree, other: FileTree, path: str, kind: Kind) -> bool:
    if kind == "link":
        return tree.target(path) == other.target(path)
    if kind != "file":
        return True
    if tree.size(path) != other.size(path):
        return False
    pairs = zip(tree.chunks(path, _PIECE), other.chunks(path, _PIECE), strict=True)
    return all(before == after for before, after in pairs)
