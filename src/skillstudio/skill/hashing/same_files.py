"""Compare two folders without digests."""

from __future__ import annotations

from skillstudio.files.tree import FileTree, Kind, walk

_PIECE = 1 << 20
_MOST = 100_000


def same_files(one: FileTree, other: FileTree) -> bool:
    """Whether all files and symbolic links of two folders are equal; false if unknown.

    Files excluded by `.skillignore` count too, because they may be why a folder has no digest.
    """
    try:
        before, after = _listed(one), _listed(other)
        return before == after and all(
            _same(one, other, path, kind) for path, kind in before.items()
        )
    except OSError:
        return False


def _listed(tree: FileTree) -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    for path, entry in walk(tree, lambda path: path != ".git"):
        found[path] = entry.kind
        if len(found) > _MOST:
            raise OSError("too many files")
    return found


def _same(one: FileTree, other: FileTree, path: str, kind: Kind) -> bool:
    if kind == "link":
        return one.target(path) == other.target(path)
    if kind != "file":
        return True
    if one.size(path) != other.size(path):
        return False
    pairs = zip(one.chunks(path, _PIECE), other.chunks(path, _PIECE), strict=True)
    return all(before == after for before, after in pairs)
